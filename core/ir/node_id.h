// The ids of nodes, whether or not their column is there.
#ifndef HEAPGLOT_CORE_IR_NODE_ID_H_
#define HEAPGLOT_CORE_IR_NODE_ID_H_

#include <cstdint>

#include "heapglot/stream.h"

namespace heapglot {

// The id of the node in `row` of a chunk: without the column, its index + 1. That
// does not mean that the source has none (Graph.id_space): the canonical form leaves
// out what goes without saying.
inline std::uint64_t NodeIdAt(const pb::Nodes& nodes, int row) {
  return nodes.id().empty() ? nodes.first() + static_cast<unsigned>(row) + 1
                            : nodes.id(row);
}

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_IR_NODE_ID_H_
