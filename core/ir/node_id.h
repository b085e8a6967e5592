// The ids of nodes, whether or not the column is there.
#ifndef HEAPGLOT_CORE_IR_NODE_ID_H_
#define HEAPGLOT_CORE_IR_NODE_ID_H_

#include <cstdint>

#include "heapglot/stream.h"

namespace heapglot {

// Whether nodes of a graph with this id space have ids of their own. A chunk
// without the column may have them, too: the canonical form leaves out what can
// be inferred.
inline bool HasNodeIds(pb::Graph::IdSpace space, const pb::Nodes& nodes) {
  return space != pb::Graph::IMPLICIT || !nodes.id().empty();
}

// The id of the node in `row` of a chunk: without the column, its index + 1.
inline std::uint64_t NodeIdAt(const pb::Nodes& nodes, int row) {
  return nodes.id().empty() ? nodes.first() + static_cast<unsigned>(row) + 1
                            : nodes.id(row);
}

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_IR_NODE_ID_H_
