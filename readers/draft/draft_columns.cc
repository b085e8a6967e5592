#include "readers/draft/draft_columns.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/reflection.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/draft/draft_values.h"
#include "core/ir/columns.h"
#include "core/text/utf.h"
#include "core/text_table.h"
#include "readers/draft/draft_index.h"

namespace heapglot::draft {
namespace {

using google::protobuf::RepeatedField;
using google::protobuf::RepeatedPtrField;

// Deeper than cells ever are.
constexpr std::uint64_t kCellsDepth = 16;

bool ReadName(const Token& token, std::string* out) {
  if (token.is_null()) return true;
  return token.kind == TokenKind::kString && AppendText(token, out) == pb::UTF8;
}

// Reads an array of `count` integers; null is 0.
template <typename T>
bool ReadCells(const Token& token, std::uint64_t count,
               RepeatedField<T>* cells) {
  if (token.is_null()) return true;
  JsonCursor in(token.text, kCellsDepth);
  if (!in.Take('[')) return false;
  Token cell;
  Integer integer;
  while (static_cast<std::uint64_t>(cells->size()) < count) {
    if (!cells->empty() && !in.Take(',')) return false;
    if (!in.Value(&cell)) return false;
    if (!cell.is_null() && !ReadInteger(cell, &integer)) return false;
    cells->Add(cell.is_null() ? T{} : static_cast<T>(integer.bits()));
  }
  return in.Take(']');
}

bool IsTable(std::string_view name) {
  return name == "node" || name == "edge" || name == kExtraTable ||
         name == kTypeFieldTable.record ||
         std::any_of(std::begin(kTables), std::end(kTables),
                     [&](const Table& table) { return table.record == name; });
}

// Turns ids of strings and nodes into indices. Returns how many lead nowhere.
std::uint64_t ResolveIds(const Index& index, const Section& section,
                         pb::ExtraColumn* column) {
  std::uint64_t missing = 0;
  for (std::uint64_t& cell : *column->mutable_strings()) {
    if (cell == 0) continue;
    const std::uint64_t position = index.strings.Find(cell);
    const bool is_known = position != IdMap::kNone;
    missing += is_known || index.IsEmptyHelper(cell) ? 0 : 1;
    cell = is_known ? index.StringIndex(position) : 0;
  }
  for (std::uint64_t& cell : *column->mutable_node_refs()) {
    if (cell == 0) continue;
    const std::uint64_t position = index.nodes.Find(cell);
    const bool is_known = position != IdMap::kNone && section.HasNode(position);
    missing += is_known ? 0 : 1;
    cell = is_known ? position - section.first_node + 1 : 0;
  }
  return missing;
}

// Copies the cells of `rows` rows from `first` on; `from` begins at
// `cells_first`.
template <typename T>
void CopyCells(const RepeatedField<T>& from, std::uint64_t cells_first,
               std::uint64_t first, std::uint64_t rows, RepeatedField<T>* to) {
  if (from.empty()) return;
  to->Resize(static_cast<int>(rows), 0);
  const auto count = static_cast<std::uint64_t>(from.size());
  const std::uint64_t begin = std::max(first, cells_first);
  const std::uint64_t end = std::min(first + rows, cells_first + count);
  for (std::uint64_t row = begin; row < end; ++row) {
    to->Set(static_cast<int>(row - first),
            from.Get(static_cast<int>(row - cells_first)));
  }
}

void CopyColumn(const ColumnCells& cells, std::uint64_t first,
                std::uint64_t rows, RepeatedPtrField<pb::ExtraColumn>* extra) {
  const pb::ExtraColumn& from = cells.column;
  const auto same = [&](const pb::ExtraColumn& it) {
    return it.name() == from.name() && it.type() == from.type();
  };
  const auto found = std::find_if(extra->begin(), extra->end(), same);
  pb::ExtraColumn& to = found != extra->end() ? *found : *extra->Add();
  to.set_name(from.name());
  to.set_type(from.type());
  CopyCells(from.ints(), cells.first, first, rows, to.mutable_ints());
  CopyCells(from.strings(), cells.first, first, rows, to.mutable_strings());
  CopyCells(from.bits(), cells.first, first, rows, to.mutable_bits());
  CopyCells(from.node_refs(), cells.first, first, rows, to.mutable_node_refs());
}

// How many of the cells belong to `rows` rows from `first` on.
std::uint64_t Overlap(const ColumnCells& cells, std::uint64_t first,
                      std::uint64_t rows) {
  const std::uint64_t begin = std::max(first, cells.first);
  const std::uint64_t end = std::min(first + rows, cells.first + cells.count);
  return begin < end ? end - begin : 0;
}

// The extra columns of a table; nullptr if it cannot have any.
RepeatedPtrField<pb::ExtraColumn>* ExtraOf(pb::Chunk* chunk) {
  switch (chunk->body_case()) {
    case pb::Chunk::kTypes:
      return chunk->mutable_types()->mutable_extra();
    case pb::Chunk::kRoots:
      return chunk->mutable_roots()->mutable_extra();
    case pb::Chunk::kLocations:
      return chunk->mutable_locations()->mutable_extra();
    case pb::Chunk::kTraceFunctions:
      return chunk->mutable_trace_functions()->mutable_extra();
    case pb::Chunk::kTraceNodes:
      return chunk->mutable_trace_nodes()->mutable_extra();
    case pb::Chunk::kSamples:
      return chunk->mutable_samples()->mutable_extra();
    default:
      return nullptr;
  }
}

// Attaches cells to the tables of one graph.
class Attacher {
 public:
  explicit Attacher(Section* section) : section_(*section) {}

