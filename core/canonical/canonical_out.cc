#include "core/canonical/canonical_out.h"

#include <google/protobuf/message.h>

#include <variant>

#include "core/column.h"
#include "core/ir/columns.h"
#include "core/ir/index_columns.h"
#include "core/ir/row_buffer.h"
#include "core/ir/word_count.h"

namespace heapglot {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using Use = CanonicalStrings::Use;

// Tables whose strings are in chunks of names.
constexpr ChunkSet kUsersOfNames = {pb::Chunk::kVocabulary, pb::Chunk::kTypes,
                                    pb::Chunk::kRoots, pb::Chunk::kExternals};

// Fills in ids of nodes that have none of their own. Ids of types stay as they
// are: whoever wrote them down meant them (CanonicalTypes).
void FillIds(pb::Nodes* nodes) {
  if (!nodes->id().empty()) return;
  nodes->mutable_id()->Reserve(static_cast<int>(nodes->count()));
  for (std::uint32_t row = 0; row < nodes->count(); ++row)
    nodes->add_id(nodes->first() + row + 1);
}

void DropUsualIds(pb::Nodes* nodes) {
  std::uint64_t usual = nodes->first();
  const auto is_usual = [&usual](std::uint64_t id) { return id == ++usual; };
  if (std::ranges::all_of(nodes->id(), is_usual)) nodes->clear_id();
}

// Columns whose absence does not mean 0, or that have no entry for each row.
bool MayBeAllZero(const FieldDescriptor& column) {
  return column.name() == "id" || column.name() == "name_form" ||
         column.name() == "edges_per_node";
}

bool IsAllZero(const Message& table, const FieldDescriptor& column) {
  const auto is_zero = [](const auto& entries) {
    return std::ranges::all_of(entries, [](auto entry) { return entry == 0; });
  };
  return std::visit(is_zero, EntriesOf(table, column));
}

void DropZeros(Message* table);

// Drops extra columns that say nothing about any row, except those of an
// ExtraTable, of which its rows consist.
void DropEmptyExtras(Message* table, const FieldDescriptor& field) {
  const google::protobuf::Reflection& reflection = *table->GetReflection();
  const bool is_schema = table->GetDescriptor() == pb::ExtraTable::descriptor();
  int kept = 0;
  for (int i = 0; i < reflection.FieldSize(*table, &field); ++i) {
    auto& extra = *static_cast<pb::ExtraColumn*>(
        reflection.MutableRepeatedMessage(table, &field, i));
    DropZeros(&extra);
    const bool is_empty = extra.ints().empty() && extra.strings().empty() &&
                          extra.bits().empty() && extra.node_refs().empty();
    if (is_empty && !is_schema) continue;
    if (kept != i) reflection.SwapElements(table, &field, kept, i);
    ++kept;
  }
  while (reflection.FieldSize(*table, &field) > kept)
    reflection.RemoveLast(table, &field);
}

void DropZeros(Message* table) {
  const google::protobuf::Descriptor& fields = *table->GetDescriptor();
  const google::protobuf::Reflection& reflection = *table->GetReflection();
  for (int i = 0; i < fields.field_count(); ++i) {
    const FieldDescriptor& field = *fields.field(i);
    if (IsExtraColumns(field)) {
      DropEmptyExtras(table, field);
    } else if (IsColumn(field) && !MayBeAllZero(field) &&
               IsAllZero(*table, field)) {
      reflection.ClearField(table, &field);
    }
  }
}

}  // namespace

void CanonicalOut::MakeExplicit(pb::Chunk* chunk) const {
  SortExtras(MutableBody(chunk, chunk->body_case()));
  if (chunk->has_nodes()) {
    FillIds(chunk->mutable_nodes());
  } else if (chunk->has_edges() && chunk->edges().name_form().empty()) {
    pb::Edges& edges = *chunk->mutable_edges();
    const int rows = static_cast<int>(edges.count());
    edges.mutable_name_form()->Reserve(rows);
    for (int row = 0; row < rows; ++row)
      edges.add_name_form(NameFormOf(At(edges.kind(), row)));
  }
}

