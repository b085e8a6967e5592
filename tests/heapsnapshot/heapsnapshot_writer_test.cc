#include "writers/heapsnapshot/heapsnapshot_writer.h"

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/bytes/buffered_out.h"
#include "tests/checked_passes.h"
#include "tests/core/text_stream.h"
#include "writers/heapsnapshot/heapsnapshot_text.h"

namespace heapglot {
namespace {

// --------------------------------------------------------------------- text

struct Escaped {
  std::string text;
  std::string json;
  std::uint64_t lone_surrogates = 0;
  std::uint64_t bad_bytes = 0;
};

TEST(HeapsnapshotText, IsAscii) {
  const Escaped cases[] = {
      {"", ""},
      {"plain (text)", "plain (text)"},
      {"\"\\/", R"(\"\\/)"},
      {"\b\f\n\r\t", R"(\b\f\n\r\t)"},
      {std::string("\0\x1f\x7f", 3), "\\u0000\\u001F\x7f"},
      {"\xc3\xa9", R"(\u00E9)"},
      {"\xe2\x80\xa8", R"(\u2028)"},
      {"\xf0\x9f\x98\x80", R"(\uD83D\uDE00)"},
      {"a\xed\xa0\xbdz", R"(a\uFFFDz)", 1, 0},
      {"a\xff\xc3z", R"(a\uFFFD\uFFFDz)", 0, 2},
  };
  for (const Escaped& test : cases) {
    std::string json;
    const auto sink = ByteSink::ToString(&json);
    BufferedOut out(*sink);
    heapsnapshot::Replaced replaced;
    heapsnapshot::WriteEscaped(test.text, out, &replaced);
    out.Flush();
    EXPECT_EQ(json, test.json);
    EXPECT_EQ(replaced.lone_surrogates, test.lone_surrogates) << test.json;
    EXPECT_EQ(replaced.bad_bytes, test.bad_bytes) << test.json;
  }
}

// ------------------------------------------------------------------- graphs

struct Written {
  Status status;
  std::string json;
  Context context;
};

std::unique_ptr<Written> Write(const std::string& chunks) {
  auto written = std::make_unique<Written>();
  VectorReader reader(ParseStream(chunks));
  const auto sink = ByteSink::ToString(&written->json);
  const auto writer =
      kHeapsnapshotWriter.make(*sink, WriterOptions(), written->context);
  written->status = CheckedPasses(reader, *writer);
  return written;
}

// The tables of a snapshot as text, one row per line.
std::string Tables(const std::string& json) {
  rapidjson::Document document;
  document.Parse(json.c_str());
  EXPECT_FALSE(document.HasParseError()) << json;
  const auto string = [&](const rapidjson::Value& index) {
    return std::string(document["strings"][index.GetUint()].GetString());
  };
  const rapidjson::Value& meta = document["snapshot"]["meta"];
  std::string out;
  const rapidjson::Value& nodes = document["nodes"];
  for (rapidjson::SizeType i = 0; i < nodes.Size(); i += 7) {
    out += std::string(meta["node_types"][0][nodes[i].GetUint()].GetString()) +
           " '" + string(nodes[i + 1]) + "' @" +
           std::to_string(nodes[i + 2].GetUint64()) + " " +
           std::to_string(nodes[i + 3].GetUint64()) + " bytes, " +
           std::to_string(nodes[i + 4].GetUint64()) + " edges\n";
  }
  const rapidjson::Value& edges = document["edges"];
  for (rapidjson::SizeType i = 0; i < edges.Size(); i += 3) {
    const std::string type =
        meta["edge_types"][0][edges[i].GetUint()].GetString();
    const bool by_number = type == "element" || type == "hidden";
    out += type + " " +
           (by_number ? std::to_string(edges[i + 1].GetUint64())
                      : "'" + string(edges[i + 1]) + "'") +
           " -> " + std::to_string(edges[i + 2].GetUint64() / 7) + "\n";
  }
  EXPECT_EQ(document["snapshot"]["node_count"].GetUint64(), nodes.Size() / 7);
  EXPECT_EQ(document["snapshot"]["edge_count"].GetUint64(), edges.Size() / 3);
  return out;
}

// A heap without a node for its roots, with roots of two kinds, a type that
// shares its name with another, a value of each kind, and external memory.
constexpr char kHeap[] = R"(
header { format: 'test' }
graph { edges_grouped: true id_space: UNSTABLE }
strings { first: 1 data: 'ThingThinglibAlibBArrayblob' length: [5, 5, 4, 4, 5, 4] names: true }
vocabulary { space: NODE_KIND name: [0, 0, 0] known: [4, 8, 1] }
vocabulary { space: EDGE_KIND name: [0, 0, 0, 0] known: [3, 2, 7, 0] name_form: [1, 2, 2, 0] }
vocabulary { space: ROOT_KIND name: [0, 0] known: [4, 17] }
types { first: 0 count: 3 name: [1, 2, 5] library_uri: [3, 4, 3] }
strings { first: 7 data: 'fieldmain' length: [5, 4] }
nodes { first: 0 count: 5 kind: [0, 0, 1, 1, 2] type_ref: [1, 2, 3, 3, 3] self_size: [8, 16, 24, 32, 40] edge_count: [4, 0, 0, 1, 0] value_form: [0, 0, 3, 4, 8] value: [0, 0, 18446744073709551615, 4609434218613702656, 8] }
edges { first: 0 count: 5 first_node: 0 edges_per_node: [4, 0, 0, 1, 0] kind: [0, 1, 2, 3, 1] name: [7, 4294967295, 5, 0, 0] to: [1, 2, 3, 0, 0] to_form: [0, 0, 0, 1, 0] }
roots { first: 0 count: 3 kind: [1, 0, 1] to: [4, 0, 2] distance: [4, 0, 4] }
externals { first: 0 count: 2 to: [0, 99] to_form: [0, 2] size: [1000, 7] name: [6, 0] }
graph_end { types: 3 nodes: 5 edges: 5 roots: 3 externals: 2 self_size_total: 120 external_size_total: 1007 edges_omitted: 1 }
footer { graphs: 1 strings: 9 }
)";

// Of two classes whose names are equal but have two string indices, DevTools
// shows only one.
TEST(HeapsnapshotWriter, ClassesOfOneNameShareItsString) {
  const auto written = Write(R"(
header { format: 'test' }
graph { edges_grouped: true id_space: UNSTABLE }
strings { first: 1 data: 'ThingThingblobblob' length: [5, 5, 4, 4] names: true }
vocabulary { space: NODE_KIND name: [0, 3, 4] known: [4, 9, 9] }
types { first: 0 count: 2 name: [1, 2] }
nodes { first: 0 count: 4 kind: [0, 0, 1, 2] type_ref: [1, 2, 0, 0] self_size: [8, 16, 24, 32] edge_count: [0, 0, 0, 0] }
graph_end { types: 2 nodes: 4 self_size_total: 80 }
footer { graphs: 1 strings: 5 }
)");
  ASSERT_TRUE(written->status.ok()) << written->status.ToString();
  rapidjson::Document document;
  document.Parse(written->json.c_str());
  std::map<std::string, std::set<unsigned>> numbers;
  const rapidjson::Value& nodes = document["nodes"];
  for (rapidjson::SizeType i = 0; i < nodes.Size(); i += 7) {
    const unsigned number = nodes[i + 1].GetUint();
    numbers[document["strings"][number].GetString()].insert(number);
  }
  EXPECT_EQ(numbers["Thing"].size(), 1u);
  EXPECT_EQ(numbers["blob"].size(), 1u);
}

// DevTools names all closures Function, with a string of its own, and shows
// only one of two classes with the same name.
TEST(HeapsnapshotWriter, ObjectsAreNotCalledAsKindsOfNodes) {
  const auto written = Write(R"(
header { format: 'test' }
graph { edges_grouped: true id_space: UNSTABLE }
strings { first: 1 data: 'Function(string)RegExplib' length: [8, 8, 6, 3] names: true }
vocabulary { space: NODE_KIND name: [0, 0, 0] known: [4, 9, 6] }
types { first: 0 count: 3 name: [1, 2, 3] library_uri: [0, 0, 4] }
nodes { first: 0 count: 5 kind: [0, 1, 0, 0, 2] type_ref: [1, 2, 2, 3, 1] self_size: [8, 16, 24, 32, 40] edge_count: [0, 0, 0, 0, 0] }
graph_end { types: 3 nodes: 5 self_size_total: 120 }
footer { graphs: 1 strings: 5 }
)");
  ASSERT_TRUE(written->status.ok()) << written->status.ToString();
  const std::string tables = Tables(written->json);
  EXPECT_NE(tables.find("object 'Function (object)' @3 8 bytes, 0 edges\n"
                        "native '(string) (object)' @5 16 bytes, 0 edges\n"
                        "object '(string) (object)' @7 24 bytes, 0 edges\n"
                        "object 'RegExp (lib)' @9 32 bytes, 0 edges\n"
                        "closure 'Function' @11 40 bytes, 0 edges\n"),
            std::string::npos)
      << tables;
  const auto& items = written->context.loss.items();
  const auto item = std::ranges::find(items, "heapsnapshot.type.like_other",
                                      &LossReport::Item::code);
  ASSERT_NE(item, items.end());
  EXPECT_EQ(item->count, 3u);  // counts nodes
}

TEST(HeapsnapshotWriter, Shape) {
  const auto written = Write(kHeap);
  ASSERT_TRUE(written->status.ok()) << written->status.ToString();
  EXPECT_EQ(Tables(written->json),
            "synthetic '' @1 0 bytes, 4 edges\n"
            "synthetic '(GC roots)' @13 0 bytes, 2 edges\n"
            "object 'Thing (libA)' @3 8 bytes, 5 edges\n"
            "object 'Thing (libB)' @5 16 bytes, 0 edges\n"
            "number '-1' @7 24 bytes, 0 edges\n"
            "number '1.5' @9 32 bytes, 1 edges\n"
            "hidden 'Array (libA) main' @11 40 bytes, 0 edges\n"
            "native 'external memory (blob)' @15 1000 bytes, 0 edges\n"
            "native 'external memory' @17 7 bytes, 0 edges\n"
            "synthetic '(omitted)' @19 0 bytes, 0 edges\n"
            "synthetic '(dangling reference)' @21 0 bytes, 1 edges\n"
            "synthetic '(Statics)' @23 0 bytes, 1 edges\n"
            "synthetic '(Unreachable)' @25 0 bytes, 1 edges\n"
            "synthetic '(Unreachable)' @27 0 bytes, 2 edges\n"
            "synthetic '(end)' @29 0 bytes, 0 edges\n"
            "element 1 -> 1\n"
            "element 2 -> 9\n"
            "element 3 -> 10\n"
            "element 4 -> 14\n"
            "element 1 -> 11\n"
            "element 2 -> 12\n"
            "property 'field' -> 3\n"
            "element 4294967295 -> 4\n"
            "weak 'element' -> 5\n"
            "element 3 -> 9\n"
            "internal 'external' -> 7\n"
            "element 0 -> 2\n"
            "element 1 -> 8\n"
            "element 1 -> 2\n"
            "element 1 -> 13\n"
            "element 1 -> 6\n"
            "element 2 -> 4\n");
}

TEST(HeapsnapshotWriter, MemoryOutsideOfV8IsStated) {
  const auto written = Write(R"(header { }
graph { edges_grouped: true self_size_total: 8 extra_native_bytes: 4711 }
nodes { count: 1 self_size: [8] }
graph_end { nodes: 1 self_size_total: 8 }
footer { graphs: 1 strings: 1 }
)");
  rapidjson::Document document;
  document.Parse(written->json.c_str());
  ASSERT_FALSE(document.HasParseError()) << written->json;
  EXPECT_EQ(document["snapshot"]["extra_native_bytes"].GetUint64(), 4711u);
  const auto& items = written->context.loss.items();
  EXPECT_NE(std::ranges::find(items, "heapsnapshot.graph.totals.native",
                              &LossReport::Item::code),
            items.end());
}

// From a V8 heap: its functions, tree and samples are kept.
constexpr char kTraced[] = R"(header { }
graph { edges_grouped: true id_space: OPAQUE }
strings { first: 1 data: 'rootscriptfun' length: [4, 6, 3] }
nodes { count: 2 id: [5, 7] trace_node: [0, 2] self_size: [0, 8] }
trace_functions { count: 2 function_id: [0, 9] name: [1, 3] script_name: [0, 2] script_id: [0, 4] line: [0, -1] column: [0, 6] }
trace_nodes { count: 3 id: [1, 2, 3] function_index: [0, 1, 1] alloc_count: [0, 4, 1] alloc_size: [0, 64, 8] child_count: [2, 0, 0] }
samples { count: 2 timestamp_us: [0, 900] last_assigned_id: [5, 7] }
graph_end { nodes: 2 self_size_total: 8 id_limit: 8 trace_functions: 2 trace_nodes: 3 samples: 2 }
footer { graphs: 1 strings: 4 }
)";

