// The strings, as far as they can be read.
#ifndef HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_VALIDATE_STRINGS_H_
#define HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_VALIDATE_STRINGS_H_

#include <cstdint>

#include "heapglot/validate.h"

namespace heapglot::heapsnapshot {

struct StringFacts {
  std::uint64_t count = 0;
};

// Checks the array that begins at `begin`; and if DevTools gets that far, that
// it ends where that looks for its end: at the last "]" of the file.
// Memory: none that grows.
StringFacts CheckStrings(const ByteSource& source, Context& context,
                         std::uint64_t begin, bool devtools_gets_there,
                         FindingLog& log);

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_VALIDATE_STRINGS_H_
