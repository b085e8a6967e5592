// Which nodes the roots of a stream's graphs reach, and where to enter the rest.
#ifndef HEAPGLOT_CORE_TRANSFORMS_REACHABILITY_H_
#define HEAPGLOT_CORE_TRANSFORMS_REACHABILITY_H_

#include <cstdint>
#include <vector>

#include "core/rank_bitmap.h"
#include "heapglot/convert.h"
#include "heapglot/stream.h"

namespace heapglot {

// What we know about a graph once all of it was seen.
struct GraphPlan {
  bool all_reached = false;          // then the rest is not there
  RankBitmap kept_nodes;             // those that a root reaches (kDrop)
  RankBitmap kept_edges;             // those that leave them (kDrop)
  RankBitmap entries;                // into the others (kRoot)
  std::uint32_t entry_distance = 0;  // for Roots.distance (kRoot)
  std::uint64_t roots = 0;
  std::uint64_t root_kinds = 0;  // in the vocabulary
};

// Reads a pass of `reader`, with up to `threads`, and appends the plan of each graph. What is of use
// for `mode` only is there for `mode` only.
// Memory: that of a ReferenceGraph.
// Errors: those of the reader and of ReferenceGraph; kUnsupported if edges are not grouped by their
// source; kLimit for 2^32 - 1 nodes or more.
Status PlanGraphs(Reader& reader, Unreachable mode, unsigned threads,
                  std::vector<GraphPlan>* plans);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TRANSFORMS_REACHABILITY_H_
