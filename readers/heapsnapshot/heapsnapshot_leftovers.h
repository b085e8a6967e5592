// The place of leftovers in a heapsnapshot.
#ifndef HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_LEFTOVERS_H_
#define HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_LEFTOVERS_H_

#include <optional>

#include "heapglot/format.h"

namespace heapglot::heapsnapshot {

// ReaderInfo::find_leftovers.
std::optional<LeftoversBlock> FindLeftovers(const ByteSource& source);

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_LEFTOVERS_H_
