#include "writers/sqlite/sqlite_tables.h"

#include <algorithm>
#include <utility>

namespace heapglot::sqlite {
namespace {

using draft::FieldType;
using draft::RecordKind;

// What SQLite is told about a type; what counts is hg_fields.
std::string_view AffinityOf(FieldType type) {
  switch (type) {
    case FieldType::kF64:
      return "REAL";
    case FieldType::kInlineString:
    case FieldType::kUtf8:
    case FieldType::kJson:
      return "TEXT";
    case FieldType::kBase64:
      return "BLOB";
    default:
      return "INTEGER";
  }
}

bool HasDot(std::string_view name) {
  return name.find('.') != std::string_view::npos;
}

bool HasColumn(const NodeTable& table, std::string_view name) {
  return std::find(table.columns.begin(), table.columns.end(), name) !=
         table.columns.end();
}

// Most edges have no fields of ours. But adding a column makes SQLite look at
// the whole schema; if there are more than this, all are there from the start.
constexpr std::size_t kMaxLate = 8;

std::string DeclarationOf(const Column& column) {
  return QuoteName(column.name) + ' ' + column.declaration;
}

// Without the late columns.
std::string CreateStatement(const OutputTable& table) {
  std::string sql = "CREATE TABLE " + QuoteName(table.name) + " (";
  for (std::size_t i = 0; i + table.late < table.columns.size(); ++i) {
    if (i != 0) sql += ", ";
    sql += DeclarationOf(table.columns[i]);
  }
  if (!table.constraint.empty()) sql += ", " + table.constraint;
  return sql + ")" + table.options;
}

}  // namespace

int OutputTable::FindParameter(std::string_view column) const {
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i].name == column) return static_cast<int>(i + 1);
  return 0;
}

int OutputTable::ParameterOf(const Column& column) {
  const int known = FindParameter(column.name);
  if (known != 0) {
    Column& there = columns[static_cast<std::size_t>(known - 1)];
    if (there.field.empty()) {
      there.field = column.field;
      there.type = column.type;
    }
    return known;
  }
  columns.push_back(column);
  return static_cast<int>(columns.size());
}

// ------------------------------------------------------------- declarations

Tables::Tables() {
  const auto add = [this](std::string_view name,
                          std::initializer_list<Column> columns) -> auto& {
    OutputTable& table = Add(name);
    table.columns = columns;
    return table;
  };
  add(kMetadataTable, {{"key", "TEXT NOT NULL"}, {"value", "TEXT NOT NULL"}});
  add(kNodeTypesTable, {{"nodetypeid", "INTEGER PRIMARY KEY"},
                        {"name", "TEXT NOT NULL UNIQUE"},
                        {"table_name", "TEXT"}});
  add(kEdgeTypesTable, {{"edgetypeid", "INTEGER PRIMARY KEY"},
                        {"name", "TEXT NOT NULL UNIQUE"}});
  OutputTable& fields = add(kFieldsTable, {{"table_name", "TEXT NOT NULL"},
                                           {"column_name", "TEXT NOT NULL"},
                                           {"ordinal", "INTEGER NOT NULL"},
                                           {"field_type", "TEXT NOT NULL"},
                                           {"field_name", "TEXT NOT NULL"}});
  fields.constraint = "PRIMARY KEY (table_name, column_name)";
  fields.options = " WITHOUT ROWID";
  add(kRunsTable,
      {{"table_name", "TEXT NOT NULL"}, {"rows", "INTEGER NOT NULL"}});
  add(kNodeTable, {{"identifier", "INTEGER PRIMARY KEY"},
                   {"nodetypeid", "INTEGER NOT NULL REFERENCES node_types"}});
  OutputTable& edge =
      add(kEdgeTable, {{"edgetypeid", "INTEGER NOT NULL REFERENCES edge_types"},
                       {"source", "INTEGER NOT NULL"},
                       {"dest", "INTEGER"},
                       {"label", "INTEGER"},
                       {std::string(kSequenceColumn), "INTEGER NOT NULL"}});
  edge.constraint = "PRIMARY KEY (source, \"hg.seq\")";
  edge.options = " WITHOUT ROWID";
  add(kStringsTable,
      {{"stringid", "INTEGER PRIMARY KEY"}, {"data", "TEXT NOT NULL"}});
  for (const NodeTable& known : kNodeTables) {
    OutputTable& table = Add(known.table);
    table.columns = {{std::string(kOwnerColumn), "INTEGER PRIMARY KEY"}};
    for (const std::string_view column : known.columns) {
      const bool is_real = known.subtype == "heap number";
      table.columns.push_back(
          {std::string(column), is_real ? "REAL" : "INTEGER"});
    }
  }
}

OutputTable& Tables::Add(std::string_view name) {
  OutputTable& table = tables_.emplace_back();
  table.name = name;
  return table;
}

OutputTable* Tables::Find(std::string_view table) {
  for (OutputTable& known : tables_)
    if (known.name == table) return &known;
  return nullptr;
}