  // False if any of the cells has no row.
  bool Attach(const ColumnCells& cells) {
    if (cells.table == kExtraTable) {
      AttachToExtraTable(cells);
      return true;
    }
    const bool of_fields = cells.table == kTypeFieldTable.record;
    for (std::size_t i = 0; i < kTableCount; ++i) {
      const bool is_it = of_fields
                             ? kTables[i].body == pb::Chunk::kTypesFieldNumber
                             : kTables[i].record == cells.table;
      if (is_it) return AttachToTable(cells, of_fields, i);
    }
    return cells.count == 0;
  }

 private:
  bool AttachToTable(const ColumnCells& cells, bool of_fields,
                     std::size_t number) {
    std::vector<pb::Chunk>& chunks = section_.tables[number];
    const std::vector<std::uint64_t>& ends = EndsOf(of_fields, number);
    const auto found = std::upper_bound(ends.begin(), ends.end(), cells.first);
    std::uint64_t missing = cells.count;
    for (auto i = static_cast<std::size_t>(found - ends.begin());
         i < chunks.size(); ++i) {
      const std::uint64_t first = i == 0 ? 0 : ends[i - 1];
      const std::uint64_t rows = ends[i] - first;
      const std::uint64_t attached = Overlap(cells, first, rows);
      RepeatedPtrField<pb::ExtraColumn>* const extra =
          of_fields ? chunks[i].mutable_types()->mutable_field_extra()
                    : ExtraOf(&chunks[i]);
      if (attached == 0 || extra == nullptr) break;
      CopyColumn(cells, first, rows, extra);
      missing -= attached;
    }
    return missing == 0;
  }

  // The number of rows up to the end of each chunk.
  const std::vector<std::uint64_t>& EndsOf(bool of_fields, std::size_t number) {
    std::vector<std::uint64_t>& ends = ends_[of_fields ? kTableCount : number];
    if (!ends.empty()) return ends;
    std::uint64_t rows = 0;
    for (const pb::Chunk& chunk : section_.tables[number]) {
      rows += of_fields ? FieldRows(chunk.types())
                        : NumberField(BodyOf(chunk), "count");
      ends.push_back(rows);
    }
    return ends;
  }
  static std::uint64_t FieldRows(const pb::Types& types) {
    std::uint64_t rows = 0;
    for (const std::uint32_t count : types.field_count()) rows += count;
    return rows;
  }

  // Records about the same rows are consecutive.
  void AttachToExtraTable(const ColumnCells& cells) {
    std::vector<pb::Chunk>& chunks = section_.extra_tables;
    const bool goes_on = !chunks.empty() && first_ == cells.first &&
                         chunks.back().extra_table().name() == cells.of &&
                         chunks.back().extra_table().count() == cells.count;
    if (!goes_on) {
      pb::ExtraTable& table = *chunks.emplace_back().mutable_extra_table();
      std::uint64_t& rows = rows_[cells.of];
      table.set_name(cells.of);
      table.set_first(rows);
      table.set_count(static_cast<std::uint32_t>(cells.count));
      rows += cells.count;
      first_ = cells.first;
    }
    if (cells.column.ByteSizeLong() == 0) return;  // a table without columns
    *chunks.back().mutable_extra_table()->add_column() = cells.column;
  }

