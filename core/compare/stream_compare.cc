#include "core/compare/stream_compare.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "core/column.h"
#include "core/compare/cells.h"
#include "core/compare/table_rows.h"

namespace heapglot {
namespace {

using Body = pb::Chunk::BodyCase;

// If a dialect has columns of its own, their names come from the input, so only
// this many are told apart.
constexpr std::size_t kMaxColumns = 256;

// All strings of a stream, and what is outside its tables.
class Preface : public ChunkSink {
 public:
  static constexpr ChunkSet kWanted = {
      Body::kHeader, Body::kStrings,  Body::kGraph,    Body::kValues,
      Body::kExtra,  Body::kMetadata, Body::kGraphEnd, Body::kExtraTable};

  Status Accept(const pb::Chunk& chunk) override {
    if (chunk.has_header()) header_ = chunk.header();
    if (chunk.has_strings()) {
      strings_.Add(chunk.strings());
      const auto& ids = chunk.strings().source_id();
      has_string_ids_ = has_string_ids_ || !ids.empty();
    }
    if (chunk.has_graph_end()) NoteTables(chunk.graph_end());
    if (chunk.has_values()) NoteOwners(chunk.values());
    tables_ = tables_ | ChunkSet{chunk.body_case()};
    return strings_.status();
  }

  const pb::Header& header() const { return header_; }
  StringStore& strings() { return strings_; }
  // Whether the table may have rows. If not, no pass is needed.
  bool Has(const TableSpec& spec) const {
    if (spec.body == Body::kStrings) return has_string_ids_;
    if (spec.owner_space >= 0) {
      return (owners_ >> spec.owner_space & 1) != 0;
    }
    return tables_.Has(spec.body);
  }

 private:
  void NoteTables(const pb::GraphEnd& end) {
    const auto note = [this](Body body, std::uint64_t rows) {
      if (rows != 0) tables_ = tables_ | ChunkSet{body};
    };
    note(Body::kTypes, end.types());
    note(Body::kNodes, end.nodes());
    note(Body::kEdges, end.edges());
    note(Body::kRoots, end.roots());
    note(Body::kExternals, end.externals());
    note(Body::kLocations, end.locations());
    note(Body::kTraceFunctions, end.trace_functions());
    note(Body::kTraceNodes, end.trace_nodes());
    note(Body::kSamples, end.samples());
    note(Body::kStackFrames, end.stack_frames());
    note(Body::kThreads, end.threads());
  }
  void NoteOwners(const pb::Values& values) {
    if (values.count() != 0 && pb::Values::Owner_IsValid(values.owner_space()))
      owners_ |= 1U << values.owner_space();
  }

  pb::Header header_;
  StringStore strings_;
  ChunkSet tables_;
  unsigned owners_ = 0;  // a bit for each space
  bool has_string_ids_ = false;
};

class StreamComparison {
 public:
  StreamComparison(Reader& before, Reader& after,
                   const StreamCompareOptions& options)
      : before_(before), after_(after), options_(options) {}

  Result<StreamDifference> Run();

 private:
  void CompareHeaders();
  Status CompareTable(const TableSpec& spec);
  Status CompareGraph(TableCursor& a, TableCursor& b);
  // Skips the rest of a graph. Returns how many rows that is.
  static Result<std::uint64_t> Skip(TableCursor& cursor);
  void CompareRows(const TableCursor& a, const TableCursor& b,
                   std::size_t rows);
  void CompareColumn(const ColumnSpec& spec, const ColumnAt& a,
                     const ColumnAt& b, std::size_t rows);
  void CompareExtraColumns(const TableCursor& a, const TableCursor& b,
                           std::size_t rows);
  StreamDifference::Column& ColumnOf(const std::string& name);
  void AddExample(const ColumnSpec& spec, const ColumnAt& a, std::size_t row,
                  const ColumnAt& b, std::size_t other,
                  StreamDifference::Column* column) const;

