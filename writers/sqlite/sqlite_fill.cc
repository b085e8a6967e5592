#include "writers/sqlite/sqlite_fill.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "heapglot/stream.h"
#include "readers/sqlite/sqlite_wire.h"

namespace heapglot::sqlite {
namespace {

// Some VMs cut texts to this without saying so: a text of this length may have
// been longer.
constexpr int kMayBeCut = 1024;

std::int64_t UnitsOf(const unsigned char* text, int size) {
  std::int64_t units = 0;
  for (int i = 0; i < size; ++i) {
    const bool goes_on = (text[i] & 0xc0) == 0x80;
    const bool is_pair = text[i] >= 0xf0;
    units += (goes_on ? 0 : 1) + (is_pair ? 1 : 0);
  }
  return units;
}

// hg_length(data, utf16le, bytes): the length of a row of `strings`, as a value
// of the draft, in units of UTF-16, as JavaScript counts; NULL if it may have
// been cut, or is not text.
void LengthOf(sqlite3_context* context, int, sqlite3_value** row) {
  if (sqlite3_value_type(row[2]) != SQLITE_NULL) return;
  std::int64_t units = 0;
  if (sqlite3_value_type(row[1]) != SQLITE_NULL) {
    units = sqlite3_value_bytes(row[1]) / 2;
  } else {
    const unsigned char* const text = sqlite3_value_text(row[0]);
    units = UnitsOf(text, sqlite3_value_bytes(row[0]));
  }
  if (units < kMayBeCut) sqlite3_result_int64(context, 2 * units);
}

std::string Text(int number) { return std::to_string(number); }

class Filler {
 public:
  Filler(const Tables& tables, Database& database)
      : tables_(tables), database_(database) {}

  Status Run() {
    HEAPGLOT_RETURN_IF_ERROR(FillLengths());
    HEAPGLOT_RETURN_IF_ERROR(FillFromNodes());
    HEAPGLOT_RETURN_IF_ERROR(FillFromValues());
    return FillFromEdges();
  }

 private:
  // The column, or nullptr.
  const Column* Find(std::string_view table, std::string_view column) const {
    for (const OutputTable& known : tables_.all()) {
      if (known.name != table) continue;
      const int parameter = known.FindParameter(column);
      if (parameter != 0)
        return &known.columns[static_cast<std::size_t>(parameter - 1)];
    }
    return nullptr;
  }
  bool Has(std::string_view table, std::string_view column) const {
    return Find(table, column) != nullptr;
  }

  bool HasAll(std::string_view table,
              std::initializer_list<std::string_view> columns) const {
    return std::all_of(
        columns.begin(), columns.end(),
        [&](std::string_view column) { return Has(table, column); });
  }
  // Whether the column exists, and no field of a record fills it.
  bool IsFree(std::string_view table, std::string_view column) const {
    const Column* const known = Find(table, column);
    return known != nullptr && known->field.empty();
  }

  // Whether there is such a row.
  Status Ask(const std::string& sql, bool* answer) {
    Result<Statement> statement = database_.Prepare(sql);
    if (!statement.ok()) return statement.status();
    Status status;
    *answer = statement->Next(&status);
    return status;
  }

  Status FillLengths();
  Status FillFromNodes();
  Status FillFromValues();
  Status FillColumn(const NodeTable& table, std::string_view column);
  Status FillFromEdges();
  Status PrepareEdges();
  std::string IsInternal() const;
  std::string Edge(const std::string& names, const std::string& source) const;
  Status FillConstructors();
  Status FillFunctions();

