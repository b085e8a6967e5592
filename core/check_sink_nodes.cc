// The rules for nodes and edges.
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>

#include "core/check_sink.h"
#include "core/column.h"
#include "core/ir/greatest.h"
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
  HEAPGLOT_RETURN_IF_ERROR(CheckKinds(pb::Vocabulary::NODE_KIND, nodes.kind()));
  NoteTypes(nodes);
  HEAPGLOT_RETURN_IF_ERROR(CheckNodeValues(nodes));
  value_names_ = strings_;
  std::uint64_t self_size = self_size_;
  for (const std::uint64_t size : nodes.self_size())
    self_size = AddSaturating(self_size, size);
  self_size_ = self_size;
  std::uint64_t edges = edge_count_sum_;
  for (const std::uint64_t count : nodes.edge_count())
    edges = AddSaturating(edges, count);
  edge_count_sum_ = edges;
  if (wanted_.Has(Body::kEdges)) {
    AddEdgeCounts(nodes);
  } else {
    MarkEdgeCounts(nodes.first(), nodes.edge_count());
  }
  return CheckIds(nodes);
}

// Adds up the counts, each multiplied by an unpredictable factor of its node.
template <typename Counts>
void CheckSink::MarkEdgeCounts(std::uint64_t first_node, const Counts& counts) {
  std::uint64_t mark = edge_counts_mark_;
  std::uint64_t node = first_node + graphs_ * 0x9E37'79B9'7F4A'7C15 + seed_;
  for (const std::uint64_t count : counts) {
    std::uint64_t factor = node++ * 0xBF58'476D'1CE4'E5B9;
    factor = (factor ^ factor >> 32) * 0x94D0'49BB'1331'11EB;
    mark += (factor ^ factor >> 29) * count;
  }
  edge_counts_mark_ = mark;
}

void CheckSink::NoteTypes(const pb::Nodes& nodes) {
  std::uint64_t most = 0;
  if (nodes.flags().empty()) {
    most = GreatestOf(nodes.type_ref());
  } else {
    for (int i = 0; i < nodes.type_ref_size(); ++i) {
      if ((At(nodes.flags(), i) & pb::NODE_TYPE_DANGLING) == 0)
        most = std::max(most, nodes.type_ref(i));
    }
  }
  if (most != 0) NoteIndex(Space::kTypes, most - 1, "type_ref");
}

Status CheckSink::CheckNodeValues(const pb::Nodes& nodes) {
  // Up to this form, any value without an encoding is right.
  constexpr std::uint32_t kLastNumber = pb::V_DOUBLE;
  const bool are_usual = nodes.value_encoding().empty();
  if (are_usual && GreatestOf(nodes.value_form()) <= kLastNumber) return {};
  for (int i = 0; i < nodes.value_form_size(); ++i) {
    const std::uint32_t form = nodes.value_form(i);
    if (are_usual && form <= kLastNumber) continue;
    const std::uint64_t value = At(nodes.value(), i);
    HEAPGLOT_RETURN_IF_ERROR(
        CheckValue(form, value, At(nodes.value_encoding(), i)));
    if (form == pb::V_NAME) HEAPGLOT_RETURN_IF_ERROR(CheckValueName(value));
  }
  return {};
}

// A name must come after the nodes before it, so that readers need to keep only
// the strings since then.
Status CheckSink::CheckValueName(std::uint64_t string) {
  if (string == 0 || !wanted_.Has(Body::kStrings)) return {};
  if (string >= value_names_ && string < strings_) return {};
  return Wrong("the name " + std::to_string(string) +
               " of a node does not stand in the strings since the nodes "
               "before");
}

Status CheckSink::CheckIds(const pb::Nodes& nodes) {
  id_limit_ = std::max(id_limit_, Rows(Body::kNodes) + 1);
  if (!nodes.id().empty())
    id_limit_ = std::max(id_limit_, AddSaturating(GreatestOf(nodes.id()), 1));
  return ids_ ? CheckUnique(nodes) : Status();
}

Status CheckSink::CheckUnique(const pb::Nodes& nodes) {
  const auto check = [&](const std::uint64_t* ids,
                         std::size_t count) -> Status {
    const std::size_t added = ids_->AddColumn(ids, 1, count);
    if (added == count) return {};
    return Wrong("the id " + std::to_string(ids[added]) + " comes twice");
  };
  if (!nodes.id().empty())
    return check(nodes.id().data(), static_cast<std::size_t>(nodes.id_size()));
  for (std::uint64_t row = 0; row < nodes.count(); ++row) {
    const std::uint64_t id = nodes.first() + row + 1;
    HEAPGLOT_RETURN_IF_ERROR(check(&id, 1));
  }
  return {};
}

