#include "core/transforms/merge_graphs.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/check_sink.h"
#include "core/transforms/group_edges.h"
#include "tests/core/text_stream.h"
#include "tests/sanitized.h"

namespace heapglot {
namespace {

using Body = pb::Chunk::BodyCase;

// The merged stream. Everything in it is checked, and that every pass is a
// selection of it.
std::vector<pb::Chunk> Merge(const std::vector<pb::Chunk>& chunks) {
  CheckSink check_input(ChunkSet::All());
  VectorReader upstream(chunks);
  EXPECT_EQ(upstream.Read(ChunkSet::All(), check_input).ToString(), "");
  Context context;
  const std::unique_ptr<Reader> merger = MakeGraphMerger(upstream, context);
  VectorSink all;
  CheckSink check(ChunkSet::All(), &all);
  EXPECT_EQ(merger->Read(ChunkSet::All(), check).ToString(), "");
  EXPECT_EQ(check.Finish().ToString(), "");
  for (int body = Body::kHeader; body <= Body::kSourceImage; ++body) {
    const ChunkSet wanted{static_cast<Body>(body)};
    VectorSink some;
    VectorSink expected;
    CheckSink check_some(wanted, &some);
    // With a new reader: the first pass may be any.
    EXPECT_EQ(
        MakeGraphMerger(upstream, context)->Read(wanted, check_some).ToString(),
        "");
    EXPECT_TRUE(VectorReader(all.chunks()).Read(wanted, expected).ok());
    EXPECT_TRUE(some.text() == expected.text()) << body;
  }
  return all.chunks();
}

std::string Spell(const std::vector<pb::Chunk>& chunks) {
  std::string spelled;
  for (const pb::Chunk& chunk : chunks) spelled += ToText(chunk);
  return spelled;
}
std::string Spell(const std::string& text) { return Spell(ParseStream(text)); }
std::string Merge(const std::string& text) {
  return Spell(Merge(ParseStream(text)));
}

TEST(MergeGraphsTest, OneGraphStaysAsItIs) {
  constexpr char kOne[] = R"(
header { format: "t" }
source_image { size: 1 }
graph { name { data: "a" } root_ref: 1 id_space: ADDRESS node_count: 1 }
nodes { count: 1 id: 77 }
extra { data: "x" }
record_order { body: 8 run: 1 }
graph_end { nodes: 1 id_limit: 78 }
footer { graphs: 1 strings: 1 }
)";
  EXPECT_EQ(Merge(kOne), Spell(kOne));
}

TEST(MergeGraphsTest, NodesAndEdgesAreRenumbered) {
  // The words of the second graph are in the first one's names.
  EXPECT_EQ(Merge(R"(
header { format: "t" }
graph { name { data: "A" } edges_grouped: true id_space: ADDRESS flags: 3 node_count: 2 }
strings { first: 1 data: "obrefkindidxA.T" length: [2, 3, 4, 3, 3] names: true }
vocabulary { space: NODE_KIND name: [1, 3] known: [4, 0] }
vocabulary { space: EDGE_KIND name: [2, 4] known: [3, 2] name_form: [1, 2] }
types { count: 1 id: 500 name: 5 source_position: 1 field_count: 1 field_name: 2 field_slot: 0 }
strings { first: 6 data: "x" length: 1 }
nodes { count: 2 id: [100, 200] kind: [0, 1] type_ref: [1, 0] name: [6, 0] edge_count: [2, 1] value_form: [11, 9] value: [1, 6] }
edges { count: 3 edges_per_node: [2, 1] kind: [0, 1, 1] name: [6, 6, 0] to: [1, 0, 1] }
graph_end { types: 1 nodes: 2 edges: 3 }
graph { name { data: "B" } edges_grouped: true id_space: ADDRESS flags: 4 }
vocabulary { space: NODE_KIND name: [3, 1] known: [0, 4] source_code: [1, 0] }
vocabulary { space: EDGE_KIND name: [4, 2] known: [2, 3] name_form: [2, 1] }
types { count: 2 id: [500, 501] name: [5, 0] super_ref: [0, 1] source_position: [0, 1] class_node_ref: [2, 0] }
nodes { count: 2 id: [100, 300] kind: [1, 0] type_ref: [2, 999] flags: [0, 4] edge_count: [0, 3] value_form: [11, 1] }
edges { count: 3 first_node: 1 edges_per_node: 3 kind: [0, 1, 1] name: [6, 6, 0] to_form: [0, 1, 2] to: [0, 0, 200] }
graph_end { types: 2 nodes: 2 edges: 3 edges_omitted: 1 edges_dangling: 1 }
footer { graphs: 2 strings: 7 }
)"),
            Spell(R"(
header { format: "t" }
graph { name { data: "A, B" } edges_grouped: true id_space: UNSTABLE }
strings { first: 1 data: "obkindrefidx" length: [2, 4, 3, 3] names: true }
vocabulary { space: NODE_KIND name: [1, 2] known: [4, 0] source_code: [0, 1] }
vocabulary { space: EDGE_KIND name: [3, 4, 4, 3] known: [3, 2, 2, 3] source_code: [0, 1, 0, 1] name_form: [1, 2, 2, 1] edge_flags: [0, 0, 0, 0] }
strings { first: 5 data: "obrefkindidxA.T" length: [2, 3, 4, 3, 3] names: true }
types { count: 1 name: 9 source_position: 1 field_count: 1 field_name: 6 field_slot: 0 }
strings { first: 10 data: "x" length: 1 }
nodes { count: 2 kind: [0, 1] type_ref: [1, 0] name: [10, 0] edge_count: [2, 1] value_form: [11, 9] value: [1, 10] }
edges { count: 3 edges_per_node: [2, 1] kind: [0, 1, 1] name: [10, 6, 0] to: [1, 0, 1] }
types { first: 1 count: 2 name: [9, 0] super_ref: [0, 2] source_position: [2, 3] class_node_ref: [4, 0] }
nodes { first: 2 count: 2 kind: [0, 1] type_ref: [3, 999] flags: [0, 4] edge_count: [0, 3] value_form: [11, 1] value: [2, 0] }
edges { first: 3 count: 3 first_node: 3 edges_per_node: 3 kind: [2, 3, 3] name: [6, 10, 0] to_form: [0, 1, 2] to: [2, 0, 200] }
graph_end { types: 3 nodes: 4 edges: 6 edges_omitted: 1 edges_dangling: 1 id_limit: 5 }
footer { graphs: 1 strings: 11 }
)"));
}

TEST(MergeGraphsTest, NoEdgesHaveNoFirstNode) {
  EXPECT_EQ(Merge(R"(
header { format: "t" }
graph { name { data: "A" } edges_grouped: true }
nodes { count: 1 }
graph_end { nodes: 1 }
graph { name { data: "A" } edges_grouped: true }
nodes { count: 1 }
edges { }
graph_end { nodes: 1 }
footer { graphs: 2 strings: 1 }
)"),
            Spell(R"(
header { format: "t" }
graph { name { data: "A, A" } id_space: UNSTABLE edges_grouped: true }
vocabulary { name: [0] known: [0] source_code: [0] }
nodes { count: 1 }
nodes { first: 1 count: 1 }
edges { }
graph_end { nodes: 2 id_limit: 3 }
footer { graphs: 1 strings: 1 }
)"));
}

TEST(MergeGraphsTest, RootsSayWhoseTheyAre) {
  EXPECT_EQ(Merge(R"(
header { format: "t" }
graph { root_ref: 1 }
nodes { count: 1 }
graph_end { nodes: 1 }
graph { name { data: "Domain1" } root_ref: 2 }
strings { first: 1 data: "staticx" length: [6, 1] names: true }
vocabulary { space: ROOT_KIND name: 1 known: 4 source_code: 3 }
types { count: 1 }
nodes { count: 2 }
roots { count: 1 to: 1 container_ref: 1 label: 2 distance: 2 }
values { count: 1 owner_space: OF_ROOT form: 3 value: 5 }
graph_end { types: 1 nodes: 2 roots: 1 values: 1 }
graph { name { data: "Domain2" } }
strings { first: 3 data: "static" length: 6 names: true }
vocabulary { space: ROOT_KIND name: 3 known: 4 source_code: 3 }
types { count: 1 }
nodes { count: 2 }
threads { count: 1 node_ref: 2 }
roots { count: 2 container_ref: [0, 1] thread_ref: [1, 0] }
values { count: 1 owner_space: OF_ROOT owner: 1 form: 11 value: 1 }
graph_end { types: 1 nodes: 2 roots: 2 values: 1 threads: 1 }
graph { }
nodes { count: 1 }
roots { count: 1 to_form: 2 to: 9 }
graph_end { nodes: 1 roots: 1 }
footer { graphs: 4 strings: 4 }
)"),
            Spell(R"~(
header { format: "t" }
graph { name { data: "Domain1, Domain2" } id_space: UNSTABLE }
strings { first: 1 data: "heapstatic in Domain1heap Domain1static in Domain2" length: [4, 17, 12, 17] names: true }
vocabulary { space: NODE_KIND name: 0 known: 0 source_code: 0 }
vocabulary { space: ROOT_KIND name: [1, 2, 3, 4, 0] known: [0, 4, 0, 4, 0] source_code: [-1, 3, -1, 3, 0] }
nodes { count: 1 }
roots { count: 1 to: 0 kind: 0 }
strings { first: 5 data: "staticx" length: [6, 1] names: true }
types { count: 1 }
nodes { first: 1 count: 2 }
roots { first: 1 count: 1 to: 2 container_ref: 1 label: 6 distance: 2 kind: 1 }
values { count: 1 owner_space: OF_ROOT form: 3 value: 5 owner: 1 }
roots { first: 2 count: 1 to: 2 kind: 2 }
strings { first: 7 data: "static" length: 6 names: true }
types { first: 1 count: 1 }
nodes { first: 3 count: 2 }
threads { count: 1 node_ref: 5 }
roots { first: 3 count: 2 to: [3, 3] container_ref: [0, 2] thread_ref: [1, 0] kind: [3, 3] }
values { first: 1 count: 1 owner_space: OF_ROOT owner: 4 form: 11 value: 4 }
nodes { first: 5 count: 1 }
roots { first: 5 count: 1 to_form: 2 to: 9 kind: 4 }
graph_end { types: 2 nodes: 6 roots: 6 values: 2 threads: 1 id_limit: 7 }
footer { graphs: 1 strings: 8 }
)~"));
}

TEST(MergeGraphsTest, OtherTablesFollowEachOther) {
  const std::string graph = R"(
graph { timestamp { data: "now" } pointer_size: 8 capacity: 5 }
vocabulary { space: HEAP_SPACE known: [0, 0] }
metadata { entry { key { data: "k" } value { data: "v" } } }
nodes { count: 2 trace_node: [0, 7] heap_space_ref: [0, 2] stack_frame_ref: [1, 0] self_size: [9223372036854775808, 1] extra { name: "e" strings: [1, 0] node_refs: [2, 0] } }
externals { count: 2 to: [0, 1] size: [18446744073709551615, 1] name: [1, 0] }
locations { count: 1 to: 1 line: 3 }
trace_functions { count: 2 name: [1, 0] script_name: [0, 1] }
trace_nodes { count: 2 id: [6, 7] function_index: [1, 0] child_count: [1, 0] }
samples { count: 1 timestamp_us: 5 }
stack_frames { count: 2 parent_ref: [0, 1] function: [1, 0] }
threads { count: 1 name: 1 top_frame_ref: 2 }
values { count: 1 owner: 1 key: 1 form: 5 value: 1 }
values { first: 1 count: 1 owner_space: OF_GRAPH form: 3 value: 1 }
extra { data: "x" }
extra_table { name: "t" count: 1 }
record_order { body: 8 run: 1 }
graph_end { nodes: 2 values: 2 externals: 2 locations: 1 trace_functions: 2 trace_nodes: 2 samples: 1 stack_frames: 2 threads: 1 self_size_total: 9223372036854775809 external_size_total: 18446744073709551615 }
)";
  EXPECT_EQ(Merge("header { }\nsource_image { size: 1 }\n" +
                  graph.substr(0, graph.find("nodes")) +
                  "strings { first: 1 data: \"s\" length: 1 names: true }\n" +
                  graph.substr(graph.find("nodes")) + graph +
                  "footer { graphs: 2 strings: 2 }\n"),
            Spell(R"(
header { }
graph { timestamp { data: "now" } pointer_size: 8 id_space: UNSTABLE }
vocabulary { space: NODE_KIND name: 0 known: 0 source_code: 0 }
vocabulary { space: HEAP_SPACE name: [0, 0] known: [0, 0] source_code: [0, 1] }
metadata { entry { key { data: "k" } value { data: "v" } } }
strings { first: 1 data: "s" length: 1 names: true }
nodes { count: 2 trace_node: [0, 7] heap_space_ref: [0, 2] stack_frame_ref: [1, 0] self_size: [9223372036854775808, 1] extra { name: "e" strings: [1, 0] node_refs: [2, 0] } }
externals { count: 2 to: [0, 1] size: [18446744073709551615, 1] name: [1, 0] }
locations { count: 1 to: 1 line: 3 }
trace_functions { count: 2 name: [1, 0] script_name: [0, 1] }
trace_nodes { count: 2 id: [6, 7] function_index: [1, 0] child_count: [1, 0] }
samples { count: 1 timestamp_us: 5 }
stack_frames { count: 2 parent_ref: [0, 1] function: [1, 0] }
threads { count: 1 name: 1 top_frame_ref: 2 }
values { count: 1 owner: 1 key: 1 form: 5 value: 1 }
values { first: 1 count: 1 owner_space: OF_GRAPH form: 3 value: 1 }
metadata { entry { key { data: "k" } value { data: "v" } } }
nodes { first: 2 count: 2 trace_node: [0, 14] heap_space_ref: [0, 2] stack_frame_ref: [3, 0] self_size: [9223372036854775808, 1] extra { name: "e" strings: [1, 0] node_refs: [4, 0] } }
externals { first: 2 count: 2 to: [2, 3] size: [18446744073709551615, 1] name: [1, 0] }
locations { first: 1 count: 1 to: 3 line: 3 }
trace_functions { first: 2 count: 2 name: [1, 0] script_name: [0, 1] }
trace_nodes { first: 2 count: 2 id: [13, 14] function_index: [3, 2] child_count: [1, 0] }
samples { first: 1 count: 1 timestamp_us: 5 }
stack_frames { first: 2 count: 2 parent_ref: [0, 3] function: [1, 0] }
threads { first: 1 count: 1 name: 1 top_frame_ref: 4 }
values { first: 2 count: 1 owner: 3 key: 1 form: 5 value: 1 }
values { first: 3 count: 1 owner_space: OF_GRAPH form: 3 value: 1 }
graph_end { nodes: 4 values: 4 externals: 4 locations: 2 trace_functions: 4 trace_nodes: 4 samples: 2 stack_frames: 4 threads: 2 self_size_total: 18446744073709551615 external_size_total: 18446744073709551615 id_limit: 5 }
footer { graphs: 1 strings: 2 }
)"));
}

// Fields of types, parts of the heap that the graphs name differently, and ids
// of traces: those of a later graph are its own, and "none" stays none.
TEST(MergeGraphsTest, WhatIsOfLaterGraphsIsTheirs) {
  EXPECT_EQ(Merge(R"(
header { }
graph { }
strings { first: 1 data: "newold" length: [3, 3] names: true }
vocabulary { space: HEAP_SPACE name: 1 source_code: 5 }
types { count: 1 field_count: 2 field_slot: [0, 1] field_extra { name: "f" strings: [0, 2] node_refs: [1, 0] } }
nodes { count: 1 heap_space_ref: 1 trace_node: 4 }
trace_nodes { count: 3 id: [-1, 0, 4] child_count: [0, 0, 0] }
graph_end { types: 1 nodes: 1 trace_nodes: 3 }
graph { }
vocabulary { space: HEAP_SPACE name: [2, 1] source_code: [6, 5] }
types { count: 1 field_count: 2 field_slot: [0, 1] field_extra { name: "f" strings: [0, 2] node_refs: [1, 0] } }
nodes { count: 3 heap_space_ref: [0, 1, 2] trace_node: [0, 3, 0] }
trace_nodes { count: 3 id: [-1, 0, 3] child_count: [0, 0, 0] }
graph_end { types: 1 nodes: 3 trace_nodes: 3 }
graph { }
vocabulary { space: HEAP_SPACE name: [2, 1] source_code: [6, 5] }
types { count: 1 field_count: 2 field_slot: [0, 1] field_extra { name: "f" strings: [0, 1] node_refs: [0, 1] } }
nodes { count: 1 heap_space_ref: 1 trace_node: 1 }
trace_nodes { count: 2 id: [0, 1] child_count: [0, 0] }
graph_end { types: 1 nodes: 1 trace_nodes: 2 }
footer { graphs: 3 strings: 3 }
)"),
            Spell(R"(
header { }
graph { id_space: UNSTABLE }
strings { first: 1 data: "newold" length: [3, 3] names: true }
vocabulary { space: NODE_KIND name: 0 known: 0 source_code: 0 }
vocabulary { space: HEAP_SPACE name: [1, 2] known: [0, 0] source_code: [5, 6] }
strings { first: 3 data: "newold" length: [3, 3] names: true }
types { count: 1 field_count: 2 field_slot: [0, 1] field_extra { name: "f" strings: [0, 4] node_refs: [1, 0] } }
nodes { count: 1 heap_space_ref: 1 trace_node: 4 }
trace_nodes { count: 3 id: [-1, 0, 4] child_count: [0, 0, 0] }
types { first: 1 count: 1 field_count: 2 field_slot: [0, 1] field_extra { name: "f" strings: [0, 4] node_refs: [2, 0] } }
nodes { first: 1 count: 3 heap_space_ref: [0, 2, 1] trace_node: [0, 7, 0] }
trace_nodes { first: 3 count: 3 id: [-1, 0, 7] child_count: [0, 0, 0] }
types { first: 2 count: 1 field_count: 2 field_slot: [0, 1] field_extra { name: "f" strings: [0, 3] node_refs: [0, 5] } }
nodes { first: 4 count: 1 heap_space_ref: 2 trace_node: 8 }
trace_nodes { first: 6 count: 2 id: [0, 8] child_count: [0, 0] }
graph_end { types: 3 nodes: 5 trace_nodes: 8 id_limit: 6 }
footer { graphs: 1 strings: 5 }
)"));
}

TEST(MergeGraphsTest, GroupedAndOtherEdgesAreNotGrouped) {
  EXPECT_EQ(Merge(R"(
header { }
graph { }
nodes { count: 2 }
edges { count: 2 from: [1, 0] }
graph_end { nodes: 2 edges: 2 }
graph { edges_grouped: true }
nodes { count: 2 edge_count: [2, 1] }
edges { count: 3 edges_per_node: [2, 1] to_form: [1, 0, 0] }
values { count: 1 owner: 2 owner_space: OF_EDGE }
graph_end { nodes: 2 edges: 3 edges_omitted: 1 values: 1 }
graph { }
nodes { count: 1 }
edges { count: 1 }
graph_end { nodes: 1 edges: 1 }
footer { graphs: 3 strings: 1 }
)"),
            Spell(R"(
header { }
graph { id_space: UNSTABLE }
vocabulary { space: NODE_KIND name: 0 known: 0 source_code: 0 }
vocabulary { space: EDGE_KIND name: 0 known: 0 source_code: 0 name_form: 0 edge_flags: 0 }
nodes { count: 2 }
edges { count: 2 from: [1, 0] }
nodes { first: 2 count: 2 }
edges { first: 2 count: 3 from: [2, 2, 3] to_form: [1, 0, 0] to: [0, 2, 2] }
values { count: 1 owner: 4 owner_space: OF_EDGE }
nodes { first: 4 count: 1 }
edges { first: 5 count: 1 from: 4 to: 4 }
graph_end { nodes: 5 edges: 6 values: 1 edges_omitted: 1 id_limit: 6 }
footer { graphs: 1 strings: 1 }
)"));
}

TEST(MergeGraphsTest, OtherEdgesBehindGroupedOnesAreNotGrouped) {
  EXPECT_EQ(Merge(R"(
header { }
graph { edges_grouped: true }
nodes { count: 1 edge_count: 1 }
edges { count: 1 edges_per_node: 1 }
graph_end { nodes: 1 edges: 1 }
graph { }
nodes { count: 2 }
edges { count: 2 from: [1, 0] }
graph_end { nodes: 2 edges: 2 }
footer { graphs: 2 strings: 1 }
)"),
            Spell(R"(
header { }
graph { id_space: UNSTABLE }
vocabulary { space: NODE_KIND name: 0 known: 0 source_code: 0 }
vocabulary { space: EDGE_KIND name: 0 known: 0 source_code: 0 name_form: 0 edge_flags: 0 }
nodes { count: 1 }
edges { count: 1 from: 0 }
nodes { first: 1 count: 2 }
edges { first: 1 count: 2 from: [2, 1] to: [1, 1] }
graph_end { nodes: 3 edges: 3 id_limit: 4 }
footer { graphs: 1 strings: 1 }
)"));
}

// A writer may need both; the order does not matter to the graph.
TEST(MergeGraphsTest, MergedGraphsCanBeGrouped) {
  VectorReader upstream(ParseStream(R"(
header { }
graph { }
nodes { count: 2 }
edges { count: 2 from: [1, 0] to: [0, 1] }
values { count: 1 owner_space: OF_EDGE }
graph_end { nodes: 2 edges: 2 values: 1 }
graph { edges_grouped: true }
nodes { count: 2 edge_count: [0, 1] }
edges { count: 1 first_node: 1 edges_per_node: 1 }
values { count: 1 owner_space: OF_NODE }
graph_end { nodes: 2 edges: 1 values: 1 }
footer { graphs: 2 strings: 1 }
)"));
  constexpr char kMerged[] = R"(
header { }
graph { edges_grouped: true id_space: UNSTABLE }
vocabulary { space: NODE_KIND name: 0 known: 0 source_code: 0 }
vocabulary { space: EDGE_KIND name: 0 known: 0 source_code: 0 name_form: 0 edge_flags: 0 }
nodes { count: 2 edge_count: [1, 1] }
edges { count: 2 edges_per_node: [1, 1] to: [1, 0] }
nodes { first: 2 count: 2 edge_count: [0, 1] }
edges { first: 2 count: 1 first_node: 3 edges_per_node: 1 to: 2 }
values { count: 1 owner_space: OF_NODE owner: 2 }
graph_end { nodes: 4 edges: 3 values: 1 id_limit: 5 }
footer { graphs: 1 strings: 1 }
)";
  Context context;
  const auto grouped = MakeEdgeGrouper(upstream, context);
  const auto grouped_first = MakeGraphMerger(*grouped, context);
  const auto merged = MakeGraphMerger(upstream, context);
  const auto merged_first = MakeEdgeGrouper(*merged, context);
  for (Reader* const reader : {grouped_first.get(), merged_first.get()}) {
    VectorSink out;
    CheckSink check(ChunkSet::All(), &out);
    ASSERT_EQ(reader->Read(ChunkSet::All(), check).ToString(), "");
    ASSERT_EQ(check.Finish().ToString(), "");
    EXPECT_EQ(out.text(), Spell(kMerged));
  }
}

// Strings of names and words that continue, are cut, or are not UTF-8.
TEST(MergeGraphsTest, NamesAreTextWhateverIsInThem) {
  const std::string half(3000, 'w');
  std::vector<pb::Chunk> chunks = ParseStream("header { }\ngraph { }\n");
  pb::Text& name = *chunks.back().mutable_graph()->mutable_name();
  name.set_data("\xff");
  name.set_encoding(pb::BYTES);
  for (const bool continued : {true, false}) {
    pb::Strings& strings = *chunks.emplace_back().mutable_strings();
    strings.set_first(1);
    strings.set_data(half);
    strings.add_length(3000);
    strings.set_names(true);
    strings.set_continued(continued);
  }
  pb::Strings& strings = *chunks.emplace_back().mutable_strings();
  strings.set_first(2);
  strings.set_data("\xed\xa0\x80");
  strings.add_length(3);
  strings.add_encoding(pb::WTF8);
  strings.set_names(true);
  for (const pb::Chunk& chunk :
       ParseStream("vocabulary { space: ROOT_KIND name: [2, 1] }\n"
                   "graph_end { }\n"
                   "graph { name { data: \"" +
                   std::string(2000, 'n') +
                   "\" } }\n"
                   "vocabulary { space: HEAP_SPACE name: [2, 1] }\n"
                   "graph_end { }\n"
                   "graph { name { data: \"c\" } }\n"
                   "graph_end { }\n"
                   "footer { graphs: 3 strings: 3 }\n")) {
    chunks.push_back(chunk);
  }
  const std::vector<pb::Chunk> merged = Merge(chunks);
  ASSERT_GT(merged.size(), 2U);
  EXPECT_EQ(merged[1].graph().name().data(),
            "\xff, " + std::string(1021, 'n') + "...");
  EXPECT_EQ(merged[1].graph().name().encoding(), pb::BYTES);
  EXPECT_EQ(merged[2].strings().data(),
            "\xed\xa0\x80 in \xff" + std::string(4096, 'w') + " in \xff" +
                "\xed\xa0\x80" + std::string(4096, 'w'));
  EXPECT_EQ(merged[2].strings().encoding(0), pb::BYTES);
  EXPECT_EQ(merged[2].strings().encoding(2), pb::WTF8);
}

TEST(MergeGraphsTest, CountsWhatIsLostOnce) {
  VectorReader upstream(ParseStream(R"(
header { }
graph { name { data: "a" } root_ref: 1 flags: 1 node_count: 1 capacity: 9 node_schema { name: "id" } }
types { count: 1 id: 5 }
nodes { count: 1 id: 77 }
trace_nodes { count: 1 id: 1 }
extra { data: "x" continued: true }
extra { data: "y" }
graph_end { types: 1 nodes: 1 trace_nodes: 1 }
graph { flags: 2 end_name { data: "b" } }
types { count: 1 }
nodes { count: 2 id: [77, 78] }
trace_nodes { count: 2 id: [1, 2] child_count: [1, 0] }
extra_table { name: "t" count: 3 }
graph_end { types: 1 nodes: 2 trace_nodes: 2 }
footer { graphs: 2 strings: 1 }
)"));
  Context context;
  const auto merger = MakeGraphMerger(upstream, context);
  VectorSink out;
  ASSERT_TRUE(merger->Read({Body::kEdges}, out).ok());
  EXPECT_TRUE(context.loss.items().empty());
  ASSERT_TRUE(merger->Read({Body::kNodes}, out).ok());
  ASSERT_EQ(context.loss.items().size(), 1U);
  for (int pass = 0; pass < 2; ++pass)
    ASSERT_TRUE(merger->Read(ChunkSet::All(), out).ok());
  std::string losses;
  for (const LossReport::Item& item : context.loss.items())
    losses += item.code + " " + std::to_string(item.count) + "\n";
  EXPECT_EQ(losses,
            "merge_graphs.node.id 3\n"
            "merge_graphs.graph.name 1\n"
            "merge_graphs.graph.root 1\n"
            "merge_graphs.graph.totals 2\n"
            "merge_graphs.graph.schema 1\n"
            "merge_graphs.graph.fields 3\n"
            "merge_graphs.type.id 1\n"
            "merge_graphs.trace.id 2\n"
            "merge_graphs.extra 1\n"
            "merge_graphs.extra_table 3\n");
}

TEST(MergeGraphsTest, AHundredThousandGraphs) {
  constexpr std::uint64_t kGraphs = Rounds(100'000);
  std::vector<pb::Chunk> chunks = ParseStream("header { }");
  const std::vector<pb::Chunk> graph = ParseStream(
      "graph { edges_grouped: true root_ref: 1 }\n"
      "vocabulary { space: NODE_KIND known: [4, 3] }\n"
      "vocabulary { space: ROOT_KIND known: 6 }\n"
      "nodes { count: 1 kind: 1 edge_count: 1 }\n"
      "edges { count: 1 edges_per_node: 1 }\n"
      "graph_end { nodes: 1 edges: 1 }\n");
  for (std::uint64_t i = 0; i < kGraphs; ++i) {
    chunks.insert(chunks.end(), graph.begin(), graph.end());
    chunks[1 + i * graph.size()].mutable_graph()->mutable_name()->set_data(
        "Domain" + std::to_string(i));
  }
  pb::Footer& footer = *chunks.emplace_back().mutable_footer();
  footer.set_graphs(kGraphs);
  footer.set_strings(1);
  VectorReader upstream(std::move(chunks));
  Context context;
  VectorSink out;
  CheckSink check(ChunkSet::All(), &out);
  ASSERT_EQ(MakeGraphMerger(upstream, context)
                ->Read(ChunkSet::All(), check)
                .ToString(),
            "");
  ASSERT_EQ(check.Finish().ToString(), "");
  std::uint64_t words = 0;
  for (const pb::Chunk& chunk : out.chunks()) {
    EXPECT_LE(chunk.vocabulary().known_size(), static_cast<int>(kChunkRows));
    words += chunk.vocabulary().known_size();
  }
  // Two kinds of nodes, one of edges, and a heap root for each graph.
  EXPECT_EQ(words, 2 + 1 + 1 + kGraphs);
}

TEST(MergeGraphsTest, RefusesTraceIdsThatDoNotFit) {
  const auto graph = [](std::int64_t id) {
    return "graph { edges_grouped: true }\n"
           "trace_functions { count: 1 }\n"
           "trace_nodes { count: 1 id: " +
           std::to_string(id) +
           " function_index: 0 child_count: 0 }\n"
           "graph_end { trace_functions: 1 trace_nodes: 1 }\n";
  };
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t second : {0, 1}) {
    VectorReader upstream(ParseStream("header { format: \"t\" }\n" +
                                      graph(kMost) + graph(second) +
                                      "footer { graphs: 2 strings: 1 }\n"));
    Context context;
    VectorSink out;
    EXPECT_EQ(
        MakeGraphMerger(upstream, context)->Read(ChunkSet::All(), out).code(),
        second == 0 ? Code::kOk : Code::kUnsupported);
  }
}

}  // namespace
}  // namespace heapglot
