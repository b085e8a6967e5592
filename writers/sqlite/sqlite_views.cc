// What makes a database quick and pleasant to query: docs/queries.md.
#include "writers/sqlite/sqlite_tables.h"

namespace heapglot::sqlite {
namespace {

// The text of the string that `id`, an expression, is the stringid of.
std::string TextOf(const std::string& id) {
  return "(SELECT data FROM strings WHERE stringid = " + id + ")";
}

class Views {
 public:
  explicit Views(const Tables& tables) : tables_(tables) {}

  std::string Nodes() const {
    const std::string owner = " WHERE node_identifier = n.identifier)";
    return "CREATE VIEW nodes AS SELECT n.identifier AS node, " +
           Cell("node", "n", "hg.heap", "0") + " AS graph, " +
           Cell("node", "n", "hg.id", "n.identifier") +
           " AS id, (SELECT name FROM node_types t WHERE t.nodetypeid = "
           "n.nodetypeid) AS kind, " +
           Cell("node", "n", "hg.type", "NULL") + " AS type, " +
           TypeName(Cell("node", "n", "hg.heap", "0"),
                    Cell("node", "n", "hg.type", "NULL")) +
           " AS class, " + Text("node", "n", "hg.name") + " AS name, " +
           Cell("node", "n", "hg.size", "0") +
           " AS self_size, (SELECT length FROM \"array\"" + owner +
           " AS length, (SELECT value FROM heap_number" + owner +
           " AS number, " + TextOf("(SELECT data FROM string_flat" + owner) +
           " AS text, " + Cell("node", "n", "hg.detachedness", "0") +
           " AS detachedness, " +
           Cell("node", "n", "hg.identity_hash", "NULL") +
           " AS identity_hash, " + Cell("node", "n", "hg.trace_node", "NULL") +
           " AS trace_node FROM node n";
  }

  // References from node to node. What holds a node: edge_dest leads there.
  static std::string Edges() {
    return "CREATE VIEW edges AS SELECT e.source AS source, e.dest AS target, "
           "(SELECT name FROM edge_types t WHERE t.edgetypeid = e.edgetypeid) "
           "AS kind, " +
           TextOf("e.label") +
           " AS name, e.\"hg.seq\" AS position FROM edge e WHERE e.dest & 1";
  }

  static std::string Immediates() {
    return "CREATE VIEW immediates AS SELECT e.source AS source, e.dest >> 1 "
           "AS value, " +
           TextOf("e.label") +
           " AS name FROM edge e WHERE e.dest IS NOT NULL AND NOT e.dest & 1";
  }

  std::string Types() const {
    if (!Has("hg_type", "graph")) {
      return "CREATE VIEW types AS SELECT 0 AS graph, 0 AS type, NULL AS name, "
             "NULL AS library, NULL AS super, NULL AS instance_size WHERE 0";
    }
    return "CREATE VIEW types AS SELECT t.graph AS graph, t.row AS type, " +
           Text("hg_type", "t", "name") + " AS name, " +
           Text("hg_type", "t", "library_uri") + " AS library, " +
           Cell("hg_type", "t", "super", "NULL") + " AS super, " +
           Cell("hg_type", "t", "instance_size", "NULL") +
           " AS instance_size FROM hg_type t";
  }

  std::string Roots() const {
    if (!Has("hg_root", "to")) {
      return "CREATE VIEW roots AS SELECT 0 AS graph, 0 AS node, NULL AS kind, "
             "NULL AS label WHERE 0";
    }
    // A kind is a row of its vocabulary, from 0.
    const std::string kind =
        Has("hg_word", "name")
            ? TextOf(
                  "(SELECT name FROM hg_word w WHERE w.graph = r.graph AND "
                  "w.space = " +
                  std::to_string(pb::Vocabulary::ROOT_KIND) +
                  " AND w.row = ifnull(" + Cell("hg_root", "r", "kind", "0") +
                  ", 0) + 1)")
            : "NULL";
    return "CREATE VIEW roots AS SELECT r.graph AS graph, r.\"to\" AS node, " +
           kind + " AS kind, " + Text("hg_root", "r", "label") +
           " AS label FROM hg_root r WHERE r.\"to\" & 1";
  }

 private:
  bool Has(std::string_view table, std::string_view column) const {
    for (const OutputTable& known : tables_.all())
      if (known.name == table) return known.FindParameter(column) != 0;
    return false;
  }

  // The column, or `none` in a file that has none; 0 may be left out.
  std::string Cell(std::string_view table, std::string_view alias,
                   std::string_view column, const std::string& none) const {
    if (!Has(table, column)) return none;
    const std::string cell = std::string(alias) + '.' + QuoteName(column);
    return none == "NULL" ? cell : "ifnull(" + cell + ", " + none + ")";
  }

  std::string Text(std::string_view table, std::string_view alias,
                   std::string_view column) const {
    if (!Has(table, column)) return "NULL";
    return TextOf(std::string(alias) + '.' + QuoteName(column));
  }

  std::string TypeName(const std::string& graph,
                       const std::string& type) const {
    if (!Has("hg_type", "name")) return "NULL";
    return TextOf("(SELECT name FROM hg_type t WHERE t.graph = " + graph +
                  " AND t.row = " + type + ")");
  }

  const Tables& tables_;
};

}  // namespace

Status AddIndices(const Tables& tables, bool is_scattered, Database& database) {
  if (is_scattered) {
    HEAPGLOT_RETURN_IF_ERROR(
        database.Run("CREATE INDEX edge_source ON edge (source)"));
  }
  // Rows in their own order need none. Small integers are left out.
  HEAPGLOT_RETURN_IF_ERROR(
      database.Run("CREATE INDEX edge_dest ON edge (dest) WHERE dest & 1;"
                   "PRAGMA analysis_limit=1000"));
  // All at once would be in the order of a hash table, which is not always the
  // same.
  for (const OutputTable& table : tables.all())
    HEAPGLOT_RETURN_IF_ERROR(database.Run("ANALYZE " + QuoteName(table.name)));
  return {};
}

Status AddViews(const Tables& tables, Database& database) {
  const Views views(tables);
  for (const std::string& view :
       {views.Nodes(), Views::Edges(), Views::Immediates(), views.Types(),
        views.Roots()})
    HEAPGLOT_RETURN_IF_ERROR(database.Run(view));
  return {};
}

}  // namespace heapglot::sqlite
