// The strings, as far as they can be read.
#ifndef HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_VALIDATE_STRINGS_H_
#define HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_VALIDATE_STRINGS_H_

#include <cstdint>
#include <string_view>

#include "heapglot/validate.h"

namespace heapglot::heapsnapshot {

struct StringFacts {
  std::uint64_t count = 0;
};

// Whether `raw`, a string without its quotes, has a lone surrogate that is
// written as an escape.
bool HasLoneSurrogate(std::string_view raw);

// Checks the array that begins at `begin` and, if DevTools gets that far, that
// it ends where DevTools looks for its end: at the last "]" of the file.
// Memory: constant.
StringFacts CheckStrings(const ByteSource& source, Context& context,
                         std::uint64_t begin, bool devtools_gets_there,
                         FindingLog& log);

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_VALIDATE_STRINGS_H_
