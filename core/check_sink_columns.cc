// The rules for the columns of any table.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/reflection.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "core/check_sink.h"
#include "core/ir/columns.h"
#include "core/ir/greatest.h"
#include "core/ir/index_columns.h"
#include "core/ir/value_encoding.h"
#include "core/saturating.h"
#include "core/text/utf.h"

namespace heapglot {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using Body = pb::Chunk::BodyCase;
using Space = IndexSpace;

// A column whose length is not the number of rows.
bool IsFreeColumn(const FieldDescriptor& field) {
  return field.containing_type() == pb::Edges::descriptor() &&
         field.number() == pb::Edges::kEdgesPerNodeFieldNumber;
}

}  // namespace

Status CheckSink::CheckTable(const Message& rows) {
  const std::uint64_t count = NumberField(rows, "count");
  HEAPGLOT_RETURN_IF_ERROR(CheckCount(count));
  HEAPGLOT_RETURN_IF_ERROR(CheckFirst(NumberField(rows, "first"), count));
  HEAPGLOT_RETURN_IF_ERROR(CheckColumns(rows, count));
  NoteIndexColumns(rows);
  return {};
}

Status CheckSink::CheckCount(std::uint64_t rows) const {
  if (rows <= kMaxChunkRows) return {};
  return Wrong("there are " + std::to_string(rows) + " rows; at most " +
               std::to_string(kMaxChunkRows));
}

// Protocol Buffers promises that a `string` is UTF-8, but enforces it only when
// it parses a message.
Status CheckSink::CheckWords(const Message& message) const {
  const Reflection& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;  // those that are there
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* const field : fields) {
    const bool is_word = field->type() == FieldDescriptor::TYPE_STRING;
    if (!is_word && field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE)
      continue;
    const int count =
        field->is_repeated() ? reflection.FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      if (!is_word) {
        HEAPGLOT_RETURN_IF_ERROR(
            CheckWords(field->is_repeated()
                           ? reflection.GetRepeatedMessage(message, field, i)
                           : reflection.GetMessage(message, field)));
        continue;
      }
      std::string ignored;
      const std::string& word =
          field->is_repeated()
              ? reflection.GetRepeatedStringReference(message, field, i,
                                                      &ignored)
              : reflection.GetStringReference(message, field, &ignored);
      if (ClassifyUtf8(word) != pb::UTF8)
        return Wrong(field->full_name() + " is no UTF-8");
    }
  }
  return {};
}

Status CheckSink::CheckFirst(std::uint64_t first, std::uint64_t count) {
  if (first == 0 && Rows(body_) != 0 && !GraphBoundsKnown()) RestartTable();
  if (first != Rows(body_)) {
    return Wrong("first is " + std::to_string(first) + " after " +
                 std::to_string(Rows(body_)) + " rows");
  }
  Rows(body_) += count;
  return {};
}

// The next graph has begun, unnoticed.
void CheckSink::RestartTable() {
  Rows(body_) = 0;
  if (body_ == Body::kValues) RestartOwners();
  if (body_ == Body::kEdges) edge_node_ = edge_node_seen_ = 0;
  if (body_ == Body::kTraceNodes) trace_open_ = 0;
  if (body_ == Body::kNodes) {
    edge_counts_.clear();
    edge_counts_done_ = 0;
    edge_node_ = edge_node_seen_ = 0;
  }
}

// Strings belong to the stream, not to a graph.
void CheckSink::RestartOwners() {
  const std::uint64_t last_string = last_owner_[pb::Values::OF_STRING];
  last_owner_.fill(0);
  last_owner_[pb::Values::OF_STRING] = last_string;
}

// A column has one entry for each row, or none.
Status CheckSink::CheckSize(const std::string& column, int size,
                            std::uint64_t rows) const {
  if (size == 0 || static_cast<std::uint64_t>(size) == rows) return {};
  return Wrong("column " + column + " has " + std::to_string(size) +
               " entries for " + std::to_string(rows) + " rows");
}

Status CheckSink::CheckColumns(const Message& rows, std::uint64_t count) {
  const Reflection& reflection = *rows.GetReflection();
  const google::protobuf::Descriptor& table = *rows.GetDescriptor();
  std::uint64_t fields = 0;
  if (&table == pb::Types::descriptor()) {
    const auto& counts = static_cast<const pb::Types&>(rows).field_count();
    fields = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  }
  for (int i = 0; i < table.field_count(); ++i) {
    const FieldDescriptor& field = *table.field(i);
    if (!field.is_repeated() || IsFreeColumn(field)) continue;
    const int size = reflection.FieldSize(rows, &field);
    const std::uint64_t expected = IsFieldColumn(field) ? fields : count;
    if (field.cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
      HEAPGLOT_RETURN_IF_ERROR(CheckSize(field.name(), size, expected));
      continue;
    }
    for (int k = 0; k < size; ++k) {
      HEAPGLOT_RETURN_IF_ERROR(
          CheckExtraColumn(static_cast<const pb::ExtraColumn&>(
                               reflection.GetRepeatedMessage(rows, &field, k)),
                           expected));
    }
  }
  return {};
}