TEST(HeapsnapshotWriter, TracesAndSamplesStay) {
  const auto written = Write(kTraced);
  ASSERT_TRUE(written->status.ok()) << written->status.ToString();
  rapidjson::Document document;
  document.Parse(written->json.c_str());
  ASSERT_FALSE(document.HasParseError()) << written->json;
  EXPECT_EQ(document["snapshot"]["trace_function_count"].GetUint64(), 2u);
  const rapidjson::Value& functions = document["trace_function_infos"];
  ASSERT_EQ(functions.Size(), 12u);
  const auto string = [&](rapidjson::SizeType at) {
    return std::string(
        document["strings"][functions[at].GetUint()].GetString());
  };
  EXPECT_EQ(string(1), "root");
  EXPECT_EQ(string(7), "fun");
  EXPECT_EQ(string(8), "script");
  EXPECT_EQ(functions[6].GetInt(), 9);
  EXPECT_EQ(functions[10].GetInt(), -1);
  EXPECT_NE(
      written->json.find("\"trace_tree\":[1,0,0,0,[2,1,4,64,[],3,1,1,8,[]]]"),
      std::string::npos)
      << written->json;
  EXPECT_NE(written->json.find("\"samples\":[0,5\n,900,7\n]"),
            std::string::npos)
      << written->json;
  std::vector<std::uint64_t> traces;
  for (rapidjson::SizeType i = 0; i < document["nodes"].Size(); i += 7)
    traces.push_back(document["nodes"][i + 5].GetUint64());
  EXPECT_EQ(std::ranges::count(traces, 2u), 1);
  EXPECT_EQ(std::ranges::count(traces, 0u),
            static_cast<std::ptrdiff_t>(traces.size()) - 1);
  std::map<std::string, std::uint64_t> losses;
  for (const auto& item : written->context.loss.items())
    losses[item.code] = item.count;
  EXPECT_EQ(losses["heapsnapshot.trace.kept"], 7u);
  EXPECT_EQ(losses["heapsnapshot.node.trace.kept"], 1u);
}

