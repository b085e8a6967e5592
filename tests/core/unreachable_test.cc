#include "core/transforms/unreachable.h"

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "core/check_sink.h"
#include "core/column.h"
#include "core/rank_bitmap.h"
#include "heapglot/format.h"
#include "tests/core/text_stream.h"

namespace heapglot {

// GoogleTest would print the bytes into the name of the test.
void PrintTo(Unreachable mode, std::ostream* out);

namespace {

using Body = pb::Chunk::BodyCase;

// What `mode` makes of a stream; everything in it is checked.
std::string Filter(const std::string& text, Unreachable mode,
                   const UnreachableOptions& options = {}) {
  Context context;
  VectorReader upstream(ParseStream(text));
  const std::unique_ptr<Reader> filter =
      MakeUnreachableFilter(upstream, mode, context, options);
  VectorSink out;
  CheckSink check(ChunkSet::All(), &out);
  EXPECT_EQ(filter->Read(ChunkSet::All(), check).ToString(), "");
  EXPECT_EQ(check.Finish().ToString(), "");
  return out.text();
}

// A stream of five nodes: the root 0 holds 2 and, weakly, 3; 1 and 3 hold each
// other; 1 holds 4, and 3 holds 2.
constexpr char kFive[] = R"(
header { format: "t" }
graph { root_ref: 1 edges_grouped: true capacity: 99 self_size_total: 31 external_size_total: 60 edge_count: 6 node_count: 5 }
vocabulary { space: EDGE_KIND known: [4, 7] edge_flags: [0, 1] }
types { count: 1 loader_ref: 4 class_node_ref: 3 source_position: 3 }
nodes { count: 5 edge_count: [2, 2, 0, 2, 0] self_size: [1, 2, 4, 8, 16] }
edges { count: 3 edges_per_node: [2, 1] kind: [0, 1, 0] to: [2, 3, 3] }
edges { first: 3 count: 3 first_node: 1 edges_per_node: [1, 0, 2] to: [4, 1, 2] }
values { count: 2 owner: [2, 4] form: [11, 3] value: [1, 7] }
values { first: 2 count: 3 owner_space: OF_EDGE owner: [0, 2, 5] }
roots { count: 1 to: 2 }
externals { count: 3 to: [2, 3, 0] to_form: [0, 0, 1] size: [10, 20, 30] }
extra_table { name: "t" count: 2 column { name: "of" type: "node" node_refs: [3, 4] } column { name: "zero" type: "number" } }
extra_table { name: "t" first: 2 count: 1 column { name: "of" node_refs: 1 } }
extra_table { name: "u" count: 1 column { name: "of" node_refs: 1 } column { name: "what" ints: 5 } }
extra_table { name: "u" first: 1 count: 1 column { name: "what" ints: 5 } }
locations { count: 2 to: [2, 0] extra { name: "script" node_refs: [4, 3] } extra { name: "what" ints: [1, 2] } }
source_image { size: 1 }
graph_end { types: 1 nodes: 5 edges: 6 roots: 1 values: 5 externals: 3 locations: 2 self_size_total: 31 external_size_total: 60 edges_synthesized: 1 }
footer { graphs: 1 strings: 1 }
)";

// The stream in the spelling of Filter().
std::string Spell(const std::string& text) {
  std::string spelled;
  for (const pb::Chunk& chunk : ParseStream(text)) spelled += ToText(chunk);
  return spelled;
}

TEST(UnreachableTest, EntryPointsBecomeRoots) {
  EXPECT_EQ(Filter(kFive, Unreachable::kRoot), Spell(R"(
header { format: "t" }
graph { root_ref: 1 edges_grouped: true capacity: 99 self_size_total: 31 external_size_total: 60 edge_count: 6 node_count: 5 }
vocabulary { space: EDGE_KIND known: [4, 7] edge_flags: [0, 1] }
vocabulary { space: ROOT_KIND known: [0, 17] }
types { count: 1 loader_ref: 4 class_node_ref: 3 source_position: 3 }
nodes { count: 5 edge_count: [2, 2, 0, 2, 0] self_size: [1, 2, 4, 8, 16] }
edges { count: 3 edges_per_node: [2, 1] kind: [0, 1, 0] to: [2, 3, 3] }
edges { first: 3 count: 3 first_node: 1 edges_per_node: [1, 0, 2] to: [4, 1, 2] }
values { count: 2 owner: [2, 4] form: [11, 3] value: [1, 7] }
values { first: 2 count: 3 owner_space: OF_EDGE owner: [0, 2, 5] }
roots { count: 1 to: 2 }
externals { count: 3 to: [2, 3, 0] to_form: [0, 0, 1] size: [10, 20, 30] }
extra_table { name: "t" count: 2 column { name: "of" type: "node" node_refs: [3, 4] } column { name: "zero" type: "number" } }
extra_table { name: "t" first: 2 count: 1 column { name: "of" node_refs: 1 } }
extra_table { name: "u" count: 1 column { name: "of" node_refs: 1 } column { name: "what" ints: 5 } }
extra_table { name: "u" first: 1 count: 1 column { name: "what" ints: 5 } }
locations { count: 2 to: [2, 0] extra { name: "script" node_refs: [4, 3] } extra { name: "what" ints: [1, 2] } }
roots { first: 1 count: 1 to: 1 kind: 1 distance: 1 }
graph_end { types: 1 nodes: 5 edges: 6 roots: 2 values: 5 externals: 3 locations: 2 self_size_total: 31 external_size_total: 60 edges_synthesized: 1 }
footer { graphs: 1 strings: 1 }
)"));
}

TEST(UnreachableTest, DropLeavesNoTrace) {
  EXPECT_EQ(Filter(kFive, Unreachable::kDrop), Spell(R"(
header { format: "t" }
graph { root_ref: 1 edges_grouped: true capacity: 99 id_space: UNSTABLE self_size_total: 5 external_size_total: 40 node_count: 2 }
vocabulary { space: EDGE_KIND known: [4, 7] edge_flags: [0, 1] }
types { count: 1 loader_ref: 0 class_node_ref: 2 source_position: 2 }
nodes { count: 2 id: [1, 3] edge_count: [2, 0] self_size: [1, 4] }
edges { count: 2 edges_per_node: 2 kind: [0, 1] to_form: [0, 1] to: [1, 0] }
values { count: 1 owner: 1 form: 0 value: 0 }
values { first: 1 count: 1 owner_space: OF_EDGE owner: 0 }
roots { count: 1 to: 1 }
externals { count: 2 to: [1, 0] to_form: [0, 1] size: [10, 30] }
extra_table { name: "t" count: 2 column { name: "of" type: "node" node_refs: [2, 0] } column { name: "zero" type: "number" } }
extra_table { name: "t" first: 2 count: 1 column { name: "of" node_refs: 1 } }
extra_table { name: "u" }
locations { count: 2 to: [1, 0] extra { name: "script" node_refs: [0, 2] } extra { name: "what" ints: [1, 2] } }
graph_end { types: 1 nodes: 2 edges: 2 roots: 1 values: 2 externals: 2 locations: 2 self_size_total: 5 external_size_total: 40 edges_omitted: 1 edges_synthesized: 1 }
footer { graphs: 1 strings: 1 }
)"));
}

// What a password was must not be found in a file without the object. The
// values of edges come before the edges, as they may.
TEST(UnreachableTest, DropTakesTextsAlong) {
  EXPECT_EQ(Filter(R"(
header { format: "t" }
graph { root_ref: 1 edges_grouped: true }
strings { first: 1 data: "secretkeptunused" length: [6, 4, 6] }
nodes { count: 3 edge_count: [1, 0, 0] name: [0, 2, 1] value_form: [0, 9, 9] value: [0, 2, 1] }
edges { count: 1 edges_per_node: 1 to: 1 }
values { count: 2 owner: [1, 2] key: [2, 1] form: [3, 3] value: [1, 1] }
graph_end { nodes: 3 edges: 1 values: 2 }
footer { graphs: 1 strings: 4 }
)",
                   Unreachable::kDrop),
            Spell(R"(
header { format: "t" }
graph { root_ref: 1 edges_grouped: true id_space: UNSTABLE }
strings { first: 1 data: "keptunused" length: [4, 6] }
nodes { count: 2 edge_count: [1, 0] name: [0, 1] value_form: [0, 9] value: [0, 1] id: [1, 2] }
edges { count: 1 edges_per_node: 1 to: 1 }
values { count: 1 owner: 1 key: 1 form: 3 value: 1 }
graph_end { nodes: 2 edges: 1 values: 1 }
footer { graphs: 1 strings: 3 }
)"));
}

TEST(UnreachableTest, DropTakesWeakEdgesAlongWhereNoneLacksItsTarget) {
  EXPECT_EQ(Filter(R"(
header { }
graph { root_ref: 1 edges_grouped: true }
vocabulary { space: EDGE_KIND known: [4, 7] }
nodes { count: 3 edge_count: [4, 2, 1] }
values { count: 4 owner_space: OF_EDGE owner: [0, 1, 3, 6] form: [10, 10, 10, 10] value: [5, 6, 7, 8] }
edges { count: 2 edges_per_node: 2 kind: [1, 1] name_form: [2, 2] name: [1, 2] to: [1, 1] }
edges { first: 2 count: 5 edges_per_node: [2, 2, 1] kind: [0, 1, 0, 1, 1] name: [3, 4, 5, 6, 7] name_form: [2, 2, 2, 2, 2] to: [2, 1, 2, 0, 0] }
graph_end { nodes: 3 edges: 7 values: 4 }
footer { graphs: 1 strings: 1 }
)",
                   Unreachable::kDrop, {.omits_targets = false}),
            Spell(R"(
header { }
graph { root_ref: 1 edges_grouped: true id_space: UNSTABLE }
vocabulary { space: EDGE_KIND known: [4, 7] }
nodes { count: 2 id: [1, 3] edge_count: [1, 1] }
values { count: 1 owner_space: OF_EDGE owner: 1 form: 10 value: 8 }
edges { count: 2 edges_per_node: [1, 1] kind: [0, 1] name: [3, 7] name_form: [2, 2] to: [1, 0] }
graph_end { nodes: 2 edges: 2 values: 1 }
footer { graphs: 1 strings: 1 }
)"));
}

// An absent column is all 0. The last of 65 nodes, which has the second of two
// edges, is the root; the question is whether it holds the first node, which is
// in another block of nodes.
TEST(UnreachableTest, ColumnsNeedNotBeThere) {
  const struct {
    const char* words;  // kinds of edges
    const char* columns;
    bool is_held;
  } cases[] = {
      {"4", "", true},
      {"4", "to_form: [1, 0]", true},
      {"4", "to_form: [0, 1]", false},
      {"4", "to_form: [1, 0] to: [0, 0]", true},
      {"4", "to_form: [0, 1] to: [0, 0]", false},
      {"4", "to: [64, 0]", true},
      {"4", "to: [0, 64]", false},
      // Weak kinds, few and many.
      {"4, 7", "", true},
      {"7, 4", "", false},
      {"7, 4", "kind: [0, 1]", true},
      {"7, 4", "kind: [1, 0] to_form: [0, 0]", false},
      {"4, 7, 7, 7, 7, 7", "", true},
      {"7, 7, 7, 7, 7, 4", "", false},
      {"7, 7, 7, 7, 7, 4", "kind: [0, 5]", true},
      {"7, 7, 7, 7, 7, 4", "kind: [5, 0]", false},
  };
  std::string counts = "1";
  for (int i = 1; i < 64; ++i) counts += ", 0";
  counts += ", 1";
  for (const auto& [words, columns, is_held] : cases) {
    Context context;
    VectorReader upstream(
        ParseStream("header { }\n"
                    "graph { root_ref: 65 edges_grouped: true }\n"
                    "vocabulary { space: EDGE_KIND known: [" +
                    std::string(words) +
                    "] }\n"
                    "nodes { count: 65 edge_count: [" +
                    counts +
                    "] }\n"
                    "edges { count: 2 edges_per_node: [" +
                    counts + "] " + columns +
                    " }\n"
                    "graph_end { nodes: 65 edges: 2 }\n"
                    "footer { graphs: 1 strings: 1 }\n"));
    VectorSink out;
    const Status status =
        MakeUnreachableFilter(upstream, Unreachable::kDrop, context)
            ->Read({Body::kNodes}, out);
    ASSERT_EQ(status.ToString(), "");
    ASSERT_EQ(out.chunks().size(), 1U);
    EXPECT_EQ(out.chunks()[0].nodes().count(), is_held ? 2U : 1U)
        << words << ": " << columns;
  }
}

// Of three, in JSON where its format says so, and only if something is dropped.
TEST(UnreachableTest, TellsOfNumbersInJson) {
  const std::string json =
      R"(extra { format: "heapsnapshot" section: "heapsnapshot.snapshot" data: "{\"root_index\":7}" }
extra { format: "heapsnapshot" section: "heapsnapshot.section" data: "\"a1\":[{\"2\\\"3\":4}, -5.0e+1" continued: true }
extra { format: "heapsnapshot" section: "heapsnapshot.section" data: "2,6 ,true]" }
extra { format: "heapsnapshot" section: "heapsnapshot.section" data: "\"b\":\"78\"" }
extra { format: "t" section: "heapsnapshot.section" data: "\"c\":9" }
)";
  for (const bool has_garbage : {true, false}) {
    const std::string text = "header { }\ngraph { edges_grouped: true }\n" +
                             std::string(has_garbage ? "nodes { count: 2 }\n"
                                                     : "nodes { count: 1 }\n") +
                             "roots { count: 1 to: 0 }\n" + json +
                             "graph_end { nodes: " + (has_garbage ? "2" : "1") +
                             " roots: 1 }\nfooter { graphs: 1 strings: 1 }\n";
    VectorReader source(ParseStream(text));
    Context context;
    const auto filter = MakeUnreachableFilter(source, Unreachable::kDrop,
                                              context, {.find = &FindReader});
    VectorSink out;
    ASSERT_TRUE(filter->Read(ChunkSet::All(), out).ok());
    std::uint64_t numbers = 0;
    for (const LossReport::Item& item : context.loss.items())
      if (item.code == "unreachable.extra") numbers += item.count;
    EXPECT_EQ(numbers, has_garbage ? 3 : 0);
  }
}

TEST(UnreachableTest, TellsOfNumbersThatMayReferToWhatIsGone) {
  VectorReader source(ParseStream(kFive));
  Context context;
  const auto filter =
      MakeUnreachableFilter(source, Unreachable::kDrop, context);
  VectorSink out;
  EXPECT_TRUE(filter->Read(ChunkSet::All(), out).ok());
  EXPECT_TRUE(filter->Read(ChunkSet::All(), out).ok());
  std::string lost;
  for (const LossReport::Item& item : context.loss.items())
    lost += std::string(item.code) + " " + std::to_string(item.count) + "\n";
  EXPECT_EQ(lost,
            "unreachable.node 3\nunreachable.edge 1\n"
            "unreachable.reference 4\nunreachable.extra_table 2\n"
            "unreachable.extra 2\n");
}

TEST(UnreachableTest, WhollyReachableStaysAsItIs) {
  constexpr char kWhole[] = R"(
header { format: "t" }
graph { root_ref: 2 edges_grouped: true node_count: 2 }
nodes { count: 2 edge_count: [0, 1] }
edges { count: 1 edges_per_node: [0, 1] }
graph_end { nodes: 2 edges: 1 }
graph { edges_grouped: true }
graph_end { }
footer { graphs: 2 strings: 1 }
)";
  EXPECT_EQ(Filter(kWhole, Unreachable::kKeep), Spell(kWhole));
  EXPECT_EQ(Filter(kWhole, Unreachable::kRoot), Spell(kWhole));
  EXPECT_EQ(Filter(kWhole, Unreachable::kDrop), Spell(kWhole));
}

TEST(UnreachableTest, TheSourcesImageIsThatOfTheSourceOnly) {
  constexpr char kRest[] =
      "graph { edges_grouped: true }\ngraph_end { }\n"
      "footer { graphs: 1 strings: 1 }\n";
  const std::string image =
      std::string("header { }\nsource_image { size: 1 }\n") + kRest;
  const std::string none = std::string("header { }\n") + kRest;
  EXPECT_EQ(Filter(image, Unreachable::kKeep), Spell(image));
  EXPECT_EQ(Filter(image, Unreachable::kRoot), Spell(none));
  EXPECT_EQ(Filter(image, Unreachable::kDrop), Spell(none));
}

TEST(UnreachableTest, UngroupedEdgesAreUnsupported) {
  Context context;
  VectorReader upstream(ParseStream("header { }\ngraph { }\n"));
  CheckSink check(ChunkSet::All());
  const Status status =
      MakeUnreachableFilter(upstream, Unreachable::kDrop, context)
          ->Read(ChunkSet::All(), check);
  EXPECT_EQ(status.code(), Code::kUnsupported);
}

TEST(UnreachableTest, ReferencesPastTheEndAreOurFault) {
  for (const char* broken :
       {"graph { edges_grouped: true root_ref: 2 }\ngraph_end { nodes: 1 }",
        "graph { edges_grouped: true }\n"
        "edges { count: 1 edges_per_node: 1 to: 1 }\ngraph_end { nodes: 1 }",
        "graph { edges_grouped: true }\n"
        "edges { count: 1 edges_per_node: [0, 1] }\ngraph_end { nodes: 1 }",
        "graph { edges_grouped: true }\nroots { count: 1 }\ngraph_end { }"}) {
    Context context;
    VectorReader upstream(ParseStream(broken));
    VectorSink out;
    const Status status =
        MakeUnreachableFilter(upstream, Unreachable::kRoot, context)
            ->Read(ChunkSet::All(), out);
    EXPECT_EQ(status.code(), Code::kInternal) << broken;
  }
}

// A cycle of a million nodes: nothing may go as deep as the graph does.
TEST(UnreachableTest, DepthCostsNoStack) {
  constexpr std::uint32_t kNodes = 1'000'000;
  std::vector<pb::Chunk> chunks = ParseStream("graph { edges_grouped: true }");
  pb::Edges& edges = *chunks.emplace_back().mutable_edges();
  edges.set_count(kNodes);
  for (std::uint32_t node = 0; node < kNodes; ++node) {
    edges.add_edges_per_node(1);
    edges.add_to((node + 1) % kNodes);
  }
  chunks.emplace_back().mutable_graph_end()->set_nodes(kNodes);
  Context context;
  VectorReader upstream(std::move(chunks));
  VectorSink out;
  ASSERT_TRUE(MakeUnreachableFilter(upstream, Unreachable::kRoot, context)
                  ->Read({Body::kRoots}, out)
                  .ok());
  EXPECT_EQ(out.text(), Spell("roots { count: 1 to: 0 kind: 1 distance: 1 }"));
  ASSERT_EQ(context.loss.synthesized().size(), 1U);
  EXPECT_EQ(context.loss.synthesized()[0].count, 1U);
}

TEST(UnreachableTest, ManyEntryPointsComeInChunks) {
  Context context;
  VectorReader upstream(
      ParseStream("header { }\n"
                  "graph { edges_grouped: true }\n"
                  "nodes { count: 10000 }\n"
                  "graph_end { nodes: 10000 }\n"
                  "footer { graphs: 1 strings: 1 }\n"));
  VectorSink out;
  CheckSink check(ChunkSet::All(), &out);
  const Status status =
      MakeUnreachableFilter(upstream, Unreachable::kRoot, context)
          ->Read(ChunkSet::All(), check);
  EXPECT_EQ(status.ToString(), "");
  std::uint64_t roots = 0;
  for (const pb::Chunk& chunk : out.chunks()) {
    EXPECT_LE(chunk.roots().count(), kChunkRows);
    roots += chunk.roots().count();
  }
  EXPECT_EQ(roots, 10000U);
}

TEST(RankBitmapTest, RanksAsCounted) {
  std::mt19937 random(1);
  for (const std::uint64_t size : {0, 1, 63, 64, 65, 511, 512, 513, 2000}) {
    RankBitmap bitmap(size);
    std::vector<bool> plain(size);
    for (std::uint64_t i = 0; i < size / 3; ++i) {
      const std::uint64_t member = random() % size;
      bitmap.Add(member);
      plain[member] = true;
    }
    const std::uint64_t begin = size / 4;
    const std::uint64_t end = size / 2;
    bitmap.AddRange(begin, end);
    for (std::uint64_t i = begin; i < end; ++i) plain[i] = true;
    bitmap.BuildRanks();
    std::uint64_t rank = 0;
    for (std::uint64_t i = 0; i < size; ++i) {
      EXPECT_EQ(bitmap.Has(i), plain[i]);
      EXPECT_EQ(bitmap.Rank(i), rank);
      rank += plain[i] ? 1 : 0;
    }
    EXPECT_EQ(bitmap.Rank(size), rank);
    EXPECT_EQ(bitmap.members(), rank);
  }
}

// -------------------------------------- against the obvious implementation

// Kinds from 1 on are weak: few, and many.
constexpr std::uint32_t kFewWeak = 1;
constexpr std::uint32_t kManyWeak = 7;

struct Edge {
  std::uint64_t from = 0;
  std::uint32_t kind = 0;
  std::uint32_t form = 0;
  std::uint64_t to = 0;
  bool operator==(const Edge&) const = default;
};
struct Owned {
  std::uint64_t owner = 0;
  std::uint64_t value = 0;
  bool operator==(const Owned&) const = default;
};

// A heap in the simplest form.
struct Heap {
  std::vector<std::uint64_t> ids;
  std::vector<Edge> edges;
  std::vector<std::uint64_t> roots;
  std::vector<Owned> values;
  std::vector<Owned> edge_values;
  std::vector<Owned> externals;
  bool operator==(const Heap&) const = default;
};

Heap RandomHeap(std::mt19937& random) {
  Heap heap;
  const std::uint64_t nodes = 1 + random() % 24;
  const std::uint64_t degree = 1 + random() % 4;
  const std::uint32_t weak = random() % 2 == 0 ? kFewWeak : kManyWeak;
  for (std::uint64_t node = 0; node < nodes; ++node) {
    heap.ids.push_back(node + 1);
    for (auto edges = random() % degree; edges != 0; --edges) {
      const std::uint32_t form = random() % 8 == 0 ? pb::TO_OMITTED : 0;
      const std::uint64_t to = form == 0 ? random() % nodes : 0;
      if (random() % 4 == 0) {
        heap.edge_values.push_back({heap.edges.size(), random()});
      }
      const std::uint32_t kind =
          random() % 5 == 0 ? 1 + static_cast<std::uint32_t>(random() % weak)
                            : 0;
      heap.edges.push_back({node, kind, form, to});
    }
    if (random() % 2 == 0) heap.values.push_back({node, random()});
    if (random() % 3 == 0) heap.externals.push_back({node, random() % 100});
  }
  for (auto roots = random() % 3; roots != 0; --roots) {
    heap.roots.push_back(random() % nodes);
  }
  return heap;
}

// Sends a Heap in chunks of a few rows each.
class HeapReader : public Reader {
 public:
  HeapReader(Heap heap, int rows) : heap_(std::move(heap)), rows_(rows) {}

