// Sorts millions of hashes.
#ifndef HEAPGLOT_CORE_CANONICAL_SORT_HASHES_H_
#define HEAPGLOT_CORE_CANONICAL_SORT_HASHES_H_

#include <functional>
#include <span>

#include "core/ir/checksum.h"

namespace heapglot {

// Sorts hashes, which must be evenly distributed, in up to `threads` threads.
// use(hashes) gets them in order, in this thread, a span at a time, while
// others are sorted; equal ones are in one span. `spare` must be as large as
// `hashes`.
void SortHashes(std::span<Hash128> hashes, std::span<Hash128> spare,
                unsigned threads,
                const std::function<void(std::span<const Hash128>)>& use);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_CANONICAL_SORT_HASHES_H_
