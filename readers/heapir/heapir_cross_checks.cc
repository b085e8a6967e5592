#include "readers/heapir/heapir_cross_checks.h"

#include <algorithm>
#include <limits>

#include "core/column.h"
#include "core/ir/greatest.h"

namespace heapglot::heapir {
namespace {

constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();

}  // namespace

void RowOrder::HasRows(std::uint64_t frame, std::uint64_t rows) {
  // Nothing can be between the two.
  if (!rows_.empty() && rows_.back().frame + 1 == frame) {
    rows_.back() = {frame, rows};
    return;
  }
  if (rows_.size() < kMost)
    rows_.push_back({frame, rows});
  else
    is_full_ = true;
}

void RowOrder::Claim(std::uint64_t frame, std::uint64_t least,
                     std::uint64_t most) {
  if (!claims_.empty() && claims_.back().frame + 1 >= frame) {
    Bounds& last = claims_.back();
    last = {frame, std::max(last.least, least), std::min(last.most, most)};
    return;
  }
  if (claims_.size() < kMost)
    claims_.push_back({frame, least, most});
  else
    is_full_ = true;
}

bool RowOrder::AllClaimsHold() const {
  if (is_full_) return true;
  auto next = rows_.begin();
  std::uint64_t rows = 0;
  for (const Bounds& claim : claims_) {
    for (; next != rows_.end() && next->frame < claim.frame; ++next)
      rows = next->rows;
    if (rows < claim.least || rows > claim.most) return false;
  }
  return true;
}

void CrossChecks::Begin(ChunkSet kinds) {
  const bool nodes = kinds.Has(pb::Chunk::kNodes);
  const bool edges = kinds.Has(pb::Chunk::kEdges);
  const bool strings = kinds.Has(pb::Chunk::kStrings);
  nodes_alone_ = nodes && !edges;
  edges_alone_ = edges && !nodes;
  strings_alone_ = strings && !nodes;
  nameless_nodes_ = nodes && !strings;
  first_node_ = 0;
  last_nodes_.reset();
  if (nodes_alone_) node_order_.ForgetRows();
  if (edges_alone_) node_order_.ForgetClaims();
  if (strings_alone_) names_.ForgetRows();
  if (nameless_nodes_) names_.ForgetClaims();
}

void CrossChecks::Add(std::uint64_t frame, const pb::Chunk& chunk) {
  switch (chunk.body_case()) {
    case pb::Chunk::kNodes:
      AddNodes(frame, chunk.nodes());
      break;
    case pb::Chunk::kEdges: {
      const pb::Edges& edges = chunk.edges();
      if (!edges_alone_ || edges.edges_per_node().empty()) break;
      const auto nodes =
          static_cast<std::uint64_t>(edges.edges_per_node_size());
      node_order_.Claim(frame, first_node_ + edges.first_node() + nodes, kAny);
      break;
    }
    case pb::Chunk::kStrings: {
      const pb::Strings& strings = chunk.strings();
      const auto count = static_cast<std::uint64_t>(strings.length_size());
      if (strings_alone_) names_.HasRows(frame, strings.first() + count);
      break;
    }
    case pb::Chunk::kGraphEnd:
      first_node_ += chunk.graph_end().nodes();
      break;
    default:
      break;
  }
}

void CrossChecks::AddNodes(std::uint64_t frame, const pb::Nodes& nodes) {
  if (nodes_alone_)
    node_order_.HasRows(frame, first_node_ + nodes.first() + nodes.count());
  if (nameless_nodes_) AddNames(frame, nodes);
  last_nodes_ = frame;
}

// Names of values come between the previous nodes and these.
void CrossChecks::AddNames(std::uint64_t frame, const pb::Nodes& nodes) {
  if (GreatestOf(nodes.value_form()) < pb::V_NAME) return;
  std::uint64_t first = kAny;
  std::uint64_t last = 0;
  for (int i = 0; i < nodes.value_form_size(); ++i) {
    if (nodes.value_form(i) != pb::V_NAME) continue;
    const std::uint64_t name = At(nodes.value(), i);
    if (name == 0) continue;
    first = std::min(first, name);
    last = std::max(last, name);
  }
  if (last == 0) return;
  if (last_nodes_) names_.Claim(*last_nodes_, 0, first);
  names_.Claim(frame, last + 1, kAny);
}

void CrossChecks::End(std::uint64_t mark) {
  if (nodes_alone_) nodes_mark_ = mark;
  if (edges_alone_) edges_mark_ = mark;
  has_strings_ = has_strings_ || strings_alone_;
  has_names_ = has_names_ || nameless_nodes_;
}

bool CrossChecks::Agree() const {
  const bool has_graph = nodes_mark_ && edges_mark_;
  if (has_graph &&
      (*nodes_mark_ != *edges_mark_ || !node_order_.AllClaimsHold()))
    return false;
  return !has_strings_ || !has_names_ || names_.AllClaimsHold();
}

}  // namespace heapglot::heapir
