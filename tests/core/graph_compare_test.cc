#include "core/compare/graph_compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/check_sink.h"
#include "tests/core/text_stream.h"

namespace heapglot {
namespace {

// The chunks, which must be a valid stream.
VectorReader Stream(const std::string& text) {
  VectorReader reader(ParseStream(text));
  CheckSink check(ChunkSet::All());
  EXPECT_EQ(reader.Read(ChunkSet::All(), check).ToString(), "");
  EXPECT_EQ(check.Finish().ToString(), "");
  return reader;
}

GraphComparison Compare(const std::string& a, const std::string& b,
                        CompareOptions options = {.max_nodes = 100}) {
  VectorReader reader_a = Stream(a);
  VectorReader reader_b = Stream(b);
  GraphComparison result;
  EXPECT_EQ(CompareGraphs(reader_a, reader_b, options, &result).ToString(), "");
  return result;
}

std::vector<std::string_view> Differs(const GraphComparison& comparison) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < kAspects; ++i) {
    if (comparison.differs[i]) words.push_back(kAspectNames[i]);
  }
  return words;
}

using Words = std::vector<std::string_view>;

// `text` with `from` replaced, which must be in it.
std::string With(std::string text, const std::string& from,
                 const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

// Four nodes of the classes "A" and "B"; 0 is a root and refers to 1 by "x" and
// to 2 by "y", 1 to 3 by number 5; 3 has the value "text".
constexpr char kFour[] = R"(
header { format: "t" }
graph { edges_grouped: true id_space: OPAQUE }
strings { first: 1 data: "ABxyobj" length: [1, 1, 1, 1, 3] names: true }
vocabulary { space: NODE_KIND name: [5] known: [4] }
vocabulary { space: EDGE_KIND name: [3, 5] known: [3, 2] name_form: [1, 2] }
vocabulary { space: ROOT_KIND name: [5] known: [3] }
types { count: 2 name: [1, 2] }
nodes { count: 4 id: [1, 3, 5, 7] type_ref: [1, 1, 2, 2] self_size: [8, 16, 32, 64] edge_count: [2, 1, 0, 0] value_form: [0, 0, 0, 5] value: [0, 0, 0, 6] }
edges { count: 3 edges_per_node: [2, 1] kind: [0, 0, 1] name: [3, 4, 5] to: [1, 2, 3] }
strings { first: 6 data: "text" length: [4] }
roots { count: 1 to: [0] }
graph_end { types: 2 nodes: 4 edges: 3 roots: 1 self_size_total: 120 id_limit: 8 }
footer { graphs: 1 strings: 7 }
)";

// The same graph, but types, kinds and strings have other numbers, chunks end
// elsewhere, the text comes in pieces, edges are not grouped, and there is a
// converter's node 1 with its edges.
constexpr char kFourOtherwise[] = R"(
header { format: "u" }
graph { id_space: OPAQUE }
strings { first: 1 data: "BAyx-obj" length: [1, 1, 1, 1, 1, 3] names: true }
vocabulary { space: NODE_KIND name: [5, 6] known: [1, 4] }
vocabulary { space: EDGE_KIND name: [6, 4, 3] known: [2, 3, 3] name_form: [2, 1, 1] edge_flags: [0, 0, 1] }
vocabulary { space: ROOT_KIND name: [5, 6] known: [0, 3] }
strings { first: 7 data: "te" length: [2] continued: true }
strings { first: 7 data: "xt" length: [2] }
types { count: 2 name: [1, 2] }
edges { count: 2 from: [1, 0] to: [2, 1] name: [4, 4] kind: [1, 1] }
nodes { count: 2 id: [1, 9] kind: [1, 0] type_ref: [2, 1] self_size: [8, 1000] flags: [0, 2] }
nodes { first: 2 count: 3 id: [3, 5, 7] kind: [1, 1, 1] type_ref: [2, 1, 1] self_size: [16, 32, 64] value_form: [0, 0, 6] value: [0, 0, 7] }
edges { first: 2 count: 4 from: [0, 2, 0, 0] to: [2, 4, 3, 4] name: [4, 5, 3, 3] kind: [1, 0, 1, 2] }
roots { count: 2 to: [0, 1] kind: [1, 1] }
graph_end { types: 2 nodes: 5 edges: 6 roots: 2 self_size_total: 1120 id_limit: 10 }
footer { graphs: 1 strings: 8 }
)";

