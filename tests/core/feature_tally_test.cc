#include "core/loss/feature_tally.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/core/text_stream.h"

namespace heapglot {
namespace {

using Body = pb::Chunk::BodyCase;

// A line "key count [examples]" for each feature that occurs.
std::string Spell(const FeatureTally& tally) {
  std::string text;
  for (std::size_t i = 0; i < kFeatures; ++i) {
    const auto feature = static_cast<Feature>(i);
    if (tally.count(feature) == 0) continue;
    text +=
        std::string(Key(feature)) + " " + std::to_string(tally.count(feature));
    for (const std::uint64_t node : tally.examples(feature))
      text += " #" + std::to_string(node);
    text += "\n";
  }
  return text;
}

std::string CountAll(const std::string& chunks) {
  VectorReader reader(ParseStream(chunks));
  FeatureTally tally;
  EXPECT_TRUE(CountFeatures(reader, &tally).ok());
  return Spell(tally);
}

// What every stream of one graph has around its rows.
std::string Stream(const std::string& graph, const std::string& rows,
                   const std::string& end) {
  return "header { }\ngraph { edges_grouped: true " + graph + " }\n" + rows +
         "\ngraph_end { " + end + " }\nfooter { graphs: 1 strings: 1 }\n";
}

TEST(FeatureTallyTest, AnEmptyGraphHasNothing) {
  EXPECT_EQ(CountAll(Stream("", "", "")), "");
}

TEST(FeatureTallyTest, ColumnsOfNodes) {
  EXPECT_EQ(
      CountAll(Stream(
          "",
          "vocabulary { space: NODE_KIND known: [3, 4] }\n"
          "nodes { count: 3 id: [7, 8, 9] type_ref: [1, 0, 5] name: [0, 0, 1] "
          "self_size: [8, 0, 8] trace_node: [0, 2, 0] stack_frame_ref: [0, 1, "
          "3] detachedness: [1, 0, 0] identity_hash: [0, 5, 6] flags: [1, 0, "
          "4] heap_space_ref: [0, 0, 1] value_length: [0, 9, 0] }",
          "nodes: 3")),
      "node 3\n"
      "node.id 3 #0 #1 #2\n"
      "node.kind 3 #0 #1 #2\n"
      "node.name 1 #2\n"
      "node.self_size 2 #0 #2\n"
      "node.identity_hash 2 #1 #2\n"
      "node.detachedness 1 #0\n"
      "node.trace 2 #1 #2\n"
      "node.heap_space 1 #2\n"
      "node.phantom 1 #0\n"
      "type 1 #0\n"
      "type.dangling 1 #2\n"
      "value.cut 1 #1\n");
}

TEST(FeatureTallyTest, ColumnsOfTheSourceAreOneFeature) {
  EXPECT_EQ(CountAll(Stream("",
                            "nodes { count: 2 edge_count: [2, 0] extra { name: "
                            "'a' } extra { name: 'b' } }\n"
                            "edges { count: 2 edges_per_node: [2, 0] extra { "
                            "name: 'c' } }",
                            "nodes: 2 edges: 2")),
            "node 2\n"
            "node.extra 2 #0 #1\n"
            "edge 2\n"
            "edge.order 2\n"
            "edge.extra 2 #0\n");
}

TEST(FeatureTallyTest, FormsOfValues) {
  EXPECT_EQ(CountAll(Stream("",
                            "nodes { count: 17 value_form: [0, 1, 2, 3, 4, 5, "
                            "6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16] }",
                            "nodes: 17 values: 4")),
            "node 17\n"
            "value.constant 2 #1 #2\n"
            "value.integer 2 #3 #10\n"
            "value.double 1 #4\n"
            "value.text 4 #5 #6 #9 #13\n"
            "value.name 1 #8\n"
            "value.length 1 #7\n"
            "value.other 5 #11 #12 #14 #15 #16\n"
            "value.named 4\n");
}

constexpr char kEdgeKinds[] =
    "vocabulary { space: EDGE_KIND known: [0, 3, 2, 7] name_form: [0, 1, 2, 1] "
    "}\n";

TEST(FeatureTallyTest, KindsOfEdgesSayWhatTheyAre) {
  EXPECT_EQ(CountAll(Stream(
                "",
                kEdgeKinds + std::string("nodes { count: 3 edge_count: [1, "
                                         "0, 4] }\n"
                                         "edges { count: 5 edges_per_node: "
                                         "[1, 0, 4] kind: [0, 1, 2, 3, 9] "
                                         "to_form: [0, 0, 1, 2, 3] }"),
                "nodes: 3 edges: 5 edges_omitted: 1 "
                "edges_dangling: 1 edges_immediate: 1")),
            "node 3\n"
            "edge 2\n"
            "edge.order 5\n"
            "edge.name 2 #2\n"
            "edge.index 1 #2\n"
            "edge.kind 2 #2\n"
            "edge.weak 1 #2\n"
            "edge.omitted 1 #2\n"
            "edge.dangling 1 #2\n"
            "edge.immediate 1 #2\n");
}

// By their kind, or by their own flag: edges that the reader has added are not
// the source's.
TEST(FeatureTallyTest, SynthesizedEdgesAreCountedApart) {
  VectorReader reader(ParseStream(Stream(
      "",
      "vocabulary { space: EDGE_KIND known: [3, 3] name_form: [1, 2] "
      "edge_flags: [0, 1] }\n"
      "nodes { count: 1 edge_count: 6 }\n"
      "edges { count: 3 edges_per_node: 3 kind: [0, 1, 1] to_form: [1, 0, "
      "1] }\n"
      "edges { first: 3 count: 3 edges_per_node: 3 flags: [1, 0, 0] "
      "name_form: [1, 1, 2] to_form: [2, 0, 0] }",
      "nodes: 1 edges: 6 edges_omitted: 2 edges_dangling: 1 "
      "edges_synthesized: 3")));
  FeatureTally tally;
  ASSERT_TRUE(CountFeatures(reader, &tally).ok());
  EXPECT_EQ(Spell(tally),
            "node 1\nedge 2\nedge.order 3\nedge.name 2 #0\nedge.index 1 #0\n"
            "edge.kind 3 #0\nedge.omitted 1 #0\n");
  EXPECT_EQ(tally.made_edges(), 3U);
}

TEST(FeatureTallyTest, AnEdgesOwnFormCounts) {
  EXPECT_EQ(CountAll(Stream(
                "",
                kEdgeKinds + std::string("nodes { count: 2 edge_count: [0, "
                                         "3] }\n"
                                         "edges { count: 3 first_node: 1 "
                                         "edges_per_node: [3] kind: [1, 1, "
                                         "1] name_form: [0, 2, 2] }"),
                "nodes: 2 edges: 3")),
            "node 2\n"
            "edge 3\n"
            "edge.order 3\n"
            "edge.index 2 #1\n"
            "edge.kind 3 #1\n");
}

// More edges in a chunk than the counters of one sum have room for.
TEST(FeatureTallyTest, ManyEdgesInAChunk) {
  constexpr std::uint32_t kEdges = 200'000;
  std::vector<pb::Chunk> chunks = ParseStream(
      "header { }\ngraph { }\n"
      "vocabulary { space: EDGE_KIND known: [7] name_form: [1] }\n");
  pb::Edges& edges = *chunks.emplace_back().mutable_edges();
  edges.set_count(kEdges);
  edges.mutable_from()->Resize(kEdges, 5);
  VectorReader reader(std::move(chunks));
  FeatureTally tally;
  ASSERT_TRUE(CountFeatures(reader, &tally).ok());
  EXPECT_EQ(tally.count(Feature::kEdgeWeak), kEdges);
  EXPECT_EQ(tally.count(Feature::kEdgeName), kEdges);
  EXPECT_EQ(tally.count(Feature::kEdgeIndex), 0U);
  EXPECT_EQ(tally.examples(Feature::kEdgeWeak),
            std::vector<std::uint64_t>({5}));
}

TEST(FeatureTallyTest, OtherTables) {
  EXPECT_EQ(
      CountAll(Stream(
          "name { data: 'x' } flags: 1 root_ref: 1 capacity: 4 node_count: 3 "
          "pointer_size: 4 source_version { data: '2' }",
          "strings { first: 1 data: 'abc' length: [1, 1, 1] encoding: [UTF8, "
          "WTF8, BYTES] source_id: [4, 5, 6] }\n"
          "vocabulary { space: ROOT_KIND known: [1, 17] }\n"
          "types { count: 4 id: [1, 2, 3, 4] library_name: [1, 0, 0, 0] "
          "library_uri: [0, 1, 0, 0] super_ref: [0, 0, 1, 0] field_count: [0, "
          "0, 2, 0] flags: [0, 0, 0, 1] }\n"
          "roots { count: 3 to_form: [0, 2, 0] kind: [0, 0, 1] label: [1, 0, "
          "0] }\n"
          "metadata { entry { } entry { } }\n"
          "extra { data: 'a' continued: true }\nextra { data: 'b' }\n"
          "extra_table { count: 2 }\nextra_table { first: 2 count: 2 }",
          "externals: 1 locations: 2 trace_functions: 1 trace_nodes: 1 "
          "samples: 1 stack_frames: 2 threads: 2")),
      "type.id 4\n"
      "type.library 2\n"
      "type.fields 1\n"
      "type.relation 1\n"
      "type.detail 1\n"
      "string.encoding 2\n"
      "string.id 3\n"
      "root 2\n"
      "root.kind 2\n"
      "root.detail 1\n"
      "root.dangling 1\n"
      "external 1\n"
      "location 2\n"
      "trace 3\n"
      "stack 4\n"
      "graph.name 1\n"
      "graph.root 1\n"
      "graph.totals 1\n"
      "graph.detail 2\n"
      "metadata 2\n"
      "extra 2\n");
}

TEST(FeatureTallyTest, PiecesOfAStringAreOne) {
  EXPECT_EQ(CountAll(Stream("",
                            "strings { first: 1 data: 'ab' length: [1, 1] "
                            "encoding: [UTF8, BYTES] continued: true }\n"
                            "strings { first: 2 data: 'c' length: [1] "
                            "encoding: [BYTES] }",
                            "")),
            "string.encoding 1\n");
}

// ------------------------------------------------------------------- passes

// Each pass brings what it is asked for, and each kind is counted once.
TEST(TallyReaderTest, CountsEachKindInThePassThatBringsIt) {
  VectorReader upstream(ParseStream(
      Stream("root_ref: 1",
             kEdgeKinds + std::string("nodes { count: 1 id: 9 edge_count: 1 }\n"
                                      "edges { count: 1 edges_per_node: 1 "
                                      "kind: 3 }\nextra { data: 'a' }"),
             "nodes: 1 edges: 1")));
  FeatureTally tally;
  const auto reader = MakeTallyReader(upstream, tally);
  const std::vector<ChunkSet> passes = {{Body::kHeader},
                                        {Body::kNodes},
                                        {Body::kNodes, Body::kEdges},
                                        {Body::kEdges},
                                        {Body::kGraphEnd, Body::kExtra}};
  for (const ChunkSet& wanted : passes) {
    VectorSink got;
    ASSERT_TRUE(reader->Read(wanted, got).ok());
    VectorSink plain;
    ASSERT_TRUE(upstream.Read(wanted, plain).ok());
    EXPECT_EQ(got.text(), plain.text());
  }
  EXPECT_EQ(Spell(tally),
            "node 1\nnode.id 1 #0\nedge 1\nedge.order 1\nedge.name 1 #0\n"
            "edge.weak 1 #0\ngraph.root 1\nextra 1\n");
}

// ------------------------------------------------------------------- report

constexpr FidelityRow kRows[] = {
    {Feature::kNodeId, "t.node.id", LossClass::kEquivalent, "other ids"},
    {Feature::kNodeId, "t.node.id.large", LossClass::kDropped, "too large"},
    {Feature::kEdgeName, "t.edge.name", LossClass::kDropped, "no names"},
    {Feature::kNode, "t.node", LossClass::kExact, "a node"},
    {Feature::kRoot, "t.root", LossClass::kEquivalent, "a reference"},
};
constexpr WriterInfo kTarget = {.name = "t",
                                .title = "",
                                .extensions = "",
                                .fidelity = kRows,
                                .make = nullptr};

constexpr ReaderInfo kHome = {.name = "t",
                              .title = "",
                              .extensions = "",
                              .produces = {Feature::kNode, Feature::kNodeId},
                              .sniff = nullptr,
                              .make = nullptr};

std::string Rest(const FeatureTally& tally, bool native, LossReport report) {
  AddTheRest(tally, kTarget, native ? &kHome : nullptr, &report);
  std::string text;
  for (const LossReport::Item& item : report.items()) {
    text += item.code + " " + std::string(ToString(item.loss_class)) + " " +
            std::to_string(item.count) + " " + item.detail;
    for (const std::uint64_t node : item.examples)
      text += " #" + std::to_string(node);
    text += "\n";
  }
  return text;
}

TEST(AddTheRestTest, WhatIsNoSpecialCaseGoesByTheRule) {
  FeatureTally tally;
  tally.Set(Feature::kNodeId, 10);
  tally.Set(Feature::kEdgeName, 3);
  LossReport report;
  report.Add("t.node.id.large", LossClass::kDropped, 4, "too large", {2});
  EXPECT_EQ(Rest(tally, false, report),
            "t.node.id.large dropped 4 too large #2\n"
            "t.node.id equivalent 6 other ids\n"
            "t.edge.name dropped 3 no names\n");
}

TEST(AddTheRestTest, TheWriterMayHaveCountedAll) {
  FeatureTally tally;
  tally.Set(Feature::kEdgeName, 3);
  LossReport report;
  report.Add("t.edge.name", LossClass::kDropped, 3, "no names");
  EXPECT_EQ(Rest(tally, false, report), "t.edge.name dropped 3 no names\n");
  tally.Set(Feature::kEdgeName, 2);
  EXPECT_EQ(Rest(tally, false, report), "t.edge.name dropped 3 no names\n");
}

// Except for what did not come from the source.
TEST(AddTheRestTest, AReturnIsExact) {
  FeatureTally tally;
  tally.Set(Feature::kNodeId, 10);
  tally.Set(Feature::kEdgeName, 3);
  tally.Set(Feature::kRoot, 2);
  EXPECT_EQ(Rest(tally, true, {}),
            "t.node.id exact 10 as it is\nt.edge.name dropped 3 no names\n"
            "t.root dropped 2 not part of this format, so not restored\n");
}

// In the IR they are marked, and no writer writes them to the source's own
// format.
TEST(AddTheRestTest, EdgesOfReadersAreSynthesizedForOthers) {
  VectorReader reader(
      ParseStream(Stream("", "", "nodes: 1 edges: 6 edges_synthesized: 3")));
  FeatureTally tally;
  ASSERT_TRUE(CountFeatures(reader, &tally).ok());
  WriterInfo ir = kTarget;
  ir.keeps_source_image = true;
  const auto count = [&](const WriterInfo& to, bool native) {
    LossReport report;
    AddTheRest(tally, to, native ? &kHome : nullptr, &report);
    return report.synthesized().empty() ? 0 : report.synthesized()[0].count;
  };
  EXPECT_EQ(count(kTarget, false), 3U);
  EXPECT_EQ(count(kTarget, true), 0U);
  EXPECT_EQ(count(ir, false), 0U);
}

TEST(AddTheRestTest, ExamplesAreOfLossesAndNotOfSpecialCases) {
  VectorReader upstream(ParseStream(
      Stream("",
             "vocabulary { space: EDGE_KIND known: [3] name_form: [1] }\n"
             "nodes { count: 2 id: [1, 2] edge_count: [0, 1] }\n"
             "edges { count: 1 first_node: 1 edges_per_node: 1 }",
             "nodes: 2 edges: 1")));
  FeatureTally tally;
  ASSERT_TRUE(CountFeatures(upstream, &tally).ok());
  EXPECT_EQ(Rest(tally, false, {}),
            "t.node.id equivalent 2 other ids\n"
            "t.edge.name dropped 1 no names #1\n"
            "t.node exact 2 a node\n");
}

}  // namespace
}  // namespace heapglot
