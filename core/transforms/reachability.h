// Which nodes the roots of a stream's graphs reach, and where to enter the rest.
#ifndef HEAPGLOT_CORE_TRANSFORMS_REACHABILITY_H_
#define HEAPGLOT_CORE_TRANSFORMS_REACHABILITY_H_

#include <cstdint>
#include <vector>

#include "core/transforms/rank_bitmap.h"
#include "heapglot/convert.h"
#include "heapglot/stream.h"

namespace heapglot {

// What we know about a graph once all of it was seen.
struct GraphPlan {
  RankBitmap kept_nodes;               // those that a root reaches
  RankBitmap kept_edges;               // those that leave them (kDrop)
  std::vector<std::uint32_t> entries;  // into the others, in order (kRoot)
  std::uint32_t entry_distance = 0;    // for Roots.distance
  std::uint64_t roots = 0;
  std::uint64_t root_kinds = 0;  // in the vocabulary
  pb::GraphEnd end;              // with the totals of what is left (kDrop)

  bool all_reached() const { return kept_nodes.members() == kept_nodes.size(); }
};

// Reads a pass of `reader` and appends the plan of each graph. What is of use
// for `mode` only is there for `mode` only.
// Memory: about 4 bytes an edge and 20 bytes a node while it reads.
// Errors: those of the reader; kUnsupported if edges are not grouped by their
// source; kLimit for 2^32 - 1 nodes or more.
Status PlanGraphs(Reader& reader, Unreachable mode,
                  std::vector<GraphPlan>* plans);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TRANSFORMS_REACHABILITY_H_
