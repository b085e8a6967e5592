// The special cases that writers count by themselves: how many of each, under
// which code and class. Every count that can differ from 1 does.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "heapglot/feature.h"
#include "heapglot/format.h"
#include "tests/checked_passes.h"
#include "tests/core/text_stream.h"

namespace heapglot {
namespace {

// Discards the outputs, one of which has 256 MiB.
class Nowhere final : public ByteSink {
 public:
  Status Write(std::string_view bytes) override {
    position_ += bytes.size();
    return {};
  }
  Status Close() override { return {}; }
  std::uint64_t position() const override { return position_; }

 private:
  std::uint64_t position_ = 0;
};

struct Case {
  std::string_view name;
  std::vector<std::string_view> writers;
  std::string stream;
  // "code class count", one per line; the codes without the writer's name.
  std::string_view losses;
};

// "a, a, a"
std::string Times(int count, const std::string& text) {
  std::string list = text;
  for (int i = 1; i < count; ++i) list += ", " + text;
  return list;
}

// `count` columns that only the source format has, with the rows `cells`.
std::string Columns(int count, const std::string& cells) {
  std::string columns;
  for (int i = 0; i < count; ++i)
    columns +=
        " extra { name: 'x" + std::to_string(i) + "' ints: " + cells + " }";
  return columns;
}

// ----------------------------------------------------------------- dartheap

// Two nodes have a class and a kind that no value implies, and three a name and
// a value; the others lose nothing.
constexpr char kDartNodes[] = R"(
header { format: 'test' }
graph { edges_grouped: true extra_native_bytes: 5 }
strings { first: 1 data: 'Classname' length: [5, 4] names: true }
vocabulary { space: NODE_KIND name: [0, 0, 0, 0] known: [4, 5, 8, 0] }
types { count: 1 name: 1 }
nodes { count: 10 kind: [1, 1, 2, 2, 2, 0, 1, 2, 1, 3] type_ref: [1, 1, 0, 0, 0, 1, 0, 0, 1, 1] name: [0, 0, 2, 2, 2, 2, 2, 0, 0, 0] value_form: [0, 0, 3, 3, 3, 0, 0, 3, 3, 0] value: [0, 0, 5, 6, 7, 0, 0, 8, 9, 0] }
externals { count: 4 to: [9, 9, 0, 0] to_form: [2, 3, 0, 1] size: [1, 1, 1, 1] }
graph_end { types: 1 nodes: 10 externals: 4 external_size_total: 4 }
footer { graphs: 1 strings: 3 }
)";

// Integers and a name, Booleans, JSON and arrays, texts of nodes that are not
// strings, and strings that are not text. The source has only the start of
// four, and of one string that says so.
constexpr char kDartValues[] = R"(
header { format: 'test' }
graph { edges_grouped: true }
vocabulary { space: NODE_KIND name: [0, 0] known: [4, 3] }
strings { first: 1 data: 'text\377[1]' length: [4, 1, 3] encoding: [0, 2, 0] }
nodes { count: 4 value_form: [10, 10, 10, 8] value: [9223372036854775808, 18446744073709551615, 9223372036854775807, 1] value_length: [0, 0, 0, 9] }
nodes { first: 4 count: 4 value_form: [2, 2, 2, 2] value: [2, 3, 4, 1] }
nodes { first: 8 count: 4 value_form: [15, 15, 16, 16] value: [3, 3, 1, 1] value_encoding: [0, 0, 8, 8] value_length: [0, 9, 0, 0] }
nodes { first: 12 count: 5 value_form: [9, 5, 6, 9, 9] value: [1, 1, 1, 1, 1] value_length: [9, 8, 0, 0, 0] }
nodes { first: 17 count: 4 kind: [1, 1, 1, 1] value_form: [9, 9, 9, 9] value: [2, 2, 2, 1] value_length: [0, 0, 0, 9] }
graph_end { nodes: 21 }
footer { graphs: 1 strings: 4 }
)";

// Elements 0 to 4, two of them weak and three with other indices, before four
// fields: all nine references move.
constexpr char kDartEdges[] = R"(
header { format: 'test' }
graph { edges_grouped: true }
strings { first: 1 data: 'ab' length: [1, 1] names: true }
vocabulary { space: EDGE_KIND name: [0, 0, 0, 0, 0] known: [3, 2, 7, 4, 7] name_form: [1, 2, 2, 1, 1] }
nodes { count: 1 edge_count: 9 }
edges { count: 9 edges_per_node: 9 kind: [1, 2, 2, 1, 1, 0, 3, 3, 4] name: [0, 1, 7, 9, 5, 1, 1, 2, 2] }
graph_end { nodes: 1 edges: 9 }
footer { graphs: 1 strings: 3 }
)";