// DevTools ignores functions without a tree, and samples refer to V8's ids.
TEST(HeapsnapshotWriter, TracesThatNobodyCouldReadAreLeftOut) {
  std::string chunks = kTraced;
  const auto replace = [&](const std::string& before,
                           const std::string& after) {
    chunks.replace(chunks.find(before), before.size(), after);
  };
  const std::size_t tree = chunks.find("trace_nodes {");
  chunks.erase(tree, chunks.find('\n', tree) + 1 - tree);
  replace("trace_nodes: 3 ", "");
  replace("OPAQUE", "UNSTABLE");
  const auto written = Write(chunks);
  ASSERT_TRUE(written->status.ok()) << written->status.ToString();
  for (const char* const empty :
       {"\"trace_function_count\":0", "\"trace_function_infos\":[]",
        "\"trace_tree\":[]", "\"samples\":[]"})
    EXPECT_NE(written->json.find(empty), std::string::npos) << empty;
  for (const auto& item : written->context.loss.items())
    EXPECT_FALSE(item.code.ends_with(".kept")) << item.code;
}

TEST(HeapsnapshotWriter, CountsLosses) {
  const auto written = Write(kHeap);
  std::string shown;
  for (const LossReport::Item& item : written->context.loss.items())
    shown += item.code + " " + std::to_string(item.count) + "\n";
  EXPECT_EQ(shown,
            "heapsnapshot.type.library.told 3\n"
            "heapsnapshot.external.holder 1\n"
            "heapsnapshot.type.unshown 2\n"
            "heapsnapshot.node.id.renumbered 5\n"
            "heapsnapshot.edge.weak_index 1\n");
}

