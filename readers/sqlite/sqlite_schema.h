// Which tables and columns a database has, as types and fields of the draft.
#ifndef HEAPGLOT_READERS_SQLITE_SQLITE_SCHEMA_H_
#define HEAPGLOT_READERS_SQLITE_SQLITE_SCHEMA_H_

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/draft/draft_schema.h"
#include "core/id_table.h"
#include "core/sqlite/database.h"
#include "heapglot/bytes.h"
#include "heapglot/context.h"
#include "readers/sqlite/sqlite_wire.h"

namespace heapglot::sqlite {

// A table that records are read from.
struct InputTable {
  std::string name;
  std::uint64_t offset = 0;     // of its first page, for messages
  draft::Type* type = nullptr;  // of its records; nullptr: a side table
  // Columns that are fields, in the order in which they are selected. In a side
  // table, the fields are those of the first type that has it.
  std::vector<std::string> columns;
  std::vector<draft::Field> fields;
  // Whether the cells of a column have several types, which makes it a JSON
  // field.
  std::vector<bool> is_mixed;
  // The columns whose type is known only from their declaration.
  std::vector<std::size_t> guessed;
  int owner = -1;  // of a side table: the column of the node
  int bits = -1;   // the column that has the bits of doubles
  int date = -1;   // of a side table: that of dates, if nobody says doubles
};

// Where a field of a node is.
struct NodeSlot {
  int column = -1;
  bool is_side = false;
};

struct NodeSubtype {
  draft::Subtype* subtype = nullptr;
  InputTable* side = nullptr;
  std::vector<NodeSlot> slots;  // by field of the layout
};

class DatabaseSchema {
 public:
  // Reads only plain tables.
  // Errors: kMalformed, kUnsupported with the place of a table.
  Status Read(Database& database);

  draft::Schema& schema() { return schema_; }
  bool is_own() const { return is_own_; }
  std::uint64_t own_strings() const { return own_strings_; }
  InputTable* Find(std::string_view name);
  // The tables of records, in the order in which they come if no other is
  // known.
  std::deque<InputTable>& tables() { return tables_; }
  std::deque<InputTable>& side_tables() { return side_tables_; }
  // nullptr: the type is not in node_types.
  const NodeSubtype* FindNodeSubtype(std::uint64_t code) const {
    const auto found = node_subtypes_.find(code);
    return found == node_subtypes_.end() ? nullptr : &found->second;
  }
  // The slots of a node whose type is not known.
  const NodeSubtype& plain_node() const { return plain_node_; }
  // Warns of each plain table that has rows and is not read, and of each column
  // of metadata and of the tables of types that is not read.
  // Errors: those of Context::Warn().
  Status WarnOfUnread(Database& database, Context& context) const;
  // Whether there is such a table or view. `table` is in lower case.
  bool Has(std::string_view table) const;
  // Where the first page of a table is, for messages.
  std::uint64_t OffsetOf(std::string_view table) const;

 private:
  struct Declared {
    std::int64_t ordinal = 0;
    draft::FieldType type = draft::FieldType::kJson;
    std::string field;
  };
  struct Known {
    std::string name;  // as written
    std::uint64_t offset = 0;
    bool is_plain = false;                 // a table, neither view nor virtual
    std::vector<std::string> unread = {};  // columns
  };

  Status ReadNames(Database& database);
  Status ReadMetadata(Database& database);
  Status ReadDeclared(Database& database);
  Status ReadColumns(Database& database, std::string_view table,
                     std::string_view subtype, InputTable* input);
  // Where a field is from: hg_fields or the draft, or else the declaration. kDate
  // is from the draft, too: a date, which may be a double all the same.
  enum class Source : std::uint8_t { kNone, kKnown, kDate, kDeclaration };
  Source FieldOf(std::string_view table, std::string_view column,
                 std::string_view affinity, std::string_view subtype,
                 draft::Field* field) const;
  // Gives columns with a type from their declaration the type of their cells,
  // if these do not fit the declaration.
  static Status FitToCells(Database& database, InputTable* table);
  static Status FitToCells(Database& database, std::size_t column,
                           InputTable* table);
  static Status FitDates(Database& database, InputTable* table);
  void NoteUnread(std::string_view table,
                  const std::vector<std::string>& columns,
                  std::initializer_list<std::string_view> read);
  Status WarnOfUnreadColumns(Database& database, const Known& table,
                             Context& context) const;
  void AddMissingTable(std::string_view type, std::uint64_t code);
  Status AddTable(Database& database, std::string_view type,
                  std::uint64_t code);
  std::vector<draft::Field> FieldsOfDraft(const NodeTable& table) const;
  Status AddOwnTables(Database& database);
  Status AddSubtypes(Database& database);
  Status AddNodeSubtype(Database& database, std::uint64_t code,
                        const std::string& name, std::string_view named);
  std::string SideTableOf(const std::string& subtype,
                          std::string_view named) const;
  Status AddSideTable(Database& database, InputTable* table, InputTable** side);
  Status CheckPlain(std::string_view table) const;
  // `name` is in lower case.
  bool IsRead(std::string_view name) const;

  draft::Schema schema_;
  draft::Schema draft_;  // what the draft says about its fields
  bool is_own_ = false;
  std::uint64_t own_strings_ = 0;
  std::uint64_t page_size_ = 0;
  std::map<std::string, Known, std::less<>> names_;  // by name in lower case
  // What hg_fields says, by table and column in lower case.
  std::map<std::pair<std::string, std::string>, Declared> declared_;
  std::deque<InputTable> tables_;
  std::deque<InputTable> side_tables_;
  IdTable<NodeSubtype> node_subtypes_;
  NodeSubtype plain_node_;
};

// Prepares a statement of our own, on a schema that is not.
Result<Statement> PrepareOwn(Database& database, const std::string& sql);

}  // namespace heapglot::sqlite

#endif  // HEAPGLOT_READERS_SQLITE_SQLITE_SCHEMA_H_