// Two nodes with 20,000 and 16,390 fields; a class has at most 16,384.
std::string DartManyFields() {
  return R"(
header { format: 'test' }
graph { edges_grouped: true }
strings { first: 1 data: 'ab' length: [1, 1] names: true }
vocabulary { space: EDGE_KIND name: 0 known: 3 name_form: 1 }
nodes { count: 2 edge_count: [20000, 16390] }
edges { count: 20000 edges_per_node: 20000 name: [)" +
         Times(20'000, "1") + R"(] }
edges { first: 20000 count: 16390 first_node: 1 edges_per_node: 16390 name: [)" +
         Times(16'390, "2") + R"(] }
graph_end { nodes: 2 edges: 36390 }
footer { graphs: 1 strings: 3 }
)";
}

// A file repeats a text of 100,000 bytes 2,685 times in full: 256 MiB, and once
// more. Fields of the first class come before the names of others, these before
// values, and names of external memory come last.
std::string DartRepeatedTexts() {
  constexpr int kFields = 2700;
  const std::string fields = std::to_string(kFields);
  return R"(
header { format: 'test' }
graph { edges_grouped: true }
strings { first: 1 data: ')" +
         std::string(100'000, 'x') + R"(' length: 100000 names: true }
vocabulary { space: NODE_KIND name: [0, 0] known: [4, 3] }
vocabulary { space: EDGE_KIND name: 0 known: 3 name_form: 1 }
types { count: 2 name: [1, 1] library_uri: [0, 1] }
nodes { count: 6 kind: [0, 1, 1, 1, 1, 1] edge_count: [)" +
         fields +
         R"(, 0, 0, 0, 0, 0] value_form: [0, 9, 9, 9, 9, 9] value: [0, 1, 1, 1, 1, 1] }
edges { count: )" +
         fields + " edges_per_node: " + fields + " name: [" +
         Times(kFields, "1") + R"(] }
externals { count: 7 size: [1, 1, 1, 1, 1, 1, 1] name: [1, 1, 1, 1, 1, 1, 1] }
graph_end { types: 2 nodes: 6 edges: )" +
         fields + R"( externals: 7 external_size_total: 7 }
footer { graphs: 1 strings: 2 }
)";
}

// ------------------------------------------------------------- heapsnapshot

// Two objects of a class that has the name used for strings, three strings with
// a name of their own, two with a class, and sizes that are too large: of one
// node and of two pieces of external memory.
constexpr char kSnapshotNodes[] = R"(
header { format: 'test' }
graph { edges_grouped: true id_space: UNSTABLE extra_native_bytes: 5 }
strings { first: 1 data: 'ThingThing(string)onetwoOtherOtherstextname' length: [5, 5, 8, 3, 3, 5, 6, 4, 4] names: true }
vocabulary { space: NODE_KIND name: [0, 0] known: [4, 3] }
types { count: 5 name: [1, 2, 3, 6, 7] library_uri: [4, 5, 0, 4, 5] }
nodes { count: 7 id: [16, 32, 48, 64, 80, 96, 112] kind: [0, 0, 1, 1, 1, 1, 1] type_ref: [3, 3, 0, 0, 0, 1, 1] name: [0, 0, 9, 9, 9, 0, 0] self_size: [4294967296, 4294967295, 0, 0, 0, 0, 0] value_form: [0, 0, 9, 9, 9, 9, 9] value: [0, 0, 8, 8, 8, 8, 8] }
externals { count: 3 to: [0, 0, 99] to_form: [0, 1, 2] size: [4294967296, 1, 4294967297] }
graph_end { types: 5 nodes: 7 externals: 3 self_size_total: 8589934591 external_size_total: 8589934594 }
footer { graphs: 1 strings: 10 }
)";

// Names, constants, integers, floating-point numbers and texts of objects,
// which are named after their class; two numbers that are NaN, and one that is
// not; and a function, whose name has invalid bytes that are not counted twice.
constexpr char kSnapshotValues[] = R"(
header { format: 'test' }
graph { edges_grouped: true }
vocabulary { space: NODE_KIND name: [0, 0, 0] known: [4, 8, 17] }
strings { first: 1 data: 'a\377\376\375\355\240\200\355\240\200text' length: [4, 6, 4] encoding: [2, 1, 0] }
nodes { count: 7 kind: [0, 0, 0, 0, 0, 0, 2] value_form: [8, 8, 8, 8, 8, 8, 8] value: [3, 3, 3, 3, 3, 3, 1] }
nodes { first: 7 count: 5 value_form: [1, 2, 3, 3, 10] value: [0, 1, 5, 6, 7] }
nodes { first: 12 count: 4 value_form: [4, 4, 4, 4] value: [4609434218613702656, 4609434218613702656, 4609434218613702656, 9221120237041090560] }
nodes { first: 16 count: 5 value_form: [9, 5, 6, 9, 9] value: [3, 3, 3, 3, 3] }
nodes { first: 21 count: 3 kind: [1, 1, 1] value_form: [4, 4, 4] value: [9221120237041090560, 18444492273895866369, 4609434218613702656] }
graph_end { nodes: 24 }
footer { graphs: 1 strings: 4 }
)";

// Two functions whose name is one byte too long to be part of another name.
std::string SnapshotLongNames() {
  return R"(
header { format: 'test' }
graph { edges_grouped: true }
strings { first: 1 data: ')" +
         std::string(65'537, 'n') + R"(short' length: [65537, 5] }
vocabulary { space: NODE_KIND name: 0 known: 17 }
nodes { count: 3 value_form: [8, 8, 8] value: [1, 1, 2] }
graph_end { nodes: 3 }
footer { graphs: 1 strings: 3 }
)";
}

// Two large indices, three weak elements, and four names of a form that the
// edge kind does not have.
constexpr char kSnapshotEdges[] = R"(
header { format: 'test' }
graph { edges_grouped: true }
strings { first: 1 data: 'a' length: 1 names: true }
vocabulary { space: EDGE_KIND name: [0, 0, 0] known: [3, 2, 7] name_form: [1, 2, 2] }
nodes { count: 1 edge_count: 10 }
edges { count: 6 edges_per_node: 6 kind: [1, 1, 1, 2, 2, 2] name: [4294967296, 18446744073709551615, 4294967295, 0, 1, 2] }
edges { first: 6 count: 4 edges_per_node: 4 kind: [0, 0, 0, 1] name_form: [2, 2, 2, 1] name: [4, 5, 6, 1] }
graph_end { nodes: 1 edges: 10 }
footer { graphs: 1 strings: 2 }
)";

constexpr char kSnapshotTables[] = R"(
header { format: 'test' }
graph { edges_grouped: true id_space: OPAQUE }
strings { first: 1 data: 'fun' length: 3 }
nodes { count: 3 id: [5, 7, 9] trace_node: [0, 2, 1] }
trace_functions { count: 2 name: [1, 1] }
trace_functions { first: 2 count: 1 name: 1 extra { name: 'x' ints: 5 } }
trace_nodes { count: 3 id: [1, 2, 3] child_count: [2, 0, 0] extra { name: 'x' ints: [1, 2, 3] } }
samples { count: 3 timestamp_us: [0, 1, 2] last_assigned_id: [5, 7, 9] }
samples { first: 3 count: 1 timestamp_us: 3 last_assigned_id: 9 extra { name: 'x' ints: 5 } }
locations { count: 4 to: [0, 0, 9, 1] script_id: [-1, 1, 1, 1] line: [0, 2147483648, 0, 0] column: [0, 0, 0, 0] to_form: [0, 0, 2, 0] }
locations { first: 4 count: 2 to: [0, 1] extra { name: 'x' ints: [1, 2] } }
graph_end { nodes: 3 trace_functions: 3 trace_nodes: 3 samples: 4 locations: 6 id_limit: 10 }
footer { graphs: 1 strings: 2 }
)";