TEST(GraphCompareTest, ChunksNumbersAndWhatConvertersMadeDoNotMatter) {
  const GraphComparison found = Compare(kFour, kFourOtherwise);
  EXPECT_TRUE(found.same);
  EXPECT_EQ(found.matched_by, MatchedBy::kPosition);
  EXPECT_EQ(Differs(found), Words{});
  EXPECT_EQ(found.b.nodes, 4U);
  EXPECT_EQ(found.b.edges, 3U);
  EXPECT_EQ(found.b.roots, 1U);
  EXPECT_EQ(found.b.self_size, 120U);
  ASSERT_EQ(found.classes.size(), 2U);
  EXPECT_FALSE(found.classes[0].differs());
}

// Two heaps of one object each.
std::string TwoHeaps(std::string_view first, std::string_view second) {
  const auto heap = [](std::string_view name, std::string_view size) {
    return "graph { name { data: \"" + std::string(name) +
           "\" } edges_grouped: true }\nnodes { count: 1 self_size: " +
           std::string(size) +
           " }\ngraph_end { nodes: 1 self_size_total: " + std::string(size) +
           " }\n";
  };
  return "header { }\n" + heap(first, "8") + heap(second, "16") +
         "footer { graphs: 2 strings: 1 }\n";
}

TEST(GraphCompareTest, HeapsAreToldIfBothHaveSeveral) {
  const std::string before = TwoHeaps("shop", "plugin");
  EXPECT_TRUE(Compare(before, before).same);
  for (const std::string& after :
       {TwoHeaps("plugin", "shop"), TwoHeaps("shop", "other")}) {
    const GraphComparison found = Compare(before, after);
    EXPECT_FALSE(found.same);
    EXPECT_EQ(Differs(found), Words{"heaps"});
    CompareOptions ignoring;
    ignoring.aspects.Remove(Aspect::kHeaps);
    EXPECT_TRUE(Compare(before, after, ignoring).same);
  }
  // The heaps have no names, or there is one heap for all.
  EXPECT_TRUE(Compare(before, TwoHeaps("", "")).same);
  EXPECT_TRUE(
      Compare(before,
              "header { }\ngraph { edges_grouped: true }\nnodes { count: 2 "
              "self_size: [8, 16] }\ngraph_end { nodes: 2 self_size_total: 24 "
              "}\nfooter { graphs: 1 strings: 1 }\n")
          .same);
}

TEST(GraphCompareTest, EveryAspectIsSeenAndCanBeIgnored) {
  struct Case {
    std::string from, to;
    Words differs;
  };
  const std::vector<Case> cases = {
      {"type_ref: [1, 1, 2, 2]", "type_ref: [1, 1, 2, 1]", {"classes"}},
      {"data: \"ABxyobj\"", "data: \"ACxyobj\"", {"classes"}},
      {"name: [5] known: [4]", "name: [5] known: [2]", {"kinds"}},
      {"name: [5] known: [4]", "name: [4] known: [0]", {"kinds"}},
      {"self_size: [8", "name: [0, 1, 0, 0] self_size: [8", {"names"}},
      {"data: \"text\"", "data: \"tExt\"", {"values"}},
      {"value_form: [0, 0, 0, 5]", "value_form: [0, 0, 0, 14]", {"values"}},
      {"value_form: [0, 0, 0, 5]", "value_form: [0, 0, 3, 5]", {"values"}},
      {"self_size: [8, 16", "self_size: [16, 8", {}},
      {"self_size: [8",
       "identity_hash: [0, 9, 0, 0] self_size: [8",
       {"attributes"}},
      {"to: [1, 2, 3]", "to: [1, 2, 2]", {"edges"}},
      {"to: [1, 2, 3]", "to: [2, 1, 3]", {"edge-names"}},
      {"self_size: [8, 16, 32, 64]", "self_size: [8, 16, 64, 32]", {"sizes"}},
      {"to: [1, 2, 3]", "to_form: [0, 0, 2] to: [1, 2, 3]", {"edges"}},
      {"known: [3, 2]", "known: [3, 7]", {"edge-kinds"}},
      {"name: [3, 4, 5]", "name: [3, 4, 6]", {"edge-names"}},
      {"roots { count: 1 to: [0]", "roots { count: 1 to: [1]", {"roots"}},
      {"roots { count: 1 to: [0]",
       "roots { count: 1 flags: 1 to: [0]",
       {"roots"}},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.to);
    std::string changed = With(kFour, test.from, test.to);
    if (test.to.find("[0, 0, 2]") != std::string::npos) {
      changed = With(changed, "id_limit: 8", "id_limit: 8 edges_dangling: 1");
    }
    const CompareOptions by_structure = {.match = Match::kStructure};
    for (const CompareOptions& options : {CompareOptions{}, by_structure}) {
      const GraphComparison found = Compare(kFour, changed, options);
      EXPECT_FALSE(found.same);
      const Words words = Differs(found);
      EXPECT_FALSE(words.empty());
      for (const std::string_view word : test.differs) {
        EXPECT_NE(std::ranges::find(words, word), words.end()) << word;
      }
    }
    if (test.differs.empty()) continue;
    CompareOptions ignoring;
    for (std::size_t i = 0; i < kAspects; ++i) {
      if (kAspectNames[i] == test.differs[0])
        ignoring.aspects.Remove(static_cast<Aspect>(i));
    }
    EXPECT_TRUE(Compare(kFour, changed, ignoring).same);
  }
}

