#include "readers/sqlite/sqlite_schema.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <utility>

#include "core/draft/draft_values.h"
#include "readers/sqlite/sqlite_wire.h"

namespace heapglot::sqlite {
namespace {

using draft::Field;
using draft::FieldType;
using draft::RecordKind;

// Codes of types: those of ndjson, docs/ndjson.md.
constexpr std::uint64_t kNodeCode = 2;
constexpr std::uint64_t kEdgeCode = 3;
constexpr std::uint64_t kStringCode = 4;
constexpr std::uint64_t kFirstOwnCode = 10;
// Entries of sqlite_schema, at most.
constexpr std::size_t kMaxNames = 10'000;

// SQLite ignores the case of names.
std::string Small(std::string_view name) {
  std::string small(name);
  for (char& letter : small)
    if (letter >= 'A' && letter <= 'Z') letter |= 0x20;
  return small;
}

// What a column holds by its affinity, if nothing else says so.
FieldType TypeOfAffinity(std::string_view declaration) {
  const std::string small = Small(declaration);
  const auto has = [&](std::string_view part) {
    return small.find(part) != std::string::npos;
  };
  if (has("int")) return FieldType::kI64;
  if (has("char") || has("clob") || has("text"))
    return FieldType::kInlineString;
  if (has("blob")) return FieldType::kBase64;
  if (has("real") || has("floa") || has("doub")) return FieldType::kF64;
  return FieldType::kI64;
}

// Types of cells, one bit each; NULL has none.
using CellTypes = unsigned;
constexpr CellTypes kIntegerCells = 1, kRealCells = 2, kTextCells = 4,
                    kBlobCells = 8;
struct CellType {
  std::string_view name;  // as typeof() says
  CellTypes bit;
};
constexpr CellType kCellTypes[] = {{"integer", kIntegerCells},
                                   {"real", kRealCells},
                                   {"text", kTextCells},
                                   {"blob", kBlobCells}};

CellTypes CellTypeOf(std::string_view name) {
  for (const CellType& known : kCellTypes)
    if (known.name == name) return known.bit;
  return 0;
}

// What fields with a type from a declaration can hold, the narrowest first.
struct ColumnType {
  FieldType type;
  CellTypes cells;
};
constexpr ColumnType kColumnTypes[] = {
    {FieldType::kI64, kIntegerCells},
    {FieldType::kF64, kIntegerCells | kRealCells},
    {FieldType::kInlineString, kTextCells},
    {FieldType::kBase64, kBlobCells}};

// "'integer','real'"
std::string CellNamesOf(FieldType type) {
  std::string names;
  for (const ColumnType& column : kColumnTypes) {
    if (column.type != type) continue;
    for (const CellType& cell : kCellTypes)
      if ((cell.bit & column.cells) != 0)
        names.append(names.empty() ? "'" : ",'").append(cell.name) += '\'';
  }
  return names;
}

Status Malformed(std::string_view message, std::uint64_t offset) {
  return {Code::kMalformed, kForm.Say(message), Where::Byte(offset)};
}

// The draft's record type in the table; "" if it has others.
std::string_view RecordOf(std::string_view table) {
  if (table == kStringsTable) return "string";
  return table == kEdgeTable || table == kNodeTable ? table
                                                    : std::string_view();
}

// Finds the columns of fields. Of columns with the same name, the first one
// belongs to the first field with that name, and so on.
class ColumnFinder {
 public:
  explicit ColumnFinder(const InputTable& table) : fields_(table.fields) {}

  // -1 if there is no column, or no further one.
  int Next(const std::string& field) {
    std::size_t& begin = begins_[field];
    for (std::size_t i = begin; i < fields_.size(); ++i) {
      if (fields_[i].name != field) continue;
      begin = i + 1;
      return static_cast<int>(i);
    }
    return -1;
  }

