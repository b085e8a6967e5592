#include "tools/query_database.h"

#include <set>
#include <string>
#include <utility>

#include "core/draft/draft_views.h"
#include "core/draft/draft_wire.h"
#include "core/sqlite/header.h"

namespace heapglot::tool {
namespace {

// The tables that the views use: those of every dump, and optional ones.
constexpr std::string_view kTables[] = {
    "metadata",   "node",  "edge",        "strings",    "node_types",
    "edge_types", "array", "heap_number", "string_flat"};
constexpr std::string_view kMoreTables[] = {"hg_graph", "hg_word", "hg_type",
                                            "hg_location", "hg_root"};
constexpr std::string_view kViews[] = {"nodes", "edges",     "immediates",
                                       "types", "locations", "roots"};

class OwnDatabase {
 public:
  explicit OwnDatabase(sqlite::Database& database) : database_(database) {}

  // Whether it is a database of ours, and has its views.
  bool Prepare() {
    for (const std::string_view table : kTables)
      if (!AddTable(table)) return false;
    for (const std::string_view table : kMoreTables)
      if (Is("SELECT 1 FROM sqlite_schema WHERE name = ?", table, "1") &&
          !AddTable(table))
        return false;
    const std::string value = "SELECT value FROM metadata WHERE key = ?";
    return Is(value, draft::kVersionKey, "1") &&
           Is(value, draft::kStreamKey, "1") && MakeViews();
  }

 private:
  // Whether the statement's only row is `wanted`, with `text` as its parameter.
  bool Is(const std::string& sql, std::string_view text,
          std::string_view wanted) {
    Result<sqlite::Statement> statement = database_.Prepare(sql);
    if (!statement.ok()) return false;
    statement->BindText(1, text);
    Status status;
    return statement->Next(&status) && statement->Bytes(0) == wanted &&
           !statement->Next(&status) && status.ok();
  }

  // False if it is not a table, or not a plain one.
  bool AddTable(std::string_view table) {
    if (!Is("SELECT type = 'table' AND sql LIKE 'CREATE TABLE%' AND rootpage > "
            "0 FROM sqlite_schema WHERE name = ? COLLATE NOCASE AND type IN "
            "('table', 'view')",
            table, "1"))
      return false;
    Result<sqlite::Statement> columns = database_.Prepare(
        "PRAGMA table_xinfo(" + sqlite::QuoteName(table) + ")");
    if (!columns.ok()) return false;
    Status status;
    while (columns->Next(&status)) {
      const bool is_stored = columns->Integer(6) == 0;
      if (!is_stored) return false;
      columns_.emplace(table, columns->Bytes(1));
    }
    return status.ok();
  }

  bool MakeViews() {
    const auto has = [this](std::string_view table, std::string_view column) {
      return columns_.contains({std::string(table), std::string(column)});
    };
    for (const std::string& view :
         draft::ViewStatements("CREATE TEMP VIEW", has))
      if (!database_.Run(view).ok()) return false;
    for (const std::string_view view : kViews)
      if (!database_.Prepare("SELECT * FROM " + std::string(view)).ok())
        return false;
    return true;
  }

  sqlite::Database& database_;
  std::set<std::pair<std::string, std::string>> columns_;  // with table names
};

}  // namespace

std::unique_ptr<sqlite::Database> OpenOwnDatabase(std::string_view name,
                                                  const ByteSource& source) {
  if (!sqlite::CheckHeader(name, source).ok()) return nullptr;
  Result<std::unique_ptr<sqlite::Database>> database =
      sqlite::Database::Open(name, source);
  if (!database.ok()) return nullptr;
  if (!OwnDatabase(**database).Prepare()) return nullptr;
  return std::move(*database);
}

}  // namespace heapglot::tool
