// The words of the SQLite form of "Extensible heap dumps for Node programs":
// its tables and columns. The format: docs/sqlite.md.
#ifndef HEAPGLOT_READERS_SQLITE_SQLITE_WIRE_H_
#define HEAPGLOT_READERS_SQLITE_SQLITE_WIRE_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/draft/draft_form.h"
#include "core/draft/draft_wire.h"

namespace heapglot::sqlite {

inline constexpr std::string_view kName = "sqlite";
inline constexpr draft::Form kForm(kName, "sqlite.data",
                                   draft::Form::Records::kRendered);

// PRAGMA application_id: "hdmp".
inline constexpr std::uint32_t kApplicationId = 0x68646d70;

// The table of a subtype of the draft, and its columns after node_identifier.
struct NodeTable {
  std::string_view subtype;
  std::string_view table;
  std::span<const std::string_view> columns;
};
inline constexpr std::string_view kLength[] = {"length"};
inline constexpr std::string_view kConstructor[] = {"constructor"};
inline constexpr std::string_view kFlat[] = {"length", "data"};
inline constexpr std::string_view kCons[] = {"length", "s1", "s2"};
inline constexpr std::string_view kSliced[] = {"length", "source", "offset"};
inline constexpr std::string_view kClosure[] = {"metadata"};
inline constexpr std::string_view kFunction[] = {"name", "script_name",
                                                 "position"};
inline constexpr std::string_view kRegexp[] = {"source", "flags"};
inline constexpr std::string_view kTimestamp[] = {"timestamp"};
inline constexpr std::string_view kValue[] = {"value"};
inline constexpr std::string_view kAddress[] = {"address"};
inline constexpr std::string_view kOddball[] = {"name"};
inline constexpr NodeTable kNodeTables[] = {
    {"array", "array", kLength},
    {"object", "object", kConstructor},
    {"flat string", "string_flat", kFlat},
    {"concatenated string", "string_cons", kCons},
    {"sliced string", "string_sliced", kSliced},
    {"closure", "closure", kClosure},
    {"function metadata", "function_metadata", kFunction},
    {"regular expression", "regular_expression", kRegexp},
    {"date", "date", kTimestamp},
    {"heap number", "heap_number", kValue},
    {"native", "native", kAddress},
    {"oddball", "oddball", kOddball},
};
// nullptr: its nodes only have a row in `node`.
constexpr const NodeTable* FindNodeTable(std::string_view subtype) {
  for (const NodeTable& known : kNodeTables)
    if (known.subtype == subtype) return &known;
  return nullptr;
}

inline constexpr std::string_view kMetadataTable = "metadata";
inline constexpr std::string_view kNodeTypesTable = "node_types";
inline constexpr std::string_view kEdgeTypesTable = "edge_types";
inline constexpr std::string_view kNodeTable = "node";
inline constexpr std::string_view kEdgeTable = "edge";
inline constexpr std::string_view kStringsTable = "strings";
// Our own tables: what columns hold, and the order in which records were
// written.
inline constexpr std::string_view kFieldsTable = "hg_fields";
inline constexpr std::string_view kRunsTable = "hg_runs";
inline constexpr std::string_view kOwnPrefix = "hg_";

// Columns that are not a field of a record.
inline constexpr std::string_view kOwnerColumn = "node_identifier";
inline constexpr std::string_view kSequenceColumn = "hg.seq";
// The bits of a double that SQLite has no value for: NaN, -0.0.
inline constexpr std::string_view kBitsColumn = "hg.bits";
inline constexpr std::string_view kGraphColumn = "graph";
inline constexpr std::string_view kRowColumn = "row";
// A field that the draft's table of its subtype does not have.
inline constexpr std::string_view kFieldPrefix = "hg.";

// The table of the records of a type.
inline std::string TableOf(std::string_view type) {
  if (type == "string") return std::string(kStringsTable);
  std::string table(type);
  if (const std::size_t dot = table.find('.'); dot != std::string::npos)
    table[dot] = '_';
  return table;
}

// The column of a field that the draft gives nodes, edges and strings.
constexpr std::string_view ColumnOf(std::string_view type,
                                    std::string_view field) {
  if (type == "node" && field == "subtype") return "nodetypeid";
  if (type == "edge" && field == "subtype") return "edgetypeid";
  if (type == "string" && field == "id") return "stringid";
  return field;
}

}  // namespace heapglot::sqlite

#endif  // HEAPGLOT_READERS_SQLITE_SQLITE_WIRE_H_
