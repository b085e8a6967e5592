// Places in a heap snapshot, for messages.
#ifndef HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_PLACE_H_
#define HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_PLACE_H_

#include <cstdint>
#include <string>

#include "heapglot/bytes.h"
#include "heapglot/status.h"

namespace heapglot::heapsnapshot {

// How each message of the reader's begins.
inline constexpr char kMessagePrefix[] = "heapsnapshot: ";

// Tells the line and column of an offset: most files have one line, but people
// look at those that others have edited. Memory: none that grows.
class LineFinder {
 public:
  // `source` must outlive this.
  explicit LineFinder(const ByteSource& source) : source_(source) {}

  // The place of the byte at `offset`. Reads what is between it and the one that
  // was asked for before, or all that stands before it if it is ahead of that.
  Where Find(std::uint64_t offset);

 private:
  const ByteSource& source_;
  std::uint64_t at_ = 0;  // up to where lines are counted
  std::uint64_t line_ = 1;
  std::uint64_t line_begin_ = 0;  // of that line
};

// `status` with the prefix and its line, unless it has them.
Status InFile(const Status& status, const ByteSource& source);

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_PLACE_H_