// kFour in the order 0, 3, 1, 2.
std::string Reordered() {
  std::string text = kFour;
  text = With(text, "id: [1, 3, 5, 7]", "id: [1, 7, 3, 5]");
  text = With(text, "type_ref: [1, 1, 2, 2]", "type_ref: [1, 2, 1, 2]");
  text = With(text, "self_size: [8, 16, 32, 64]", "self_size: [8, 64, 16, 32]");
  text = With(text, "edge_count: [2, 1, 0, 0]", "edge_count: [2, 0, 1, 0]");
  text = With(text, "value_form: [0, 0, 0, 5]", "value_form: [0, 5, 0, 0]");
  text = With(text, "value: [0, 0, 0, 6]", "value: [0, 6, 0, 0]");
  text = With(text, "edges_per_node: [2, 1]", "edges_per_node: [2, 0, 1]");
  return With(text, "to: [1, 2, 3]", "to: [2, 3, 1]");
}

TEST(GraphCompareTest, OtherOrder) {
  GraphComparison found = Compare(kFour, Reordered());
  EXPECT_TRUE(found.same);
  EXPECT_EQ(found.matched_by, MatchedBy::kIds);
  EXPECT_EQ(Differs(found), Words{});
  EXPECT_EQ(found.ids, GraphComparison::Ids::kDifferent);

  found = Compare(kFour, Reordered(), {.match = Match::kStructure});
  EXPECT_TRUE(found.same);
  EXPECT_EQ(found.matched_by, MatchedBy::kStructure);
  EXPECT_EQ(found.depth, 3);

  // If ids mean nodes of other classes, they are those of another process.
  const std::string renumbered =
      With(Reordered(), "id: [1, 7, 3, 5]", "id: [5, 3, 7, 1]");
  found = Compare(kFour, renumbered);
  EXPECT_TRUE(found.same);
  EXPECT_EQ(found.matched_by, MatchedBy::kStructure);
}

// `nodes` nodes of one class and size. The first `kept` of them always have the
// same ids; the others are numbered from `first` on.
std::string ManyNodes(int nodes, int kept, int first, int size) {
  std::string ids;
  std::string sizes;
  for (int node = 0; node < nodes; ++node) {
    const int id = 2 * node + (node < kept ? 1 : first);
    ids.append(std::to_string(id)).append(node < nodes - 1 ? "," : "");
    sizes.append(std::to_string(size)).append(node < nodes - 1 ? "," : "");
  }
  const std::string text = With(With(With(R"(
header { format: "t" }
graph { edges_grouped: true id_space: OPAQUE }
strings { first: 1 data: "A" length: [1] names: true }
types { count: 1 name: [1] }
nodes { count: COUNT id: [IDS] type_ref: [TYPES] self_size: [SIZES] }
graph_end { types: 1 nodes: COUNT self_size_total: TOTAL id_limit: 9999 }
footer { graphs: 1 strings: 2 }
)",
                                          "IDS", ids),
                                     "COUNT", std::to_string(nodes)),
                                "COUNT", std::to_string(nodes));
  std::string types = "1";
  for (int node = 1; node < nodes; ++node) types.append(",1");
  return With(With(With(text, "TYPES", types), "SIZES", sizes), "TOTAL",
              std::to_string(nodes * size));
}

