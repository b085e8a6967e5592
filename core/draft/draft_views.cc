// Views that make a database easy to query: docs/queries.md.
#include "core/draft/draft_views.h"

#include <initializer_list>
#include <optional>

#include "core/draft/draft_wire.h"
#include "core/sqlite/database.h"
#include "heapglot/stream.h"

namespace heapglot::draft {
namespace {

using sqlite::QuoteName;

// The graph of all rows, in a dump that has no column for it.
constexpr char kOneGraph[] = "0";

// An SQL expression. Without a value: NULL in every row, so that nothing needs
// to be evaluated.
using Expression = std::optional<std::string>;

std::string Sql(const Expression& value) { return value.value_or("NULL"); }

// The text of the string whose stringid is `id`.
Expression TextOf(const Expression& id) {
  if (!id) return std::nullopt;
  return "(SELECT data FROM strings WHERE stringid = " + *id + ")";
}

class Views {
 public:
  explicit Views(const HasColumn& has) : has_(has) {}

  std::string Nodes() const {
    const std::string owner = " WHERE node_identifier = n.identifier)";
    const std::string graph = OrZero("node", "n", "hg.heap");
    return "nodes AS SELECT n.identifier AS node, " + graph + " AS graph, " +
           Sql(FirstOf({Cell("node", "n", "hg.id"), "n.identifier"})) +
           " AS id, " + NodeKind(graph) + " AS kind, " +
           Sql(Cell("node", "n", "hg.type")) + " AS type, " +
           Sql(TypeName(graph, Cell("node", "n", "hg.type"))) + " AS class, " +
           Sql(TextOf(FirstOf({Cell("node", "n", "hg.name"),
                               IfForm({pb::V_NAME}, "hg.text")}))) +
           " AS name, " + OrZero("node", "n", "hg.size") + " AS self_size, " +
           Sql(FirstOf({"(SELECT length FROM \"array\"" + owner,
                        IfForm({pb::V_LENGTH}, "hg.value")})) +
           " AS length, " +
           Sql(FirstOf({IfForm({pb::V_INT}, "hg.value"), Unsigned(),
                        "(SELECT ifnull(value, " + CapturedNumber() +
                            ") FROM heap_number" + owner,
                        IfField("native", "address",
                                "(SELECT " + AsUnsigned("address") +
                                    " FROM native" + owner),
                        IfField("date", "timestamp",
                                "(SELECT timestamp FROM date" + owner)})) +
           " AS number, " +
           Sql(TextOf(FirstOf(
               {"(SELECT data FROM string_flat" + owner,
                Cell("node", "n", "hg.data"),
                IfForm({pb::V_LATIN1, pb::V_UTF16, pb::V_UTF8}, "hg.text")}))) +
           " AS text, " + OrZero("node", "n", "hg.detachedness") +
           " AS detachedness, " + Sql(Cell("node", "n", "hg.identity_hash")) +
           " AS identity_hash, " + Sql(Cell("node", "n", "hg.trace_node")) +
           " AS trace_node FROM node n";
  }

  // References from node to node. To find what holds a node, use index
  // edge_dest.
  std::string Edges() const {
    return "edges AS SELECT e.source AS source, e.dest AS target, " +
           EdgeKind() + " AS kind, " + EdgeName() +
           " AS name, e.\"hg.seq\" AS position, " +
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
           Sql(Cell("hg_type", "t", "super")) + " AS super, " +
           Sql(Cell("hg_type", "t", "instance_size")) +
           " AS instance_size FROM hg_type t";
  }

  std::string Locations() const {
    if (!Has("hg_location", "to")) {
      return "locations AS SELECT 0 AS graph, 0 AS node, 0 AS script, 0 AS "
             R"(line, 0 AS "column" WHERE 0)";
    }
    return R"(locations AS SELECT l.graph AS graph, l."to" AS node, )" +
           OrZero("hg_location", "l", "script_id") + " AS script, " +
           OrZero("hg_location", "l", "line") + " AS line, " +
           OrZero("hg_location", "l", "column") +
           R"( AS "column" FROM hg_location l WHERE l."to" & 1)";
  }

