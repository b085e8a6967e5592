// Tables that are records of the namespace hg., and metadata.
#include <google/protobuf/reflection.h>

#include "core/column.h"
#include "core/ir/columns.h"
#include "core/ir/index_columns.h"
#include "writers/draft/draft_stream_writer.h"

namespace heapglot::draft {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

bool StreamWriter::WriteTarget(const Message& rows, const Column& column,
                               int row) {
  const Reflection& reflection = *rows.GetReflection();
  const auto& descriptor = *rows.GetDescriptor();
  const FieldDescriptor* const to = descriptor.FindFieldByNumber(column.number);
  const FieldDescriptor* const forms = descriptor.FindFieldByName("to_form");
  const std::uint32_t form =
      reflection.FieldSize(rows, forms) == 0
          ? 0
          : reflection.GetRepeatedUInt32(rows, forms, row);
  const std::uint64_t node = reflection.FieldSize(rows, to) == 0
                                 ? 0
                                 : reflection.GetRepeatedUInt64(rows, to, row);
  if (form == pb::TO_IMMEDIATE) {
    const bool fits = WriteImmediate(node);
    Loss("edge.immediate.wide").count += fits ? 0 : 1;
    return fits;
  }
  if (form != pb::TO_NODE) return false;
  out_->Id(OwnIds::Node(node_base_ + node));
  return true;
}

bool StreamWriter::WriteDangling(const Message& rows, int row) {
  const Reflection& reflection = *rows.GetReflection();
  const auto& descriptor = *rows.GetDescriptor();
  const FieldDescriptor* const forms = descriptor.FindFieldByName("to_form");
  if (reflection.FieldSize(rows, forms) == 0 ||
      reflection.GetRepeatedUInt32(rows, forms, row) != pb::TO_DANGLING)
    return false;
  // The column is absent if all targets are 0, which may be the id of a node.
  const FieldDescriptor* const to = descriptor.FindFieldByName("to");
  out_->Uint(reflection.FieldSize(rows, to) == 0
                 ? 0
                 : reflection.GetRepeatedUInt64(rows, to, row));
  return true;
}

bool StreamWriter::WriteCell(const Message& rows, const Column& column,
                             int row) {
  if (column.form == ColumnForm::kTarget) return WriteTarget(rows, column, row);
  const Reflection& reflection = *rows.GetReflection();
  const FieldDescriptor* const field =
      rows.GetDescriptor()->FindFieldByNumber(column.number);
  if (reflection.FieldSize(rows, field) == 0) return false;
  std::uint64_t cell = 0;
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_UINT32:
      cell = reflection.GetRepeatedUInt32(rows, field, row);
      break;
    case FieldDescriptor::CPPTYPE_INT64:
      cell = static_cast<std::uint64_t>(
          reflection.GetRepeatedInt64(rows, field, row));
      break;
    default:
      cell = reflection.GetRepeatedUInt64(rows, field, row);
  }
  if (cell == 0) return false;
  switch (column.form) {
    case ColumnForm::kString:
      out_->StringId(ids_.String(cell));
      break;
    case ColumnForm::kNode:
      out_->Id(OwnIds::Node(node_base_ + cell - 1));
      break;
    case ColumnForm::kSigned:
      out_->Int(static_cast<std::int64_t>(cell));
      break;
    default:
      out_->Uint(cell);
  }
  return true;
}

// The fields of a record are the columns in use, in their order, and then
// `dangling`.
void StreamWriter::WriteRow(const Message& rows,
                            std::span<const Column> columns, const Type& type,
                            int row) {
  out_->Begin(type, nullptr);
  std::size_t next = 0;
  for (const Field& field : type.layout.fields) {
    if (field.name == "dangling") {
      if (!WriteDangling(rows, row)) out_->Absent();
      continue;
    }
    while (columns[next].field != field.name) ++next;
    if (!WriteCell(rows, columns[next], row)) out_->Absent();
  }
  out_->End();
}