  Reader& before_;
  Reader& after_;
  const StreamCompareOptions& options_;
  Preface a_;
  Preface b_;
  KindNames names_;
  EqualStrings equal_strings_;
  StreamDifference difference_;
  // For the table that is being compared.
  const TableSpec* spec_ = nullptr;
  std::uint64_t graph_ = 0;
  StreamDifference::Table table_;
};

Result<StreamDifference> StreamComparison::Run() {
  HEAPGLOT_RETURN_IF_ERROR(before_.Read(Preface::kWanted, a_));
  HEAPGLOT_RETURN_IF_ERROR(after_.Read(Preface::kWanted, b_));
  CompareHeaders();
  const std::vector<TableSpec> tables = AllTables();
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const TableSpec& spec = tables[i];
    if (options_.progress) options_.progress("comparing", i, tables.size());
    if (!a_.Has(spec) && !b_.Has(spec)) continue;
    HEAPGLOT_RETURN_IF_ERROR(CompareTable(spec));
  }
  HEAPGLOT_RETURN_IF_ERROR(a_.strings().status());
  HEAPGLOT_RETURN_IF_ERROR(b_.strings().status());
  return std::move(difference_);
}

// Without the dialect, which is what a reader makes of the layout.
void StreamComparison::CompareHeaders() {
  const std::string& before = a_.header().format();
  const std::string& after = b_.header().format();
  if (before == after) return;
  StreamDifference::Column& column = ColumnOf("header.format");
  ++column.rows;
  column.examples.push_back({.before = before.substr(0, options_.max_text),
                             .after = after.substr(0, options_.max_text)});
}

Status StreamComparison::CompareTable(const TableSpec& spec) {
  spec_ = &spec;
  graph_ = 0;
  table_ = {.name = spec.name};
  TableCursor a(before_, spec, a_.strings(), names_);
  TableCursor b(after_, spec, b_.strings(), names_);
  bool a_goes_on = true;
  bool b_goes_on = true;
  for (;; ++graph_) {
    if (a_goes_on) {
      const Result<bool> more = a.NextGraph();
      if (!more.ok()) return more.status();
      a_goes_on = *more;
    }
    if (b_goes_on) {
      const Result<bool> more = b.NextGraph();
      if (!more.ok()) return more.status();
      b_goes_on = *more;
    }
    if (!a_goes_on && !b_goes_on) break;
    HEAPGLOT_RETURN_IF_ERROR(CompareGraph(a, b));
  }
  if (table_.added + table_.removed != 0) {
    difference_.tables.push_back(table_);
  }
  return {};
}

Status StreamComparison::CompareGraph(TableCursor& a, TableCursor& b) {
  for (;;) {
    HEAPGLOT_RETURN_IF_ERROR(a.Fill());
    HEAPGLOT_RETURN_IF_ERROR(b.Fill());
    const std::size_t rows = std::min(a.rows_left(), b.rows_left());
    if (rows == 0) break;
    CompareRows(a, b, rows);
    a.Advance(rows);
    b.Advance(rows);
    table_.rows_before += rows;
    table_.rows_after += rows;
  }
  const Result<std::uint64_t> removed = Skip(a);
  if (!removed.ok()) return removed.status();
  const Result<std::uint64_t> added = Skip(b);
  if (!added.ok()) return added.status();
  table_.removed += *removed;
  table_.rows_before += *removed;
  table_.added += *added;
  table_.rows_after += *added;
  return {};
}

Result<std::uint64_t> StreamComparison::Skip(TableCursor& cursor) {
  std::uint64_t rows = 0;
  for (;;) {
    HEAPGLOT_RETURN_IF_ERROR(cursor.Fill());
    if (cursor.rows_left() == 0) return rows;
    rows += cursor.rows_left();
    cursor.Advance(cursor.rows_left());
  }
}

void StreamComparison::CompareRows(const TableCursor& a, const TableCursor& b,
                                   std::size_t rows) {
  for (std::size_t i = 0; i < spec_->columns.size(); ++i) {
    CompareColumn(spec_->columns[i], {&a, &a.column(i), i},
                  {&b, &b.column(i), i}, rows);
  }
  if (!a.extra().empty() || !b.extra().empty()) {
    CompareExtraColumns(a, b, rows);
  }
}

void StreamComparison::CompareColumn(const ColumnSpec& spec, const ColumnAt& a,
                                     const ColumnAt& b, std::size_t rows) {
  const auto is_absent = [&spec](const BoundColumn& column) {
    return spec.role != CellRole::kOwnText && column.value.empty() &&
           column.form.empty() && column.kind.empty();
  };
  // This is the case for most columns of most dumps.
  const bool has_default = spec.role != CellRole::kKind &&
                           spec.role != CellRole::kEdgeName &&
                           spec.role != CellRole::kEdgeFlags;
  if (has_default && is_absent(*a.column) && is_absent(*b.column)) return;
  const std::size_t row = a.cursor->row();
  const std::size_t other = b.cursor->row();
  const bool is_one_text = spec.role == CellRole::kOwnText &&
                           a.cursor->has_one_own_text() &&
                           b.cursor->has_one_own_text();
  if (is_one_text && SameCell(spec, a, row, b, other, equal_strings_)) return;
  StreamDifference::Column* column = nullptr;
  for (std::size_t i = 0; i < rows; ++i) {
    if (!is_one_text &&
        SameCell(spec, a, row + i, b, other + i, equal_strings_)) {
      continue;
    }
    if (column == nullptr) column = &ColumnOf(spec_->name + "." + spec.name);
    ++column->rows;
    if (column->examples.size() < options_.max_examples) {
      AddExample(spec, a, row + i, b, other + i, column);
    }
  }
}

void StreamComparison::CompareExtraColumns(const TableCursor& a,
                                           const TableCursor& b,
                                           std::size_t rows) {
  static const BoundColumn kAbsent;
  const auto compare = [&](const std::string& name, const BoundColumn* before,
                           const BoundColumn* after) {
    ColumnSpec spec;
    spec.name = name.substr(0, name.size() - 2);
    spec.role = name.ends_with('s')   ? CellRole::kString
                : name.ends_with('b') ? CellRole::kDouble
                : name.ends_with('n') ? CellRole::kIndexRef
                                      : CellRole::kSigned;
    CompareColumn(spec, {&a, before}, {&b, after}, rows);
  };
  for (const auto& [name, column] : a.extra()) {
    const auto found = b.extra().find(name);
    compare(name, &column,
            found == b.extra().end() ? &kAbsent : &found->second);
  }
  for (const auto& [name, column] : b.extra()) {
    if (!a.extra().contains(name)) compare(name, &kAbsent, &column);
  }
}

StreamDifference::Column& StreamComparison::ColumnOf(const std::string& name) {
  auto& columns = difference_.columns;
  for (auto& column : columns) {
    if (column.name == name) return column;
  }
  if (columns.size() == kMaxColumns) columns.emplace_back().name = "others";
  if (columns.size() > kMaxColumns) return columns.back();
  columns.emplace_back().name = name;
  return columns.back();
}

void StreamComparison::AddExample(const ColumnSpec& spec, const ColumnAt& a,
                                  std::size_t row, const ColumnAt& b,
                                  std::size_t other,
                                  StreamDifference::Column* column) const {
  column->examples.push_back(
      {.graph = graph_,
       .row = a.cursor->index() + (row - a.cursor->row()),
       .before = CellText(spec, a, row, names_, options_.max_text),
       .after = CellText(spec, b, other, names_, options_.max_text)});
}

}  // namespace

std::vector<std::string> StreamDifference::Names() const {
  std::vector<std::string> names;
  for (const Table& table : tables) {
    if (table.added != 0) names.push_back(table.name + "+");
    if (table.removed != 0) names.push_back(table.name + "-");
  }
  for (const Column& column : columns) names.push_back(column.name);
  std::sort(names.begin(), names.end());
  return names;
}

Result<StreamDifference> CompareStreams(Reader& before, Reader& after,
                                        const StreamCompareOptions& options) {
  return StreamComparison(before, after, options).Run();
}

}  // namespace heapglot
