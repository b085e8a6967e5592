#include "core/compare/node_sink.h"

#include "core/column.h"
#include "core/compare/mix.h"
#include "core/ir/index_columns.h"
#include "core/ir/node_id.h"
#include "core/saturating.h"

namespace heapglot {
namespace {

// Makes one form of those that differ only in how a source writes them.
std::uint32_t PlainForm(std::uint32_t form, std::uint64_t value) {
  switch (form) {
    case pb::V_LATIN1:
    case pb::V_UTF16:
    case pb::V_STRING_ID:
      return pb::V_UTF8;
    case pb::V_UINT:
      return value >> 63 == 0 ? pb::V_INT : pb::V_UINT;
    default:
      return form;
  }
}

}  // namespace

std::uint64_t ValueHash(std::uint32_t form, std::uint64_t value,
                        std::uint32_t encoding, const DumpWords& words) {
  const std::uint32_t plain = PlainForm(form, value);
  if (form == pb::V_NODE) return Mix(plain);
  if (form == pb::V_ARRAY) return Mix(plain, words.TextHash(value), encoding);
  return Mix(plain, IsStringForm(form) ? words.TextHash(value) : value);
}

Status ComparedDump::NodeSink::Accept(const pb::Chunk& chunk) {
  if (chunk.has_graph()) {
    ++graph_;
    dump_.edge_values_begin_.push_back(dump_.edge_values_.size());
  }
  if (chunk.has_nodes()) AddNodes(chunk.nodes());
  if (chunk.has_values()) AddValues(chunk.values());
  return dump_.edge_values_.status();
}

void ComparedDump::NodeSink::AddNodes(const pb::Nodes& nodes) {
  std::uint64_t node = graph().first_node + nodes.first();
  for (int i = 0; i < static_cast<int>(nodes.count()); ++i, ++node) {
    AddId(nodes, i, node);
    dump_.has_node_values_ |= At(nodes.value_form(), i) == pb::V_NODE;
    if ((At(nodes.flags(), i) & pb::NODE_SYNTHESIZED) != 0) {
      dump_.leaves_out_ = true;
      continue;
    }
    dump_.counted_.Add(node);
    dump_.texts_.AddIf(PlainForm(At(nodes.value_form(), i), 0) == pb::V_UTF8,
                       node);
    // Values of a node may have come before it.
    dump_.own[node] += OwnHash(nodes, i);
    const std::uint64_t size = At(nodes.self_size(), i);
    dump_.self_size[node] = size;
    dump_.class_row[node] =
        dump_.words_.RowOfNode(graph_, nodes, i, dump_.side_, classes_);
    ClassDifference& difference = classes_.row(dump_.class_row[node]);
    (dump_.side_ == Side::kA ? difference.a : difference.b).Add(size);
    ++dump_.totals_.nodes;
    dump_.totals_.self_size = AddSaturating(dump_.totals_.self_size, size);
  }
  dump_.own.Passed(node);
}

// Stores the id, which is made unique among the graphs.
void ComparedDump::NodeSink::AddId(const pb::Nodes& nodes, int row,
                                   std::uint64_t node) {
  const std::uint64_t own_id = NodeIdAt(nodes, row);
  dump_.id[node] = own_id + IdShift(graph_);
}

std::uint64_t ComparedDump::NodeSink::Part(Aspect aspect, std::uint64_t hash) {
  if (!dump_.aspects_.Has(aspect)) return 0;
  const std::uint64_t part = Mix(static_cast<std::uint64_t>(aspect), hash);
  dump_.digests_[static_cast<std::size_t>(aspect)] += part;
  return part;
}

std::uint64_t ComparedDump::NodeSink::OwnHash(const pb::Nodes& nodes, int row) {
  const DumpWords& words = dump_.words_;
  const std::uint32_t kind = At(nodes.kind(), row);
  const bool known = kind < graph().node_kinds.size();
  std::uint64_t hash = 0;
  const auto add = [&](Aspect aspect, std::uint64_t value) {
    hash += Part(aspect, value);
    dump_.together_[static_cast<std::size_t>(aspect)] += Mix(hash);
  };
  add(Aspect::kClasses, ClassPart(nodes, row));
  add(Aspect::kKinds, known ? graph().node_kinds[kind] : 0);
  add(Aspect::kNames, words.TextHash(At(nodes.name(), row)));
  add(Aspect::kValues,
      ValueHash(At(nodes.value_form(), row), At(nodes.value(), row),
                static_cast<std::uint32_t>(At(nodes.value_encoding(), row)),
                words));
  add(Aspect::kSizes, At(nodes.self_size(), row));
  add(Aspect::kAttributes, AttributePart(nodes, row));
  add(Aspect::kHeaps, graph().heap);
  return Mix(hash);
}

std::uint64_t ComparedDump::NodeSink::ClassPart(const pb::Nodes& nodes,
                                                int row) const {
  const std::uint64_t type_ref = At(nodes.type_ref(), row);
  if (type_ref == 0) return 0;
  const bool dangling = (At(nodes.flags(), row) & pb::NODE_TYPE_DANGLING) != 0;
  // An undefined class is identified by its id.
  if (dangling) return Mix(1, type_ref);
  return dump_.words_.ClassHash(dump_.words_.TypeLabel(graph(), type_ref - 1));
}

std::uint64_t ComparedDump::NodeSink::AttributePart(const pb::Nodes& nodes,
                                                    int row) const {
  const std::uint64_t space = At(nodes.heap_space_ref(), row);
  const bool known = space != 0 && space <= graph().heap_spaces.size();
  const std::uint64_t phantom = At(nodes.flags(), row) & pb::NODE_PHANTOM;
  return Mix(Mix(At(nodes.identity_hash(), row), At(nodes.detachedness(), row)),
             Mix(At(nodes.value_length(), row), phantom),
             known ? graph().heap_spaces[space - 1] : 0);
}

void ComparedDump::NodeSink::AddValues(const pb::Values& values) {
  const bool of_node = values.owner_space() == pb::Values::OF_NODE;
  const bool of_edge = values.owner_space() == pb::Values::OF_EDGE;
  for (int i = 0; i < static_cast<int>(values.count()); ++i) {
    const std::uint64_t hash =
        Mix(dump_.words_.TextHash(At(values.key(), i)),
            ValueHash(At(values.form(), i), At(values.value(), i),
                      At(values.encoding(), i), dump_.words_),
            At(values.length(), i));
    const std::uint64_t part =
        Part(Aspect::kValues, Mix(values.owner_space(), hash));
    if (of_node) dump_.own[graph().first_node + At(values.owner(), i)] += part;
    if (of_edge && part != 0)
      dump_.edge_values_.Add({At(values.owner(), i), part});
  }
}

}  // namespace heapglot
