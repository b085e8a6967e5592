#include "core/compare/link_sink.h"

#include "core/column.h"
#include "core/compare/mix.h"
#include "core/saturating.h"

namespace heapglot {
namespace {

using Body = pb::Chunk::BodyCase;

// Odd, so that multiplying by it loses nothing.
constexpr std::uint64_t kOrder = 0x9FB21C651E98DF25;
// Kinds of roots that are in no vocabulary.
constexpr std::uint64_t kRootNode = 1;
constexpr std::uint64_t kListedRoot = 2;

}  // namespace

ChunkSet ComparedDump::LinkSink::Wanted() const {
  const ChunkSet usual = {Body::kGraph, Body::kEdges, Body::kRoots,
                          Body::kExternals, Body::kValues};
  return dump_.has_node_values_ ? usual | ChunkSet{Body::kNodes} : usual;
}

Status ComparedDump::LinkSink::Accept(const pb::Chunk& chunk) {
  switch (chunk.body_case()) {
    case Body::kGraph:
      BeginGraph();
      break;
    case Body::kEdges:
      AddEdges(chunk.edges());
      break;
    case Body::kRoots:
      AddRoots(chunk.roots());
      break;
    case Body::kExternals:
      AddExternals(chunk.externals());
      break;
    case Body::kNodes:
      AddNodeValues(chunk.nodes());
      break;
    case Body::kValues:
      AddValues(chunk.values());
      break;
    default:
      break;
  }
  return {};
}

void ComparedDump::LinkSink::BeginGraph() {
  ++graph_;
  const std::vector<std::uint64_t>& begins = dump_.edge_values_begin_;
  next_edge_value_ = begins[graph_];
  end_edge_value_ = graph_ + 1 < begins.size() ? begins[graph_ + 1]
                                               : dump_.edge_values_.size();
  const std::uint64_t root_ref = graph().stated.root_ref();
  if (root_ref == 0) return;
  if (graph().end.roots() == 0) ++dump_.totals_.roots;
  if (IsLeftOut(pb::TO_NODE, root_ref - 1)) return;
  Part(Aspect::kRoots, Mix(kRootNode, Key(pb::TO_NODE, root_ref - 1)));
}

std::uint64_t ComparedDump::LinkSink::Part(Aspect aspect, std::uint64_t hash) {
  if (!dump_.aspects_.Has(aspect)) return 0;
  const std::uint64_t part = Mix(static_cast<std::uint64_t>(aspect), hash);
  dump_.digests_[static_cast<std::size_t>(aspect)] += part;
  return part;
}

bool ComparedDump::LinkSink::IsLeftOut(std::uint32_t form,
                                       std::uint64_t to) const {
  return form == pb::TO_NODE && !dump_.Counts(graph().first_node + to);
}

std::uint64_t ComparedDump::LinkSink::NodeKey(std::uint64_t node) const {
  switch (key_) {
    case TargetKey::kId:
      return dump_.id[node];
    case TargetKey::kSignature:
      return dump_.signature[node];
    case TargetKey::kPosition:
      break;
  }
  return dump_.leaves_out_ ? dump_.counted_.Rank(node) : node;
}

std::uint64_t ComparedDump::LinkSink::Key(std::uint32_t form,
                                          std::uint64_t to) const {
  if (form != pb::TO_NODE) return Mix(form, to);
  return Mix(pb::TO_NODE, NodeKey(graph().first_node + to));
}

void ComparedDump::LinkSink::AddLink(std::uint64_t from, std::uint64_t hash) {
  std::uint64_t& all = dump_.links[from];
  all = key_ == TargetKey::kPosition ? (all + hash) * kOrder : all + Mix(hash);
}

void ComparedDump::LinkSink::AddEdges(const pb::Edges& edges) {
  const std::uint64_t first = graph().first_node;
  if (!edges.from().empty()) {
    for (int row = 0; row < static_cast<int>(edges.count()); ++row) {
      AddEdge(edges, row, first + edges.from(row));
    }
    return;
  }
  if (edges.edges_per_node().empty()) {
    // Ungrouped, and all of them leave node 0.
    for (int row = 0; row < static_cast<int>(edges.count()); ++row) {
      AddEdge(edges, row, first);
    }
    return;
  }
  std::uint64_t from = first + edges.first_node();
  int row = 0;
  for (const std::uint32_t count : edges.edges_per_node()) {
    const int end = row + static_cast<int>(count);
    for (; row < end; ++row) AddEdge(edges, row, from);
    dump_.links.Passed(from++);
  }
}

void ComparedDump::LinkSink::AddEdge(const pb::Edges& edges, int row,
                                     std::uint64_t from) {
  const GraphWords::EdgeKind kind = graph().edge_kind(At(edges.kind(), row));
  const std::uint32_t form = At(edges.to_form(), row);
  const std::uint64_t to = At(edges.to(), row);
  if (kind.is_synthesized ||
      (At(edges.flags(), row) & pb::EDGE_SYNTHESIZED) != 0 ||
      !dump_.Counts(from) || IsLeftOut(form, to)) {
    return;
  }
  ++dump_.totals_.edges;
  std::uint64_t hash = 0;
  if (dump_.aspects_.Has(Aspect::kEdges)) {
    const std::uint64_t key = Key(form, to);
    Part(Aspect::kEdges, Mix(NodeKey(from), key));
    hash += Mix(static_cast<std::uint64_t>(Aspect::kEdges), key);
  }
  const auto add = [&](Aspect aspect, std::uint64_t value) {
    hash += Part(aspect, value);
    if (key_ == TargetKey::kPosition) return;
    dump_.together_[static_cast<std::size_t>(aspect)] +=
        Mix(NodeKey(from), hash);
  };
  add(Aspect::kEdgeKinds, kind.hash);
  add(Aspect::kEdgeNames, NameHash(edges, row, kind));
  const std::uint64_t values = TakeEdgeValues(edges.first() + row);
  if (values != 0) [[unlikely]] {
    hash = Mix(hash, values);
    dump_.edge_values_digest_ += Mix(NodeKey(from), hash);
  }
  // What is not compared leaves no trace.
  if (compares_edges_ || values != 0) AddLink(from, hash);
}

std::uint64_t ComparedDump::LinkSink::TakeEdgeValues(std::uint64_t edge) {
  std::uint64_t sum = 0;
  for (; next_edge_value_ < end_edge_value_; ++next_edge_value_) {
    const EdgeValue value = dump_.edge_values_[next_edge_value_];
    if (value.edge > edge) break;
    if (value.edge == edge) sum += value.hash;
  }
  return sum;
}

std::uint64_t ComparedDump::LinkSink::NameHash(
    const pb::Edges& edges, int row, const GraphWords::EdgeKind& kind) const {
  const std::uint32_t form =
      edges.name_form().empty() ? kind.name_form : edges.name_form(row);
  const std::uint64_t name = At(edges.name(), row);
  if (form == pb::NAME_STRING) return Mix(form, dump_.words_.TextHash(name));
  return Mix(form, form == pb::NAME_NUMBER ? name : 0);
}

void ComparedDump::LinkSink::AddRoots(const pb::Roots& roots) {
  const DumpWords& words = dump_.words_;
  for (int i = 0; i < static_cast<int>(roots.count()); ++i) {
    const std::uint32_t form = At(roots.to_form(), i);
    if (IsLeftOut(form, At(roots.to(), i))) continue;
    ++dump_.totals_.roots;
    const std::uint32_t kind = At(roots.kind(), i);
    const bool known = kind < graph().root_kinds.size();
    const std::uint64_t type_ref = At(roots.container_ref(), i);
    const std::uint64_t container =
        type_ref == 0 ? At(roots.container_id(), i)
                      : words.ClassHash(words.TypeLabel(graph(), type_ref - 1));
    const std::uint64_t what =
        Mix(known ? graph().root_kinds[kind] : 0, At(roots.flags(), i),
            words.TextHash(At(roots.label(), i)));
    Part(Aspect::kRoots,
         Mix(Mix(kListedRoot, what), container, Key(form, At(roots.to(), i))));
  }
}

void ComparedDump::LinkSink::AddExternals(const pb::Externals& externals) {
  for (int i = 0; i < static_cast<int>(externals.count()); ++i) {
    const std::uint32_t form = At(externals.to_form(), i);
    const std::uint64_t size = At(externals.size(), i);
    dump_.totals_.external_size =
        AddSaturating(dump_.totals_.external_size, size);
    Part(Aspect::kExternals,
         Mix(Key(form, At(externals.to(), i)), size,
             dump_.words_.TextHash(At(externals.name(), i))));
  }
}

// A node that is a node's value is a link like any other.
void ComparedDump::LinkSink::AddNodeValues(const pb::Nodes& nodes) {
  if (!dump_.aspects_.Has(Aspect::kEdges)) return;
  const std::uint64_t first = graph().first_node + nodes.first();
  for (int i = 0; i < static_cast<int>(nodes.count()); ++i) {
    if (At(nodes.value_form(), i) != pb::V_NODE) continue;
    const std::uint64_t from = first + static_cast<unsigned>(i);
    const std::uint64_t key = Key(pb::TO_NODE, At(nodes.value(), i));
    Part(Aspect::kEdges, Mix(NodeKey(from), key));
    AddLink(from, key);
  }
}

void ComparedDump::LinkSink::AddValues(const pb::Values& values) {
  if (!dump_.aspects_.Has(Aspect::kEdges)) return;
  const bool of_node = values.owner_space() == pb::Values::OF_NODE;
  for (int i = 0; i < static_cast<int>(values.count()); ++i) {
    if (At(values.form(), i) != pb::V_NODE) continue;
    const std::uint64_t key = Mix(dump_.words_.TextHash(At(values.key(), i)),
                                  Key(pb::TO_NODE, At(values.value(), i)));
    const std::uint64_t owner =
        of_node ? graph().first_node + At(values.owner(), i) : 0;
    Part(Aspect::kEdges,
         Mix(values.owner_space(), of_node ? NodeKey(owner) : 0, key));
    if (of_node) AddLink(owner, key);
  }
}

}  // namespace heapglot