  Status Read(ChunkSet wanted, ChunkSink& out) override {
    const bool is_many = std::ranges::any_of(
        heap_.edges, [](const Edge& edge) { return edge.kind > kFewWeak; });
    chunks_ = ParseStream(
        "header { format: \"t\" }\n"
        "graph { edges_grouped: true }\n"
        "vocabulary { space: EDGE_KIND known: [4, 7" +
        std::string(is_many ? ", 7, 7, 7, 7, 7, 7" : "") +
        "] edge_flags: [0, 1" +
        std::string(is_many ? ", 1, 1, 1, 1, 1, 1" : "") +
        "] }\n"
        "vocabulary { space: ROOT_KIND known: 6 }\n");
    AddNodesAndEdges();
    AddValues(pb::Values::OF_NODE, 0, heap_.values);
    AddValues(pb::Values::OF_EDGE, heap_.values.size(), heap_.edge_values);
    AddOthers();
    return VectorReader(chunks_).Read(wanted, out);
  }

 private:
  void AddNodesAndEdges() {
    auto edge = heap_.edges.begin();
    std::uint64_t sent = 0;
    for (std::uint64_t first = 0; first < heap_.ids.size(); first += rows_) {
      pb::Nodes nodes;
      pb::Edges edges;
      nodes.set_first(first);
      edges.set_first(sent);
      edges.set_first_node(first);
      for (auto node = first; node < first + rows_; ++node) {
        if (node == heap_.ids.size()) break;
        std::uint32_t count = 0;
        for (; edge != heap_.edges.end() && edge->from == node; ++edge) {
          edges.add_kind(edge->kind);
          edges.add_to_form(edge->form);
          edges.add_to(edge->to);
          ++count;
        }
        edges.add_edges_per_node(count);
        nodes.add_edge_count(count);
        nodes.add_self_size(node);
      }
      nodes.set_count(nodes.edge_count_size());
      edges.set_count(edges.to_size());
      sent += edges.count();
      *chunks_.emplace_back().mutable_nodes() = nodes;
      if (edges.count() != 0) *chunks_.emplace_back().mutable_edges() = edges;
    }
  }