TEST(GraphCompareTest, AFewCommonIdsDoNotMakeOneProcess) {
  GraphComparison found =
      Compare(ManyNodes(40, 2, 1001, 8), ManyNodes(40, 2, 2001, 16));
  EXPECT_EQ(found.matched_by, MatchedBy::kStructure);
  EXPECT_EQ(found.changes.total(), 0U);

  found = Compare(ManyNodes(40, 4, 1001, 8), ManyNodes(40, 4, 2001, 16));
  EXPECT_EQ(found.matched_by, MatchedBy::kIds);
  EXPECT_EQ(found.changes.grown, 4U);
  EXPECT_EQ(found.changes.added, 36U);

  // A tenth of them at least, and at least three.
  found = Compare(ManyNodes(31, 3, 1001, 8), ManyNodes(31, 3, 2001, 16));
  EXPECT_EQ(found.matched_by, MatchedBy::kStructure);
  found = Compare(ManyNodes(31, 4, 1001, 8), ManyNodes(31, 4, 2001, 16));
  EXPECT_EQ(found.matched_by, MatchedBy::kIds);
  found = Compare(ManyNodes(5, 2, 1001, 8), ManyNodes(5, 2, 2001, 16));
  EXPECT_EQ(found.matched_by, MatchedBy::kStructure);
  found = Compare(ManyNodes(5, 3, 1001, 8), ManyNodes(5, 3, 2001, 16));
  EXPECT_EQ(found.matched_by, MatchedBy::kIds);
}

// V8 numbers in the same order in each process, so that ids and classes agree.
TEST(GraphCompareTest, OtherTextsByTheSameIdsAreOfAnotherProcess) {
  constexpr char kTexts[] = R"(
header { format: "t" }
graph { edges_grouped: true id_space: OPAQUE }
strings { first: 1 data: "abcdefgh" length: [1, 1, 1, 1, 1, 1, 1, 1] }
nodes { count: 5 id: [1, 3, 5, 7, 9] self_size: [1, 1, 1, 1, 1] value_form: [9, 9, 9, 9, 0] value: [1, 2, 3, 4, 0] }
graph_end { nodes: 5 self_size_total: 5 id_limit: 10 }
footer { graphs: 1 strings: 9 }
)";
  const std::string grown =
      With(With(kTexts, "[1, 1, 1, 1, 1] value", "[1, 1, 1, 1, 2] value"),
           "total: 5", "total: 6");
  GraphComparison found = Compare(kTexts, grown);
  EXPECT_EQ(found.matched_by, MatchedBy::kIds);
  EXPECT_EQ(found.changes.grown, 1U);
  found = Compare(kTexts, With(grown, "[1, 2, 3, 4, 0]", "[1, 2, 3, 8, 0]"));
  EXPECT_EQ(found.matched_by, MatchedBy::kStructure);
}

// Even if nodes are in another order.
TEST(GraphCompareTest, WhatIsIgnoredIsIgnoredInAnyOrder) {
  constexpr char kNodes[] = R"(
header { format: "t" }
graph { edges_grouped: true id_space: OPAQUE }
strings { first: 1 data: "AB" length: [1, 1] names: true }
types { count: 2 name: [1, 2] }
nodes { count: 4 id: [1, 3, 5, 7] type_ref: [1, 2, 2, 2] self_size: [1, 1, 1, 1] edge_count: [2, 0, 0, 0] }
edges { count: 2 edges_per_node: [2] to: [1, 2] }
graph_end { types: 2 nodes: 4 edges: 2 self_size_total: 4 id_limit: 8 }
footer { graphs: 1 strings: 3 }
)";
  const std::string moved = With(kNodes, "[1, 3, 5, 7]", "[1, 5, 3, 7]");
  const std::string other_class = With(moved, "[1, 2, 2, 2]", "[1, 2, 2, 1]");
  std::string less = With(moved, "[2, 0, 0, 0]", "[1, 0, 0, 0]");
  less = With(With(less, "count: 2 edges", "count: 1 edges"), "edges: 2 self",
              "edges: 1 self");
  less = With(less, "node: [2] to: [1, 2]", "node: [1] to: [1]");
  for (const Match match : {Match::kIds, Match::kStructure}) {
    CompareOptions options = {.match = match, .max_nodes = 100};
    EXPECT_FALSE(Compare(kNodes, less, options).same);
    EXPECT_FALSE(Compare(kNodes, other_class, options).same);
    options.aspects.Remove(Aspect::kEdges);
    options.aspects.Remove(Aspect::kEdgeKinds);
    options.aspects.Remove(Aspect::kEdgeNames);
    EXPECT_TRUE(Compare(kNodes, less, options).same);
    EXPECT_FALSE(Compare(kNodes, other_class, options).same);
    options.aspects.Remove(Aspect::kClasses);
    EXPECT_TRUE(Compare(kNodes, other_class, options).same);
  }
}