TEST(HeapsnapshotWriter, RootsAreGroupedByKindAndWeakOnesHoldNothing) {
  const auto written = Write(R"(header { }
graph { edges_grouped: true }
strings { first: 1 data: "staticpinnedlocal" length: [6, 6, 5] names: true }
vocabulary { space: ROOT_KIND name: [1, 2, 3] known: [4, 13, 1] }
nodes { count: 2 }
roots { count: 3 to: [0, 1, 1] kind: [0, 1, 2] }
graph_end { nodes: 2 roots: 3 }
footer { graphs: 1 strings: 4 }
)");
  ASSERT_TRUE(written->status.ok()) << written->status.ToString();
  EXPECT_EQ(Tables(written->json), R"(synthetic '' @1 0 bytes, 2 edges
synthetic '(GC roots)' @7 0 bytes, 3 edges
hidden '(no class)' @3 0 bytes, 0 edges
hidden '(no class)' @5 0 bytes, 0 edges
synthetic '(Statics)' @9 0 bytes, 1 edges
synthetic '(Weak roots)' @11 0 bytes, 1 edges
synthetic '(Stack)' @13 0 bytes, 1 edges
synthetic '(end)' @15 0 bytes, 0 edges
element 1 -> 1
element 2 -> 7
element 1 -> 4
element 2 -> 5
element 3 -> 6
element 1 -> 2
weak 'element' -> 3
element 1 -> 3
)");
}

TEST(HeapsnapshotWriter, IdsThatMeanSomethingAreKept) {
  const auto written = Write(R"(header { }
graph { edges_grouped: true id_space: OPAQUE root_ref: 1 }
nodes { count: 2 id: [1, 40] edge_count: [1, 0] }
edges { count: 1 edges_per_node: [1, 0] to: 1 }
graph_end { nodes: 2 edges: 1 id_limit: 41 }
footer { graphs: 1 strings: 1 }
)");
  ASSERT_TRUE(written->status.ok()) << written->status.ToString();
  // The root on top is new: V8's own root has the id 1.
  EXPECT_EQ(Tables(written->json), R"(synthetic '' @41 0 bytes, 2 edges
synthetic '(GC roots)' @1 0 bytes, 1 edges
hidden '(no class)' @40 0 bytes, 0 edges
synthetic '(end)' @43 0 bytes, 0 edges
element 1 -> 1
element 2 -> 3
element 0 -> 2
)");
}

