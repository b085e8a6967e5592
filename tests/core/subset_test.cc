#include "core/transforms/subset.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "core/check_sink.h"
#include "heapglot/bytes.h"
#include "heapglot/format.h"
#include "tests/core/text_stream.h"

namespace heapglot {
namespace {

namespace fs = std::filesystem;
using Body = pb::Chunk::BodyCase;

// A node of each sort, with some of each table on it.
constexpr char kStream[] = R"(
header { format: "test" }
source_image { method: VERIFIED size: 5 }
graph { root_ref: 1 edges_grouped: true node_count: 3 edge_count: 9 }
strings { first: 1 data: "objectpropABf" length: [6, 4, 1, 1, 1] names: true }
vocabulary { space: NODE_KIND name: [1] known: [4] }
vocabulary { space: EDGE_KIND name: [2, 0] known: [3, 2] name_form: [1, 2] }
types { count: 2 name: [3, 4] field_count: [1, 2] field_flags: [1, 2, 3] field_slot: [0, 0, 1] field_name: [5, 5, 5] }
strings { first: 6 data: "nonetwo" length: [1, 3, 3] }
nodes { count: 3 id: [10, 20, 30] kind: [0, 0, 0] type_ref: [1, 2, 2] self_size: [16, 8, 4] edge_count: [3, 1, 1] value_form: [9, 9, 11] value: [6, 7, 1] }
edges { count: 5 edges_per_node: [3, 1, 1] kind: [0, 1, 0, 0, 0] name: [8, 3, 7, 8, 8] to: [1, 2, 0, 2, 1] }
roots { count: 2 to: [1, 2] }
values { count: 2 owner: [1, 2] key: [6, 7] form: [3, 9] value: [1, 8] }
values { owner_space: OF_EDGE first: 2 count: 2 owner: [2, 3] key: [6, 6] form: [3, 3] value: [5, 6] }
externals { count: 2 to: [1, 2] size: [5, 6] name: [5, 5] }
locations { count: 1 to: [1] line: [4] }
record_order { body: [8] run: [3] }
graph_end { types: 2 nodes: 3 edges: 5 roots: 2 values: 4 externals: 2 locations: 1 self_size_total: 28 external_size_total: 11 id_limit: 31 }
footer { graphs: 1 strings: 9 }
)";

// The stream of a subset, after a check of its grammar.
std::string Take(Subset subset) {
  VectorReader source(ParseStream(kStream));
  const std::unique_ptr<Reader> reader = MakeSubset(source, std::move(subset));
  VectorSink sink;
  CheckSink check(ChunkSet::All(), &sink);
  const Status status = reader->Read(ChunkSet::All(), check);
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_TRUE(check.Finish().ok());
  return sink.text();
}

KeptRows Rows(std::uint64_t size, std::initializer_list<std::uint64_t> rows) {
  RankBitmap bitmap(size);
  for (const std::uint64_t row : rows) bitmap.Add(row);
  return bitmap;
}

Subset WithNodes(std::initializer_list<std::uint64_t> nodes) {
  Subset subset;
  subset.graphs.emplace_back().nodes = Rows(3, nodes);
  return subset;
}

TEST(Subset, OfAllThereIsNoImage) {
  std::string expected = kStream;
  const std::size_t begin = expected.find("source_image");
  expected.erase(begin, expected.find('\n', begin) + 1 - begin);
  std::string normal;
  for (const pb::Chunk& chunk : ParseStream(expected)) normal += ToText(chunk);
  EXPECT_EQ(Take(Subset()), normal);
}

TEST(Subset, WhatBelongsToANodeGoesWithIt) {
  EXPECT_EQ(Take(WithNodes({0, 2})),
            R"(header { format: "test" }
graph { root_ref: 1 edges_grouped: true edge_count: 9 node_count: 2 }
strings { first: 1 data: "objectpropABf" length: [6, 4, 1, 1, 1] names: true }
vocabulary { name: [1] known: [4] }
vocabulary { space: EDGE_KIND name: [2, 0] known: [3, 2] name_form: [1, 2] }
types { count: 2 name: [3, 4] field_count: [1, 2] field_flags: [1, 2, 3] field_slot: [0, 0, 1] field_name: [5, 5, 5] }
strings { first: 6 data: "nonetwo" length: [1, 3, 3] }
nodes { count: 2 id: [10, 30] kind: [0, 0] type_ref: [1, 2] self_size: [16, 4] edge_count: [2, 0] value_form: [9, 0] value: [6, 0] }
edges { count: 2 edges_per_node: [2, 0] kind: [1, 0] name: [3, 7] to: [1, 0] }
roots { count: 1 to: [1] }
values { count: 1 owner: [1] key: [7] form: [9] value: [8] }
values { owner_space: OF_EDGE first: 1 count: 1 owner: [1] key: [6] form: [3] value: [5] }
externals { count: 1 to: [1] size: [6] name: [5] }
graph_end { types: 2 nodes: 2 edges: 2 roots: 1 values: 2 externals: 1 self_size_total: 20 external_size_total: 6 id_limit: 31 }
footer { graphs: 1 strings: 9 }
)");
}

TEST(Subset, TablesOfOneFormatGoOnIfTheyAreKnown) {
  constexpr char kTables[] = R"(
header { }
graph { edges_grouped: true }
strings { first: 1 data: "ab" length: [1, 1] }
nodes { count: 3 extra { name: "n" node_refs: [1, 2, 3] } }
extra_table { name: "t" count: 2 column { name: "of" type: "node" node_refs: [3, 2] } column { name: "name" type: "string" strings: [2, 0] ints: [0, 7] } }
extra_table { name: "u" count: 1 column { name: "of" node_refs: 3 } column { name: "what" ints: 1 } }
extra_table { name: "u" first: 1 count: 1 column { name: "what" ints: 2 } }
graph_end { nodes: 3 }
footer { graphs: 1 strings: 3 }
)";
  VectorReader source(ParseStream(kTables));
  const std::unique_ptr<Reader> reader = MakeSubset(source, WithNodes({0, 2}));
  VectorSink sink;
  CheckSink check(ChunkSet::All(), &sink);
  EXPECT_EQ(reader->Read(ChunkSet::All(), check).ToString(), "");
  EXPECT_EQ(check.Finish().ToString(), "");
  EXPECT_EQ(sink.text(), R"(header { }
graph { edges_grouped: true }
strings { first: 1 data: "b" length: [1] }
nodes { count: 2 extra { name: "n" node_refs: [1, 2] } }
extra_table { name: "t" count: 2 column { name: "of" type: "node" node_refs: [2, 0] } column { name: "name" type: "string" ints: [0, 7] strings: [1, 0] } }
extra_table { name: "u" }
graph_end { nodes: 2 }
footer { graphs: 1 strings: 2 }
)");
}

