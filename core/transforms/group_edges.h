// Groups edges by their sources, whatever order the input has them in.
#ifndef HEAPGLOT_CORE_TRANSFORMS_GROUP_EDGES_H_
#define HEAPGLOT_CORE_TRANSFORMS_GROUP_EDGES_H_

#include <memory>
#include <span>

#include "heapglot/context.h"
#include "heapglot/format.h"
#include "heapglot/stream.h"

namespace heapglot {

// The codes under which context.loss counts what sorting loses.
extern const std::span<const FidelityRow> kGroupEdgesFidelity;

// A reader that shows `upstream` with Graph.edges_grouped in every graph.
// `upstream` and `context` must outlive it. Graphs that are already grouped
// stay as they are. In the others
//
// * Nodes.edge_count is present, and the edges of the nodes in a chunk follow
//   that chunk. Edges of one node keep their order.
// * Values and extra columns of edges are left out, because edges have other
//   numbers now. They are counted once, when a pass would have included them.
// * RecordOrder is left out, and so is the stream's SourceImage.
//
// The first Read() reads upstream once in advance, and twice more if edges must
// be sorted. Memory: see EdgeSorter; 24 bytes per graph.
// Errors: those of upstream; kLimit and kOutput if there is no room to sort;
// kLimit for 2^32 edges of one node.
std::unique_ptr<Reader> MakeEdgeGrouper(Reader& upstream, Context& context);

// For a writer that accepts edges in any order, if they were sorted for a later
// transform.
inline constexpr FidelityRow kSortedEdges = {
    Feature::kEdgeScattered, "group_edges.scattered", LossClass::kEquivalent,
    "edges are sorted by source node"};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TRANSFORMS_GROUP_EDGES_H_
