// What makes a database pleasant to query: docs/queries.md.
#include "core/draft/draft_views.h"

#include <initializer_list>

#include "core/sqlite/database.h"
#include "heapglot/stream.h"

namespace heapglot::draft {
namespace {

using sqlite::QuoteName;

// The graph of all rows of a dump that does not say it.
constexpr char kOneGraph[] = "0";

// The text of the string that `id`, an expression, is the stringid of.
std::string TextOf(const std::string& id) {
  return "(SELECT data FROM strings WHERE stringid = " + id + ")";
}

class Views {
 public:
  explicit Views(const HasColumn& has) : has_(has) {}

  std::string Nodes() const {
    const std::string owner = " WHERE node_identifier = n.identifier)";
    return "nodes AS SELECT n.identifier AS node, " +
           Cell("node", "n", "hg.heap", "0") + " AS graph, " +
           Cell("node", "n", "hg.id", "n.identifier") +
           " AS id, (SELECT name FROM node_types t WHERE t.nodetypeid = "
           "n.nodetypeid) AS kind, " +
           Cell("node", "n", "hg.type", "NULL") + " AS type, " +
           TypeName(Cell("node", "n", "hg.heap", "0"),
                    Cell("node", "n", "hg.type", "NULL")) +
           " AS class, " +
           TextOf(FirstOf({Cell("node", "n", "hg.name", "NULL"),
                           IfForm({pb::V_NAME}, "hg.text", "NULL")})) +
           " AS name, " + Cell("node", "n", "hg.size", "0") +
           " AS self_size, " +
           FirstOf({"(SELECT length FROM \"array\"" + owner,
                    IfForm({pb::V_LENGTH}, "hg.value", "0")}) +
           " AS length, " +
           FirstOf({IfForm({pb::V_INT, pb::V_UINT}, "hg.value", "0"),
                    "(SELECT value FROM heap_number" + owner}) +
           " AS number, " +
           TextOf(FirstOf({"(SELECT data FROM string_flat" + owner,
                           Cell("node", "n", "hg.data", "NULL"),
                           IfForm({pb::V_LATIN1, pb::V_UTF16, pb::V_UTF8},
                                  "hg.text", "NULL")})) +
           " AS text, " + Cell("node", "n", "hg.detachedness", "0") +
           " AS detachedness, " +
           Cell("node", "n", "hg.identity_hash", "NULL") +
           " AS identity_hash, " + Cell("node", "n", "hg.trace_node", "NULL") +
           " AS trace_node FROM node n";
  }

  // References from node to node. What holds a node: edge_dest leads there.
  std::string Edges() const {
    return "edges AS SELECT e.source AS source, e.dest AS target, "
           "(SELECT name FROM edge_types t WHERE t.edgetypeid = e.edgetypeid) "
           "AS kind, " +
           EdgeName() + " AS name, e.\"hg.seq\" AS position, " +
           IsWeak(pb::Vocabulary::EDGE_KIND, pb::EDGE_WEAK, EdgeGraph(),
                  "e.edgetypeid") +
           " AS weak FROM edge e WHERE e.dest & 1";
  }

  std::string Immediates() const {
    return "immediates AS SELECT e.source AS source, e.dest >> 1 "
           "AS value, " +
           EdgeName() +
           " AS name FROM edge e WHERE e.dest IS NOT NULL AND NOT e.dest & 1";
  }

  std::string Types() const {
    if (!Has("hg_type", "graph")) {
      return "types AS SELECT 0 AS graph, 0 AS type, NULL AS name, "
             "NULL AS library, NULL AS super, NULL AS instance_size WHERE 0";
    }
    return "types AS SELECT t.graph AS graph, t.row AS type, " +
           Text("hg_type", "t", "name") + " AS name, " +
           Text("hg_type", "t", "library_uri") + " AS library, " +
           Cell("hg_type", "t", "super", "NULL") + " AS super, " +
           Cell("hg_type", "t", "instance_size", "NULL") +
           " AS instance_size FROM hg_type t";
  }