// Rows of hg. tables are numbered in each graph, those of hg_word in each
// space.
OutputTable& Tables::MainOf(const draft::Type& type) {
  const std::string name = TableOf(type.name);
  if (OutputTable* const known = Find(name)) return *known;
  OutputTable& table = Add(name);
  table.columns = {{std::string(kGraphColumn), "INTEGER NOT NULL"},
                   {std::string(kRowColumn), "INTEGER NOT NULL"}};
  table.constraint = type.kind == RecordKind::kWord
                         ? "PRIMARY KEY (graph, space, row)"
                         : "PRIMARY KEY (graph, row)";
  table.options = " WITHOUT ROWID";
  return table;
}

Plan::Slot Tables::SlotOf(const draft::Type& type, const draft::Field& field,
                          OutputTable& main, OutputTable* side,
                          const NodeTable* known) {
  Column column{.name = std::string(ColumnOf(type.name, field.name)),
                .declaration = std::string(AffinityOf(field.type)),
                .field = field.name,
                .type = field.type};
  OutputTable* table = &main;
  const bool is_common =
      type.layout.Slot(field.role) >= 0 && field.role != draft::Role::kOther;
  if (type.kind == RecordKind::kNode && !is_common && !HasDot(field.name)) {
    if (known != nullptr && HasColumn(*known, field.name))
      table = side;
    else
      column.name.insert(0, kFieldPrefix);
  }
  Plan::Slot slot{.table = table,
                  .parameter = table->ParameterOf(column),
                  .bits_parameter = 0,
                  .type = field.type};
  if (table == side && field.type == FieldType::kF64) {
    slot.bits_parameter = table->ParameterOf(
        {.name = std::string(kBitsColumn), .declaration = "INTEGER"});
  }
  return slot;
}

void Tables::MakePlan(const draft::Type& type, const draft::Layout& layout,
                      const NodeTable* known) {
  Plan plan;
  plan.kind = type.kind;
  plan.main = &MainOf(type);
  if (known != nullptr) plan.side = Find(known->table);
  for (const draft::Field& field : layout.fields) {
    const bool is_key =
        field.role == draft::Role::kIdentifier ||
        field.role == draft::Role::kSource ||
        field.role == draft::Role::kStringId ||
        (type.kind == RecordKind::kWord && field.name == "space");
    if (is_key) plan.key = plan.slots.size();
    plan.slots.push_back(SlotOf(type, field, *plan.main, plan.side, known));
  }
  plans_[&layout] = std::move(plan);
}

void Tables::Declare(const draft::Type& type) {
  MakePlan(type, type.layout, nullptr);
}

void Tables::Declare(const draft::Type& of, const draft::Subtype& subtype) {
  const bool is_node = of.kind == RecordKind::kNode;
  const NodeTable* const known =
      is_node ? FindNodeTable(subtype.name) : nullptr;
  if (is_node || of.kind == RecordKind::kEdge) {
    (is_node ? node_types_ : edge_types_)
        .push_back({subtype.code, subtype.name, known});
  }
  MakePlan(of, subtype.layout, known);
  plans_[&subtype.layout].subtype = subtype.code;
}

// ------------------------------------------------------------------- making

Status Tables::Create(Database& database, bool is_scattered) {
  // A scan returns the edges in their order either way.
  OutputTable& edge = *Find(kEdgeTable);
  if (is_scattered) edge.constraint = "PRIMARY KEY (\"hg.seq\")";
  const std::size_t more =
      edge.columns.size() -
      static_cast<std::size_t>(edge.FindParameter(kSequenceColumn));
  if (more <= kMaxLate) edge.late = more;
  for (OutputTable& table : tables_) {
    HEAPGLOT_RETURN_IF_ERROR(database.Run(CreateStatement(table)));
    std::vector<std::string> late;
    for (std::size_t i = table.columns.size() - table.late;
         i < table.columns.size(); ++i)
      late.push_back(DeclarationOf(table.columns[i]));
    HEAPGLOT_RETURN_IF_ERROR(table.rows.Open(database, QuoteName(table.name),
                                             table.columns.size(),
                                             std::move(late)));
  }
  return FillDeclarations();
}

Status Tables::Close() {
  for (OutputTable& table : tables_)
    HEAPGLOT_RETURN_IF_ERROR(table.rows.Close());
  return {};
}

Status Tables::FillDeclarations() {
  for (const bool is_node : {true, false}) {
    RowBatch& rows = Find(is_node ? kNodeTypesTable : kEdgeTypesTable)->rows;
    for (const SubtypeRow& row : is_node ? node_types_ : edge_types_) {
      rows.SetInteger(1, static_cast<std::int64_t>(row.code));
      rows.SetText(2, row.name);
      if (is_node && row.table != nullptr) rows.SetText(3, row.table->table);
      HEAPGLOT_RETURN_IF_ERROR(rows.EndRow());
    }
  }
  RowBatch& rows = Find(kFieldsTable)->rows;
  for (const OutputTable& table : tables_) {
    std::int64_t ordinal = 0;
    for (const Column& column : table.columns) {
      if (column.field.empty()) continue;
      rows.SetText(1, table.name);
      rows.SetText(2, column.name);
      rows.SetInteger(3, ordinal++);
      rows.SetText(4, FieldTypeName(column.type));
      rows.SetText(5, column.field);
      HEAPGLOT_RETURN_IF_ERROR(rows.EndRow());
    }
  }
  return {};
}

}  // namespace heapglot::sqlite