 private:
  const std::vector<Field>& fields_;
  std::map<std::string_view, std::size_t> begins_;
};

// Errors of SQLite have no place; these get that of a table.
Status AtTable(const Status& status, std::uint64_t offset) {
  if (status.ok() || status.where().byte) return status;
  return {status.code(), status.message(), Where::Byte(offset)};
}

}  // namespace

Result<Statement> PrepareOwn(Database& database, const std::string& sql) {
  Result<Statement> statement = database.Prepare(sql);
  if (statement.ok() || statement.status().code() != Code::kUsage)
    return statement;
  return Status(Code::kMalformed, statement.status().message(), Where::Byte(0));
}

// -------------------------------------------------------------------- names

Status DatabaseSchema::ReadNames(Database& database) {
  Result<Statement> page = PrepareOwn(database, "PRAGMA page_size");
  if (!page.ok()) return page.status();
  Status status;
  if (page->Next(&status))
    page_size_ = static_cast<std::uint64_t>(page->Integer(0));
  HEAPGLOT_RETURN_IF_ERROR(status);
  Result<Statement> names = PrepareOwn(
      database,
      "SELECT name, type = 'table' AND sql LIKE 'CREATE TABLE%', rootpage FROM "
      "sqlite_schema WHERE type IN ('table', 'view')");
  if (!names.ok()) return names.status();
  while (names->Next(&status)) {
    if (names_.size() == kMaxNames)
      return {Code::kLimit, kForm.Say("too many tables"), Where::Byte(0)};
    const std::string name(names->Bytes(0));
    const auto root = static_cast<std::uint64_t>(
        std::max<std::int64_t>(names->Integer(2), 0));
    names_[Small(name)] = {.name = name,
                           .offset = root == 0 ? 0 : (root - 1) * page_size_,
                           .is_plain = names->Integer(1) != 0 && root != 0};
  }
  return status;
}

bool DatabaseSchema::Has(std::string_view table) const {
  return names_.contains(table);
}

std::uint64_t DatabaseSchema::OffsetOf(std::string_view table) const {
  const auto found = names_.find(table);
  return found == names_.end() ? 0 : found->second.offset;
}

Status DatabaseSchema::CheckPlain(std::string_view table) const {
  const auto found = names_.find(table);
  if (found == names_.end())
    return Malformed("there is no table " + std::string(table), 0);
  if (found->second.is_plain) return {};
  return {Code::kUnsupported,
          kForm.Say(std::string(table) +
                    " is not a plain table, and nothing else is read"),
          Where::Byte(found->second.offset)};
}

InputTable* DatabaseSchema::Find(std::string_view name) {
  for (InputTable& table : tables_)
    if (table.name == name) return &table;
  return nullptr;
}

// ----------------------------------------------------------------- metadata

Status DatabaseSchema::ReadMetadata(Database& database) {
  HEAPGLOT_RETURN_IF_ERROR(CheckPlain(kMetadataTable));
  InputTable& table = tables_.emplace_back();
  table.name = kMetadataTable;
  table.offset = OffsetOf(kMetadataTable);
  HEAPGLOT_RETURN_IF_ERROR(ReadColumns(database, kMetadataTable, "", &table));
  NoteUnread(kMetadataTable, table.columns, {"key", "value"});
  table.columns = {"key", "value"};
  Result<Statement> rows =
      PrepareOwn(database, "SELECT key, value FROM metadata NOT INDEXED");
  if (!rows.ok()) return rows.status();
  Status status;
  while (rows->Next(&status)) {
    if (rows->Bytes(0) == draft::kStreamKey) is_own_ = true;
    if (rows->Bytes(0) == "hg.strings")
      draft::ReadIndex(rows->Bytes(1), &own_strings_);
  }
  return AtTable(status, table.offset);
}

Status DatabaseSchema::ReadDeclared(Database& database) {
  if (!Has(kFieldsTable)) return {};
  HEAPGLOT_RETURN_IF_ERROR(CheckPlain(kFieldsTable));
  InputTable ignored;
  HEAPGLOT_RETURN_IF_ERROR(ReadColumns(database, kFieldsTable, "", &ignored));
  Result<Statement> rows = PrepareOwn(
      database,
      "SELECT table_name, column_name, ordinal, field_type, field_name FROM "
      "hg_fields NOT INDEXED");
  if (!rows.ok()) return rows.status();
  Status status;
  while (rows->Next(&status)) {
    const auto type = draft::FindFieldType(rows->Bytes(3));
    if (!type) {
      return Malformed("hg_fields has the type " +
                           draft::Quoted(rows->Bytes(3)) + ", which is not one",
                       OffsetOf(kFieldsTable));
    }
    declared_[{Small(rows->Bytes(0)), Small(rows->Bytes(1))}] = {
        .ordinal = rows->Integer(2),
        .type = *type,
        .field = std::string(rows->Bytes(4))};
  }
  return AtTable(status, OffsetOf(kFieldsTable));
}

// ------------------------------------------------------------------ columns

// Returns kNone if the column is not a field.
DatabaseSchema::Source DatabaseSchema::FieldOf(std::string_view table,
                                               std::string_view column,
                                               std::string_view affinity,
                                               std::string_view subtype,
                                               Field* field) const {
  const auto declared = declared_.find({Small(table), Small(column)});
  if (declared != declared_.end()) {
    *field = {.name = declared->second.field, .type = declared->second.type};
    return Source::kKnown;
  }
  const std::string small = Small(column);
  if (is_own_ || small == kSequenceColumn) return Source::kNone;
  field->name = column;
  const std::string_view record = RecordOf(table);
  for (const std::string_view name : {"subtype", "id"})
    if (!record.empty() && ColumnOf(record, name) == small && name != small)
      field->name = name;
  field->type = TypeOfAffinity(affinity);
  Source source = Source::kDeclaration;
  for (const draft::Type& type : draft_.types()) {
    const draft::Layout* layout = type.name == record ? &type.layout : nullptr;
    if (type.kind == RecordKind::kNode && !subtype.empty()) {
      for (const draft::Subtype& known : type.subtypes)
        if (known.name == subtype) layout = &known.layout;
    }
    if (layout == nullptr) continue;
    for (const Field& known : layout->fields) {
      if (known.name != Small(field->name)) continue;
      field->name = known.name;
      source = Source::kKnown;
      // The draft also allows dates to be doubles.
      const bool is_double = field->type == FieldType::kF64;
      const bool is_date = known.role == draft::Role::kTimestamp;
      if (!is_date || !is_double) field->type = known.type;
      if (is_date && !is_double) source = Source::kDate;
    }
  }
  if (table == kStringsTable &&
      (small == "hg.utf16le" || small == "hg.bytes")) {
    *field = {.name = small, .type = FieldType::kBase64};
    source = Source::kKnown;
  }
  return source;
}

// The types of cells of a column.
Result<CellTypes> CellTypesIn(Database& database, const InputTable& table,
                              std::size_t column) {
  Result<Statement> rows = PrepareOwn(
      database, "SELECT DISTINCT typeof(" + QuoteName(table.columns[column]) +
                    ") FROM " + QuoteName(table.name) + " NOT INDEXED");
  if (!rows.ok()) return rows.status();
  CellTypes found = 0;
  Status status;
  while (rows->Next(&status)) found |= CellTypeOf(rows->Bytes(0));
  if (!status.ok()) return AtTable(status, table.offset);
  return found;
}

// Whether any cell does not fit its column's declaration.
Result<bool> HasMisfits(Database& database, const InputTable& table,
                        std::span<const std::size_t> columns) {
  std::string misfits;
  for (const std::size_t column : columns) {
    misfits += misfits.empty() ? " WHERE " : " OR ";
    misfits += "typeof(" + QuoteName(table.columns[column]) +
               ") NOT IN ('null'," + CellNamesOf(table.fields[column].type) +
               ")";
  }
  Result<Statement> rows =
      PrepareOwn(database, "SELECT 1 FROM " + QuoteName(table.name) +
                               " NOT INDEXED" + misfits);
  if (!rows.ok()) return rows.status();
  Status status;
  const bool has_any = rows->Next(&status);
  if (!status.ok()) return AtTable(status, table.offset);
  return has_any;
}

// SQLite accepts any cell in any column, so columns may hold more than their
// declarations say.
Status DatabaseSchema::FitToCells(Database& database, InputTable* table) {
  // Few tables have such cells, so a pass that looks for any is mostly enough.
  // It takes kAtOnce columns because expressions must not be too deep.
  constexpr std::size_t kAtOnce = 100;
  const std::span<const std::size_t> columns = table->guessed;
  for (std::size_t begin = 0; begin < columns.size(); begin += kAtOnce) {
    const std::span<const std::size_t> some =
        columns.subspan(begin, std::min(kAtOnce, columns.size() - begin));
    const Result<bool> has_misfits = HasMisfits(database, *table, some);
    if (!has_misfits.ok()) return has_misfits.status();
    if (!*has_misfits) continue;
    for (const std::size_t column : some)
      HEAPGLOT_RETURN_IF_ERROR(FitToCells(database, column, table));
  }
  return {};
}

Status DatabaseSchema::FitToCells(Database& database, std::size_t column,
                                  InputTable* table) {
  const Result<CellTypes> found = CellTypesIn(database, *table, column);
  if (!found.ok()) return found.status();
  const auto fits = [&found](const ColumnType& known) {
    return (*found & ~known.cells) == 0;
  };
  FieldType& type = table->fields[column].type;
  for (const ColumnType& known : kColumnTypes)
    if (known.type == type && fits(known)) return {};
  const auto* const other = std::ranges::find_if(kColumnTypes, fits);
  table->is_mixed[column] = other == std::end(kColumnTypes);
  type = table->is_mixed[column] ? FieldType::kJson : other->type;
  return {};
}

// Dates that are doubles may be in a column that is declared INTEGER, where SQLite
// stores whole ones as integers.
Status DatabaseSchema::FitDates(Database& database, InputTable* table) {
  if (table->date < 0) return {};
  const auto column = static_cast<std::size_t>(table->date);
  const Result<CellTypes> found = CellTypesIn(database, *table, column);
  if (!found.ok()) return found.status();
  const bool has_others = (*found & ~(kIntegerCells | kRealCells)) != 0;
  if ((*found & kRealCells) != 0 && !has_others)
    table->fields[column].type = FieldType::kF64;
  return {};
}

// Notes columns other than those that are read.
void DatabaseSchema::NoteUnread(std::string_view table,
                                const std::vector<std::string>& columns,
                                std::initializer_list<std::string_view> read) {
  const auto known = names_.find(table);
  if (is_own_ || known == names_.end()) return;
  known->second.unread.clear();
  for (const std::string& column : columns)
    if (std::find(read.begin(), read.end(), Small(column)) == read.end())
      known->second.unread.push_back(column);
}

Status DatabaseSchema::ReadColumns(Database& database, std::string_view table,
                                   std::string_view subtype,
                                   InputTable* input) {
  HEAPGLOT_RETURN_IF_ERROR(CheckPlain(table));
  Result<Statement> rows =
      PrepareOwn(database, "PRAGMA table_xinfo(" + QuoteName(table) + ")");
  if (!rows.ok()) return rows.status();
  Status status;
  struct Found {
    std::string name;
    std::string affinity;
  };
  std::vector<Found> found;
  std::set<std::string> names;
  while (rows->Next(&status)) {
    const std::string column(rows->Bytes(1));
    if (rows->Integer(6) != 0) {
      return {Code::kUnsupported,
              kForm.Say("the column " + column + " of " + std::string(table) +
                        " is computed, and only what is stored is read"),
              Where::Byte(input->offset)};
    }
    names.insert(Small(column));
    found.push_back({.name = column, .affinity = std::string(rows->Bytes(2))});
  }
  HEAPGLOT_RETURN_IF_ERROR(status);
  for (const auto& [column, affinity] : found) {
    Field field;
    if (Small(column) == kOwnerColumn) {
      input->owner = static_cast<int>(input->columns.size());
    } else if (Small(column) == kBitsColumn) {
      input->bits = static_cast<int>(input->columns.size());
    } else {
      const Source source = FieldOf(table, column, affinity, subtype, &field);
      if (source == Source::kNone) continue;
      // "nodetypeid" is the subtype, if it is there.
      const std::string usual(ColumnOf(RecordOf(table), Small(column)));
      if (usual != Small(column) && names.contains(usual) &&
          field.name == Small(column)) {
        names_.find(table)->second.unread.push_back(column);
        continue;
      }
      if (source == Source::kDeclaration)
        input->guessed.push_back(input->columns.size());
      if (source == Source::kDate)
        input->date = static_cast<int>(input->columns.size());
    }
    if (input->fields.size() == draft::kMaxFields) {
      return {Code::kLimit,
              kForm.Say("more than " + std::to_string(draft::kMaxFields) +
                        " columns in " + std::string(table)),
              Where::Byte(input->offset)};
    }
    input->columns.push_back(column);
    input->fields.push_back(std::move(field));
    input->is_mixed.push_back(false);
  }
  return {};
}

// -------------------------------------------------------------------- types

// A draft-only database may lack tables that would have no rows. What we write
// from it has them, and means the same.
void DatabaseSchema::AddMissingTable(std::string_view type,
                                     std::uint64_t code) {
  for (const draft::Type& known : draft_.types())
    if (!is_own_ && known.name == type)
      schema_.AddType(type, code, 0, known.layout.fields);
}

Status DatabaseSchema::AddTable(Database& database, std::string_view type,
                                std::uint64_t code) {
  const std::string name = TableOf(type);
  if (!Has(name)) {
    AddMissingTable(type, code);
    return {};
  }
  InputTable& table = tables_.emplace_back();
  table.name = name;
  table.offset = OffsetOf(name);
  HEAPGLOT_RETURN_IF_ERROR(ReadColumns(database, name, "", &table));
  HEAPGLOT_RETURN_IF_ERROR(FitToCells(database, &table));
  std::vector<Field> fields;
  for (const Field& field : table.fields) {
    // A field of some subtypes that is in the table of all.
    const bool is_of_subtypes = is_own_ && type == "node" &&
                                field.name.find('.') == std::string::npos &&
                                field.name != "identifier" &&
                                field.name != "subtype";
    if (!field.name.empty() && !is_of_subtypes) fields.push_back(field);
  }
  table.type = schema_.AddType(type, code, 0, fields);
  const bool is_whole =
      table.type != nullptr &&
      (type != "node" ||
       (table.type->layout.Slot(draft::Role::kIdentifier) >= 0 &&
        table.type->layout.Slot(draft::Role::kSubtype) >= 0)) &&
      (type != "edge" || table.type->layout.Slot(draft::Role::kSource) >= 0) &&
      (type != "string" ||
       table.type->layout.Slot(draft::Role::kStringId) >= 0);
  if (is_whole) return {};
  return Malformed("the table " + name + " lacks columns that it has to have",
                   table.offset);
}

Status DatabaseSchema::AddOwnTables(Database& database) {
  if (!is_own_) return {};
  std::uint64_t code = kFirstOwnCode;
  std::vector<std::string_view> types = {
      draft::kGraphRecord, draft::kSchemaRecord, draft::kWordTable.record};
  for (const draft::Table& table : draft::kTables) {
    types.push_back(table.record);
    if (table.body == draft::kTypeFieldTable.body)
      types.push_back(draft::kTypeFieldTable.record);
  }
  types.insert(types.end(), {draft::kExtraRecord, draft::kColumnRecord,
                             draft::kValueRecord});
  for (const std::string_view type : types)
    HEAPGLOT_RETURN_IF_ERROR(AddTable(database, type, code++));
  return {};
}

// The fields of a table that is not there.
std::vector<Field> DatabaseSchema::FieldsOfDraft(const NodeTable& table) const {
  std::vector<Field> fields;
  for (const std::string_view column : table.columns) {
    Field field;
    FieldOf(table.table, column, "INTEGER", table.subtype, &field);
    fields.push_back(std::move(field));
  }
  return fields;
}

// The table that a subtype names for its nodes, or else the draft's; empty if
// there is none. Tables of other records cannot be a subtype's.
std::string DatabaseSchema::SideTableOf(const std::string& subtype,
                                        std::string_view named) const {
  std::string small = Small(named);
  const bool is_other = small == kMetadataTable || small == kNodeTypesTable ||
                        small == kEdgeTypesTable || small == kNodeTable ||
                        small == kEdgeTable || small == kStringsTable ||
                        small.starts_with(kOwnPrefix);
  if (!is_own_ && !is_other && Has(small)) return small;
  const NodeTable* const known = FindNodeTable(subtype);
  return known != nullptr && Has(known->table) ? std::string(known->table) : "";
}

// Types may share a table, which is read once. Rows that no node of these has
// are unowned.
Status DatabaseSchema::AddSideTable(Database& database, InputTable* table,
                                    InputTable** side) {
  for (InputTable& known : side_tables_) {
    if (known.name != table->name) continue;
    // The cells are the same, unless the draft says what they hold for one of
    // the types.
    for (const std::size_t column : table->guessed) {
      if (std::ranges::binary_search(known.guessed, column))
        table->fields[column].type = known.fields[column].type;
    }
    *side = &known;
    return {};
  }
  HEAPGLOT_RETURN_IF_ERROR(FitToCells(database, table));
  *side = &side_tables_.emplace_back(*table);
  return {};
}

Status DatabaseSchema::AddNodeSubtype(Database& database, std::uint64_t code,
                                      const std::string& name,
                                      std::string_view named) {
  InputTable& node = *Find(kNodeTable);
  NodeSubtype entry;
  std::vector<Field> fields;
  const NodeTable* const known = FindNodeTable(name);
  InputTable side;
  side.name = SideTableOf(name, named);
  if (!side.name.empty()) {
    side.offset = OffsetOf(side.name);
    HEAPGLOT_RETURN_IF_ERROR(ReadColumns(database, side.name, name, &side));
    if (side.owner < 0)
      return Malformed("the table " + side.name + " has no node_identifier",
                       side.offset);
    HEAPGLOT_RETURN_IF_ERROR(FitDates(database, &side));
    HEAPGLOT_RETURN_IF_ERROR(AddSideTable(database, &side, &entry.side));
    for (const Field& field : side.fields)
      if (!field.name.empty()) fields.push_back(field);
  } else if (known != nullptr && !is_own_) {
    fields = FieldsOfDraft(*known);
  }
  const auto has = [&](const std::vector<Field>& all, const std::string& of) {
    return std::any_of(all.begin(), all.end(),
                       [&](const Field& field) { return field.name == of; });
  };
  for (const Field& field : node.fields) {
    if (!field.name.empty() && !has(fields, field.name) &&
        !has(node.type->layout.fields, field.name))
      fields.push_back(field);
  }
  if (!schema_.HasRoomFor(node.type, fields)) {
    return {Code::kLimit, kForm.Say("too many subtypes, or columns"),
            Where::Byte(OffsetOf(kNodeTypesTable))};
  }
  entry.subtype = schema_.AddSubtype(*node.type, name, code, 0, fields);
  if (entry.subtype == nullptr)
    return Malformed(
        "the subtype " + draft::Quoted(name) + " or its code is there twice",
        OffsetOf(kNodeTypesTable));
  const std::size_t common = node.type->layout.fields.size();
  ColumnFinder in_node(node), in_side(side);
  for (const Field& field : entry.subtype->layout.fields) {
    NodeSlot slot;
    if (entry.slots.size() >= common && entry.side != nullptr)
      slot = {.column = in_side.Next(field.name), .is_side = true};
    if (slot.column < 0)
      slot = {.column = in_node.Next(field.name), .is_side = false};
    entry.slots.push_back(slot);
  }
  node_subtypes_[code] = std::move(entry);
  return {};
}

Status DatabaseSchema::AddSubtypes(Database& database) {
  for (const bool is_node : {true, false}) {
    const std::string table(is_node ? kNodeTypesTable : kEdgeTypesTable);
    if (!Has(table)) continue;
    InputTable ignored;
    HEAPGLOT_RETURN_IF_ERROR(ReadColumns(database, table, "", &ignored));
    NoteUnread(
        table, ignored.columns,
        is_node
            ? std::initializer_list<std::string_view>{"nodetypeid", "name",
                                                      "table_name"}
            : std::initializer_list<std::string_view>{"edgetypeid", "name"});
    InputTable* const of = Find(is_node ? kNodeTable : kEdgeTable);
    if (of == nullptr) continue;
    const bool has_named =
        std::any_of(ignored.columns.begin(), ignored.columns.end(),
                    [](const std::string& column) {
                      return Small(column) == "table_name";
                    });
    Result<Statement> rows = PrepareOwn(
        database, "SELECT " + std::string(is_node ? "node" : "edge") +
                      "typeid, name, " +
                      (is_node && has_named ? "table_name" : "NULL") +
                      " FROM " + table + " NOT INDEXED");
    if (!rows.ok()) return rows.status();
    Status status;
    while (rows->Next(&status)) {
      const auto code = static_cast<std::uint64_t>(rows->Integer(0));
      const std::string name(rows->Bytes(1));
      if (code > 0x7fff'ffffu || of->type->subtypes.size() >= draft::kMaxTypes)
        return Malformed(table + " has too many rows, or a number beyond 2^31",
                         OffsetOf(table));
      if (is_node) {
        HEAPGLOT_RETURN_IF_ERROR(
            AddNodeSubtype(database, code, name, rows->Bytes(2)));
      } else if (!schema_.HasRoomFor(of->type, {})) {
        return {Code::kLimit, kForm.Say("too many subtypes, or columns"),
                Where::Byte(OffsetOf(table))};
      } else if (schema_.AddSubtype(*of->type, name, code, 0, {}) == nullptr) {
        return Malformed("the subtype " + draft::Quoted(name) +
                             " or its code is there twice",
                         OffsetOf(table));
      }
    }
    HEAPGLOT_RETURN_IF_ERROR(AtTable(status, OffsetOf(table)));
  }
  return {};
}

// --------------------------------------------------------------------- rest

bool DatabaseSchema::IsRead(std::string_view name) const {
  for (const std::string_view known :
       {kMetadataTable, kNodeTypesTable, kEdgeTypesTable, kFieldsTable,
        kRunsTable})
    if (known == name) return true;
  // Some of the draft's tables are filled only for those who query them
  // (sqlite_fill.h).
  const auto is_filled = [name](const NodeTable& known) {
    return known.table == name;
  };
  const auto is_it = [name](const InputTable& table) {
    return table.name == name;
  };
  return name.starts_with("sqlite_") ||
         (is_own_ && std::any_of(std::begin(kNodeTables), std::end(kNodeTables),
                                 is_filled)) ||
         std::any_of(tables_.begin(), tables_.end(), is_it) ||
         std::any_of(side_tables_.begin(), side_tables_.end(), is_it);
}

Status DatabaseSchema::WarnOfUnread(Database& database,
                                    Context& context) const {
  for (const auto& [small, known] : names_) {
    HEAPGLOT_RETURN_IF_ERROR(WarnOfUnreadColumns(database, known, context));
    if (!known.is_plain || IsRead(small)) continue;
    Result<Statement> rows = PrepareOwn(
        database, "SELECT 1 FROM " + QuoteName(known.name) + " NOT INDEXED");
    Status status = rows.status();
    // A table that cannot be read is not empty.
    if (rows.ok() && !rows->Next(&status) && status.ok()) continue;
    HEAPGLOT_RETURN_IF_ERROR(
        context.Warn("sqlite.table.unread",
                     kForm.Say("nothing is read from the table " +
                               draft::Quoted(known.name) + ", which has rows"),
                     Where::Byte(known.offset)));
  }
  return {};
}

Status DatabaseSchema::WarnOfUnreadColumns(Database& database,
                                           const Known& table,
                                           Context& context) const {
  for (const std::string& column : table.unread) {
    Result<Statement> rows =
        PrepareOwn(database, "SELECT 1 FROM " + QuoteName(table.name) +
                                 " NOT INDEXED WHERE " + QuoteName(column) +
                                 " IS NOT NULL");
    Status status = rows.status();
    if (rows.ok() && !rows->Next(&status) && status.ok()) continue;
    HEAPGLOT_RETURN_IF_ERROR(context.Warn(
        "sqlite.column.unread",
        kForm.Say("nothing is read from the column " + draft::Quoted(column) +
                  " of " + draft::Quoted(table.name) + ", which has values"),
        Where::Byte(table.offset)));
  }
  return {};
}

Status DatabaseSchema::Read(Database& database) {
  for (const std::string_view type : {"node", "edge", "string"})
    draft_.AddDraftType(type);
  HEAPGLOT_RETURN_IF_ERROR(ReadNames(database));
  HEAPGLOT_RETURN_IF_ERROR(ReadMetadata(database));
  HEAPGLOT_RETURN_IF_ERROR(CheckPlain(kNodeTable));
  HEAPGLOT_RETURN_IF_ERROR(ReadDeclared(database));
  HEAPGLOT_RETURN_IF_ERROR(AddOwnTables(database));
  HEAPGLOT_RETURN_IF_ERROR(AddTable(database, "string", kStringCode));
  HEAPGLOT_RETURN_IF_ERROR(AddTable(database, "node", kNodeCode));
  HEAPGLOT_RETURN_IF_ERROR(AddTable(database, "edge", kEdgeCode));
  HEAPGLOT_RETURN_IF_ERROR(AddSubtypes(database));
  const InputTable& node = *Find(kNodeTable);
  ColumnFinder in_node(node);
  for (const Field& field : node.type->layout.fields)
    plain_node_.slots.push_back({.column = in_node.Next(field.name)});
  return {};
}

}  // namespace heapglot::sqlite