// -------------------------------------------------------------------- netcf

// An id that occurs twice, and roots: one with a label, one with a holder that
// only statics have, one with a frame, and three with flags, one of them to
// nothing.
constexpr char kLog[] = R"(
header { format: 'test' }
graph { name { data: 'with time' } timestamp { data: '5A' } end_timestamp { data: '5A' } source_version { data: '2' } edges_grouped: true id_space: ADDRESS }
strings { first: 1 data: ' AB\nCD' length: [2, 3, 1, 0] names: true }
vocabulary { space: NODE_KIND name: [0, 0] known: [4, 3] }
vocabulary { space: ROOT_KIND name: [0, 0, 0] known: [4, 17, 1] }
types { count: 3 name: [1, 2, 3] }
nodes { count: 4 id: [5, 5, 7, 9] kind: [1, 1, 1, 0] type_ref: [1, 2, 3, 3] name: [4, 4, 3, 0] self_size: [4294967296, 4294967295, 8589934592, 0] edge_count: [3, 0, 0, 0] }
edges { count: 3 edges_per_node: 3 to: [77, 78, 0] to_form: [2, 2, 0] }
roots { count: 6 to: [0, 0, 77, 0, 1, 1] to_form: [0, 1, 2, 3, 0, 0] kind: [0, 2, 2, 0, 0, 1] flags: [0, 16, 0, 0, 16, 16] container_ref: [0, 0, 1, 0, 0, 0] label: [3, 0, 0, 0, 0, 0] frame_number: [0, 0, 0, 7, 0, 0] }
graph_end { types: 3 nodes: 4 edges: 3 roots: 6 self_size_total: 17179869183 edges_dangling: 2 }
graph { name { data: 'a b' } edges_grouped: true }
graph_end { }
graph { name { data: 'c d' } edges_grouped: true }
graph_end { }
footer { graphs: 3 strings: 5 }
)";

