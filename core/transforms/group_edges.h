// Edges in the order of their sources, whatever order the source has them in.
#ifndef HEAPGLOT_CORE_TRANSFORMS_GROUP_EDGES_H_
#define HEAPGLOT_CORE_TRANSFORMS_GROUP_EDGES_H_

#include <memory>
#include <span>

#include "heapglot/context.h"
#include "heapglot/format.h"
#include "heapglot/stream.h"

namespace heapglot {

// The codes under which context.loss counts what sorting costs.
extern const std::span<const FidelityRow> kGroupEdgesFidelity;

// A reader that shows what `upstream` shows with Graph.edges_grouped in every
// graph. `upstream` and `context` must outlive it. Graphs that are grouped
// already stay as they are. In the others
//
// * Nodes.edge_count is there, and the edges of the nodes in a chunk follow
//   that chunk. Edges of one node keep their order.
// * Values and extra columns of edges are left out, for edges have other
//   numbers now. They are counted once, when a pass would have brought them.
// * RecordOrder is left out and, from the stream, SourceImage.
//
// The first Read() reads upstream once before, and twice more if edges are to be
// sorted. Memory: see EdgeSorter; 24 bytes a graph.
// Errors: those of upstream; kLimit and kOutput when there is no room to sort;
// kLimit for 2^32 edges of one node.
std::unique_ptr<Reader> MakeEdgeGrouper(Reader& upstream, Context& context);

// Of a writer that can have edges in any order, which were sorted for a transform
// behind this one.
inline constexpr FidelityRow kSortedEdges = {
    Feature::kEdgeScattered, "group_edges.scattered", LossClass::kEquivalent,
    "edges are sorted by the nodes that they leave"};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TRANSFORMS_GROUP_EDGES_H_