  const Tables& tables_;
  Database& database_;
};

// ------------------------------------------------------------------ lengths

Status Filler::FillLengths() {
  // A stream of ours has these columns; a file that only claims to hold one may
  // not.
  if (!IsFree("string_flat", "length") ||
      !HasAll("strings", {"data", "hg.utf16le", "hg.bytes"}))
    return {};
  if (sqlite3_create_function_v2(
          database_.get(), "hg_length", 3, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
          nullptr, LengthOf, nullptr, nullptr, nullptr) != SQLITE_OK)
    return database_.ErrorOf(sqlite3_errcode(database_.get()));
  std::string length =
      R"((SELECT hg_length(s.data, s."hg.utf16le", s."hg.bytes") )"
      "FROM strings s WHERE s.stringid = string_flat.data)";
  // A text that is known to have been cut states its length.
  if (Has("node", "hg.length")) {
    length =
        "coalesce((SELECT 2 * nullif(\"hg.length\", 0) FROM node WHERE "
        "identifier = node_identifier), " +
        length + ")";
  }
  return database_.Run("UPDATE string_flat SET length = " + length);
}

// ------------------------------------------------------------------- values

// Values of nodes that our fields do not have where the draft expects them:
// texts of patterns, and timestamps that are small integers.
Status Filler::FillFromNodes() {
  const auto of_node = [](const std::string& value, const std::string& where) {
    return "(SELECT " + value +
           " FROM node WHERE identifier = node_identifier" + where + ")";
  };
  if (IsFree("regular_expression", "source") && Has("node", "hg.data")) {
    HEAPGLOT_RETURN_IF_ERROR(
        database_.Run("UPDATE regular_expression SET source = " +
                      of_node("\"hg.data\"", "")));
  }
  if (!IsFree("date", "timestamp") || !HasAll("node", {"hg.form", "hg.value"}))
    return {};
  return database_.Run("UPDATE date SET timestamp = " +
                       of_node("2 * ifnull(\"hg.value\", 0)",
                               " AND \"hg.form\" = " + Text(pb::V_INT)));
}

// Further values of nodes, which have the names of the fields that they come
// from.
Status Filler::FillFromValues() {
  bool is_one_graph = false;
  if (!Has("hg_graph", "graph") ||
      !HasAll("hg_value", {"space", "owner", "key", "form", "value", "text"}))
    return {};
  HEAPGLOT_RETURN_IF_ERROR(
      Ask("SELECT 1 FROM (SELECT count(*) AS graphs FROM hg_graph) WHERE "
          "graphs = 1",
          &is_one_graph));
  // References to nodes count from the first one of the graph.
  if (!is_one_graph) return {};
  HEAPGLOT_RETURN_IF_ERROR(database_.Run(
      "CREATE TEMP TABLE given (stringid INTEGER PRIMARY KEY, name TEXT);"
      "INSERT INTO given SELECT stringid, data FROM strings WHERE stringid IN "
      "(SELECT key FROM hg_value WHERE space = " +
      Text(pb::Values::OF_NODE) + ")"));
  for (const NodeTable& table : kNodeTables) {
    for (const std::string_view column : table.columns) {
      bool is_given = false;
      HEAPGLOT_RETURN_IF_ERROR(
          Ask("SELECT 1 FROM given WHERE name = '" + std::string(column) +
                  "' AND EXISTS (SELECT 1 FROM " + QuoteName(table.table) + ")",
              &is_given));
      if (is_given) HEAPGLOT_RETURN_IF_ERROR(FillColumn(table, column));
    }
  }
  return database_.Run("DROP TABLE given");
}

Status Filler::FillColumn(const NodeTable& table, std::string_view column) {
  if (!IsFree(table.table, column)) return {};
  // Columns that are not values of the draft (docs/ndjson.md) are numbers.
  const bool is_plain = table.table == "array" || table.table == "date" ||
                        table.table == "native";
  const std::string number = "ifnull(v.value, 0)";
  const std::string value =
      "CASE form WHEN " + Text(pb::V_NODE) + " THEN 2 * " + number +
      " + 3 WHEN " + Text(pb::V_STRING_ID) + " THEN v.text WHEN " +
      Text(pb::V_INT) + " THEN " + (is_plain ? number : "2 * " + number) +
      (is_plain ? " WHEN " + Text(pb::V_UINT) + " THEN " + number : "") +
      " END";
  const std::string name = QuoteName(column);
  const std::string owner = QuoteName(table.table);
  return database_.Run(
      "UPDATE " + owner + " SET " + name + " = ifnull(" + value + ", " + owner +
      "." + name + ") FROM hg_value v WHERE v.owner = " + owner +
      ".node_identifier AND v.space = " + Text(pb::Values::OF_NODE) +
      " AND v.key IN (SELECT stringid FROM given WHERE name = '" +
      std::string(column) + "')");
}

// -------------------------------------------------------------------- edges

// Finds V8's names of references that the draft needs.
Status Filler::PrepareEdges() {
  return database_.Run(
      "CREATE TEMP TABLE word (stringid INTEGER PRIMARY KEY, data TEXT);"
      "INSERT INTO word SELECT stringid, data FROM strings WHERE data IN "
      "('map', 'constructor', 'back_pointer', 'shared', 'first', 'second', "
      "'parent', 'name', 'name_or_scope_info', 'script', "
      "'script_or_debug_info');"
      // The graph and its kind, in one number.
      "CREATE TEMP TABLE internal (code INTEGER PRIMARY KEY);"
      "INSERT OR IGNORE INTO internal SELECT graph << 32 | row - 1 FROM "
      "hg_word WHERE space = " +
      Text(pb::Vocabulary::EDGE_KIND) +
      " AND known = " + Text(pb::EDGE_INTERNAL));
}

// SQL: whether a row of `edge` is internal to V8, by the words of its source's
// graph.
std::string Filler::IsInternal() const {
  // Most dumps have one graph; then there is no need to look at the source.
  const char* const code =
      Has("node", "hg.heap")
          ? "ifnull((SELECT \"hg.heap\" FROM node WHERE identifier = "
            "edge.source), 0) << 32 | edgetypeid"
          : "edgetypeid";
  return std::string(code) + " IN (SELECT code FROM internal)";
}

// SQL: the target of an internal edge of V8's with one of the names, from
// `source`.
std::string Filler::Edge(const std::string& names,
                         const std::string& source) const {
  return "(SELECT dest FROM edge WHERE source = " + source + " AND " +
         IsInternal() +
         " AND label IN (SELECT stringid FROM word WHERE data IN (" + names +
         ")) AND dest & 1)";
}

// SQL: `node`, an expression, if it belongs to one of these tables.
std::string IfOf(const std::string& tables, const std::string& node) {
  return "(SELECT identifier FROM node JOIN node_types USING (nodetypeid) "
         "WHERE "
         "identifier = " +
         node + " AND table_name IN (" + tables + "))";
}

// An object has a map, and that map, or the nearest one that it was made from,
// has the constructor. Only one of each counts, so that a file with more of
// them takes no more time.
Status Filler::FillConstructors() {
  const std::string made =
      IsInternal() + " AND label IN (SELECT stringid FROM word WHERE data = ";
  HEAPGLOT_RETURN_IF_ERROR(database_.Run(
      "CREATE TEMP TABLE maker (map INTEGER PRIMARY KEY, made_by INTEGER);"
      "INSERT OR IGNORE INTO maker SELECT source, dest FROM edge WHERE " +
      made +
      "'constructor') AND dest IN (SELECT node_identifier FROM closure);"
      "CREATE TEMP TABLE older (map INTEGER PRIMARY KEY, base INTEGER);"
      "INSERT OR IGNORE INTO older SELECT source, dest FROM edge WHERE " +
      made +
      "'back_pointer') AND source NOT IN (SELECT map FROM maker);"
      "CREATE INDEX temp.older_base ON older (base);"
      "INSERT INTO maker WITH RECURSIVE made(map, made_by) AS ("
      "SELECT o.map, m.made_by FROM maker m JOIN older o ON o.base = m.map "
      "UNION ALL "
      "SELECT o.map, m.made_by FROM made m JOIN older o ON o.base = m.map) "
      "SELECT map, made_by FROM made"));
  return database_.Run(
      "UPDATE object SET constructor = (SELECT made_by FROM maker WHERE map "
      "= " +
      Edge("'map'", "node_identifier") + ");DROP TABLE maker;DROP TABLE older");
}

// Functions have a part that closures share, which V8 treats as code. That part
// has a script, which many parts share.
Status Filler::FillFunctions() {
  const std::string strings = "'string_flat', 'string_cons', 'string_sliced'";
  return database_.Run(
      "UPDATE closure SET metadata = " + Edge("'shared'", "node_identifier") +
      ";CREATE TEMP TABLE shared (part INTEGER PRIMARY KEY, script INTEGER);"
      "INSERT INTO shared SELECT metadata, " +
      Edge("'script', 'script_or_debug_info'", "metadata") +
      " FROM closure WHERE metadata IS NOT NULL GROUP BY metadata;"
      "CREATE TEMP TABLE script (script INTEGER PRIMARY KEY, name INTEGER);"
      "INSERT INTO script SELECT script, " +
      IfOf(strings, Edge("'name'", "script")) +
      " FROM shared WHERE script IS NOT NULL GROUP BY script;"
      "INSERT OR IGNORE INTO function_metadata (node_identifier, name, "
      "script_name) SELECT part, " +
      IfOf(strings, Edge("'name', 'name_or_scope_info'", "part")) +
      ", script.name FROM shared LEFT JOIN script USING (script);"
      "DROP TABLE shared;DROP TABLE script");
}

Status Filler::FillFromEdges() {
  bool has_words = false;
  if (!HasAll("hg_word", {"space", "known"}) || Has("hg_value", "form") ||
      !IsFree("object", "constructor") || !IsFree("closure", "metadata") ||
      !IsFree("string_cons", "s1") || !IsFree("string_cons", "s2") ||
      !IsFree("string_sliced", "source") ||
      !IsFree("function_metadata", "name"))
    return {};
  HEAPGLOT_RETURN_IF_ERROR(PrepareEdges());
  HEAPGLOT_RETURN_IF_ERROR(
      Ask("SELECT 1 FROM word JOIN internal WHERE data IN ('map', 'shared', "
          "'first', 'parent')",
          &has_words));
  if (has_words) {
    HEAPGLOT_RETURN_IF_ERROR(FillConstructors());
    HEAPGLOT_RETURN_IF_ERROR(database_.Run(
        "UPDATE string_cons SET s1 = " + Edge("'first'", "node_identifier") +
        ", s2 = " + Edge("'second'", "node_identifier") +
        ";UPDATE string_sliced SET source = " +
        Edge("'parent'", "node_identifier")));
    HEAPGLOT_RETURN_IF_ERROR(FillFunctions());
  }
  return database_.Run("DROP TABLE word;DROP TABLE internal");
}

}  // namespace

Status FillColumns(const Tables& tables, Database& database) {
  // Strings and edges are looked up by the thousand.
  HEAPGLOT_RETURN_IF_ERROR(database.FlushCache());
  return Filler(tables, database).Run();
}

}  // namespace heapglot::sqlite