// ---------------------------------------------------------------- the draft

// Nodes, locations and some of the edges have more than 32 columns. Losses
// count rows, however many columns are left out.
std::string DraftColumns() {
  return R"(
header { format: 'test' }
graph { edges_grouped: true }
nodes { count: 3 edge_count: [5, 0, 0])" +
         Columns(34, "[1, 2, 3]") + R"( }
edges { count: 2 edges_per_node: 2)" +
         Columns(33, "[1, 2]") + R"( }
edges { first: 2 count: 3 edges_per_node: 3)" +
         Columns(32, "[1, 2, 3]") + R"( }
locations { count: 4)" +
         Columns(33, "[1, 2, 3, 4]") + R"( }
locations { first: 4 count: 1)" +
         Columns(33, "5") + R"( }
graph_end { nodes: 3 edges: 5 locations: 5 }
footer { graphs: 1 strings: 1 }
)";
}

// No schema announces columns of edges, and edges come after a file has
// declared what it holds. What our readers keep in such columns is no loss.
constexpr char kDraftUnannounced[] = R"(
header { format: 'test' }
graph { edges_grouped: true }
nodes { count: 1 edge_count: 5 }
edges { count: 3 edges_per_node: 3 extra { name: 'heapglot:a' ints: [1, 2, 3] } extra { name: 'x' ints: [1, 2, 3] } }
edges { first: 3 count: 2 edges_per_node: 2 extra { name: 'heapglot:a' ints: [4, 5] } }
graph_end { nodes: 1 edges: 5 }
footer { graphs: 1 strings: 1 }
)";

// Two edges and a root with too many bits; two values whose edges follow; two
// texts of a graph that are not UTF-8; and entries with one mark each, except
// for one.
constexpr char kDraftRest[] = R"(
header { format: 'test' }
graph { name { data: '\377' encoding: BYTES } timestamp { data: '\355\240\200' encoding: WTF8 } end_name { data: 'a' } edges_grouped: true }
strings { first: 1 data: 'key' length: 3 }
metadata { entry { key { data: 'a' } origin: 'b' } entry { key { data: 'a' } is_volatile: true } entry { key { data: '\377' encoding: BYTES } } entry { key { data: 'a' } value { data: '\377' encoding: BYTES } } entry { key { data: 'a' } } }
roots { count: 2 to: [4611686018427387904, 1] to_form: [3, 3] }
nodes { count: 1 edge_count: 5 }
edges { count: 3 edges_per_node: 3 to: [4611686018427387904, 9223372036854775808, 4611686018427387903] to_form: [3, 3, 3] }
values { owner_space: OF_EDGE count: 3 owner: [2, 3, 4] key: [1, 1, 1] form: [1, 1, 1] }
edges { first: 3 count: 2 edges_per_node: 2 }
graph_end { nodes: 1 edges: 5 roots: 2 values: 3 edges_immediate: 3 }
footer { graphs: 1 strings: 2 }
)";

