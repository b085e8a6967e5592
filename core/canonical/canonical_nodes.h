// The nodes of a canonical graph, and their edges if they are grouped.
#ifndef HEAPGLOT_CORE_CANONICAL_CANONICAL_NODES_H_
#define HEAPGLOT_CORE_CANONICAL_CANONICAL_NODES_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "core/bytes/spill_buffer.h"
#include "core/canonical/canonical_out.h"
#include "core/ir/row_buffer.h"
#include "heapglot/stream.h"

namespace heapglot {

// Sends blocks of kChunkRows nodes, each followed by its edges in chunks of
// kChunkRows, however they came.
//
// Edges wait until all nodes of their block are there. If they are many, as
// those of large arrays, they wait in a SpillBuffer.
//
// Memory: two blocks, kHeldChunks chunks of edges and the SpillBuffer if the
// edges came after each chunk of nodes; all nodes if they came after these.
class CanonicalNodes {
 public:
  explicit CanonicalNodes(CanonicalOut& out) : out_(out) {}

  // A graph begins.
  void Begin(bool edges_grouped);
  // Leaves anything in `chunk`. Errors of all: those of CanonicalOut and of
  // SpillBuffer.
  Status AddNodes(pb::Chunk& chunk);
  Status AddEdges(pb::Chunk& chunk);
  // The graph ends.
  Status End();

  // One more than the greatest id, or 1-based position, of the graph.
  std::uint64_t id_limit() const { return id_limit_; }

 private:
  // So many chunks of edges are for nodes of ordinary heaps, in memory.
  static constexpr std::size_t kHeldChunks = 16;

  // Nodes that are sent together, and those of their edges that are here.
  struct Block {
    Block() : nodes(pb::Chunk::kNodes, kChunkRows) {}

    RowBuffer nodes;
    std::uint64_t first_node = 0;
    std::vector<std::uint64_t> edge_counts;  // of the nodes
    std::uint64_t expected = 0;              // edges, of all nodes so far
    std::uint64_t received = 0;
    std::deque<RowBuffer> edges;  // not sent yet, except those in spilled_
    bool is_whole = false;        // no more nodes will come
    bool is_sent = false;         // the nodes were sent
    // Of the next edge to send: its node, and how many of that node's edges
    // were sent before.
    std::size_t node = 0;
    std::uint64_t edge = 0;
  };

  Status Advance();
  Status Spill(const pb::Chunk& edges);
  Status SendSpilled(Block& block);
  Status SendEdges(Block& block);
  static void CountEdges(Block& block, pb::Edges* edges);
  Block& BlockForEdge();

  CanonicalOut& out_;
  bool edges_grouped_ = false;
  std::deque<std::unique_ptr<Block>> blocks_;
  std::uint64_t id_limit_ = 0;
  // The first edges of the block whose nodes are not all there; there is only
  // one that has edges already. Chunks, in protobuf's wire format, and the size
  // of each.
  SpillBuffer spilled_{std::size_t{1} << 20};
  std::vector<std::size_t> spilled_sizes_;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_CANONICAL_CANONICAL_NODES_H_