TEST(Subset, WithoutARootThereIsNoReferenceToIt) {
  EXPECT_EQ(Take(WithNodes({1})).find("root_ref"), std::string::npos);
}

TEST(Subset, EdgesCanGoAlone) {
  Subset subset;
  subset.graphs.emplace_back().edges = Rows(5, {1, 3});
  const std::string text = Take(std::move(subset));
  EXPECT_NE(text.find("edge_count: [1, 1, 0]"), std::string::npos) << text;
  EXPECT_NE(text.find("edges { count: 2 edges_per_node: [1, 1, 0] kind: [1, 0] "
                      "name: [3, 8] to: [2, 2] }"),
            std::string::npos)
      << text;
}

TEST(Subset, TypesTakeTheirFieldsAlong) {
  Subset subset;
  subset.graphs.emplace_back().types = Rows(2, {1});
  const std::string text = Take(std::move(subset));
  EXPECT_NE(text.find("types { count: 1 name: [3] field_count: [2] "
                      "field_flags: [2, 3] field_slot: [0, 1]"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("type_ref: [0, 1, 1]"), std::string::npos) << text;
}

// An id of the source that no type has is not a reference to a row. A made-up
// node may have the same number, and that is a reference.
TEST(Subset, IdsOfTypesThatDangleStay) {
  constexpr char kDangling[] = R"(
header { }
graph { edges_grouped: true }
types { count: 2 }
nodes { count: 4 type_ref: [2, 2, 2, 999] flags: [4, 4, 2, 6] }
graph_end { types: 2 nodes: 4 }
footer { graphs: 1 strings: 1 }
)";
  const auto take = [&](Subset subset) {
    VectorReader source(ParseStream(kDangling));
    VectorSink sink;
    CheckSink check(ChunkSet::All(), &sink);
    const Status status =
        MakeSubset(source, std::move(subset))->Read(ChunkSet::All(), check);
    EXPECT_EQ(status.ToString(), "");
    EXPECT_EQ(check.Finish().ToString(), "");
    return sink.text();
  };
  Subset second;
  second.graphs.emplace_back().types = Rows(2, {1});
  second.graphs.back().nodes = Rows(4, {1, 2, 3});
  EXPECT_EQ(take(std::move(second)), R"(header { }
graph { edges_grouped: true }
types { count: 1 }
nodes { count: 3 type_ref: [2, 1, 999] flags: [4, 2, 6] }
graph_end { types: 1 nodes: 3 }
footer { graphs: 1 strings: 1 }
)");
  Subset none;
  none.dropped = {Body::kTypes};
  EXPECT_EQ(take(std::move(none)), R"(header { }
graph { edges_grouped: true }
nodes { count: 4 type_ref: [2, 2, 0, 999] flags: [4, 4, 2, 6] }
graph_end { nodes: 4 }
footer { graphs: 1 strings: 1 }
)");
}