  // The node above all roots is one, too.
  std::string Roots() const {
    std::string rows;
    if (Has("hg_graph", "root_ref")) {
      rows =
          "SELECT g.graph AS graph, g.root_ref AS node, 'root' AS kind, NULL "
          "AS label, 0 AS weak FROM hg_graph g WHERE g.root_ref & 1";
    }
    if (Has("hg_root", "to")) {
      if (!rows.empty()) rows += " UNION ALL ";
      rows += RootRows();
    }
    if (rows.empty()) {
      rows =
          "SELECT 0 AS graph, 0 AS node, NULL AS kind, NULL AS label, 0 AS "
          "weak WHERE 0";
    }
    return "roots AS " + rows;
  }

 private:
  std::string RootRows() const {
    // A kind is a row of its vocabulary, from 0.
    const std::string code =
        "ifnull(" + Cell("hg_root", "r", "kind", "0") + ", 0)";
    const std::string kind =
        Has("hg_word", "name")
            ? TextOf(
                  "(SELECT name FROM hg_word w WHERE w.graph = r.graph AND "
                  "w.space = " +
                  std::to_string(pb::Vocabulary::ROOT_KIND) +
                  " AND w.row = " + code + " + 1)")
            : "NULL";
    return "SELECT r.graph AS graph, r.\"to\" AS node, " + kind + " AS kind, " +
           Text("hg_root", "r", "label") + " AS label, " +
           IsWeak(pb::Vocabulary::ROOT_KIND, pb::ROOT_WEAK, "r.graph", code) +
           " AS weak FROM hg_root r WHERE r.\"to\" & 1";
  }

  // That of its source. Dumps of one graph do not say it.
  std::string EdgeGraph() const {
    if (!Has("node", "hg.heap")) return kOneGraph;
    return "ifnull((SELECT s.\"hg.heap\" FROM node s WHERE s.identifier = "
           "e.source), 0)";
  }

  // Whether the kind, an expression, means `known`, which keeps nothing alive.
  // Each graph has kinds of its own: the list is of both in one number, which is
  // looked for in half the time of two. It is made once a query, not for each row.
  std::string IsWeak(int space, int known, const std::string& graph,
                     const std::string& kind) const {
    if (!Has("hg_word", "known")) return "0";
    const std::string code =
        graph == kOneGraph ? kind : "(" + graph + " << 32 | " + kind + ")";
    return code +
           " IN (SELECT graph << 32 | row - 1 FROM hg_word WHERE space = " +
           std::to_string(space) + " AND known = " + std::to_string(known) +
           ")";
  }

  // The first of them that is not NULL; those that are never anything else need
  // not be asked.
  static std::string FirstOf(const std::vector<std::string>& values) {
    std::string list;
    std::size_t count = 0;
    for (const std::string& value : values) {
      if (value == "NULL") continue;
      list.append(count++ == 0 ? "" : ", ").append(value);
    }
    if (count == 0) return "NULL";
    return count == 1 ? list : "coalesce(" + list + ")";
  }

  // A column of nodes whose value has one of these forms, where its subtype has
  // no field for it.
  std::string IfForm(std::initializer_list<pb::ValueForm> forms,
                     std::string_view column, const std::string& none) const {
    if (!Has("node", "hg.form")) return "NULL";
    std::string list;
    for (const pb::ValueForm form : forms) {
      list.append(list.empty() ? "" : ", ")
          .append(std::to_string(static_cast<int>(form)));
    }
    return "CASE WHEN n.\"hg.form\" IN (" + list + ") THEN " +
           Cell("node", "n", column, none) + " END";
  }

  // Numbers that are no label of the draft's are beside it.
  std::string EdgeName() const {
    const std::string label = TextOf("e.label");
    if (!Has("edge", "hg.number")) return label;
    return FirstOf({label, "CAST(e.\"hg.number\" AS TEXT)"});
  }

  bool Has(std::string_view table, std::string_view column) const {
    return has_(table, column);
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

  const HasColumn& has_;
};

}  // namespace

std::vector<std::string> ViewStatements(const std::string& create,
                                        const HasColumn& has) {
  const Views views(has);
  std::vector<std::string> statements;
  for (const std::string& view :
       {views.Nodes(), views.Edges(), views.Immediates(), views.Types(),
        views.Roots()})
    statements.emplace_back(create).append(" ").append(view);
  return statements;
}

}  // namespace heapglot::draft