Status CanonicalOut::Send(pb::Chunk* chunk) {
  HEAPGLOT_RETURN_IF_ERROR(Prepare(chunk));
  return out_.Accept(*chunk);
}

Status CanonicalOut::SendOwned(pb::Chunk* chunk) {
  HEAPGLOT_RETURN_IF_ERROR(Prepare(chunk));
  return out_.AcceptOwned(*chunk);
}

Status CanonicalOut::Prepare(pb::Chunk* chunk) {
  if (chunk->has_vocabulary()) AddVocabulary(chunk->vocabulary());
  types_->Renumber(chunk);
  strings_.Begin(kUsersOfNames.Has(chunk->body_case()));
  NumberStrings(chunk);
  DropDefaults(chunk);
  return strings_.Flush();
}

void CanonicalOut::AddVocabulary(const pb::Vocabulary& vocabulary) {
  if (vocabulary.space() != pb::Vocabulary::EDGE_KIND) return;
  for (int row = 0; row < WordCount(vocabulary); ++row)
    name_forms_.push_back(At(vocabulary.name_form(), row));
}

void CanonicalOut::NumberStrings(pb::Chunk* chunk) {
  const Use use =
      kUsersOfNames.Has(chunk->body_case()) ? Use::kName : Use::kOther;
  const auto number = [&](std::uint64_t string) {
    return string == 0 ? 0 : strings_.Number(string, use);
  };
  Message* const body = MutableBody(chunk, chunk->body_case());
  for (const IndexColumn& column : IndexColumnsOf(chunk->body_case())) {
    if (column.space != IndexSpace::kStrings) continue;
    for (std::uint64_t& string : *column.mutate(body)) string = number(string);
  }
  const auto number_values = [&](const auto& forms, auto* values) {
    for (int row = 0; row < values->size(); ++row) {
      const std::uint32_t form = At(forms, row);
      std::uint64_t& value = *values->Mutable(row);
      if (!IsStringForm(form) || value == 0) continue;
      const bool is_name = chunk->has_nodes() && form == pb::V_NAME;
      value = strings_.Number(value, is_name ? Use::kValue : Use::kOther);
    }
  };
  if (chunk->has_vocabulary()) {
    for (std::uint64_t& name : *chunk->mutable_vocabulary()->mutable_name())
      name = number(name);
  } else if (chunk->has_nodes()) {
    pb::Nodes& nodes = *chunk->mutable_nodes();
    number_values(nodes.value_form(), nodes.mutable_value());
  } else if (chunk->has_values()) {
    pb::Values& values = *chunk->mutable_values();
    number_values(values.form(), values.mutable_value());
  } else if (chunk->has_edges()) {
    pb::Edges& edges = *chunk->mutable_edges();
    const ColumnView name_form(edges.name_form());
    std::uint64_t* const names = edges.mutable_name()->mutable_data();
    for (int row = 0; row < edges.name_size(); ++row)
      if (name_form[row] == pb::NAME_STRING) names[row] = number(names[row]);
  }
  ForEachExtraColumn(body, [&](pb::ExtraColumn* extra) {
    for (std::uint64_t& string : *extra->mutable_strings())
      string = number(string);
  });
}

void CanonicalOut::DropDefaults(pb::Chunk* chunk) const {
  // The number of words is the number of entries.
  if (chunk->has_vocabulary()) return;
  DropZeros(MutableBody(chunk, chunk->body_case()));
  if (chunk->has_nodes()) DropUsualIds(chunk->mutable_nodes());
  if (!chunk->has_edges()) return;
  pb::Edges& edges = *chunk->mutable_edges();
  for (int row = 0; row < edges.name_form_size(); ++row) {
    if (edges.name_form(row) != NameFormOf(At(edges.kind(), row))) return;
  }
  edges.clear_name_form();
}

}  // namespace heapglot