TEST(GraphCompareTest, DepthDecidesWhatIsSeen) {
  // The chains 0 1 2 3 and 4 5 6 7 are alike in the middle: that their ends are
  // swapped shows only three edges away.
  constexpr char kChains[] = R"(
header { format: "t" }
graph { edges_grouped: true }
nodes { count: 8 edge_count: [1, 1, 1, 0, 1, 1, 1, 0] self_size: [1, 2, 3, 4, 9, 2, 3, 8] }
edges { count: 6 edges_per_node: [1, 1, 1, 0, 1, 1, 1] to: [1, 2, 3, 5, 6, 7] }
graph_end { nodes: 8 edges: 6 self_size_total: 32 }
footer { graphs: 1 strings: 1 }
)";
  const std::string swapped =
      With(kChains, "to: [1, 2, 3, 5, 6, 7]", "to: [1, 2, 7, 5, 6, 3]");
  EXPECT_TRUE(Compare(kChains, swapped, {.depth = 2}).same);
  const GraphComparison found = Compare(kChains, swapped, {.depth = 9});
  EXPECT_FALSE(found.same);
  EXPECT_EQ(found.depth, 3);
  EXPECT_EQ(Differs(found), Words{"edges"});
  EXPECT_EQ(found.ids, GraphComparison::Ids::kNotComparable);
}

TEST(GraphCompareTest, ChangesOfNodesById) {
  // 3 grows, 5 is gone, 7 refers to 3 now, 9 is new.
  constexpr char kLater[] = R"(
header { format: "t" }
graph { edges_grouped: true id_space: OPAQUE }
strings { first: 1 data: "ABxyobj" length: [1, 1, 1, 1, 3] names: true }
vocabulary { space: NODE_KIND name: [5] known: [4] }
vocabulary { space: EDGE_KIND name: [3, 5] known: [3, 2] name_form: [1, 2] }
vocabulary { space: ROOT_KIND name: [5] known: [3] }
types { count: 2 name: [1, 2] }
nodes { count: 4 id: [1, 3, 7, 9] type_ref: [1, 1, 2, 1] self_size: [8, 20, 64, 99] edge_count: [1, 1, 1, 0] value_form: [0, 0, 5, 0] value: [0, 0, 6, 0] }
edges { count: 3 edges_per_node: [1, 1, 1] kind: [0, 1, 1] name: [3, 5, 0] to: [1, 2, 1] }
strings { first: 6 data: "text" length: [4] }
roots { count: 1 to: [0] }
graph_end { types: 2 nodes: 4 edges: 3 roots: 1 self_size_total: 191 id_limit: 10 }
footer { graphs: 1 strings: 7 }
)";
  const GraphComparison found = Compare(kFour, kLater);
  EXPECT_FALSE(found.same);
  EXPECT_EQ(found.matched_by, MatchedBy::kIds);
  EXPECT_EQ(found.changes.added, 1U);
  EXPECT_EQ(found.changes.removed, 1U);
  EXPECT_EQ(found.changes.grown, 1U);
  EXPECT_EQ(found.changes.shrunk, 0U);
  EXPECT_EQ(found.changes.changed, 2U);  // 7, and 1, which lost an edge
  ASSERT_EQ(found.nodes.size(), 5U);
  using What = NodeDifference::What;
  EXPECT_EQ(found.nodes[0].what, What::kAdded);
  EXPECT_EQ(found.nodes[0].id, 9U);
  EXPECT_EQ(found.classes[found.nodes[0].class_index].name, "A");
  EXPECT_EQ(found.nodes[1].what, What::kRemoved);
  EXPECT_EQ(found.nodes[1].size_a, 32U);
  EXPECT_EQ(found.nodes[2].what, What::kGrown);
  EXPECT_EQ(found.nodes[2].size_b, 20U);
  EXPECT_EQ(found.nodes[3].id, 1U);
  EXPECT_EQ(found.nodes[4].id, 7U);
  ASSERT_EQ(found.classes.size(), 2U);
  EXPECT_EQ(found.classes[0].name, "A");
  EXPECT_EQ(found.classes[0].size_distance(), 103U);
  EXPECT_EQ(found.classes[1].changes.removed, 1U);

  const GraphComparison listed = Compare(kFour, kLater, {.max_nodes = 2});
  ASSERT_EQ(listed.nodes.size(), 2U);
  EXPECT_EQ(listed.nodes[0].id, 9U);
  EXPECT_EQ(listed.nodes[1].id, 5U);
}

