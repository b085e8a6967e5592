// Columns and tables that only one format has: hg.column.
#include <algorithm>
#include <cstdio>

#include "writers/draft/draft_stream_writer.h"

namespace heapglot::draft {
namespace {

// Rows of one record, so that lines are not too long to look at.
constexpr std::uint64_t kRecordRows = kChunkRows;
static_assert(kRecordRows <= kMaxColumnRows);

void AppendNumber(bool negative, std::uint64_t magnitude, std::string* out) {
  char text[32];
  std::snprintf(
      text, sizeof text, magnitude <= kMaxSafe ? "%s%llu" : "\"%s0x%llx\"",
      negative ? "-" : "", static_cast<unsigned long long>(magnitude));
  *out += text;
}

void AppendCell(std::int64_t cell, std::string* out) {
  const auto bits = static_cast<std::uint64_t>(cell);
  AppendNumber(cell < 0, cell < 0 ? 0 - bits : bits, out);
}
void AppendCell(std::uint64_t cell, std::string* out) {
  AppendNumber(false, cell, out);
}

// The cells from `first` up to `end`, as a JSON array of `of(cell)`.
template <typename Cells, typename Of>
std::string ArrayOf(const Cells& cells, std::uint64_t first, std::uint64_t end,
                    Of of) {
  std::string array;
  for (std::uint64_t row = first; row < end; ++row) {
    array += array.empty() ? '[' : ',';
    AppendCell(of(cells.Get(static_cast<int>(row))), &array);
  }
  return array + ']';
}

// The code that counts rows whose columns are left out.
LossCode<kDraftFidelity> ExcessOf(std::string_view table) {
  if (table == "node") return "node.extra.excess";
  if (table == "edge") return "edge.extra.excess";
  return "extra.excess";
}

}  // namespace

// Writes one column of the rows from `begin` up to `end` of a chunk; if it has
// no cells, just the rows.
void StreamWriter::WriteColumn(const ColumnPlace& place, std::uint64_t begin,
                               std::uint64_t end,
                               const pb::ExtraColumn& column) {
  const auto same = [](auto cell) { return cell; };
  // Index 0, the empty string, stays 0: only a helper has a record for it.
  const auto string = [this](std::uint64_t cell) { return ids_.String(cell); };
  const auto node = [this](std::uint64_t ref) {
    return ref == 0 ? 0 : OwnIds::Node(node_base_ + ref - 1);
  };
  out_->Begin(*declared_.column(), nullptr);
  out_->Text(place.table);
  if (place.of.empty())
    out_->Absent();
  else
    out_->Text(place.of);
  out_->Uint(place.first + begin);
  out_->Uint(end - begin);
  out_->Text(column.name());
  out_->Text(column.type());
  const auto array = [&](const auto& cells, auto of) {
    if (cells.empty())
      out_->Absent();
    else
      out_->Raw(ArrayOf(cells, begin, end, of));
  };
  array(column.ints(), same);
  array(column.strings(), string);
  array(column.bits(), same);
  array(column.node_refs(), node);
  out_->End();
}

void StreamWriter::WriteColumns(
    const ColumnPlace& place, std::uint64_t rows,
    const google::protobuf::RepeatedPtrField<pb::ExtraColumn>& columns) {
  if (columns.empty() && place.table != kExtraTable) return;
  if (declared_.column() == nullptr) {
    // As in FeatureTally: what our readers keep is not a column of the source.
    const bool has_own = std::any_of(
        columns.begin(), columns.end(), [](const pb::ExtraColumn& column) {
          return !column.name().starts_with("heapglot:");
        });
    if (has_own) Loss(ExcessOf(place.table)).count += rows;
    return;
  }
  // A record without cells does not grow with its rows, and each repeats the
  // name.
  const std::uint64_t record_rows =
      columns.empty() ? kMaxColumnRows : kRecordRows;
  for (std::uint64_t begin = 0; begin < rows; begin += record_rows) {
    const std::uint64_t end = std::min(rows, begin + record_rows);
    if (columns.empty()) WriteColumn(place, begin, end, {});
    bool is_excessive = false;
    for (const pb::ExtraColumn& column : columns) {
      std::set<std::string>& names = columns_[std::string(place.table)];
      const std::string name = column.name() + '\n' + column.type();
      const bool fits = place.table == kExtraTable || names.contains(name) ||
                        names.size() < kMaxExtraColumns;
      is_excessive = is_excessive || !fits;
      if (!fits) continue;
      if (place.table != kExtraTable) names.insert(name);
      WriteColumn(place, begin, end, column);
    }
    if (is_excessive) Loss(ExcessOf(place.table)).count += end - begin;
  }
}

void StreamWriter::WriteTableColumns(const pb::Chunk& chunk,
                                     std::string_view table,
                                     std::uint64_t count) {
  const auto write = [&](const auto& rows) {
    WriteColumns({table, {}, rows.first()}, count, rows.extra());
  };
  switch (chunk.body_case()) {
    case pb::Chunk::kTypes: {
      const pb::Types& types = chunk.types();
      write(types);
      std::uint64_t fields = 0;
      for (const std::uint32_t number : types.field_count()) fields += number;
      WriteColumns({kTypeFieldTable.record, {}, type_fields_}, fields,
                   types.field_extra());
      type_fields_ += fields;
      return;
    }
    case pb::Chunk::kRoots:
      return write(chunk.roots());
    case pb::Chunk::kLocations:
      return write(chunk.locations());
    case pb::Chunk::kTraceFunctions:
      return write(chunk.trace_functions());
    case pb::Chunk::kTraceNodes:
      return write(chunk.trace_nodes());
    case pb::Chunk::kSamples:
      return write(chunk.samples());
    default:
      return;  // has none
  }
}

void StreamWriter::WriteExtraTable(const pb::ExtraTable& table) {
  const ColumnPlace place = {kExtraTable, table.name(), table.first()};
  // A table without rows gets a record, too.
  if (table.first() == 0 && table.count() == 0)
    return WriteColumn(place, 0, 0, {});
  WriteColumns(place, table.count(), table.column());
}

}  // namespace heapglot::draft