// ---------------------------------------------------------------------- edges

Status CheckSink::CheckEdges(const pb::Edges& edges) {
  HEAPGLOT_RETURN_IF_ERROR(CheckEdgeKinds(edges));
  HEAPGLOT_RETURN_IF_ERROR(CheckEdgeTargets(edges));
  edge_totals_.Add(edges);
  if (!grouped_.has_value()) {
    // The graph was not asked for: the edges themselves tell whether they are
    // grouped.
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
  HEAPGLOT_RETURN_IF_ERROR(CheckKinds(pb::Vocabulary::EDGE_KIND, edges.kind()));
  for (const std::uint32_t name_form : edges.name_form()) {
    if (!pb::NameForm_IsValid(static_cast<int>(name_form))) {
      return Wrong("name_form is " + std::to_string(name_form));
    }
  }
  // In most chunks, no name raises the bound, whether it is a string or not.
  const Bound& bound = bounds_[static_cast<std::size_t>(Space::kStrings)];
  if (GreatestOf(edges.name()) >= bound.needed)
    NoteIndex(Space::kStrings, GreatestNameOf(edges), "name");
  return {};
}

// The greatest of the names that are strings.
std::uint64_t CheckSink::GreatestNameOf(const pb::Edges& edges) const {
  const auto& kinds = kinds_[pb::Vocabulary::EDGE_KIND];
  std::uint64_t most = 0;
  for (int i = 0; i < edges.name_size(); ++i) {
    const std::uint32_t kind = At(edges.kind(), i);
    std::uint32_t name_form = At(edges.name_form(), i);
    if (edges.name_form().empty() && kind < kinds.size()) {
      name_form = kinds[kind].name_form;
    }
    if (name_form == pb::NAME_STRING) most = std::max(most, edges.name(i));
  }
  return most;
}

Status CheckSink::CheckEdgeTargets(const pb::Edges& edges) {
  if (edges.to_form().empty()) {
    // The usual case.
    if (edges.count() != 0)
      NoteIndex(Space::kNodes, GreatestOf(edges.to()), "to");
    return {};
  }
  for (int i = 0; i < edges.to_form_size(); ++i) {
    const std::uint32_t form = edges.to_form(i);
    HEAPGLOT_RETURN_IF_ERROR(CheckTarget(form, At(edges.to(), i)));
  }
  return {};
}

Status CheckSink::CheckGrouping(const pb::Edges& edges) {
  const std::uint64_t sum =
      std::accumulate(edges.edges_per_node().begin(),
                      edges.edges_per_node().end(), std::uint64_t{0});
  if (sum != edges.count()) {
    return Wrong("edges_per_node adds up to " + std::to_string(sum) + " for " +
                 std::to_string(edges.count()) + " edges");
  }
  if (edges.edges_per_node_size() == 0) {
    // Whoever relies on first_node would skip nodes, or count too many.
    return edges.first_node() == 0 ? Status()
                                   : Wrong("first_node without edges_per_node");
  }
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
    MarkEdgeCounts(edges.first_node(), edges.edges_per_node());
    return {};
  }
  if (last >= Rows(Body::kNodes)) {
    return Wrong("edges of node " + std::to_string(last) +
                 " come before the node");
  }
  HEAPGLOT_RETURN_IF_ERROR(AdvanceTo(edges.first_node()));
  HEAPGLOT_RETURN_IF_ERROR(AdvanceOver(edges.edges_per_node()));
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

// The same as AdvanceTo() for each node of a chunk of edges after the first.
Status CheckSink::AdvanceOver(
    const google::protobuf::RepeatedField<std::uint32_t>& edges_per_node) {
  std::uint64_t seen = edge_node_seen_ + edges_per_node.Get(0);
  std::size_t done = edge_counts_done_;
  int i = 1;
  for (; i < edges_per_node.size(); ++i) {
    EdgeCounts& counts = edge_counts_[done];
    if (counts.count != seen) break;
    if (--counts.nodes == 0) ++done;
    seen = edges_per_node.Get(i);
  }
  edge_counts_done_ = done;
  edge_node_seen_ = seen;
  edge_node_ += static_cast<std::uint64_t>(i) - 1;
  return i == edges_per_node.size() ? Status() : AdvanceTo(edge_node_ + 1);
}

// Drops the counts of finished nodes, but only now and then.
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