void StreamWriter::WriteTypeFields(const pb::Types& types, int row) {
  for (std::uint32_t i = 0; i < At(types.field_count(), row); ++i) {
    WriteRow(types, kTypeFieldColumns, *declared_.type_field(), type_field_++);
  }
}

void StreamWriter::WriteTable(const pb::Chunk& chunk) {
  type_field_ = 0;
  for (std::size_t i = 0; i < kTableCount; ++i) {
    const Table& table = kTables[i];
    if (table.body != chunk.body_case()) continue;
    const Message& rows = BodyOf(chunk);
    const auto count = static_cast<int>(NumberField(rows, "count"));
    WriteTableColumns(chunk, table.record, static_cast<std::uint64_t>(count));
    for (int row = 0; row < count; ++row) {
      WriteRow(rows, table.columns, *declared_.table(i), row);
      if (chunk.has_types()) WriteTypeFields(chunk.types(), row);
    }
  }
}

void StreamWriter::WriteMetadata(const pb::Metadata& metadata) {
  for (const pb::Metadata::Entry& entry : metadata.entry()) {
    const std::string& key = entry.key().data();
    const bool plain = entry.origin().empty() &&
                       entry.is_volatile() == IsVolatileKey(key) &&
                       entry.key().encoding() == pb::UTF8 &&
                       entry.value().encoding() == pb::UTF8;
    out_->Metadata(OwnMetadataKey(key), entry.value().data());
    Loss("metadata.marks").count += plain ? 0 : 1;
  }
}

void StreamWriter::WriteValues(const pb::Values& values) {
  for (int row = 0; row < static_cast<int>(values.count()); ++row) {
    // Edges have no ids in a file: a reader counts those that it has seen.
    const bool too_early = values.owner_space() == pb::Values::OF_EDGE &&
                           At(values.owner(), row) >= edges_;
    if (too_early)
      ++Loss("value.named.early").count;
    else
      WriteValue(values, row);
  }
}

void StreamWriter::WriteValue(const pb::Values& values, int row) {
  const std::uint64_t owner = At(values.owner(), row);
  const std::uint64_t key = At(values.key(), row);
  const std::uint32_t form = At(values.form(), row);
  const std::uint64_t value = At(values.value(), row);
  const std::uint64_t text = IsStringForm(form) ? value : 0;
  const auto number = [this](std::uint64_t cell) {
    if (cell == 0)
      out_->Absent();
    else
      out_->Uint(cell);
  };
  const auto string = [this](std::uint64_t index) {
    if (index == 0)
      out_->Absent();
    else
      out_->StringId(ids_.String(index));
  };
  out_->Begin(*declared_.value(), nullptr);
  out_->Uint(static_cast<std::uint64_t>(values.owner_space()));
  if (values.owner_space() == pb::Values::OF_NODE)
    out_->Uint(OwnIds::Node(node_base_ + owner));
  else if (values.owner_space() == pb::Values::OF_STRING)
    out_->Uint(ids_.Reference(owner));
  else
    out_->Uint(owner);
  string(key);
  number(form);
  number(IsStringForm(form) ? 0 : value);
  string(text);
  number(At(values.length(), row));
  number(At(values.encoding(), row));
  out_->End();
}

void StreamWriter::WriteExtra(const pb::Extra& extra) {
  out_->Begin(*declared_.extra(), nullptr);
  // Lines of another file of this format must not be taken for lines of this
  // one.
  if (extra.format() == form_.name())
    out_->Text(std::string(kEscapedPrefix).append(extra.format()));
  else
    out_->Text(extra.format());
  out_->Text(extra.section());
  out_->Uint(extra.position());
  out_->Base64(extra.data());
  if (extra.continued())
    out_->Bool(true);
  else
    out_->Absent();
  out_->End();
}

}  // namespace heapglot::draft
