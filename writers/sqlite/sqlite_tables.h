// The tables of a database that is being written.
#ifndef HEAPGLOT_WRITERS_SQLITE_SQLITE_TABLES_H_
#define HEAPGLOT_WRITERS_SQLITE_SQLITE_TABLES_H_

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/draft/draft_schema.h"
#include "core/sqlite/database.h"
#include "readers/sqlite/sqlite_wire.h"
#include "writers/sqlite/sqlite_batch.h"

namespace heapglot::sqlite {

// A column, and what it holds.
struct Column {
  std::string name;
  std::string declaration = {};  // type and constraints
  // Of a field: for hg_fields.
  std::string field = {};
  draft::FieldType type = draft::FieldType::kJson;
};

struct OutputTable {
  std::string name;
  std::vector<Column> columns = {};
  std::string constraint = {};  // after the columns
  std::string options = {};     // after the parenthesis
  std::size_t late = 0;         // columns at the end that rows may not need
  RowBatch rows = {};           // a parameter for each column, from 1

  // The parameter of the column; it is added if there is none.
  int ParameterOf(const Column& column);
  // 0: there is no such column.
  int FindParameter(std::string_view column) const;
};

// Where the fields of a record go.
struct Plan {
  struct Slot {
    OutputTable* table = nullptr;
    int parameter = 0;
    int bits_parameter = 0;  // of kBitsColumn; 0: there is none
    draft::FieldType type = draft::FieldType::kJson;
  };
  draft::RecordKind kind = draft::RecordKind::kOpaque;
  OutputTable* main = nullptr;
  OutputTable* side = nullptr;  // of the subtype of a node
  std::vector<Slot> slots;      // by the field of the layout
  std::size_t key = 0;          // the field that is the key, or part of it
  std::uint64_t subtype = 0;
};

class Tables {
 public:
  Tables();

  void Declare(const draft::Type& type);
  void Declare(const draft::Type& of, const draft::Subtype& subtype);
  // Creates the tables, and fills those that describe the others. Nothing may
  // be declared afterwards. `is_scattered`: the edges of a source are not
  // together, and are numbered among all edges.
  Status Create(Database& database, bool is_scattered);
  // Inserts the rows that still wait.
  Status Close();

  // nullptr: it was not declared.
  const Plan* Find(const draft::Layout& layout) const {
    const auto found = plans_.find(&layout);
    return found == plans_.end() ? nullptr : &found->second;
  }
  OutputTable* Find(std::string_view table);
  // In the order of their creation, including hg_runs and the like.
  const std::deque<OutputTable>& all() const { return tables_; }

 private:
  struct SubtypeRow {
    std::uint64_t code;
    std::string name;
    const NodeTable* table;
  };

  OutputTable& Add(std::string_view name);
  OutputTable& MainOf(const draft::Type& type);
  Plan::Slot SlotOf(const draft::Type& type, const draft::Field& field,
                    OutputTable& main, OutputTable* side,
                    const NodeTable* known);
  void MakePlan(const draft::Type& type, const draft::Layout& layout,
                const NodeTable* known);
  Status FillDeclarations();

  std::deque<OutputTable> tables_;  // never move
  std::vector<SubtypeRow> node_types_;
  std::vector<SubtypeRow> edge_types_;
  std::unordered_map<const draft::Layout*, Plan> plans_;
};

// Indices, statistics and views, for a database whose tables are full.
Status AddIndices(bool is_scattered, Database& database);
Status AddStatistics(const Tables& tables, Database& database);
Status AddViews(const Tables& tables, Database& database);

}  // namespace heapglot::sqlite

#endif  // HEAPGLOT_WRITERS_SQLITE_SQLITE_TABLES_H_
