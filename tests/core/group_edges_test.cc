#include "core/transforms/group_edges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/check_sink.h"
#include "core/column.h"
#include "core/transforms/edge_sorter.h"
#include "tests/core/text_stream.h"
#include "tests/sanitized.h"

namespace heapglot {
namespace {

using Body = pb::Chunk::BodyCase;

// The grouped stream; everything in it is checked.
std::string Group(const std::string& text, ChunkSet wanted, Context* context) {
  VectorReader upstream(ParseStream(text));
  const std::unique_ptr<Reader> grouper = MakeEdgeGrouper(upstream, *context);
  VectorSink out;
  CheckSink check(wanted, &out);
  EXPECT_EQ(grouper->Read(wanted, check).ToString(), "");
  EXPECT_EQ(check.Finish().ToString(), "");
  return out.text();
}
std::string Group(const std::string& text) {
  Context context;
  return Group(text, ChunkSet::All(), &context);
}

// The stream in the spelling of Group().
std::string Spell(const std::string& text) {
  std::string spelled;
  for (const pb::Chunk& chunk : ParseStream(text)) spelled += ToText(chunk);
  return spelled;
}

// Two kinds of edges, one named by strings, one by numbers.
constexpr char kScattered[] = R"(
header { format: "t" }
source_image { size: 1 }
graph { root_ref: 1 edge_count: 6 }
strings { first: 1 data: "ab" length: [1, 1] names: true }
vocabulary { space: EDGE_KIND name: [1, 2] name_form: [1, 2] }
nodes { count: 2 self_size: [1, 2] }
edges { count: 3 from: [3, 0, 3] kind: [0, 1, 1] name: [2, 7, 8] to: [1, 2, 3] }
values { count: 1 owner: 1 form: 3 value: 5 }
values { first: 1 count: 2 owner_space: OF_EDGE owner: [0, 2] form: [3, 3] value: [6, 7] }
nodes { first: 2 count: 2 }
edges { first: 3 count: 3 to_form: [1, 3, 2] to: [0, 9, 99] flags: [0, 1, 0] from: [1, 3, 0] extra { name: "x" ints: [5, 0, 6] } }
values { first: 3 count: 1 owner_space: OF_GRAPH form: 3 value: 8 }
record_order { body: 8 run: 1 }
extra_table { name: "t" count: 1 }
graph_end { nodes: 4 edges: 6 values: 4 self_size_total: 3 edges_omitted: 1 edges_dangling: 1 edges_immediate: 1 }
footer { graphs: 1 strings: 3 }
)";

TEST(GroupEdgesTest, EdgesFollowTheirNodes) {
  EXPECT_EQ(Group(kScattered), Spell(R"(
header { format: "t" }
graph { root_ref: 1 edges_grouped: true edge_count: 6 }
strings { first: 1 data: "ab" length: [1, 1] names: true }
vocabulary { space: EDGE_KIND name: [1, 2] name_form: [1, 2] }
nodes { count: 2 edge_count: [2, 1] self_size: [1, 2] }
edges { count: 3 edges_per_node: [2, 1] kind: [1, 0, 0] name: [7, 0, 0] to_form: [0, 2, 1] to: [2, 99, 0] }
values { count: 1 owner: 1 form: 3 value: 5 }
nodes { first: 2 count: 2 edge_count: [0, 3] }
edges { first: 3 count: 3 first_node: 3 edges_per_node: 3 kind: [0, 1, 0] name: [2, 8, 0] to_form: [0, 0, 3] to: [1, 3, 9] flags: [0, 0, 1] }
values { first: 1 count: 1 owner_space: OF_GRAPH form: 3 value: 8 }
extra_table { name: "t" count: 1 }
graph_end { nodes: 4 edges: 6 values: 2 self_size_total: 3 edges_omitted: 1 edges_dangling: 1 edges_immediate: 1 }
footer { graphs: 1 strings: 3 }
)"));
}

TEST(GroupEdgesTest, NodesAloneHaveTheirCounts) {
  Context context;
  EXPECT_EQ(Group(kScattered, {Body::kNodes, Body::kGraphEnd}, &context),
            Spell(R"(
nodes { count: 2 edge_count: [2, 1] self_size: [1, 2] }
nodes { first: 2 count: 2 edge_count: [0, 3] }
graph_end { nodes: 4 edges: 6 values: 2 self_size_total: 3 edges_omitted: 1 edges_dangling: 1 edges_immediate: 1 }
)"));
  EXPECT_TRUE(context.loss.items().empty());
}

TEST(GroupEdgesTest, LossIsCountedOnce) {
  VectorReader upstream(ParseStream(kScattered));
  Context context;
  const std::unique_ptr<Reader> grouper = MakeEdgeGrouper(upstream, context);
  for (int pass = 0; pass < 3; ++pass) {
    VectorSink out;
    ASSERT_TRUE(grouper->Read(ChunkSet::All(), out).ok());
  }
  ASSERT_EQ(context.loss.items().size(), 2U);
  EXPECT_EQ(context.loss.items()[0].code, "group_edges.value");
  EXPECT_EQ(context.loss.items()[0].count, 2U);
  EXPECT_EQ(context.loss.items()[0].loss_class, LossClass::kDropped);
  EXPECT_EQ(context.loss.items()[1].code, "group_edges.extra");
  EXPECT_EQ(context.loss.items()[1].count, 2U);
}

TEST(GroupEdgesTest, GroupedStaysAsItIs) {
  constexpr char kGrouped[] = R"(
header { format: "t" }
source_image { size: 1 }
graph { edges_grouped: true }
nodes { count: 2 edge_count: [0, 1] }
edges { count: 1 edges_per_node: [0, 1] extra { name: "x" ints: 1 } }
values { count: 1 owner_space: OF_EDGE }
record_order { body: 8 run: 1 }
graph_end { nodes: 2 edges: 1 values: 1 }
footer { graphs: 1 strings: 1 }
)";
  EXPECT_EQ(Group(kGrouped), Spell(kGrouped));
}

TEST(GroupEdgesTest, GraphsOfBothSorts) {
  EXPECT_EQ(Group(R"(
header { format: "t" }
graph { }
nodes { count: 2 }
edges { count: 2 from: [1, 0] to: [1, 0] }
graph_end { nodes: 2 edges: 2 }
graph { edges_grouped: true }
nodes { count: 2 edge_count: [0, 1] }
edges { count: 1 edges_per_node: [0, 1] }
values { count: 1 owner_space: OF_EDGE }
record_order { body: 8 run: 1 }
graph_end { nodes: 2 edges: 1 values: 1 }
graph { }
nodes { count: 3 }
edges { count: 2 from: [2, 1] to: [2, 1] name_form: [1, 0] }
graph_end { nodes: 3 edges: 2 }
graph { }
graph_end { }
footer { graphs: 4 strings: 1 }
)"),
            Spell(R"(
header { format: "t" }
graph { edges_grouped: true }
nodes { count: 2 edge_count: [1, 1] }
edges { count: 2 edges_per_node: [1, 1] to: [0, 1] }
graph_end { nodes: 2 edges: 2 }
graph { edges_grouped: true }
nodes { count: 2 edge_count: [0, 1] }
edges { count: 1 edges_per_node: [0, 1] }
values { count: 1 owner_space: OF_EDGE }
record_order { body: 8 run: 1 }
graph_end { nodes: 2 edges: 1 values: 1 }
graph { edges_grouped: true }
nodes { count: 3 edge_count: [0, 1, 1] }
edges { count: 2 first_node: 1 edges_per_node: [1, 1] name_form: [0, 1] to: [1, 2] }
graph_end { nodes: 3 edges: 2 }
graph { edges_grouped: true }
graph_end { }
footer { graphs: 4 strings: 1 }
)"));
}

TEST(GroupEdgesTest, EdgesPastTheLastNodeAreOurFault) {
  for (const char* broken :
       {"graph { }\nedges { count: 1 from: 1 }\ngraph_end { nodes: 1 }",
        "graph { }\nnodes { count: 2 }\ngraph_end { nodes: 1 }"}) {
    VectorReader upstream(ParseStream(broken));
    Context context;
    VectorSink out;
    const Status status =
        MakeEdgeGrouper(upstream, context)->Read(ChunkSet::All(), out);
    EXPECT_EQ(status.code(), Code::kInternal) << broken;
  }
}

// --------------------------------------------------------------- at random

struct Edge {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  bool operator==(const Edge&) const = default;
};

// Graphs of `nodes` nodes each, with edges anywhere, in chunks of `rows` rows.
std::vector<pb::Chunk> RandomStream(std::mt19937& random, int graphs,
                                    std::uint64_t nodes, std::uint64_t edges,
                                    std::uint32_t rows,
                                    std::vector<std::vector<Edge>>* expected) {
  std::vector<pb::Chunk> chunks = ParseStream("header { format: \"t\" }");
  for (int graph = 0; graph < graphs; ++graph) {
    chunks.emplace_back().mutable_graph();
    auto& all = expected->emplace_back();
    // A few nodes have most of the edges.
    for (std::uint64_t i = 0; i < edges; ++i) {
      const std::uint64_t crowd = random() % 2 == 0 ? nodes : 1 + nodes / 50;
      all.push_back({random() % crowd, random() % nodes});
    }
    for (std::uint64_t sent = 0; sent < nodes; sent += rows) {
      pb::Nodes& table = *chunks.emplace_back().mutable_nodes();
      table.set_first(sent);
      table.set_count(static_cast<std::uint32_t>(
          std::min<std::uint64_t>(rows, nodes - sent)));
    }
    for (std::uint64_t sent = 0; sent < edges;) {
      pb::Edges& table = *chunks.emplace_back().mutable_edges();
      table.set_first(sent);
      for (; sent < edges && table.count() < rows; ++sent) {
        table.add_from(all[sent].from);
        table.add_to(all[sent].to);
        table.set_count(table.count() + 1);
      }
    }
    pb::GraphEnd& end = *chunks.emplace_back().mutable_graph_end();
    end.set_nodes(nodes);
    end.set_edges(edges);
    std::stable_sort(all.begin(), all.end(), [](const Edge& a, const Edge& b) {
      return a.from < b.from;
    });
  }
  pb::Footer& footer = *chunks.emplace_back().mutable_footer();
  footer.set_graphs(graphs);
  footer.set_strings(1);
  return chunks;
}

std::vector<std::vector<Edge>> EdgesOf(const std::vector<pb::Chunk>& chunks) {
  std::vector<std::vector<Edge>> graphs;
  for (const pb::Chunk& chunk : chunks) {
    if (chunk.has_graph()) graphs.emplace_back();
    EXPECT_LE(chunk.edges().count(), kChunkRows);
    EXPECT_LE(chunk.edges().edges_per_node_size(),
              static_cast<int>(kChunkRows));
    int row = 0;
    std::uint64_t node = chunk.edges().first_node();
    for (const std::uint32_t count : chunk.edges().edges_per_node()) {
      for (const int end = row + static_cast<int>(count); row < end; ++row) {
        graphs.back().push_back({node, At(chunk.edges().to(), row)});
      }
      ++node;
    }
  }
  return graphs;
}

void ExpectStableSort(std::mt19937& random, int graphs, std::uint64_t nodes,
                      std::uint64_t edges, std::uint32_t rows) {
  std::vector<std::vector<Edge>> expected;
  VectorReader upstream(
      RandomStream(random, graphs, nodes, edges, rows, &expected));
  Context context;
  const std::unique_ptr<Reader> grouper = MakeEdgeGrouper(upstream, context);
  VectorSink out;
  CheckSink check(ChunkSet::All(), &out);
  ASSERT_EQ(grouper->Read(ChunkSet::All(), check).ToString(), "");
  ASSERT_EQ(check.Finish().ToString(), "");
  ASSERT_TRUE(EdgesOf(out.chunks()) == expected);
  for (int body = Body::kHeader; body <= Body::kValues; ++body) {
    const ChunkSet wanted{static_cast<Body>(body)};
    VectorSink some;
    VectorSink selected;
    CheckSink check_some(wanted, &some);
    ASSERT_EQ(grouper->Read(wanted, check_some).ToString(), "");
    ASSERT_TRUE(VectorReader(out.chunks()).Read(wanted, selected).ok());
    ASSERT_TRUE(some.text() == selected.text()) << body;
  }
}

TEST(GroupEdgesTest, SortsLikeTheLibrary) {
  std::mt19937 random(20240607);
  for (int round = 0; round < 200; ++round) {
    ExpectStableSort(random, 1 + static_cast<int>(random() % 4),
                     1 + random() % 30, random() % 100,
                     static_cast<std::uint32_t>(1 + random() % 9));
  }
}

TEST(GroupEdgesTest, SortsMoreThanABucketHolds) {
  std::mt19937 random(1);
  // Many nodes in chunks larger than ours; few nodes with many edges each.
  ExpectStableSort(random, 1, 1'500'000, 700'000, 100'000);
  ExpectStableSort(random, 2, 3, 900'000, kChunkRows);
}

TEST(GroupEdgesTest, ManySmallGraphs) {
  std::mt19937 random(2);
  ExpectStableSort(random, Rounds(20'000), 3, 4, kChunkRows);
}

TEST(EdgeSorterTest, MustSeeTheSameTwice) {
  EdgeSorter sorter;
  ASSERT_TRUE(sorter.Begin(2).ok());
  ASSERT_TRUE(sorter.Count(1).ok());
  EXPECT_EQ(sorter.Count(2).code(), Code::kInternal);
  ASSERT_TRUE(sorter.BeginRows().ok());
  EXPECT_EQ(sorter.Finish().code(), Code::kInternal);
  EXPECT_EQ(sorter.Add(2, {}).code(), Code::kInternal);
  EXPECT_TRUE(sorter.Add(1, {}).ok());
  EXPECT_EQ(sorter.Add(0, {}).code(), Code::kInternal);
  EXPECT_TRUE(sorter.Finish().ok());
}

TEST(EdgeSorterTest, MoreNodesThanThereIsRoomFor) {
  EdgeSorter sorter;
  EXPECT_EQ(sorter.Begin(~std::uint64_t{0}).code(), Code::kLimit);
}

}  // namespace
}  // namespace heapglot
