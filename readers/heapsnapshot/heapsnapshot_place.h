// Places in a heap snapshot, for messages.
#ifndef HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_PLACE_H_
#define HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_PLACE_H_

#include <cstdint>
#include <string>

#include "heapglot/bytes.h"
#include "heapglot/status.h"

namespace heapglot::heapsnapshot {

// How each message of the reader begins.
inline constexpr char kMessagePrefix[] = "heapsnapshot: ";

// Finds the line and column of an offset. Most files have one line, but people
// also look at files that were edited. Memory: constant.
class LineFinder {
 public:
  // `source` must outlive this.
  explicit LineFinder(const ByteSource& source) : source_(source) {}

  // The place of the byte at `offset`. Reads what is between it and the
  // previous one, or everything before it if it is before the previous one.
  Where Find(std::uint64_t offset);

 private:
  const ByteSource& source_;
  std::uint64_t at_ = 0;  // lines are counted up to here
  std::uint64_t line_ = 1;
  std::uint64_t line_begin_ = 0;  // of that line
};

// `status` with the prefix and its line, unless it already has them.
Status InFile(const Status& status, const ByteSource& source);

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_PLACE_H_
