// Which nodes the roots of a stream's graphs reach, and entry points to the
// rest.
#ifndef HEAPGLOT_CORE_TRANSFORMS_REACHABILITY_H_
#define HEAPGLOT_CORE_TRANSFORMS_REACHABILITY_H_

#include <cstdint>
#include <vector>

#include "core/rank_bitmap.h"
#include "heapglot/convert.h"
#include "heapglot/stream.h"

namespace heapglot {

// What is known about a graph when all of it has been seen.
struct GraphPlan {
  bool all_reached = false;          // then the bitmaps are empty
  RankBitmap kept_nodes;             // those that a root reaches (kDrop)
  RankBitmap kept_edges;             // those that leave them (kDrop)
  RankBitmap entries;                // into the rest (kRoot)
  std::uint32_t entry_distance = 0;  // for Roots.distance (kRoot)
  std::uint64_t roots = 0;
  std::uint64_t root_kinds = 0;  // in the vocabulary
};

// Reads a pass of `reader`, with up to `threads` threads, and appends the plan
// of each graph. What only one mode needs is filled in only for that mode.
// Memory: that of a ReferenceGraph.
// Errors: those of the reader and of ReferenceGraph; kUnsupported if edges are
// not grouped by their source; kLimit for 2^32 - 1 nodes or more.
Status PlanGraphs(Reader& reader, Unreachable mode, unsigned threads,
                  std::vector<GraphPlan>* plans);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TRANSFORMS_REACHABILITY_H_
