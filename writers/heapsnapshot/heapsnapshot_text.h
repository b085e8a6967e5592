// Strings as V8 writes them: JSON in ASCII.
#ifndef HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_TEXT_H_
#define HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_TEXT_H_

#include <cstdint>
#include <string_view>

#include "core/bytes/buffered_out.h"

namespace heapglot::heapsnapshot {

// What could not be written as it is; each became U+FFFD. Not every reader
// accepts "\ud800" alone, and none accepts bytes that are not text.
struct Replaced {
  std::uint64_t lone_surrogates = 0;
  std::uint64_t bad_bytes = 0;
};

// Writes the inside of a JSON string. `text` is UTF-8, generalized UTF-8, or
// bytes; a piece of a longer text may be given if it is cut between code
// points.
void WriteEscaped(std::string_view text, BufferedOut& out, Replaced* replaced);

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_TEXT_H_