std::vector<Case> Cases() {
  return {
      {"nodes",
       {"dartheap"},
       kDartNodes,
       "graph.totals.native dropped 1\n"
       "node.kind.classed dropped 2\n"
       "external.holder approximated 2\n"
       "node.name.valued dropped 3\n"},
      {"values",
       {"dartheap"},
       kDartValues,
       "value.unsigned approximated 2\n"
       "value.bool approximated 3\n"
       "value.json approximated 4\n"
       "string.bytes approximated 3\n"
       "value.text.named equivalent 5\n"
       "value.cut.named dropped 4\n"},
      {"edges",
       {"dartheap"},
       kDartEdges,
       "edge.index.other dropped 3\n"
       "edge.order.fields approximated 9\n"
       "edge.kind.internal dropped 2\n"
       "edge.weak.element dropped 2\n"},
      {"many fields",
       {"dartheap"},
       DartManyFields(),
       "edge.name.excess dropped 3622\n"},
      {"repeated texts",
       {"dartheap"},
       DartRepeatedTexts(),
       "value.text.repeated approximated 5\n"
       "type.repeated approximated 2\n"
       "edge.name.repeated approximated 15\n"
       "external.repeated approximated 7\n"},
      {"nodes",
       {"heapsnapshot"},
       kSnapshotNodes,
       "type.library dropped 2\n"
       "type.library.told equivalent 2\n"
       "graph.totals.native exact 1\n"
       "external.holder approximated 2\n"
       "node.name.valued dropped 3\n"
       "type.unshown dropped 2\n"
       "type.like_other approximated 2\n"
       "node.id.renumbered approximated 7\n"
       "node.self_size.large approximated 3\n"},
      {"values",
       {"heapsnapshot"},
       kSnapshotValues,
       "value.nan approximated 2\n"
       "value.constant.unshown dropped 2\n"
       "value.integer.unshown dropped 3\n"
       "value.double.unshown dropped 4\n"
       "value.text.unshown dropped 5\n"
       "value.name.unshown dropped 6\n"
       "string.surrogate approximated 2\n"
       "string.bytes approximated 3\n"},
      {"long names",
       {"heapsnapshot"},
       SnapshotLongNames(),
       "value.name.cut approximated 2\n"},
      {"edges",
       {"heapsnapshot"},
       kSnapshotEdges,
       "edge.weak_index dropped 3\n"
       "edge.index.large approximated 2\n"
       "edge.kind.unusual_name approximated 4\n"},
      {"tables",
       {"heapsnapshot"},
       kSnapshotTables,
       "node.trace.kept exact 2\n"
       "trace.kept exact 5\n"
       "trace.extra approximated 5\n"
       "location.odd dropped 3\n"
       "location.extra dropped 2\n"},
      {"all",
       {"netcf"},
       kLog,
       "graph.name.changed approximated 2\n"
       "graph.detail.said exact 3\n"
       "type.escaped approximated 2\n"
       "node.id.renumbered dropped 4\n"
       "node.kind.classed dropped 3\n"
       "node.name.empty exact 2\n"
       "node.self_size.large approximated 2\n"
       "edge.dangling.changed approximated 2\n"
       "root.dangling.changed approximated 3\n"
       "root.kind.nearest approximated 3\n"
       "root.detail.other dropped 5\n"},
      {"columns",
       {"ndjson", "sqlite"},
       DraftColumns(),
       "node.extra.excess dropped 3\n"
       "edge.extra.excess dropped 2\n"
       "extra.excess dropped 5\n"},
      {"unannounced",
       {"ndjson", "sqlite"},
       kDraftUnannounced,
       "edge.extra.excess dropped 3\n"},
      {"rest",
       {"ndjson", "sqlite"},
       kDraftRest,
       "value.named.early dropped 2\n"
       "edge.immediate.wide dropped 3\n"
       "graph.text approximated 2\n"
       "metadata.marks approximated 4\n"},
  };
}

TEST(SpecialLosses, AreCountedUnderEachCode) {
  std::set<std::string, std::less<>> seen;
  for (const Case& test : Cases()) {
    for (const std::string_view format : test.writers) {
      SCOPED_TRACE(std::string(format) + ": " + std::string(test.name));
      VectorReader reader(ParseStream(test.stream));
      Nowhere sink;
      Context context;
      const auto writer =
          FindWriter(format)->make(sink, WriterOptions(), context);
      const Status status = CheckedPasses(reader, *writer);
      EXPECT_TRUE(status.ok()) << status.ToString();
      std::string losses;
      for (const LossReport::Item& item : context.loss.items()) {
        seen.insert(item.code);
        losses += item.code.substr(format.size() + 1) + " " +
                  std::string(ToString(item.loss_class)) + " " +
                  std::to_string(item.count) + "\n";
      }
      EXPECT_EQ(losses, test.losses);
    }
  }
  // A new code needs a case here.
  std::string missing;
  for (const WriterInfo* const writer : Writers()) {
    for (const FidelityRow& row : writer->fidelity)
      if (!IsRule(row, writer->name) && !seen.contains(row.code))
        missing += std::string(row.code) + "\n";
  }
  EXPECT_EQ(missing, "");
}

}  // namespace
}  // namespace heapglot
