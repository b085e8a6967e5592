#include "core/canonical/row_cutter.h"

#include <algorithm>

#include "core/column.h"
#include "core/ir/columns.h"

namespace heapglot {
namespace {

using google::protobuf::Message;

// Keeps only the columns of fields in `types`, or only the others.
void KeepColumns(bool of_fields, pb::Types* types) {
  const google::protobuf::Descriptor& table = *pb::Types::descriptor();
  for (int i = 0; i < table.field_count(); ++i) {
    const google::protobuf::FieldDescriptor& field = *table.field(i);
    if (field.is_repeated() && IsFieldColumn(field) != of_fields)
      pb::Types::GetReflection()->ClearField(types, &field);
  }
}

}  // namespace

Status RowCutter::Add(pb::Chunk chunk) {
  out_.MakeExplicit(&chunk);
  rows_.ShareExtras(MutableBody(&chunk, chunk.body_case()));
  const Message& body = BodyOf(chunk);
  if (!rows_.Fits(body)) HEAPGLOT_RETURN_IF_ERROR(End());
  const std::size_t count = CountOf(body);
  for (std::size_t row = 0; row < count;) {
    if (rows_.empty() && chunk.has_values()) {
      rows_.mutable_chunk()->mutable_values()->set_owner_space(
          chunk.values().owner_space());
    } else if (rows_.empty() && chunk.has_extra_table()) {
      rows_.mutable_chunk()->mutable_extra_table()->set_name(
          chunk.extra_table().name());
    }
    const std::size_t end = std::min(count, row + rows_.room());
    rows_.Append(body, row, end);
    row = end;
    if (rows_.room() == 0) HEAPGLOT_RETURN_IF_ERROR(End());
  }
  return {};
}

Status RowCutter::End() {
  if (rows_.empty()) return {};
  HEAPGLOT_RETURN_IF_ERROR(out_.Send(rows_.mutable_chunk()));
  rows_.Clear();
  return {};
}

TypeCutter::Run TypeCutter::NextRun(const pb::Types& types, int row) const {
  Run run;
  const int room = static_cast<int>(types_.room());
  for (; run.types < room && row < static_cast<int>(types.count()); ++row) {
    const std::uint64_t fields = At(types.field_count(), row);
    const bool fits = fields_.rows() + run.fields + fields <= kChunkRows;
    const bool is_alone = types_.empty() && run.types == 0;
    if (!fits && !is_alone) break;
    ++run.types;
    run.fields += fields;
    if (!fits) break;
  }
  return run;
}

Status TypeCutter::Add(pb::Chunk chunk) {
  // It describes the layout of the source.
  chunk.mutable_types()->clear_source_position();
  pb::Types types = chunk.types();
  pb::Types& fields = *chunk.mutable_types();
  KeepColumns(false, &types);
  KeepColumns(true, &fields);
  SortExtras(&types);
  SortExtras(&fields);
  types_.ShareExtras(&types);
  fields_.ShareExtras(&fields);
  if (!types_.Fits(types) || !fields_.Fits(fields))
    HEAPGLOT_RETURN_IF_ERROR(End());
  std::uint64_t field = 0;
  for (int row = 0; row < static_cast<int>(types.count());) {
    const Run run = NextRun(types, row);
    if (run.types == 0) {
      HEAPGLOT_RETURN_IF_ERROR(End());
      continue;
    }
    const auto begin = static_cast<std::size_t>(row);
    types_.Append(types, begin, begin + static_cast<std::size_t>(run.types));
    if (run.fields != 0) fields_.Append(fields, field, field + run.fields);
    row += run.types;
    field += run.fields;
  }
  return {};
}

Status TypeCutter::End() {
  if (types_.empty()) return {};
  pb::Chunk& chunk = *types_.mutable_chunk();
  pb::Types fields = fields_.chunk().types();
  fields.clear_first();
  fields.clear_count();
  chunk.mutable_types()->MergeFrom(fields);
  HEAPGLOT_RETURN_IF_ERROR(out_.Send(&chunk));
  types_.Clear();
  fields_.Clear();
  return {};
}

}  // namespace heapglot