// The root of a source with shortcuts becomes the root of the file: a shortcut
// makes its target a window only if it starts there. Its edges come in two
// chunks here.
constexpr char kRootOfV8[] = R"(
strings { first: 1 data: 'windowshortcutelement' length: [6, 8, 7] names: true }
vocabulary { space: NODE_KIND known: [10, 4] }
vocabulary { space: EDGE_KIND name: [2, 3] known: [6, 2] name_form: [1, 2] }
vocabulary { space: ROOT_KIND name: [0] known: [17] }
strings { first: 4 length: 0 }
nodes { count: 3 kind: [0, 1, 1] name: [4, 1, 1] id: [1, 3, 40] edge_count: [3, 1, 0] }
edges { count: 2 edges_per_node: 2 kind: [1, 0] name: [1, 1] to: [2, 1] }
edges { first: 2 count: 2 first_node: 0 edges_per_node: [1, 1] kind: [1, 1] name: [2, 7] to: [0, 9] to_form: [0, 3] }
roots { count: 1 to: 2 distance: 3 }
externals { count: 1 size: 1000 }
graph_end { nodes: 3 edges: 4 roots: 1 externals: 1 external_size_total: 1000 edges_immediate: 1 id_limit: 41 }
footer { graphs: 1 strings: 5 }
)";

TEST(HeapsnapshotWriter, TheRootOfV8IsNode0) {
  const auto written = Write(
      "header { }\ngraph { edges_grouped: true id_space: OPAQUE root_ref: 1 }" +
      std::string(kRootOfV8));
  ASSERT_TRUE(written->status.ok()) << written->status.ToString();
  EXPECT_EQ(Tables(written->json), R"(synthetic '' @1 0 bytes, 7 edges
object 'window' @3 0 bytes, 1 edges
object 'window' @40 0 bytes, 0 edges
native 'external memory' @43 1000 bytes, 0 edges
synthetic '(small integer)' @45 0 bytes, 0 edges
synthetic '(Unreachable)' @47 0 bytes, 1 edges
synthetic '(Unreachable)' @49 0 bytes, 1 edges
synthetic '(end)' @51 0 bytes, 0 edges
element 1 -> 2
shortcut 'window' -> 1
element 2 -> 0
element 4 -> 4
element 5 -> 5
element 6 -> 7
internal 'external' -> 3
element 7 -> 4
element 1 -> 6
element 1 -> 2
)");
}

TEST(HeapsnapshotWriter, WhatIsAddedToTheRootOfV8HasIdsOfItsOwn) {
  const auto written = Write(
      "header { }\ngraph { edges_grouped: true id_space: UNSTABLE root_ref: 1 "
      "}" +
      std::string(kRootOfV8));
  ASSERT_TRUE(written->status.ok()) << written->status.ToString();
  const std::string tables = Tables(written->json);
  for (int node = 0; node < 8; ++node) {
    const std::string id = "' @" + std::to_string(2 * node + 3) + " ";
    EXPECT_NE(tables.find(id), std::string::npos) << id << tables;
  }
}

TEST(HeapsnapshotWriter, SmallIntegersInPlaceOfReferencesAreSeen) {
  const auto written = Write(R"(header { }
graph { edges_grouped: true root_ref: 1 }
nodes { count: 1 edge_count: 2 }
edges { count: 2 edges_per_node: 2 to_form: [3, 3] to: [7, 8] }
graph_end { nodes: 1 edges: 2 edges_immediate: 2 }
footer { graphs: 1 strings: 1 }
)");
  ASSERT_TRUE(written->status.ok()) << written->status.ToString();
  EXPECT_EQ(Tables(written->json), R"(synthetic '' @1 0 bytes, 2 edges
synthetic '(GC roots)' @3 0 bytes, 2 edges
synthetic '(small integer)' @5 0 bytes, 0 edges
element 1 -> 1
element 2 -> 2
element 0 -> 2
element 1 -> 2
)");
}

// A property with a name, with no name and with an index; an element with a
// name, with an index and with neither.
TEST(HeapsnapshotWriter, NamesThatAreNotAsTheKindSaysHaveTypesThatHaveSuch) {
  const auto written = Write(R"(header { }
graph { edges_grouped: true root_ref: 1 }
strings { first: 1 data: "ab" length: [1, 1] names: true }
vocabulary { space: EDGE_KIND name: [1, 1] known: [3, 2] name_form: [1, 2] }
nodes { count: 1 edge_count: 6 }
edges { count: 6 edges_per_node: 6 kind: [0, 0, 0, 1, 1, 1] name_form: [1, 0, 2, 1, 2, 0] name: [2, 0, 99, 2, 7, 0] to: [0, 0, 0, 0, 0, 0] }
graph_end { nodes: 1 edges: 6 }
footer { graphs: 1 strings: 3 }
)");
  ASSERT_TRUE(written->status.ok()) << written->status.ToString();
  EXPECT_EQ(Tables(written->json), R"(synthetic '' @1 0 bytes, 2 edges
synthetic '(GC roots)' @3 0 bytes, 6 edges
synthetic '(end)' @5 0 bytes, 0 edges
element 1 -> 1
element 2 -> 2
property 'b' -> 1
property '' -> 1
element 99 -> 1
property 'b' -> 1
element 7 -> 1
element 5 -> 1
)");
  const auto& items = written->context.loss.items();
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(items[0].code, "heapsnapshot.edge.kind.unusual_name");
  EXPECT_EQ(items[0].count, 2u);
}

