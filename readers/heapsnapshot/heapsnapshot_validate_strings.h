// The strings, as far as they can be read.
#ifndef HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_VALIDATE_STRINGS_H_
#define HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_VALIDATE_STRINGS_H_

#include <cstdint>

#include "heapglot/validate.h"
#include "readers/heapsnapshot/heapsnapshot_wire.h"

namespace heapglot::heapsnapshot {

struct StringFacts {
  std::uint64_t count = 0;
};

// Checks the array that begins at `rest.begin`, and that DevTools takes what is
// left of the file, up to the last "]", for it. Memory: none that grows.
StringFacts CheckStrings(const ByteSource& source, Context& context,
                         const Span& rest, FindingLog& log);

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_VALIDATE_STRINGS_H_