  // The node above all roots is also a root.
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
    // A kind is the 0-based row of its vocabulary.
    const std::string code = OrZero("hg_root", "r", "kind");
    Expression kind;
    if (Has("hg_word", "name")) {
      kind = TextOf("(SELECT w.name" +
                    FromWord(pb::Vocabulary::ROOT_KIND, "r.graph", code) + ")");
    }
    return "SELECT r.graph AS graph, r.\"to\" AS node, " + Sql(kind) +
           " AS kind, " + Text("hg_root", "r", "label") + " AS label, " +
           IsWeak(pb::Vocabulary::ROOT_KIND, pb::ROOT_WEAK, "r.graph", code) +
           " AS weak FROM hg_root r WHERE r.\"to\" & 1";
  }

  // The row for `code` in the vocabulary of `graph`.
  static std::string FromWord(int space, const std::string& graph,
                              const std::string& code) {
    return " FROM hg_word w WHERE w.graph = " + graph +
           " AND w.space = " + std::to_string(space) + " AND w.row = " + code +
           " + 1";
  }

  std::string NodeKind(const std::string& graph) const {
    std::string kind =
        "(SELECT t.name FROM node_types t WHERE t.nodetypeid = n.nodetypeid)";
    if (!HasWordsOfGraphs()) return kind;
    return KindOfGraph(pb::Vocabulary::NODE_KIND, graph, "n.nodetypeid", kind,
                       "node_types t ON t.nodetypeid", DraftWord(kNodeWords));
  }

  std::string EdgeKind() const {
    std::string kind =
        "(SELECT t.name FROM edge_types t WHERE t.edgetypeid = e.edgetypeid)";
    if (!HasWordsOfGraphs()) return kind;
    return KindOfGraph(pb::Vocabulary::EDGE_KIND, EdgeGraph(), "e.edgetypeid",
                       kind, "edge_types t ON t.edgetypeid",
                       DraftWord(kEdgeWords));
  }

  // For dumps of one graph, the tables of types are enough.
  bool HasWordsOfGraphs() const {
    return Has("node", "hg.heap") && Has("hg_word", "known") &&
           Has("hg_word", "name");
  }

  // `of_first` is the name of the kind in the first graph. Other graphs name a
  // kind as if they were the first: the name that the first graph gives to the
  // same word, or the draft's word if it is the graph's first kind of that
  // meaning, or a name of its own.
  static std::string KindOfGraph(int space, const std::string& graph,
                                 const std::string& code,
                                 const std::string& of_first,
                                 const std::string& types,
                                 const std::string& draft_word) {
    const std::string of_space = ".space = " + std::to_string(space);
    const std::string same =
        "(SELECT t.name FROM hg_word f JOIN " + types +
        " = f.row - 1 WHERE f.graph = 0 AND f" + of_space +
        " AND f.name IS w.name AND f.known IS w.known LIMIT 1)";
    const std::string first_of_meaning =
        "(SELECT min(o.row) FROM hg_word o WHERE o.graph = w.graph AND o" +
        of_space + " AND o.known = w.known)";
    const std::string own = "'hg.' || replace(ifnull(" + Sql(TextOf("w.name")) +
                            ", 'kind'), ' ', '_')";
    return "CASE WHEN " + graph + " = 0 THEN " + of_first +
           " ELSE ifnull((SELECT coalesce(" + same +
           ", CASE WHEN w.row = " + first_of_meaning + " THEN " + draft_word +
           " END, " + own + ")" + FromWord(space, graph, code) + "), " +
           of_first + ") END";
  }

  // The draft's word for w.known, if it has one.
  template <typename Words>
  static std::string DraftWord(const Words& words) {
    std::string text = "CASE w.known";
    for (const auto& word : words) {
      text.append(" WHEN ")
          .append(std::to_string(static_cast<int>(word.known)))
          .append(" THEN '")
          .append(word.name)
          .append("'");
    }
    return text + " END";
  }

  // The graph of the edge's source. Dumps of one graph have no column for it.
  std::string EdgeGraph() const {
    if (!Has("node", "hg.heap")) return kOneGraph;
    return "ifnull((SELECT s.\"hg.heap\" FROM node s WHERE s.identifier = "
           "e.source), 0)";
  }

  // Whether `kind`, an expression, means `known`, which keeps nothing alive.
  // Each graph has its own kinds: the list combines graph and kind into one
  // number, because searching that takes half the time. SQLite makes the list
  // once per query, not for each row.
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