  void AddValues(pb::Values::Owner space, std::uint64_t first,
                 const std::vector<Owned>& owned) {
    for (std::size_t i = 0; i < owned.size(); ++i) {
      pb::Values& values = *chunks_.emplace_back().mutable_values();
      values.set_owner_space(space);
      values.set_first(first + i);
      values.set_count(1);
      values.add_owner(owned[i].owner);
      values.add_form(pb::V_UINT);
      values.add_value(owned[i].value);
    }
  }

  void AddOthers() {
    pb::Roots roots;
    for (const std::uint64_t root : heap_.roots) roots.add_to(root);
    roots.set_count(roots.to_size());
    pb::Externals externals;
    pb::GraphEnd end;
    for (const Owned& external : heap_.externals) {
      externals.add_to(external.owner);
      externals.add_size(external.value);
      end.set_external_size_total(end.external_size_total() + external.value);
    }
    externals.set_count(externals.to_size());
    if (roots.count() != 0) *chunks_.emplace_back().mutable_roots() = roots;
    if (externals.count() != 0) {
      *chunks_.emplace_back().mutable_externals() = externals;
    }
    const std::uint64_t nodes = heap_.ids.size();
    end.set_nodes(nodes);
    end.set_self_size_total(nodes * (nodes - 1) / 2);
    end.set_edges(heap_.edges.size());
    for (const Edge& edge : heap_.edges) {
      if (edge.form == pb::TO_OMITTED) {
        end.set_edges_omitted(end.edges_omitted() + 1);
      }
    }
    end.set_roots(heap_.roots.size());
    end.set_values(heap_.values.size() + heap_.edge_values.size());
    end.set_externals(heap_.externals.size());
    *chunks_.emplace_back().mutable_graph_end() = end;
    pb::Footer& footer = *chunks_.emplace_back().mutable_footer();
    footer.set_graphs(1);
    footer.set_strings(1);
  }

