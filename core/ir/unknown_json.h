// Numbers in JSON that a reader keeps as it is.
#ifndef HEAPGLOT_CORE_IR_UNKNOWN_JSON_H_
#define HEAPGLOT_CORE_IR_UNKNOWN_JSON_H_

#include <cstdint>

#include "heapglot/format.h"
#include "heapglot/stream.h"

namespace heapglot {

// Counts the numbers of which nobody says what they are (UnknownNumbers()) in the
// Extra chunks of a stream: those that the format's reader has declared as such
// (ReaderInfo::unknown_json).
class UnknownJson {
 public:
  // `find` is FindReader(), which core does without; nullptr: nobody has any.
  explicit UnknownJson(decltype(&FindReader) find) : find_(find) {}

  // How many are in this chunk. To be called for each, in their order.
  std::uint64_t Add(const pb::Extra& extra);

 private:
  decltype(&FindReader) find_;
  bool goes_on_ = false;
  bool is_unknown_ = false;  // the section that we are in
  // Where in its text we are.
  bool is_in_string_ = false;
  bool is_escaped_ = false;
  bool is_in_number_ = false;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_IR_UNKNOWN_JSON_H_