  Section& section_;
  std::array<std::vector<std::uint64_t>, kTableCount + 1> ends_;
  std::uint64_t first_ = 0;  // of the last chunk, according to the records
  OwnTextTable<std::uint64_t> rows_;
};

}  // namespace

std::string ReadColumn(const Record& record, ColumnCells* cells) {
  const auto& fields = record.layout->fields;
  // Fields may be in any order, so sizes are read first.
  Integer integer;
  for (std::size_t slot = 0; slot < fields.size(); ++slot) {
    const Token& token = record.fields[slot];
    const std::string& name = fields[slot].name;
    const bool is_size = name == "first" || name == "count";
    if (!is_size || token.is_null()) continue;
    if (!ReadInteger(token, &integer))
      return "the field \"" + name + "\" is not an integer";
    (name == "first" ? cells->first : cells->count) = integer.bits();
  }
  if (cells->count > kMaxColumnRows || cells->first > kMaxSafe)
    return "a column of too many rows";
  pb::ExtraColumn& column = cells->column;
  for (std::size_t slot = 0; slot < fields.size(); ++slot) {
    const Token& token = record.fields[slot];
    const std::string& name = fields[slot].name;
    const bool is_good =
        name == "table"        ? ReadName(token, &cells->table)
        : name == "of"         ? ReadName(token, &cells->of)
        : name == "name"       ? ReadName(token, column.mutable_name())
        : name == "field_type" ? ReadName(token, column.mutable_type())
        : name == "ints" ? ReadCells(token, cells->count, column.mutable_ints())
        : name == "strings"
            ? ReadCells(token, cells->count, column.mutable_strings())
        : name == "bits" ? ReadCells(token, cells->count, column.mutable_bits())
        : name == "nodes"
            ? ReadCells(token, cells->count, column.mutable_node_refs())
            : true;
    if (!is_good) return "the field \"" + name + "\" is not what it must be";
  }
  if (IsTable(cells->table)) return {};
  return "there is no table " + Quoted(cells->table);
}

std::string AddColumn(const Record& record, Section* section) {
  ColumnCells cells;
  std::string problem = ReadColumn(record, &cells);
  if (problem.empty() && cells.table != kExtraTable) {
    std::set<std::string>& names = section->column_names[cells.table];
    names.insert(cells.column.name() + '\n' + cells.column.type());
    if (names.size() > kMaxExtraColumns)
      problem = "a table of too many columns";
  }
  if (problem.empty() && cells.table != "node" && cells.table != "edge")
    section->columns.push_back(std::move(cells));
  return problem;
}

void AttachColumns(Index* index, LeftOut* left_out) {
  for (Section& section : index->sections) {
    Attacher attacher(&section);
    for (ColumnCells& cells : section.columns) {
      left_out->references += ResolveIds(*index, section, &cells.column);
      if (!attacher.Attach(cells)) ++left_out->columns;
    }
    section.columns = {};
  }
}

bool WaitingColumns::Add(const Index& index, const Section& section,
                         ColumnCells cells, std::uint64_t next,
                         std::uint64_t* missing) {
  std::size_t records = 0;
  std::uint64_t rows = cells.count;
  for (const ColumnCells& it : waiting_) {
    if (it.first + it.count <= next) continue;
    ++records;
    rows += it.count;
  }
  if (records >= kMaxRecords || rows > kMaxRows) return false;
  *missing += ResolveIds(index, section, &cells.column);
  waiting_.push_back(std::move(cells));
  return true;
}

std::ptrdiff_t WaitingColumns::CountBehind(std::uint64_t row) const {
  return std::count_if(waiting_.begin(), waiting_.end(),
                       [row](const ColumnCells& cells) {
                         return cells.first + cells.count > row;
                       });
}

void WaitingColumns::Forget(std::uint64_t row) {
  const auto is_over = [row](const ColumnCells& cells) {
    return cells.first + cells.count <= row;
  };
  waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(), is_over),
                 waiting_.end());
}

void WaitingColumns::Take(std::uint64_t first, std::uint64_t rows,
                          RepeatedPtrField<pb::ExtraColumn>* extra) {
  for (const ColumnCells& cells : waiting_) {
    if (Overlap(cells, first, rows) != 0) CopyColumn(cells, first, rows, extra);
  }
  Forget(first + rows);
}

}  // namespace heapglot::draft