// Two graphs whose nodes have the same ids.
constexpr char kTwoGraphs[] = R"(
header { format: "t" }
graph { id_space: ADDRESS edges_grouped: true }
nodes { count: 2 id: [16, 32] self_size: [1, 2] edge_count: [1, 0] }
edges { count: 1 edges_per_node: [1] to: [1] }
graph_end { nodes: 2 edges: 1 self_size_total: 3 id_limit: 33 }
graph { id_space: ADDRESS edges_grouped: true }
nodes { count: 2 id: [16, 32] self_size: [3, 4] edge_count: [1, 0] }
edges { count: 1 edges_per_node: [1] to: [1] }
values { count: 1 owner: [1] form: [11] value: [0] }
graph_end { nodes: 2 edges: 1 values: 1 self_size_total: 7 id_limit: 33 }
footer { graphs: 2 strings: 1 }
)";

TEST(GraphCompareTest, SeveralGraphs) {
  EXPECT_TRUE(Compare(kTwoGraphs, kTwoGraphs).same);
  GraphComparison found =
      Compare(kTwoGraphs, With(With(kTwoGraphs, "[3, 4]", "[3, 5]"),
                               "self_size_total: 7", "self_size_total: 8"));
  EXPECT_EQ(found.changes.grown, 1U);
  EXPECT_EQ(found.changes.total(), 1U);
  EXPECT_TRUE(found.ids_may_move);
  // A value that is a node is a reference.
  found = Compare(kTwoGraphs, With(kTwoGraphs, "value: [0]", "value: [1]"));
  EXPECT_FALSE(found.same);
  EXPECT_EQ(Differs(found), Words{"edges"});
  EXPECT_EQ(found.changes.changed, 1U);
}

// Positions are not ids, even if another heap has ids.
TEST(GraphCompareTest, HeapsWithAndWithoutIds) {
  constexpr char kMixed[] = R"(
header { format: "test" }
graph { edges_grouped: true }
nodes { count: 3 self_size: [1, 2, 3] edge_count: [2, 0, 0] }
edges { count: 2 edges_per_node: [2] to: [1, 2] }
graph_end { nodes: 3 edges: 2 self_size_total: 6 }
graph { id_space: ADDRESS edges_grouped: true }
nodes { count: 2 id: [16, 32] self_size: [3, 4] }
graph_end { nodes: 2 self_size_total: 7 id_limit: 33 }
footer { graphs: 2 strings: 1 }
)";
  const GraphComparison found = Compare(
      kMixed,
      With(With(kMixed, "[1, 2, 3]", "[1, 3, 2]"), "[1, 2] }", "[2, 1] }"));
  EXPECT_TRUE(found.same);
  EXPECT_EQ(found.changes.total(), 0U);
}

TEST(GraphCompareTest, LibrariesOfOneDumpOnly) {
  const std::string libraries = With(
      With(kFour, "types { count: 2", "types { count: 2 library_uri: [3, 3]"),
      "id_space: OPAQUE", "id_space: IMPLICIT");
  const GraphComparison found =
      Compare(With(kFour, "id: [1, 3, 5, 7] ", ""),
              With(libraries, "id: [1, 3, 5, 7] ", ""));
  EXPECT_TRUE(found.same);
  EXPECT_TRUE(found.ignores_libraries);
  const GraphComparison other = Compare(
      libraries, With(libraries, "library_uri: [3, 3]", "library_uri: [3, 4]"));
  EXPECT_FALSE(other.same);
  EXPECT_EQ(Differs(other), Words{"classes"});
}

TEST(GraphCompareTest, SameBytesTakeOneOfThem) {
  VectorReader a = Stream(kFour);
  VectorReader b({});
  GraphComparison found;
  EXPECT_EQ(CompareGraphs(a, b, {.same_bytes = true}, &found).ToString(), "");
  EXPECT_TRUE(found.same);
  EXPECT_EQ(found.matched_by, MatchedBy::kBytes);
  EXPECT_EQ(found.b.nodes, 4U);
  EXPECT_EQ(found.classes[0].b.count, 2U);
}

TEST(GraphCompareTest, IdsThatCannotBeCompared) {
  VectorReader a = Stream(kFour);
  VectorReader b = Stream(kTwoGraphs);
  GraphComparison found;
  const Status status = CompareGraphs(a, b, {.match = Match::kIds}, &found);
  EXPECT_EQ(status.code(), Code::kUsage);
}

}  // namespace
}  // namespace heapglot