  // The first value that is not NULL.
  static Expression FirstOf(const std::vector<Expression>& values) {
    std::string list;
    std::size_t count = 0;
    for (const Expression& value : values) {
      if (!value) continue;
      list.append(count++ == 0 ? "" : ", ").append(*value);
    }
    if (count == 0) return std::nullopt;
    return count == 1 ? list : "coalesce(" + list + ")";
  }

  // A column of nodes whose value has one of these forms, for subtypes without
  // a field for it. Numbers that are 0 may be left out; a string that is left
  // out is absent.
  Expression IfForm(std::initializer_list<pb::ValueForm> forms,
                    std::string_view column) const {
    if (!Has("node", "hg.form")) return std::nullopt;
    const Expression value = column == "hg.value" ? OrZero("node", "n", column)
                                                  : Cell("node", "n", column);
    if (!value) return std::nullopt;
    std::string list;
    for (const pb::ValueForm form : forms) {
      list.append(list.empty() ? "" : ", ")
          .append(std::to_string(static_cast<int>(form)));
    }
    return "CASE WHEN n.\"hg.form\" IN (" + list + ") THEN " + *value + " END";
  }

  // `value`, if the column holds a field; otherwise the column is computed and
  // may hold a value of the draft, even a reference. This is checked once per
  // query.
  static std::string IfField(const std::string& table,
                             const std::string& column,
                             const std::string& value) {
    return "CASE WHEN EXISTS (SELECT 1 FROM hg_fields WHERE table_name = '" +
           table + "' AND column_name = '" + column + "') THEN " + value +
           " END";
  }

  // A column holds the 64 bits of a number: 2^63 and more, for which SQLite has
  // no integers, are stored as negative ones.
  static std::string AsUnsigned(const std::string& value) {
    return "CASE WHEN " + value + " < 0 THEN " + value +
           " + 18446744073709551616.0 ELSE " + value + " END";
  }

  Expression Unsigned() const {
    Expression value = IfForm({pb::V_UINT}, "hg.value");
    if (!value || !Has("node", "hg.value")) return value;
    return AsUnsigned("(" + *value + ")");
  }

  // V8 represents a captured number as a string, to which the heap number has
  // an edge named "value".
  static std::string CapturedNumber() {
    return "(SELECT CASE "
           "WHEN s.data GLOB '*[0-9]*' AND NOT s.data GLOB '*[^-+.0-9e]*' "
           "THEN CAST(s.data AS NUMERIC) "
           "WHEN s.data = 'Infinity' THEN 9e999 "
           "WHEN s.data = '-Infinity' THEN -9e999 END "
           "FROM edge e JOIN string_flat f ON f.node_identifier = e.dest "
           "JOIN strings s ON s.stringid = f.data "
           "JOIN strings l ON l.stringid = e.label "
           "WHERE e.source = n.identifier AND l.data = 'value' LIMIT 1)";
  }

  // Names that are numbers, which the draft's labels cannot be, are in
  // "hg.number".
  std::string EdgeName() const {
    const Expression label = TextOf("e.label");
    if (!Has("edge", "hg.number")) return Sql(label);
    return Sql(FirstOf({label, "CAST(e.\"hg.number\" AS TEXT)"}));
  }

  bool Has(std::string_view table, std::string_view column) const {
    return has_(table, column);
  }

  // The column, if the file has it.
  Expression Cell(std::string_view table, std::string_view alias,
                  std::string_view column) const {
    if (!Has(table, column)) return std::nullopt;
    return std::string(alias) + '.' + QuoteName(column);
  }

  // A column of numbers in which 0 may be left out.
  std::string OrZero(std::string_view table, std::string_view alias,
                     std::string_view column) const {
    const Expression cell = Cell(table, alias, column);
    return cell ? "ifnull(" + *cell + ", 0)" : "0";
  }

  std::string Text(std::string_view table, std::string_view alias,
                   std::string_view column) const {
    return Sql(TextOf(Cell(table, alias, column)));
  }

  Expression TypeName(const std::string& graph, const Expression& type) const {
    if (!type || !Has("hg_type", "name")) return std::nullopt;
    return TextOf("(SELECT name FROM hg_type t WHERE t.graph = " + graph +
                  " AND t.row = " + *type + ")");
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
        views.Locations(), views.Roots()})
    statements.emplace_back(create).append(" ").append(view);
  return statements;
}

}  // namespace heapglot::draft
