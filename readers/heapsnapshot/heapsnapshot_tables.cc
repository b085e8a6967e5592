#include "readers/heapsnapshot/heapsnapshot_tables.h"

#include <string>
#include <utility>

#include "core/bytes/trail.h"
#include "core/chunk_builder.h"
#include "readers/heapsnapshot/heapsnapshot_trace_tree.h"

namespace heapglot::heapsnapshot {
namespace {

std::int64_t Signed(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

std::int64_t LineOrColumn(std::uint64_t value) {
  return value == kNoLine ? -1 : Signed(value);
}

// The positions of the fields that `known` does not name.
std::vector<std::size_t> OtherFields(
    const std::vector<MetaField>& fields,
    std::initializer_list<std::string_view> known) {
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    bool is_known = false;
    for (const std::string_view name : known)
      is_known = is_known || fields[i].name == name;
    if (!is_known) others.push_back(i);
  }
  return others;
}

}  // namespace

Status InputChanged() {
  return {Code::kInput, "the input changed while it was read"};
}

void ResolveReferences(const Index& index, std::uint64_t first_string,
                       std::size_t rows, pb::ExtraColumn* column) {
  const bool is_node = column->type() == kNodeType;
  if (!is_node && column->type() != kStringType) return;
  auto& numbers = *column->mutable_ints();
  auto& refs =
      is_node ? *column->mutable_node_refs() : *column->mutable_strings();
  numbers.Resize(static_cast<int>(rows), 0);
  refs.Resize(static_cast<int>(rows), 0);
  bool is_whole = true;
  for (int row = 0; row < numbers.size(); ++row) {
    std::int64_t& number = numbers.at(row);
    const auto offset = static_cast<std::uint64_t>(number);
    std::uint64_t node = 0;
    if (is_node && index.node_rows.Divide(offset, index.node_count, &node)) {
      refs.at(row) = node + 1;
    } else if (!is_node && offset < index.string_count()) {
      refs.at(row) = first_string + offset;
    } else {
      is_whole = false;
      continue;
    }
    number = 0;
  }
  if (is_whole) numbers.Clear();
}

template <typename Rows>
void TablePass::AddExtraColumns(std::span<const std::uint64_t> block,
                                const std::vector<MetaField>& fields,
                                const std::vector<std::size_t>& positions,
                                Rows* rows) const {
  const std::size_t count = block.size() / fields.size();
  for (ColumnFill<std::int64_t>& fill :
       AddExtraFills(fields, positions, static_cast<int>(count), rows)) {
    fill.Add(block, fields.size());
    fill.Finish();
  }
  for (pb::ExtraColumn& column : *rows->mutable_extra())
    ResolveReferences(index_, first_string_, count, &column);
}

TablePass::TablePass(const ByteSource& source, const Index& index,
                     ChunkSet wanted, ChunkSink& out,
                     std::uint64_t first_string)
    : source_(source),
      bytes_(source.bytes()),
      index_(index),
      wanted_(wanted),
      out_(out),
      first_string_(first_string) {}

Status TablePass::SendSnapshotObject() {
  if (!Wants(pb::Chunk::kExtra)) return {};
  const Section& section = *index_.sections.Find(SectionKind::kSnapshot);
  return SendExtra(kSnapshotExtra, section.value.begin, "", section.value);
}

Status TablePass::SendTables() {
  for (const Section& section : index_.sections.list) {
    Status status;
    switch (section.kind) {
      case SectionKind::kLocations:
        status = SendLocations(section);
        break;
      case SectionKind::kTraceFunctions:
        status = SendTraceFunctions(section);
        break;
      case SectionKind::kTraceTree:
        status = SendTraceTree(section);
        break;
      case SectionKind::kSamples:
        status = SendSamples(section);
        break;
      case SectionKind::kTable:
        status = SendExtraTable(section);
        break;
      case SectionKind::kJson:
        if (Wants(pb::Chunk::kExtra)) {
          status = SendExtra(kSectionExtra, section.key.begin,
                             std::string(TextOf(bytes_, section.key)) + ":",
                             section.value);
        }
        break;
      default:
        break;
    }
    HEAPGLOT_RETURN_IF_ERROR(status);
  }
  return {};
}

template <typename Fill>
Status TablePass::ForEachBlock(const Section& section, std::size_t width,
                               Fill fill) {
  NumberCursor in(bytes_, TextOf(bytes_, section.value), section.name);
  Trail trail(source_, section.value.begin);
  for (std::uint64_t first = 0;;) {
    const bool ok = in.Read(kChunkRows * width).ok();
    if (!ok || in.block().size() % width != 0) return InputChanged();
    if (in.block().empty()) return {};
    const std::uint64_t rows = in.block().size() / width;
    fill(in.block(), first, static_cast<std::uint32_t>(rows));
    HEAPGLOT_RETURN_IF_ERROR(out_.Accept(chunk_));
    first += rows;
    trail.Advance(in.offset());
  }
}

Status TablePass::SendLocations(const Section& section) {
  if (!Wants(pb::Chunk::kLocations)) return {};
  const std::vector<MetaField>& fields = index_.meta.location_fields;
  if (fields.empty()) return {};
  const auto object = FindField(fields, kObjectIndex);
  const auto others =
      OtherFields(fields, {kObjectIndex, kScriptId, kLine, kColumn});
  return ForEachBlock(
      section, fields.size(),
      [&](std::span<const std::uint64_t> block, std::uint64_t first,
          std::uint32_t count) {
        pb::Locations& rows = *chunk_.mutable_locations();
        rows.Clear();
        rows.set_first(first);
        rows.set_count(count);
        for (std::size_t i = *object; i < block.size(); i += fields.size()) {
          std::uint64_t node = 0;
          const int row = rows.to_size();
          if (!index_.node_rows.Divide(block[i], index_.node_count, &node)) {
            SetSparse(rows.mutable_to_form(), row,
                      static_cast<std::uint32_t>(pb::TO_DANGLING));
            node = block[i];
          }
          rows.add_to(node);
        }
        FillColumn(rows.mutable_to_form(), rows.to_size());
        const std::pair<std::string_view,
                        google::protobuf::RepeatedField<std::int64_t>*>
            columns[] = {{kScriptId, rows.mutable_script_id()},
                         {kLine, rows.mutable_line()},
                         {kColumn, rows.mutable_column()}};
        for (const auto& [name, column] : columns) {
          if (const auto at = FindField(fields, name))
            FillFrom(block, fields.size(), *at, column, Signed);
        }
        AddExtraColumns(block, fields, others, &rows);
      });
}

Status TablePass::SendTraceFunctions(const Section& section) {
  if (!Wants(pb::Chunk::kTraceFunctions)) return {};
  const std::vector<MetaField>& fields = index_.meta.trace_function_fields;
  if (fields.empty()) return {};
  const auto others = OtherFields(
      fields, {kFunctionId, kName, kScriptName, kScriptId, kLine, kColumn});
  return ForEachBlock(
      section, fields.size(),
      [&](std::span<const std::uint64_t> block, std::uint64_t first,
          std::uint32_t count) {
        pb::TraceFunctions& rows = *chunk_.mutable_trace_functions();
        rows.Clear();
        rows.set_first(first);
        rows.set_count(count);
        const auto fill = [&](std::string_view name, auto* column,
                              auto convert) {
          if (const auto at = FindField(fields, name))
            FillFrom(block, fields.size(), *at, column, convert);
        };
        const auto string = [this](std::uint64_t number) {
          return first_string_ + number;
        };
        fill(kFunctionId, rows.mutable_function_id(), Signed);
        fill(kName, rows.mutable_name(), string);
        fill(kScriptName, rows.mutable_script_name(), string);
        fill(kScriptId, rows.mutable_script_id(), Signed);
        fill(kLine, rows.mutable_line(), LineOrColumn);
        fill(kColumn, rows.mutable_column(), LineOrColumn);
        AddExtraColumns(block, fields, others, &rows);
      });
}

Status TablePass::SendSamples(const Section& section) {
  if (!Wants(pb::Chunk::kSamples)) return {};
  const std::vector<MetaField>& fields = index_.meta.sample_fields;
  if (fields.empty()) return {};
  const auto others = OtherFields(fields, {kTimestamp, kLastAssignedId});
  return ForEachBlock(section, fields.size(),
                      [&](std::span<const std::uint64_t> block,
                          std::uint64_t first, std::uint32_t count) {
                        pb::Samples& rows = *chunk_.mutable_samples();
                        rows.Clear();
                        rows.set_first(first);
                        rows.set_count(count);
                        if (const auto at = FindField(fields, kTimestamp))
                          FillFrom(block, fields.size(), *at,
                                   rows.mutable_timestamp_us(), Signed);
                        if (const auto at = FindField(fields, kLastAssignedId))
                          FillFrom(block, fields.size(), *at,
                                   rows.mutable_last_assigned_id(), Signed);
                        AddExtraColumns(block, fields, others, &rows);
                      });
}

Status TablePass::SendExtraTable(const Section& section) {
  if (!Wants(pb::Chunk::kExtraTable)) return {};
  std::vector<MetaField> fields = FieldsOfTable(index_.meta, section.name);
  // Its numbers are not counted in the index; reading them twice does no harm.
  std::uint64_t numbers = 0;
  NumberCursor in(bytes_, TextOf(bytes_, section.value), section.name);
  do {
    if (!in.Read(kChunkRows).ok()) return InputChanged();
    numbers += in.block().size();
  } while (!in.block().empty());
  if (numbers % fields.size() != 0) fields = {{"value", ""}};

  pb::ExtraTable& table = *chunk_.mutable_extra_table();
  const auto begin = [&](std::uint64_t first, std::uint32_t count) {
    table.Clear();
    table.set_name(section.name);
    table.set_first(first);
    table.set_count(count);
  };
  if (numbers == 0) {
    begin(0, 0);
    return out_.Accept(chunk_);
  }
  return ForEachBlock(
      section, fields.size(),
      [&](std::span<const std::uint64_t> block, std::uint64_t first,
          std::uint32_t count) {
        begin(first, count);
        for (std::size_t at = 0; at < fields.size(); ++at) {
          pb::ExtraColumn& column = *table.add_column();
          column.set_name(fields[at].name);
          column.set_type(fields[at].type);
          FillFrom(block, fields.size(), at, column.mutable_ints(), Signed);
          ResolveReferences(index_, first_string_, count, &column);
        }
      });
}

Status TablePass::SendTraceTree(const Section& section) {
  if (!Wants(pb::Chunk::kTraceNodes) || index_.trace_children.empty())
    return {};
  TraceTreeCursor in(TextOf(bytes_, section.value),
                     index_.meta.trace_node_fields);
  Trail trail(source_, section.value.begin);
  std::vector<std::uint64_t> block;
  std::uint64_t first = 0;
  std::uint64_t next = 0;
  TraceTreeCursor::Event event = in.Next();
  for (; event < TraceTreeCursor::Event::kEnd; event = in.Next()) {
    trail.Advance(section.value.begin + in.offset());
    if (event == TraceTreeCursor::Event::kClose) continue;
    if (next++ == index_.trace_children.size()) return InputChanged();
    for (const Integer& number : in.row()) block.push_back(number.value);
    if (next - first < kChunkRows) continue;
    HEAPGLOT_RETURN_IF_ERROR(SendTraceNodes(first, block));
    block.clear();
    first = next;
  }
  if (next != index_.trace_children.size()) return InputChanged();
  return next > first ? SendTraceNodes(first, block) : Status();
}

Status TablePass::SendTraceNodes(std::uint64_t first,
                                 std::span<const std::uint64_t> block) {
  const std::vector<MetaField>& fields = index_.meta.trace_node_fields;
  const std::size_t width = fields.size() - 1;
  const std::uint64_t count = block.size() / width;
  pb::TraceNodes& rows = *chunk_.mutable_trace_nodes();
  rows.Clear();
  rows.set_first(first);
  rows.set_count(static_cast<std::uint32_t>(count));
  const auto fill = [&](std::string_view name, auto* column, auto convert) {
    if (const auto at = FindField(fields, name))
      FillFrom(block, width, *at, column, convert);
  };
  const auto same = [](std::uint64_t value) { return value; };
  fill(kId, rows.mutable_id(), Signed);
  fill(kFunctionInfoIndex, rows.mutable_function_index(), same);
  fill(kCount, rows.mutable_alloc_count(), same);
  fill(kSize, rows.mutable_alloc_size(), same);
  for (std::uint64_t i = first; i < first + count; ++i)
    rows.add_child_count(index_.trace_children[i]);
  for (const std::size_t at : OtherFields(
           fields, {kId, kFunctionInfoIndex, kCount, kSize, kChildren})) {
    pb::ExtraColumn& column = *rows.add_extra();
    column.set_name(fields[at].name);
    column.set_type(fields[at].type);
    FillFrom(block, width, at, column.mutable_ints(), Signed);
  }
  return out_.Accept(chunk_);
}

Status TablePass::SendExtra(std::string_view name, std::uint64_t position,
                            std::string_view head, const Span& value) {
  pb::Extra& extra = *chunk_.mutable_extra();
  extra.Clear();
  extra.set_format(kFormat.data(), kFormat.size());
  extra.set_section(name.data(), name.size());
  extra.set_position(position);
  extra.set_data(head.data(), head.size());
  Trail trail(source_, value.begin);
  for (std::uint64_t at = value.begin; at < value.end;) {
    const std::string_view piece =
        TextOf(bytes_, value).substr(at - value.begin, kChunkText);
    extra.mutable_data()->append(piece);
    at += piece.size();
    extra.set_continued(at < value.end);
    HEAPGLOT_RETURN_IF_ERROR(out_.Accept(chunk_));
    extra.mutable_data()->clear();
    trail.Advance(at);
  }
  return {};
}

}  // namespace heapglot::heapsnapshot
