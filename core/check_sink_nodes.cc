// What holds for nodes and edges.
#include <algorithm>
#include <cstddef>
#include <string>

#include "core/check_sink.h"
#include "core/column.h"
#include "core/saturating.h"

namespace heapglot {
namespace {

using Body = pb::Chunk::BodyCase;
using Space = IndexSpace;

}  // namespace

Status CheckSink::CheckNodes(const pb::Nodes& nodes) {
  if (nodes.edge_count_size() != 0 && !grouped_.value_or(true)) {
    return Wrong("edge_count is for grouped edges");
  }
  for (const std::uint32_t kind : nodes.kind()) {
    HEAPGLOT_RETURN_IF_ERROR(CheckKind(pb::Vocabulary::NODE_KIND, kind));
  }
  for (int i = 0; i < nodes.type_ref_size(); ++i) {
    const bool dangling = (At(nodes.flags(), i) & pb::NODE_TYPE_DANGLING) != 0;
    if (nodes.type_ref(i) != 0 && !dangling) {
      NoteIndex(Space::kTypes, nodes.type_ref(i) - 1, "type_ref");
    }
  }
  for (int i = 0; i < nodes.value_form_size(); ++i) {
    const std::uint64_t value = At(nodes.value(), i);
    HEAPGLOT_RETURN_IF_ERROR(
        CheckValue(nodes.value_form(i), value, At(nodes.value_encoding(), i)));
    if (nodes.value_form(i) == pb::V_NAME) {
      HEAPGLOT_RETURN_IF_ERROR(CheckValueName(value));
    }
  }
  value_names_ = strings_;
  for (const std::uint64_t size : nodes.self_size()) {
    self_size_ = AddSaturating(self_size_, size);
  }
  for (const std::uint64_t count : nodes.edge_count()) edge_count_sum_ += count;
  if (wanted_.Has(Body::kEdges)) {
    AddEdgeCounts(nodes);
  }
  return CheckIds(nodes);
}

// Such a name can be read without keeping any strings but the last ones.
Status CheckSink::CheckValueName(std::uint64_t string) {
  if (string == 0 || !wanted_.Has(Body::kStrings)) return {};
  if (string >= value_names_ && string < strings_) return {};
  return Wrong("the name " + std::to_string(string) +
               " of a node does not stand in the strings since the nodes "
               "before");
}

Status CheckSink::CheckIds(const pb::Nodes& nodes) {
  id_limit_ = std::max(id_limit_, Rows(Body::kNodes) + 1);
  for (const std::uint64_t id : nodes.id()) {
    id_limit_ = std::max(id_limit_, AddSaturating(id, 1));
  }
  return {};
}

// ---------------------------------------------------------------------- edges

Status CheckSink::CheckEdges(const pb::Edges& edges) {
  HEAPGLOT_RETURN_IF_ERROR(CheckEdgeKinds(edges));
  HEAPGLOT_RETURN_IF_ERROR(CheckEdgeTargets(edges));
  if (!grouped_.has_value()) {
    // The graph was not asked for: the edges themselves show it.
    if (edges.edges_per_node_size() != 0) return CheckGrouping(edges);
    return {};
  }
  if (!*grouped_) {
    if (edges.count() != 0) NoteIndex(Space::kNodes, 0, "from");
    for (const std::uint64_t from : edges.from()) {
      NoteIndex(Space::kNodes, from, "from");
    }
    if (edges.edges_per_node_size() != 0 || edges.first_node() != 0) {
      return Wrong("edges_per_node and first_node are for grouped edges");
    }
    return {};
  }
  if (edges.from_size() != 0) return Wrong("grouped edges have no from");
  return CheckGrouping(edges);
}

Status CheckSink::CheckEdgeKinds(const pb::Edges& edges) {
  const auto& kinds = kinds_[pb::Vocabulary::EDGE_KIND];
  for (const std::uint32_t kind : edges.kind()) {
    HEAPGLOT_RETURN_IF_ERROR(CheckKind(pb::Vocabulary::EDGE_KIND, kind));
  }
  for (const std::uint32_t name_form : edges.name_form()) {
    if (!pb::NameForm_IsValid(static_cast<int>(name_form))) {
      return Wrong("name_form is " + std::to_string(name_form));
    }
  }
  std::uint64_t most = 0;  // of the names that are strings
  for (int i = 0; i < edges.name_size(); ++i) {
    const std::uint32_t kind = At(edges.kind(), i);
    std::uint32_t name_form = At(edges.name_form(), i);
    if (edges.name_form().empty() && kind < kinds.size()) {
      name_form = kinds[kind].name_form;
    }
    if (name_form == pb::NAME_STRING) most = std::max(most, edges.name(i));
  }
  NoteIndex(Space::kStrings, most, "name");
  return {};
}

Status CheckSink::CheckEdgeTargets(const pb::Edges& edges) {
  if (edges.to_form().empty()) {
    // As most are.
    std::uint64_t most = 0;
    for (const std::uint64_t to : edges.to()) most = std::max(most, to);
    if (edges.count() != 0) NoteIndex(Space::kNodes, most, "to");
    return {};
  }
  for (int i = 0; i < edges.to_form_size(); ++i) {
    const std::uint32_t form = edges.to_form(i);
    HEAPGLOT_RETURN_IF_ERROR(CheckTarget(form, At(edges.to(), i)));
    omitted_ += form == pb::TO_OMITTED ? 1 : 0;
    dangling_ += form == pb::TO_DANGLING ? 1 : 0;
    immediate_ += form == pb::TO_IMMEDIATE ? 1 : 0;
  }
  return {};
}

Status CheckSink::CheckGrouping(const pb::Edges& edges) {
  std::uint64_t sum = 0;
  for (const std::uint32_t count : edges.edges_per_node()) sum += count;
  if (sum != edges.count()) {
    return Wrong("edges_per_node adds up to " + std::to_string(sum) + " for " +
                 std::to_string(edges.count()) + " edges");
  }
  if (edges.edges_per_node_size() == 0) return {};
  if (edges.first_node() < edge_node_) {
    return Wrong("edges of node " + std::to_string(edges.first_node()) +
                 " come after those of node " + std::to_string(edge_node_));
  }
  const std::uint64_t last = AddSaturating(
      edges.first_node(),
      static_cast<std::uint64_t>(edges.edges_per_node_size()) - 1);
  NoteIndex(Space::kNodes, last, "edges_per_node");
  if (!wanted_.Has(Body::kNodes)) {
    edge_node_ = last;
    return {};
  }
  if (last >= Rows(Body::kNodes)) {
    return Wrong("edges of node " + std::to_string(last) +
                 " come before the node");
  }
  for (int i = 0; i < edges.edges_per_node_size(); ++i) {
    HEAPGLOT_RETURN_IF_ERROR(AdvanceTo(edges.first_node() + i));
    edge_node_seen_ += edges.edges_per_node(i);
  }
  DropEdgeCounts();
  return {};
}

void CheckSink::AddEdgeCounts(const pb::Nodes& nodes) {
  const auto add = [this](std::uint64_t count, std::uint64_t rows) {
    if (edge_counts_.size() > edge_counts_done_ &&
        edge_counts_.back().count == count) {
      edge_counts_.back().nodes += rows;
    } else {
      edge_counts_.push_back({count, rows});
    }
  };
  for (const std::uint64_t count : nodes.edge_count()) add(count, 1);
  if (nodes.edge_count().empty() && nodes.count() != 0) add(0, nodes.count());
}

// Those of nodes that are done with, now and then.
void CheckSink::DropEdgeCounts() {
  constexpr std::size_t kKept = 1 << 15;
  if (edge_counts_done_ < kKept ||
      edge_counts_done_ < edge_counts_.size() / 2) {
    return;
  }
  edge_counts_.erase(
      edge_counts_.begin(),
      edge_counts_.begin() + static_cast<std::ptrdiff_t>(edge_counts_done_));
  edge_counts_done_ = 0;
}

Status CheckSink::AdvanceTo(std::uint64_t node) {
  for (; edge_node_ < node; ++edge_node_, edge_node_seen_ = 0) {
    EdgeCounts& counts = edge_counts_[edge_counts_done_];
    const std::uint64_t count = counts.count;
    if (--counts.nodes == 0) ++edge_counts_done_;
    if (edge_node_seen_ != count) {
      return Wrong("node " + std::to_string(edge_node_) + " has " +
                   std::to_string(edge_node_seen_) +
                   " edges, but its edge_count is " + std::to_string(count));
    }
  }
  return {};
}

}  // namespace heapglot
