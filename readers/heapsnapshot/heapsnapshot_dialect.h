// Which program wrote a file, as far as that can be told.
#ifndef HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_DIALECT_H_
#define HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_DIALECT_H_

#include <string_view>

#include "heapglot/format.h"
#include "readers/heapsnapshot/heapsnapshot_index.h"

namespace heapglot::heapsnapshot {

// One of the words in README.md ("v8-lines", "bun", ...); "" for none of them.
std::string_view DialectOf(std::string_view bytes, const Index& index);

// ReaderInfo::sniff.
Sniff SniffHeapsnapshot(std::string_view head);

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_DIALECT_H_
