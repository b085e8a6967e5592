// Numbers in JSON that a reader keeps as it is.
#ifndef HEAPGLOT_CORE_IR_UNKNOWN_JSON_H_
#define HEAPGLOT_CORE_IR_UNKNOWN_JSON_H_

#include <cstdint>

#include "heapglot/format.h"
#include "heapglot/stream.h"

namespace heapglot {

// Counts the numbers of unknown meaning (UnknownNumbers()) in the Extra chunks
// of a stream: those in the section that the format's reader declares
// (ReaderInfo::unknown_json).
class UnknownJson {
 public:
  // `find` is FindReader(), on which core does not depend; nullptr: no format
  // has such a section.
  explicit UnknownJson(decltype(&FindReader) find) : find_(find) {}

  // The number of those in this chunk. Must be called for each chunk, in order.
  std::uint64_t Add(const pb::Extra& extra);

 private:
  decltype(&FindReader) find_;
  bool goes_on_ = false;
  bool is_unknown_ = false;  // of the current section
  // State of the scan through its text.
  bool is_in_string_ = false;
  bool is_escaped_ = false;
  bool is_in_number_ = false;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_IR_UNKNOWN_JSON_H_