Status CheckSink::CheckExtraColumn(const pb::ExtraColumn& extra,
                                   std::uint64_t rows) {
  HEAPGLOT_RETURN_IF_ERROR(CheckWords(extra));
  const std::string& name = extra.name();
  HEAPGLOT_RETURN_IF_ERROR(CheckSize(name, extra.ints_size(), rows));
  HEAPGLOT_RETURN_IF_ERROR(CheckSize(name, extra.strings_size(), rows));
  HEAPGLOT_RETURN_IF_ERROR(CheckSize(name, extra.bits_size(), rows));
  HEAPGLOT_RETURN_IF_ERROR(CheckSize(name, extra.node_refs_size(), rows));
  if (!extra.strings().empty())
    NoteIndex(Space::kStrings, GreatestOf(extra.strings()), name);
  const std::uint64_t most = GreatestOf(extra.node_refs());
  if (most != 0) NoteIndex(Space::kNodes, most - 1, name);
  return {};
}

// -------------------------------------------------------------------- entries

void CheckSink::NoteIndexColumns(const Message& rows) {
  for (const IndexColumn& column : IndexColumnsOf(body_)) {
    const IndexColumn::Column& entries = column.get(rows);
    const std::uint64_t most = GreatestOf(entries);
    if (entries.empty() || (column.is_ref && most == 0)) continue;
    NoteIndex(column.space, column.is_ref ? most - 1 : most, column.name);
  }
}

void CheckSink::NoteIndex(Space space, std::uint64_t index,
                          std::string_view what) {
  Bound& bound = bounds_[static_cast<std::size_t>(space)];
  const std::uint64_t needed = AddSaturating(index, 1);
  if (needed <= bound.needed) return;
  bound.needed = needed;
  bound.column = what;
  bound.chunk = chunks_;
  bound.table = body_;
}

Status CheckSink::CheckBound(Space space, std::uint64_t total) const {
  const Bound& bound = bounds_[static_cast<std::size_t>(space)];
  if (bound.needed <= total) return {};
  return Wrong("index " + std::to_string(bound.needed - 1) + " in column " +
               bound.column + " of chunk " + std::to_string(bound.chunk) +
               " (" + BodyField(bound.table)->name() +
               ") points past the total, which is " + std::to_string(total));
}

Status CheckSink::CheckText(std::string_view text, int encoding,
                            const char* what) {
  if (!pb::StringEncoding_IsValid(encoding)) {
    return Wrong(std::string(what) + " has encoding " +
                 std::to_string(encoding));
  }
  const pb::StringEncoding found = ClassifyWtf8(text);
  const auto claimed = static_cast<pb::StringEncoding>(encoding);
  // A source that promises UTF-8 may call a text with lone surrogates BYTES.
  const bool is_broken_utf8 = claimed == pb::BYTES && found == pb::WTF8;
  if (found == claimed || is_broken_utf8) return {};
  return Wrong(std::string(what) + " is not " +
               pb::StringEncoding_Name(claimed) + ", as it says");
}

Status CheckSink::CheckTarget(std::uint32_t form, std::uint64_t to) {
  switch (form) {
    case pb::TO_NODE:
      NoteIndex(Space::kNodes, to, "to");
      return {};
    case pb::TO_OMITTED:
      return to == 0 ? Status()
                     : Wrong("an omitted target is " + std::to_string(to));
    case pb::TO_DANGLING:
    case pb::TO_IMMEDIATE:
      return {};
    default:
      return Wrong("a target has form " + std::to_string(form));
  }
}

Status CheckSink::CheckValue(std::uint32_t form, std::uint64_t value,
                             std::uint32_t encoding) {
  if (!pb::ValueForm_IsValid(static_cast<int>(form))) {
    return Wrong("a value has form " + std::to_string(form));
  }
  if (!IsEncodingOf(form, encoding))
    return Wrong("a value has encoding " + std::to_string(encoding));
  if (form == pb::V_NODE) NoteIndex(Space::kNodes, value, "value");
  if (IsStringForm(form)) NoteIndex(Space::kStrings, value, "value");
  return {};
}

Status CheckSink::CheckKind(pb::Vocabulary::Space space, std::uint32_t kind) {
  if (!wanted_.Has(Body::kVocabulary)) return {};
  // Without a vocabulary there is one kind: 0 = other.
  const std::size_t kinds = std::max<std::size_t>(kinds_[space].size(), 1);
  if (kind < kinds) return {};
  return Wrong("kind " + std::to_string(kind) +
               " is not in the vocabulary, which has " +
               std::to_string(kinds_[space].size()));
}

Status CheckSink::CheckKinds(
    pb::Vocabulary::Space space,
    const google::protobuf::RepeatedField<std::uint32_t>& kinds) {
  if (CheckKind(space, GreatestOf(kinds)).ok()) return {};
  // Reports the first one that is wrong.
  for (const std::uint32_t kind : kinds)
    HEAPGLOT_RETURN_IF_ERROR(CheckKind(space, kind));
  return {};
}

Status CheckSink::CheckName(std::uint64_t string, const char* what) {
  if (string == 0) return {};
  const auto run = std::upper_bound(
      names_.begin(), names_.end(), string,
      [](std::uint64_t index, const auto& it) { return index < it.second; });
  if (run != names_.end() && run->first <= string) return {};
  return Wrong("string " + std::to_string(string) + " in " + what +
               " does not stand in a chunk of names before it");
}

}  // namespace heapglot
