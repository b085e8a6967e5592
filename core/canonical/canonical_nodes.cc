#include "core/canonical/canonical_nodes.h"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "core/column.h"
#include "core/ir/columns.h"

namespace heapglot {

void CanonicalNodes::Begin(bool edges_grouped) {
  edges_grouped_ = edges_grouped;
  blocks_.clear();
  spilled_.Clear();
  spilled_sizes_.clear();
  id_limit_ = 0;
}

Status CanonicalNodes::AddNodes(pb::Chunk& chunk) {
  out_.MakeExplicit(&chunk);
  pb::Nodes& nodes = *chunk.mutable_nodes();
  if (!blocks_.empty()) blocks_.back()->nodes.ShareExtras(&nodes);
  // Positions count as ids, too (GraphEnd).
  id_limit_ = std::max(id_limit_, nodes.first() + nodes.count() + 1);
  for (const std::uint64_t id : nodes.id())
    id_limit_ = std::max(id_limit_, id == ~std::uint64_t{0} ? id : id + 1);
  for (std::size_t row = 0; row < nodes.count();) {
    if (!blocks_.empty() && !blocks_.back()->nodes.Fits(nodes))
      blocks_.back()->is_whole = true;
    if (blocks_.empty() || blocks_.back()->is_whole) {
      blocks_.push_back(std::make_unique<Block>());
      blocks_.back()->first_node = nodes.first() + row;
    }
    Block& block = *blocks_.back();
    const std::size_t end =
        std::min<std::size_t>(nodes.count(), row + block.nodes.room());
    block.nodes.Append(nodes, row, end);
    for (; row < end && edges_grouped_; ++row) {
      block.edge_counts.push_back(
          At(nodes.edge_count(), static_cast<int>(row)));
      block.expected += block.edge_counts.back();
    }
    row = end;
    block.is_whole = block.nodes.room() == 0;
  }
  return Advance();
}

// The first block whose edges are not all there; if there is none, the last
// one.
CanonicalNodes::Block& CanonicalNodes::BlockForEdge() {
  for (const auto& block : blocks_)
    if (block->received < block->expected) return *block;
  return *blocks_.back();
}

Status CanonicalNodes::AddEdges(pb::Chunk& chunk) {
  if (blocks_.empty()) return {};  // without nodes there are no edges
  out_.MakeExplicit(&chunk);
  pb::Edges& edges = *chunk.mutable_edges();
  edges.clear_edges_per_node();
  for (std::size_t row = 0; row < edges.count();) {
    Block& block = BlockForEdge();
    if (!block.edges.empty()) block.edges.back().ShareExtras(&edges);
    if (block.edges.empty() || block.edges.back().room() == 0 ||
        !block.edges.back().Fits(edges)) {
      if (block.edges.size() == kHeldChunks) {
        HEAPGLOT_RETURN_IF_ERROR(Spill(block.edges.front().chunk()));
        block.edges.pop_front();
      }
      block.edges.emplace_back(pb::Chunk::kEdges, kChunkRows);
    }
    const std::uint64_t missing = block.expected - block.received;
    const std::size_t taken =
        std::min({edges.count() - row, block.edges.back().room(),
                  static_cast<std::size_t>(missing)});
    if (taken == 0) {
      return {Code::kInternal, "there are more edges than the nodes have"};
    }
    block.edges.back().Append(edges, row, row + taken);
    block.received += taken;
    row += taken;
    HEAPGLOT_RETURN_IF_ERROR(Advance());
    if (blocks_.empty() && row < edges.count())
      return {Code::kInternal, "there are more edges than the nodes have"};
  }
  return {};
}

Status CanonicalNodes::End() {
  if (!blocks_.empty()) blocks_.back()->is_whole = true;
  return Advance();
}

Status CanonicalNodes::Advance() {
  while (!blocks_.empty() && blocks_.front()->is_whole) {
    Block& block = *blocks_.front();
    if (!block.is_sent) {
      HEAPGLOT_RETURN_IF_ERROR(out_.Send(block.nodes.mutable_chunk()));
      block.is_sent = true;
    }
    HEAPGLOT_RETURN_IF_ERROR(SendEdges(block));
    if (block.received < block.expected) return {};
    blocks_.pop_front();
  }
  return {};
}

Status CanonicalNodes::Spill(const pb::Chunk& edges) {
  const std::string bytes = edges.SerializeAsString();
  spilled_.Write(bytes);
  spilled_sizes_.push_back(bytes.size());
  return spilled_.status();
}

Status CanonicalNodes::SendSpilled(Block& block) {
  pb::Chunk chunk;
  std::uint64_t at = 0;
  for (const std::size_t size : spilled_sizes_) {
    const std::string_view bytes = spilled_.View(at, size);
    HEAPGLOT_RETURN_IF_ERROR(spilled_.status());
    at += size;
    if (!chunk.ParseFromArray(bytes.data(), static_cast<int>(size)))
      return {Code::kInternal, "a temporary file has changed"};
    CountEdges(block, chunk.mutable_edges());
    HEAPGLOT_RETURN_IF_ERROR(out_.SendOwned(&chunk));
  }
  spilled_.Clear();
  spilled_sizes_.clear();
  return {};
}

Status CanonicalNodes::SendEdges(Block& block) {
  if (!spilled_sizes_.empty()) HEAPGLOT_RETURN_IF_ERROR(SendSpilled(block));
  while (!block.edges.empty()) {
    RowBuffer& edges = block.edges.front();
    const bool is_whole = edges.room() == 0 || block.edges.size() > 1 ||
                          block.received == block.expected;
    if (!is_whole) return {};
    CountEdges(block, edges.mutable_chunk()->mutable_edges());
    HEAPGLOT_RETURN_IF_ERROR(out_.SendOwned(edges.mutable_chunk()));
    block.edges.pop_front();
  }
  return {};
}

// Sets which nodes the edges are of.
void CanonicalNodes::CountEdges(Block& block, pb::Edges* edges) {
  std::uint64_t left = edges->count();
  while (left != 0) {
    const std::uint64_t open = block.edge_counts[block.node] - block.edge;
    const std::uint64_t here = std::min(left, open);
    if (here != 0 && edges->edges_per_node().empty())
      edges->set_first_node(block.first_node + block.node);
    if (!edges->edges_per_node().empty() || here != 0)
      edges->add_edges_per_node(static_cast<std::uint32_t>(here));
    left -= here;
    block.edge += here;
    if (block.edge < block.edge_counts[block.node]) continue;
    ++block.node;
    block.edge = 0;
  }
}

}  // namespace heapglot