TEST(Subset, StringsThatNothingUsesAreGone) {
  Subset subset = WithNodes({0});
  subset.dropped = {Body::kTypes};
  const std::string text = Take(std::move(subset));
  EXPECT_NE(text.find(R"(data: "objectprop" length: [6, 4])"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("types: 0") == std::string::npos, false);
  EXPECT_EQ(text.find("type_ref: [1"), std::string::npos) << text;
}

TEST(Subset, StringsCanBeEmptiedAndCut) {
  Subset subset;
  subset.strings = Rows(9, {1, 2, 7});
  subset.max_text = 2;
  const std::string text = Take(std::move(subset));
  EXPECT_NE(text.find(R"(data: "obpr")"), std::string::npos) << text;
  EXPECT_NE(text.find(R"(data: "on")"), std::string::npos) << text;
  EXPECT_NE(text.find("types { count: 2 name: [0, 0]"), std::string::npos);
}

TEST(Subset, WholeTablesCanGo) {
  Subset subset;
  subset.dropped = {Body::kEdges, Body::kRoots, Body::kValues};
  const std::string text = Take(std::move(subset));
  EXPECT_EQ(text.find("edges {"), std::string::npos);
  EXPECT_EQ(text.find("roots {"), std::string::npos);
  EXPECT_EQ(text.find("values {"), std::string::npos);
  EXPECT_NE(text.find("edge_count: [0, 0, 0]"), std::string::npos) << text;
}

// ------------------------------------------------------------------ any input

// Remembers what a stream has.
class TotalsSink : public ChunkSink {
 public:
  Status Accept(const pb::Chunk& chunk) override {
    if (chunk.has_graph_end()) ends.push_back(chunk.graph_end());
    if (chunk.has_footer()) strings = chunk.footer().strings();
    return {};
  }
  std::vector<pb::GraphEnd> ends;
  std::uint64_t strings = 0;
};

KeptRows AnyRows(std::uint64_t size, std::mt19937& random) {
  if (random() % 4 == 0) return std::nullopt;
  RankBitmap rows(size);
  const unsigned share = 1 + random() % 4;
  for (std::uint64_t i = 0; i < size; ++i) {
    if (random() % 4 < share) rows.Add(i);
  }
  return rows;
}

Subset AnySubset(const TotalsSink& totals, std::mt19937& random) {
  Subset subset;
  for (const pb::GraphEnd& end : totals.ends) {
    Subset::Graph& graph = subset.graphs.emplace_back();
    graph.nodes = AnyRows(end.nodes(), random);
    graph.edges = AnyRows(end.edges(), random);
    graph.types = AnyRows(end.types(), random);
    graph.roots = AnyRows(end.roots(), random);
    graph.values = AnyRows(end.values(), random);
    graph.externals = AnyRows(end.externals(), random);
    graph.locations = AnyRows(end.locations(), random);
    graph.samples = AnyRows(end.samples(), random);
  }
  subset.strings = AnyRows(totals.strings, random);
  if (random() % 2 == 0) subset.max_text = random() % 20;
  if (random() % 3 == 0) {
    subset.dropped = {Body::kTraceFunctions, Body::kTraceNodes, Body::kThreads,
                      Body::kStackFrames, Body::kExtra};
  }
  subset.makes_ids = random() % 2 == 0;
  subset.keeps_claims = random() % 2 == 0;
  subset.keeps_unused_strings = random() % 2 == 0;
  subset.omits_targets = random() % 2 == 0;
  if (subset.omits_targets)
    for (Subset::Graph& graph : subset.graphs) graph.edges.reset();
  return subset;
}

TEST(Subset, OfAnythingInTheCorpusKeepsTheGrammar) {
  std::mt19937 random(11);
  int files = 0;
  for (const ReaderInfo* const info : Readers()) {
    const fs::path folder = fs::path(HEAPGLOT_CORPUS_DIR) / info->name / "good";
    for (const fs::directory_entry& file : fs::directory_iterator(folder)) {
      const auto source = ByteSource::Open(file.path().string(), Limits());
      ASSERT_TRUE(source.ok());
      // Too slow in debug builds.
      if ((*source)->bytes().size() > 300'000) continue;
      ++files;
      Context context;
      const auto reader = info->make(**source, context);
      TotalsSink totals;
      ASSERT_TRUE(reader->Read({Body::kGraphEnd, Body::kFooter}, totals).ok());
      for (int run = 0; run < 4; ++run) {
        const auto subset = MakeSubset(*reader, AnySubset(totals, random));
        CheckSink check(ChunkSet::All());
        const Status status = subset->Read(ChunkSet::All(), check);
        ASSERT_TRUE(status.ok()) << file.path() << ": " << status.ToString();
        ASSERT_TRUE(check.Finish().ok()) << file.path();
        const ChunkSet some = {Body::kNodes, Body::kEdges, Body::kStrings};
        CheckSink check_some(some);
        const Status again = subset->Read(some, check_some);
        ASSERT_TRUE(again.ok()) << file.path() << ": " << again.ToString();
      }
    }
  }
  EXPECT_GT(files, 50);
}

}  // namespace
}  // namespace heapglot