  Heap heap_;
  int rows_;
  std::vector<pb::Chunk> chunks_;
};

// The heap that a stream describes.
Heap HeapOf(const std::vector<pb::Chunk>& chunks) {
  Heap heap;
  for (const pb::Chunk& chunk : chunks) {
    const pb::Nodes& nodes = chunk.nodes();
    for (std::uint32_t i = 0; i < nodes.count(); ++i) {
      const auto row = static_cast<int>(i);
      heap.ids.push_back(nodes.id().empty() ? nodes.first() + i + 1
                                            : nodes.id(row));
      EXPECT_EQ(At(nodes.self_size(), row) + 1, heap.ids.back());
    }
    const pb::Edges& edges = chunk.edges();
    int row = 0;
    for (int i = 0; i < edges.edges_per_node_size(); ++i) {
      for (auto k = edges.edges_per_node(i); k != 0; --k, ++row) {
        heap.edges.push_back({edges.first_node() + i, At(edges.kind(), row),
                              At(edges.to_form(), row), At(edges.to(), row)});
      }
    }
    for (const std::uint64_t root : chunk.roots().to()) {
      heap.roots.push_back(root);
    }
    const pb::Values& values = chunk.values();
    for (int i = 0; i < values.owner_size(); ++i) {
      const bool of_node = values.owner_space() == pb::Values::OF_NODE;
      (of_node ? heap.values : heap.edge_values)
          .push_back({values.owner(i), values.value(i)});
    }
    const pb::Externals& externals = chunk.externals();
    for (int i = 0; i < externals.to_size(); ++i) {
      heap.externals.push_back({externals.to(i), externals.size(i)});
    }
  }
  return heap;
}

using Matrix = std::vector<std::vector<bool>>;

// reach[a][b]: a path of strong edges, possibly empty, leads from a to b.
Matrix Reach(const Heap& heap) {
  const std::size_t nodes = heap.ids.size();
  Matrix reach(nodes, std::vector<bool>(nodes));
  for (std::size_t node = 0; node < nodes; ++node) reach[node][node] = true;
  for (const Edge& edge : heap.edges) {
    if (edge.form == 0 && edge.kind == 0) {
      reach[edge.from][edge.to] = true;
    }
  }
  for (std::size_t via = 0; via < nodes; ++via) {
    for (std::size_t a = 0; a < nodes; ++a) {
      if (!reach[a][via]) continue;
      for (std::size_t b = 0; b < nodes; ++b) {
        if (reach[via][b]) reach[a][b] = true;
      }
    }
  }
  return reach;
}

std::vector<bool> Reached(const Heap& heap, const Matrix& reach) {
  std::vector<bool> reached(heap.ids.size());
  for (const std::uint64_t root : heap.roots) {
    for (std::size_t node = 0; node < heap.ids.size(); ++node) {
      if (reach[root][node]) reached[node] = true;
    }
  }
  return reached;
}

void PlainRoot(Heap* heap) {
  const Matrix reach = Reach(*heap);
  const std::vector<bool> reached = Reached(*heap, reach);
  for (std::size_t node = 0; node < reached.size(); ++node) {
    bool entry = !reached[node];
    for (std::size_t other = 0; other < reached.size(); ++other) {
      if (reached[other] || !reach[other][node]) continue;
      // Another node may reach it only from its own cycle and if it is not
      // earlier.
      if (!reach[node][other] || other < node) entry = false;
    }
    if (entry) heap->roots.push_back(node);
  }
}

Heap PlainDrop(const Heap& heap, bool omits) {
  const std::vector<bool> kept = Reached(heap, Reach(heap));
  std::vector<std::uint64_t> number(kept.size());
  Heap out;
  for (std::size_t node = 0; node < kept.size(); ++node) {
    number[node] = out.ids.size();
    if (kept[node]) out.ids.push_back(heap.ids[node]);
  }
  const auto drops = [&](const Edge& edge) {
    return !kept[edge.from] || (!omits && edge.form == 0 && !kept[edge.to]);
  };
  std::vector<std::uint64_t> edge_number(heap.edges.size());
  for (std::size_t i = 0; i < heap.edges.size(); ++i) {
    edge_number[i] = out.edges.size();
    Edge edge = heap.edges[i];
    if (drops(edge)) continue;
    edge.from = number[edge.from];
    if (edge.form == 0) {
      edge.form = kept[edge.to] ? pb::TO_NODE : pb::TO_OMITTED;
      edge.to = kept[edge.to] ? number[edge.to] : 0;
    }
    out.edges.push_back(edge);
  }
  for (const std::uint64_t root : heap.roots) {
    out.roots.push_back(number[root]);
  }
  for (const auto& [owner, value] : heap.values) {
    if (kept[owner]) out.values.push_back({number[owner], value});
  }
  for (const auto& [owner, value] : heap.edge_values) {
    if (!drops(heap.edges[owner])) {
      out.edge_values.push_back({edge_number[owner], value});
    }
  }
  for (const auto& [owner, value] : heap.externals) {
    if (kept[owner]) out.externals.push_back({number[owner], value});
  }
  return out;
}

const char* ModeName(Unreachable mode) {
  switch (mode) {
    case Unreachable::kKeep:
      return "Keep";
    case Unreachable::kRoot:
      return "Root";
    default:
      return "Drop";
  }
}

class RandomHeapTest : public testing::TestWithParam<Unreachable> {};

TEST_P(RandomHeapTest, IsFilteredLikeThePlainWay) {
  std::mt19937 random(20240607);
  for (int round = 0; round < 2000; ++round) {
    const Heap heap = RandomHeap(random);
    Context context;
    HeapReader upstream(heap, static_cast<int>(1 + random() % 7));
    const bool omits = random() % 2 == 0;
    const auto filter = MakeUnreachableFilter(upstream, GetParam(), context,
                                              {.omits_targets = omits});
    VectorSink out;
    CheckSink check(ChunkSet::All(), &out);
    ASSERT_EQ(filter->Read(ChunkSet::All(), check).ToString(), "") << round;
    ASSERT_EQ(check.Finish().ToString(), "");
    Heap expected = heap;
    if (GetParam() == Unreachable::kRoot) PlainRoot(&expected);
    if (GetParam() == Unreachable::kDrop) expected = PlainDrop(heap, omits);
    ASSERT_TRUE(HeapOf(out.chunks()) == expected) << round << out.text();
  }
}

// Whatever a pass wants, what it gets is a part of the whole stream.
TEST_P(RandomHeapTest, EveryPassIsASelection) {
  std::mt19937 random(7);
  for (int round = 0; round < 100; ++round) {
    Context context;
    HeapReader upstream(RandomHeap(random), 3);
    VectorSink all;
    const UnreachableOptions options = {.omits_targets = round % 2 == 0};
    ASSERT_TRUE(MakeUnreachableFilter(upstream, GetParam(), context, options)
                    ->Read(ChunkSet::All(), all)
                    .ok());
    const auto filter =
        MakeUnreachableFilter(upstream, GetParam(), context, options);
    for (int body = Body::kHeader; body <= Body::kExternals; ++body) {
      const ChunkSet wanted{static_cast<Body>(body)};
      VectorSink some;
      VectorSink expected;
      CheckSink check(wanted, &some);
      ASSERT_EQ(filter->Read(wanted, check).ToString(), "");
      ASSERT_TRUE(VectorReader(all.chunks()).Read(wanted, expected).ok());
      ASSERT_EQ(some.text(), expected.text());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, RandomHeapTest,
                         testing::Values(Unreachable::kKeep, Unreachable::kRoot,
                                         Unreachable::kDrop),
                         [](const testing::TestParamInfo<Unreachable>& mode) {
                           return ModeName(mode.param);
                         });

}  // namespace

void PrintTo(Unreachable mode, std::ostream* out) { *out << ModeName(mode); }

}  // namespace heapglot
