// What the types of nodes and edges mean.
#include <algorithm>
#include <utility>

#include "readers/heapsnapshot/heapsnapshot_index.h"

namespace heapglot::heapsnapshot {

std::uint32_t Kinds::RowOfUnknown(std::uint64_t type) const {
  const auto at = std::lower_bound(unknown.begin(), unknown.end(), type);
  const std::size_t row =
      names.size() + static_cast<std::size_t>(at - unknown.begin());
  // The file may have changed since they were added.
  return static_cast<std::uint32_t>(
      std::min(row, std::max<std::size_t>(size(), 1) - 1));
}

NodeKindInfo DescribeNodeKind(std::string_view type) {
  static constexpr std::pair<std::string_view, pb::NodeKind> kKnown[] = {
      {"hidden", pb::NODE_HIDDEN},
      {"array", pb::NODE_ARRAY},
      {"string", pb::NODE_STRING},
      {"object", pb::NODE_OBJECT},
      {"code", pb::NODE_CODE},
      {"closure", pb::NODE_CLOSURE},
      {"regexp", pb::NODE_REGEXP},
      {"number", pb::NODE_NUMBER},
      {"native", pb::NODE_NATIVE},
      {"synthetic", pb::NODE_SYNTHETIC},
      {"concatenated string", pb::NODE_CONS_STRING},
      {"sliced string", pb::NODE_SLICED_STRING},
      {"symbol", pb::NODE_SYMBOL},
      {"bigint", pb::NODE_BIGINT},
      {"object shape", pb::NODE_SHAPE},
      {"wasm object", pb::NODE_WASM},
  };
  NodeKindInfo info;
  for (const auto& [name, known] : kKnown) {
    if (name == type) info.known = known;
  }
  info.is_named_by_class =
      info.known == pb::NODE_OBJECT || info.known == pb::NODE_NATIVE;
  info.is_made_of_others = info.known == pb::NODE_CONS_STRING ||
                           info.known == pb::NODE_SLICED_STRING;
  info.is_text = info.known == pb::NODE_STRING || info.is_made_of_others;
  return info;
}

pb::EdgeKind DescribeEdgeKind(std::string_view type) {
  static constexpr std::pair<std::string_view, pb::EdgeKind> kKnown[] = {
      {"context", pb::EDGE_CONTEXT},   {"element", pb::EDGE_ELEMENT},
      {"property", pb::EDGE_PROPERTY}, {"internal", pb::EDGE_INTERNAL},
      {"hidden", pb::EDGE_HIDDEN},     {"shortcut", pb::EDGE_SHORTCUT},
      {"weak", pb::EDGE_WEAK},
  };
  for (const auto& [name, known] : kKnown) {
    if (name == type) return known;
  }
  return pb::EDGE_OTHER;
}

std::string ClassOfKind(const Index& index, std::size_t kind) {
  switch (index.node_infos[kind].known) {
    case pb::NODE_HIDDEN:
      return "(system)";
    case pb::NODE_CODE:
      return "(compiled code)";
    case pb::NODE_CLOSURE:
      return "Function";
    case pb::NODE_REGEXP:
      return "RegExp";
    default:
      break;
  }
  const std::vector<std::string>& names = index.node_kinds.names;
  return "(" + (kind < names.size() ? names[kind] : "unknown") + ")";
}

FeatureCounts CountRows(const Index& index) {
  FeatureCounts counts;
  const std::uint64_t nodes = index.node_count;
  counts[Feature::kNodeId] = nodes;
  counts[Feature::kNodeName] = nodes;
  counts[Feature::kType] = nodes;
  if (index.node_kinds.size() > 1) counts[Feature::kNodeKind] = nodes;
  if (!index.node.extra.empty()) counts[Feature::kNodeExtra] = nodes;
  counts[Feature::kNodeSelfSize] = index.nodes_with_size;
  counts[Feature::kNodeTrace] = index.nodes_with_trace;
  counts[Feature::kNodeDetachedness] = index.nodes_with_detachedness;
  counts[Feature::kValueText] = index.nodes_with_text;
  // Edges of types that meta does not have are named by strings.
  counts[Feature::kEdgeName] = index.edge_count - index.edges_by_number;
  counts[Feature::kEdgeIndex] = index.edges_by_number;
  counts[Feature::kEdgeWeak] = index.weak_edges;
  counts[Feature::kEdgeKind] = index.edges_of_kind;
  counts[Feature::kEdgeDangling] = index.dangling;
  if (!index.edge.extra.empty()) counts[Feature::kEdgeExtra] = index.edge_count;
  counts[Feature::kStringEncoding] = index.sections.odd_strings;
  return counts;
}

}  // namespace heapglot::heapsnapshot