// Values of every form, on nodes with and without a name: exactly what the
// names in the snapshot do not show is counted as lost.
TEST(HeapsnapshotWriter, WhatNoNameShowsIsCounted) {
  struct Value {
    pb::ValueForm form;
    std::uint64_t bits;
    std::string shown;
    std::string code;
  };
  constexpr std::uint64_t kText = 2, kValueName = 3;  // strings
  const Value values[] = {
      {pb::V_NULL, 0, "null", "constant"},
      {pb::V_BOOL, 1, "true", "constant"},
      {pb::V_INT, 4242, "4242", "integer"},
      {pb::V_UINT, 4242, "4242", "integer"},
      {pb::V_DOUBLE, std::bit_cast<std::uint64_t>(2.5), "2.5", "double"},
      {pb::V_UTF8, kText, "text", "text"},
      {pb::V_LATIN1, kText, "text", "text"},
      {pb::V_NAME, kValueName, "what", "name"},
  };
  pb::Chunk nodes_chunk;
  pb::Nodes& nodes = *nodes_chunk.mutable_nodes();
  std::vector<const Value*> of_node;
  std::string known;
  for (std::uint32_t kind = 0; kind < pb::NodeKind_ARRAYSIZE; ++kind) {
    known += (kind == 0 ? "" : ", ") + std::to_string(kind);
    for (const std::uint64_t name : {0, 1}) {
      for (const Value& value : values) {
        nodes.add_kind(kind);
        nodes.add_name(name);
        nodes.add_type_ref(1);
        nodes.add_value_form(value.form);
        nodes.add_value(value.bits);
        of_node.push_back(&value);
      }
    }
  }
  nodes.set_count(static_cast<std::uint32_t>(of_node.size()));
  const std::string count = std::to_string(of_node.size());
  const auto written = Write(R"(header { }
graph { edges_grouped: true }
strings { first: 1 data: "calledtextwhatClass" length: [6, 4, 4, 5] names: true }
vocabulary { space: NODE_KIND known: [)" +
                             known + R"(] }
types { count: 1 name: [4] }
)" + nodes_chunk.ShortDebugString() +
                             "\ngraph_end { types: 1 nodes: " + count +
                             " }\nfooter { graphs: 1 strings: 5 }\n");
  ASSERT_TRUE(written->status.ok()) << written->status.ToString();
  rapidjson::Document document;
  document.Parse(written->json.c_str());
  std::map<std::string, std::uint64_t> expected;
  std::uint64_t shown = 0;
  for (std::size_t i = 0; i < of_node.size(); ++i) {
    // After the root and (GC roots).
    const auto at = static_cast<rapidjson::SizeType>(7 * (i + 2) + 1);
    const unsigned number = document["nodes"][at].GetUint();
    const std::string name = document["strings"][number].GetString();
    const bool is_shown = name.find(of_node[i]->shown) != std::string::npos;
    shown += is_shown ? 1 : 0;
    if (!is_shown)
      ++expected["heapsnapshot.value." + of_node[i]->code + ".unshown"];
    const bool has_name = nodes.name(static_cast<int>(i)) != 0;
    if (!has_name && name.find("Class") == std::string::npos)
      ++expected["heapsnapshot.type.unshown"];
  }
  EXPECT_GT(shown, 20u);
  std::map<std::string, std::uint64_t> counted;
  for (const auto& item : written->context.loss.items()) {
    if (item.code.ends_with(".unshown")) counted[item.code] = item.count;
  }
  EXPECT_EQ(counted, expected);
}

// Locations of existing nodes are kept, if V8 may have their numbers.
TEST(HeapsnapshotWriter, LocationsAreKept) {
  const auto written = Write(R"(
header { format: 'test' }
graph { edges_grouped: true id_space: IMPLICIT root_ref: 1 }
nodes { first: 0 count: 3 self_size: [0, 8, 8] }
locations { first: 0 count: 5 to: [2, 1, 1, 1, 9] script_id: [7, 7, 2147483647, -1, 7] line: [0, 3, 2147483647, 0, 0] column: [4, 0, 2147483647, 0, 2147483648] to_form: [0, 0, 0, 0, 2] }
locations { first: 5 count: 3 to: [0, 1, 2] line: [2147483648, -1, 5] extra { name: 'script' ints: [1, 2, 3] } }
graph_end { nodes: 3 self_size_total: 16 id_limit: 4 locations: 8 }
footer { graphs: 1 strings: 1 }
)");
  ASSERT_TRUE(written->status.ok()) << written->status.message();
  rapidjson::Document document;
  document.Parse(written->json.c_str());
  ASSERT_FALSE(document.HasParseError());
  // The file has one node before those of the stream.
  std::vector<std::uint64_t> numbers;
  for (const auto& number : document["locations"].GetArray())
    numbers.push_back(number.GetUint64());
  constexpr std::uint64_t kMax = 2147483647;
  EXPECT_EQ(numbers,
            (std::vector<std::uint64_t>{21, 7, 0, 4, 14, 7, 3, 0, 14, kMax,
                                        kMax, kMax, 21, 0, 5, 0}));
  std::map<std::string, std::uint64_t> lost;
  for (const LossReport::Item& item : written->context.loss.items())
    if (item.code.starts_with("heapsnapshot.location"))
      lost[item.code] = item.count;
  EXPECT_EQ(lost, (std::map<std::string, std::uint64_t>{
                      {"heapsnapshot.location.extra", 1},
                      {"heapsnapshot.location.odd", 4}}));
}

// The name of the function becomes part of the node's name, which has room for
// 64 KiB of it.
TEST(HeapsnapshotWriter, LongPartsOfNamesAreCutBetweenCodePoints) {
  constexpr std::size_t kMost = std::size_t{64} << 10;
  for (const std::string end : {"", "a", "é"}) {
    const std::string start(kMost - 1, 'n');
    const std::string name = start + end;
    const auto written =
        Write(R"(
header { format: 'test' }
graph { edges_grouped: true id_space: IMPLICIT root_ref: 1 }
strings { first: 1 data: 'Function' length: 8 names: true }
vocabulary { space: NODE_KIND name: [0, 0] known: [0, 17] }
types { first: 0 count: 1 name: 1 }
strings { first: 2 data: ')" +
              name + "' length: " + std::to_string(name.size()) + R"( }
nodes { first: 0 count: 2 kind: [0, 1] type_ref: [0, 1] self_size: [0, 8] value_form: [0, 8] value: [0, 2] }
graph_end { types: 1 nodes: 2 self_size_total: 8 id_limit: 3 }
footer { graphs: 1 strings: 3 }
)");
    ASSERT_TRUE(written->status.ok()) << written->status.message();
    const bool fits = name.size() <= kMost;
    EXPECT_NE(written->json.find("\"Function " + (fits ? name : start) + '"'),
              std::string::npos);
    std::uint64_t cut = 0;
    for (const LossReport::Item& item : written->context.loss.items())
      if (item.code == "heapsnapshot.value.name.cut") cut = item.count;
    EXPECT_EQ(cut, fits ? 0U : 1U);
  }
}

// New ids must not wrap around to those of the source.
TEST(HeapsnapshotWriter, IdsWithNoRoomForOthersAreGivenAnew) {
  const auto write = [](const std::string& space, const std::string& last,
                        const std::string& limit) {
    return Write("header { }\ngraph { edges_grouped: true id_space: " + space +
                 " root_ref: 1 }\nnodes { count: 2 id: [1, " + last +
                 "] }\ngraph_end { nodes: 2 id_limit: " + limit +
                 " }\nfooter { graphs: 1 strings: 1 }\n");
  };
  // The file has two more nodes: the root, and one after all others.
  for (const auto& [space, last, limit, keeps] :
       {std::tuple("OPAQUE", "18446744073709551612", "18446744073709551613",
                   true),
        std::tuple("OPAQUE", "18446744073709551613", "18446744073709551614",
                   false),
        std::tuple("OPAQUE", "18446744073709551615", "18446744073709551615",
                   false),
        // These may occur twice, or be the ids of nodes that the writer makes.
        std::tuple("IMPLICIT", "1", "2", false),
        std::tuple("IMPLICIT", "9223372036854775807", "9223372036854775808",
                   false)}) {
    const auto written = write(space, last, limit);
    ASSERT_TRUE(written->status.ok()) << written->status.ToString();
    rapidjson::Document document;
    document.Parse(written->json.c_str());
    std::set<std::uint64_t> ids;
    const rapidjson::Value& nodes = document["nodes"];
    for (rapidjson::SizeType i = 0; i < nodes.Size(); i += 7)
      ids.insert(nodes[i + 2].GetUint64());
    EXPECT_EQ(ids.size(), nodes.Size() / 7) << limit;
    bool lost = false;
    for (const LossReport::Item& item : written->context.loss.items())
      lost |= item.code == "heapsnapshot.node.id.renumbered";
    EXPECT_EQ(lost, !keeps) << limit;
  }
}

// The column with the common meaning of words, `known`, is optional.
TEST(HeapsnapshotWriter, EdgesOfUnknownKindsHaveTheirNames) {
  const auto written = Write(R"(header { }
graph { edges_grouped: true root_ref: 1 }
strings { first: 1 data: "ab" length: [1, 1] names: true }
vocabulary { space: EDGE_KIND name: [1, 1] name_form: [1, 2] }
nodes { count: 1 edge_count: 2 }
edges { count: 2 edges_per_node: 2 kind: [0, 1] name: [2, 7] }
graph_end { nodes: 1 edges: 2 }
footer { graphs: 1 strings: 3 }
)");
  ASSERT_TRUE(written->status.ok()) << written->status.ToString();
  EXPECT_EQ(Tables(written->json), R"(synthetic '' @1 0 bytes, 2 edges
synthetic '(GC roots)' @3 0 bytes, 2 edges
synthetic '(end)' @5 0 bytes, 0 edges
element 1 -> 1
element 2 -> 2
internal 'b' -> 1
element 7 -> 1
)");
}

// A graph with 500 edges for each of 20 nodes, in chunks of `rows` edges. Odd
// edges are far apart: a target that was left out, an index that is too large,
// an edge without a name, and a weak edge with a number.
std::string HeapInChunks(std::uint64_t rows, bool has_odd_edges) {
  constexpr std::uint64_t kNodes = 20, kEach = 500;
  std::string text = R"(header { }
graph { edges_grouped: true root_ref: 1 }
strings { first: 1 data: 'ab' length: [1, 1] names: true }
vocabulary { space: EDGE_KIND name: [0, 0, 0, 0] known: [3, 2, 0, 7] name_form: [1, 2, 0, 2] }
)";
  for (std::uint64_t i = 0; i < kNodes; ++i) {
    text += "nodes { first: " + std::to_string(i) +
            " count: 1 edge_count: " + std::to_string(kEach) + " }\n";
  }
  std::uint64_t omitted = 0;
  for (std::uint64_t first = 0; first < kNodes * kEach; first += rows) {
    const std::uint64_t end = std::min(first + rows, kNodes * kEach);
    std::string kinds, names, targets, forms;
    bool has_forms = false;
    for (std::uint64_t edge = first; edge < end; ++edge) {
      const bool is_odd = has_odd_edges && edge % 1999 == 1998;
      const std::uint64_t which = is_odd ? edge / 1999 % 4 : 4;
      const bool is_omitted = which == 0;
      has_forms |= is_omitted;
      omitted += is_omitted ? 1 : 0;
      const std::uint64_t kind = which == 2 ? 2 : which == 3 ? 3 : edge % 2;
      const std::uint64_t name = which == 1  ? std::uint64_t{1} << 40 | 1
                                 : kind == 0 ? edge % 3
                                 : kind == 2 ? 0
                                             : edge;
      kinds += std::to_string(which == 1 ? 1 : kind) + ",";
      names += std::to_string(name) + ",";
      targets += std::to_string(is_omitted ? 0 : edge % kNodes) + ",";
      forms += is_omitted ? "1," : "0,";
    }
    for (std::string* const list : {&kinds, &names, &targets, &forms})
      list->pop_back();
    std::string each;
    for (std::uint64_t node = first / kEach; node <= (end - 1) / kEach;
         ++node) {
      const std::uint64_t from = std::max(first, node * kEach);
      each += std::to_string(std::min(end, (node + 1) * kEach) - from) + ",";
    }
    each.pop_back();
    text += "edges { first: " + std::to_string(first) +
            " count: " + std::to_string(end - first) +
            " first_node: " + std::to_string(first / kEach) +
            " edges_per_node: [" + each + "] kind: [" + kinds + "] name: [" +
            names + "] to: [" + targets + "]" +
            (has_forms ? " to_form: [" + forms + "]" : "") + " }\n";
  }
  return text + "graph_end { nodes: 20 edges: 10000 edges_omitted: " +
         std::to_string(omitted) + " }\nfooter { graphs: 1 strings: 3 }\n";
}

std::string Losses(const Written& written) {
  std::string out;
  for (const LossReport::Item& item : written.context.loss.items()) {
    out += item.code + " " + std::to_string(item.count) + ":";
    for (const std::uint64_t node : item.examples)
      out += " " + std::to_string(node);
    out += "\n";
  }
  return out;
}

// The writer writes rows in blocks, but odd ones one by one.
TEST(HeapsnapshotWriter, DoesNotDependOnWhereChunksEnd) {
  for (const bool has_odd_edges : {false, true}) {
    const auto expected = Write(HeapInChunks(1, has_odd_edges));
    ASSERT_TRUE(expected->status.ok()) << expected->status.ToString();
    EXPECT_EQ(Losses(*expected), has_odd_edges
                                     ? "heapsnapshot.edge.weak_index 1: 15\n"
                                       "heapsnapshot.edge.index.large 1: 7\n"
                                     : "");
    for (const std::uint64_t rows : {7, 500, 683, 2048, 10'000}) {
      const auto written = Write(HeapInChunks(rows, has_odd_edges));
      ASSERT_TRUE(written->status.ok()) << written->status.ToString();
      EXPECT_TRUE(written->json == expected->json) << rows;
      EXPECT_EQ(Losses(*written), Losses(*expected)) << rows;
    }
    // Tables() shows the rows, with edges one by one.
    const std::string tables = Tables(expected->json);
    EXPECT_NE(tables.find("property 'a' -> "), std::string::npos);
    EXPECT_NE(tables.find("element 9999 -> "), std::string::npos);
  }
}

}  // namespace
}  // namespace heapglot
