// The canonical form, over the whole corpus. tests/cli/normalize_test.py tries
// what does not matter to it in real files.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/canonical/canonical_reader.h"
#include "core/canonical/compact_json.h"
#include "core/canonical/graph_digest.h"
#include "core/canonical/stream_digest.h"
#include "core/check_sink.h"
#include "heapglot/bytes.h"
#include "heapglot/format.h"
#include "tests/core/text_stream.h"
#include "tests/heapir/heapir_file.h"
#include "tests/sanitized.h"

namespace heapglot {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> GoodFiles() {
  std::vector<fs::path> files;
  for (const ReaderInfo* reader : Readers()) {
    const fs::path good = fs::path(HEAPGLOT_CORPUS_DIR) / reader->name / "good";
    for (const fs::directory_entry& file : fs::directory_iterator(good))
      files.push_back(file.path());
  }
  return files;
}

struct Digests {
  std::string stream;
  GraphIdentity graph;
};

// The digests of the canonical form of `reader`'s stream, which is checked.
Digests DigestsOf(Reader& reader) {
  Context context;
  const auto canonical = MakeCanonicalReader(reader, context);
  StreamDigest stream;
  CheckSink check(ChunkSet::All(), &stream);
  EXPECT_EQ(canonical->Read(ChunkSet::All(), check).ToString(), "");
  EXPECT_EQ(check.Finish().ToString(), "");
  GraphDigest graph;
  EXPECT_EQ(canonical->Read(ChunkSet::All(), graph).ToString(), "");
  return {.stream = stream.Finish(), .graph = graph.Finish()};
}

// The stream as a heapir, whose chunks are cut in other places.
std::string ToHeapir(Reader& reader) {
  return testing::WriteFile(reader, /*compress=*/false);
}

Digests DigestsOfHeapir(const std::string& heapir) {
  Context context;
  const auto source = ByteSource::FromMemory(heapir);
  const auto reader = IrReader().make(*source, context);
  return DigestsOf(*reader);
}

// The canonical form of a stream in text.
std::string CanonicalText(const std::string& stream, Context& context) {
  VectorReader reader(ParseStream(stream));
  VectorSink sink;
  EXPECT_EQ(MakeCanonicalReader(reader, context, &FindReader)
                ->Read(ChunkSet::All(), sink)
                .ToString(),
            "");
  return sink.text();
}

TEST(CanonicalTest, DoesNotDependOnHowTheStreamIsCut) {
  for (const fs::path& path : GoodFiles()) {
    if (TakesTooLong(path)) continue;
    SCOPED_TRACE(path);
    const auto source = ByteSource::Open(path, Limits());
    ASSERT_TRUE(source.ok());
    const auto format = Identify((*source)->bytes());
    ASSERT_TRUE(format.ok());
    Context context;
    const auto reader = (*format)->make(**source, context);
    const Digests original = DigestsOf(*reader);
    const Digests cut_anew = DigestsOfHeapir(ToHeapir(*reader));
    EXPECT_EQ(original.stream, cut_anew.stream);
    EXPECT_EQ(original.graph.digest, cut_anew.graph.digest);
    EXPECT_EQ(original.graph.ties, cut_anew.graph.ties);

    const auto canonical = MakeCanonicalReader(*reader, context);
    const std::string stored = ToHeapir(*canonical);
    const Digests again = DigestsOfHeapir(stored);
    EXPECT_EQ(original.stream, again.stream);
    EXPECT_EQ(original.graph.digest, again.graph.digest);
    // The same content in the same bytes.
    const auto stored_source = ByteSource::FromMemory(stored);
    const auto stored_reader = IrReader().make(*stored_source, context);
    EXPECT_TRUE(ToHeapir(*MakeCanonicalReader(*stored_reader, context)) ==
                stored);
  }
}

TEST(CanonicalTest, JsonHasNoLayout) {
  EXPECT_EQ(CompactJson(" {\n \"a b\" : [ 1, \"\\\" {\" ] }\r\n"),
            "{\"a b\":[1,\"\\\" {\"]}");
  for (const char* other : {"", "1 2", "{ } ", "[ 1 2 ]", "{ ]", "[ \"a ]",
                            "[ ", "{ } [ ]", "text { }"}) {
    const bool is_json = std::string_view(other) == "{ } ";
    EXPECT_EQ(CompactJson(other), is_json ? "{}" : other);
  }
  EXPECT_EQ(CompactJson("[ 1 ]\r\n \r\n{\"a\": 2}\n[3]"),
            "[1]\n\n{\"a\":2}\n[3]");
  EXPECT_EQ(CompactJson("[ 1 ]\r\n2 3\n"), "[ 1 ]\r\n2 3\n");
}

constexpr char kTwoNodes[] = R"(
header { format: "t" }
graph { edges_grouped: true root_ref: 1 }
strings { first: 1 data: "objectpropAB" length: [6, 4, 1, 1] names: true }
vocabulary { space: NODE_KIND name: 1 known: 4 }
vocabulary { space: EDGE_KIND name: 2 known: 3 name_form: 1 }
nodes { count: 2 id: [7, 9] kind: [0, 0] name: [3, 4] self_size: [8, 16] edge_count: [2, 0] }
edges { count: 2 edges_per_node: [2] kind: [0, 0] name: [3, 4] to: [1, 0] }
graph_end { nodes: 2 edges: 2 self_size_total: 24 }
footer { graphs: 1 strings: 5 }
)";

std::string Replace(std::string text, std::string_view from,
                    std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

Digests DigestsOfText(const std::string& text) {
  VectorReader reader(ParseStream(text));
  return DigestsOf(reader);
}

TEST(CanonicalTest, SaysWhatMattersToWhichDigest) {
  const Digests original = DigestsOfText(kTwoNodes);
  const auto expect = [&](std::string_view from, std::string_view to,
                          bool same_stream, bool same_graph) {
    SCOPED_TRACE(to);
    const Digests changed = DigestsOfText(Replace(kTwoNodes, from, to));
    EXPECT_EQ(changed.stream == original.stream, same_stream);
    EXPECT_EQ(changed.graph.digest == original.graph.digest, same_graph);
  };
  expect("id: [7, 9]", "id: [9, 7]", false, true);
  expect("name: [3, 4] to: [1, 0]", "name: [4, 3] to: [0, 1]", false, true);
  expect("name: [3, 4] to: [1, 0]", "name: [3, 4] to: [0, 1]", false, false);
  expect("self_size: [8, 16]", "self_size: [16, 8]", false, false);
  expect("known: 3", "known: 4", false, false);
  // Strings in another order, and twice.
  expect("\"objectpropAB\" length: [6, 4, 1, 1] names: true }",
         "\"objectpropAB\" length: [6, 4, 1, 1] names: true "
         "source_id: [5, 6, 7, 8] }",
         true, true);
  expect("header { format: \"t\" }",
         "header { format: \"t\" dialect: \"d\" source_size: 5 }", true, true);
  expect("kind: [0, 0] name: [3, 4] to:",
         "kind: [0, 0] name_form: [1, 1] name: [3, 4] to:", true, true);
}

// The columns of an extra table are its rows; extra columns of a known table
// are not.
TEST(CanonicalTest, TablesOfOneFormatKeepTheirColumns) {
  Context context;
  const std::string text = CanonicalText(R"(
header { }
graph { edges_grouped: true }
strings { first: 1 data: "aab" length: [1, 1, 1] }
nodes { count: 1 extra { name: "z" type: "number" ints: 1 } extra { name: "a" type: "number" ints: 1 } extra { name: "0" type: "number" } }
extra_table { name: "t" count: 1 column { name: "z" type: "string" strings: 3 } column { name: "a" type: "number" ints: 0 } column { name: "m" type: "node" node_refs: 1 } }
extra_table { name: "t" first: 1 count: 2 column { name: "m" type: "node" node_refs: [0, 1] } column { name: "a" type: "number" } column { name: "z" type: "string" strings: [2, 1] } }
extra_table { name: "none" }
extra_table { name: "x" count: 2 column { name: "unknown" ints: [3, 2] } }
graph_end { nodes: 1 }
footer { graphs: 1 strings: 4 }
)",
                                         context);
  EXPECT_EQ(text, R"(header { }
graph { edges_grouped: true }
nodes { count: 1 extra { name: "a" type: "number" ints: [1] } extra { name: "z" type: "number" ints: [1] } }
extra_table { name: "none" }
strings { first: 1 data: "ba" length: [1, 1] }
extra_table { name: "t" count: 3 column { name: "z" type: "string" strings: [1, 2, 2] } column { name: "a" type: "number" } column { name: "m" type: "node" node_refs: [1, 0, 1] } }
extra_table { name: "x" count: 2 column { name: "unknown" ints: [3, 2] } }
graph_end { nodes: 1 id_limit: 2 }
footer { graphs: 1 strings: 3 }
)");
  ASSERT_EQ(context.loss.items().size(), 1U);
  EXPECT_EQ(context.loss.items()[0].code, "canonical.extra");
  EXPECT_EQ(context.loss.items()[0].count, 2U);
}

// In JSON where, according to its format, numbers may be those of strings.
TEST(CanonicalTest, TellsOfNumbersInJson) {
  Context context;
  CanonicalText(R"(
header { }
graph { }
extra { format: "heapsnapshot" section: "heapsnapshot.snapshot" data: "{\"root_index\":7}" }
extra { format: "heapsnapshot" section: "heapsnapshot.section" data: "\"a1\":[{\"2\\\"3\":4}, -5.0e+1" continued: true }
extra { format: "heapsnapshot" section: "heapsnapshot.section" data: "2,6 ,true]" }
extra { format: "heapsnapshot" section: "heapsnapshot.section" data: "\"b\":\"78\"" }
extra { format: "t" section: "heapsnapshot.section" data: "\"c\":9" }
graph_end { }
footer { graphs: 1 strings: 1 }
)",
                context);
  ASSERT_EQ(context.loss.items().size(), 1U);
  EXPECT_EQ(context.loss.items()[0].code, "canonical.extra");
  EXPECT_EQ(context.loss.items()[0].count, 3U);
}

// Chunks of a table may have its columns in any order, and two with one name.
TEST(CanonicalTest, ColumnsOfChunksAreThoseOfTheFirst) {
  Context context;
  const std::string text = CanonicalText(R"(
header { }
graph { }
extra_table { name: "t" count: 1 column { name: "c" ints: 1 } column { name: "b" ints: 2 } column { name: "c" ints: 3 } column { name: "a" ints: 4 } }
extra_table { name: "t" first: 1 count: 1 column { name: "a" ints: 5 } column { name: "c" ints: 6 } column { name: "c" ints: 7 } column { name: "b" ints: 8 } }
extra_table { name: "t" first: 2 count: 1 column { name: "b" ints: 9 } column { name: "d" ints: 10 } column { name: "c" ints: 11 } }
graph_end { }
footer { graphs: 1 strings: 1 }
)",
                                         context);
  EXPECT_NE(
      text.find(
          R"(extra_table { name: "t" count: 3 column { name: "c" ints: [1, 6, 11] } column { name: "b" ints: [2, 8, 9] } column { name: "c" ints: [3, 7, 0] } column { name: "a" ints: [4, 5, 0] } column { name: "d" ints: [0, 0, 10] } })"),
      std::string::npos)
      << text;
}

// Nodes that come one by one, each followed by its edges: these wait until all
// nodes of their block are there, in a temporary file.
TEST(CanonicalTest, ManyEdgesMayComeBeforeTheNextNode) {
  static constexpr std::uint64_t kEdges = 50 * std::uint64_t{kChunkRows} + 7;
  const auto stream = [](bool one_by_one) {
    std::vector<pb::Chunk> chunks = ParseStream(
        "header { }\ngraph { edges_grouped: true }\n"
        "vocabulary { space: EDGE_KIND name_form: 2 name: 0 known: 0 }\n");
    const auto add_nodes = [&chunks](std::uint64_t first, std::uint32_t count) {
      pb::Nodes& nodes = *chunks.emplace_back().mutable_nodes();
      nodes.set_first(first);
      nodes.set_count(count);
      for (std::uint32_t i = 0; i < count; ++i) nodes.add_edge_count(kEdges);
    };
    if (!one_by_one) add_nodes(0, 2);
    for (std::uint64_t node = 0; node < 2; ++node) {
      if (one_by_one) add_nodes(node, 1);
      for (std::uint64_t edge = 0; edge < kEdges;) {
        pb::Edges& edges = *chunks.emplace_back().mutable_edges();
        const std::uint64_t end =
            std::min<std::uint64_t>(kEdges, edge + kChunkRows - 1);
        edges.set_first(node * kEdges + edge);
        edges.set_count(static_cast<std::uint32_t>(end - edge));
        edges.set_first_node(node);
        edges.add_edges_per_node(edges.count());
        for (; edge < end; ++edge) {
          edges.add_name(edge << 32 | node);
          edges.add_to(edge % 2);
        }
      }
    }
    chunks.emplace_back().mutable_graph_end()->set_nodes(2);
    chunks.back().mutable_graph_end()->set_edges(2 * kEdges);
    chunks.back().mutable_graph_end()->set_id_limit(3);
    chunks.emplace_back().mutable_footer()->set_graphs(1);
    chunks.back().mutable_footer()->set_strings(1);
    return chunks;
  };
  VectorReader one_by_one(stream(true));
  VectorReader nodes_first(stream(false));
  const Digests digests = DigestsOf(one_by_one);
  EXPECT_EQ(digests.stream, DigestsOf(nodes_first).stream);
  EXPECT_EQ(digests.graph.digest, DigestsOf(nodes_first).graph.digest);
}

TEST(CanonicalTest, CountsWhatCannotBeToldApart) {
  const std::string twins =
      Replace(Replace(kTwoNodes, "name: [3, 4] self_size: [8, 16]",
                      "name: [3, 3] self_size: [12, 12]"),
              "name: [3, 4] to: [1, 0]", "name: [3, 4] to: [1, 1]");
  EXPECT_EQ(DigestsOfText(twins).graph.ties, 0U);  // one has edges
  const std::string lonely = Replace(
      Replace(twins, "edge_count: [2, 0]", "edge_count: [0, 0]"),
      "edges { count: 2 edges_per_node: [2] kind: [0, 0] name: [3, 4] to: "
      "[1, 1] }\n",
      "");
  EXPECT_EQ(DigestsOfText(Replace(lonely, "edges: 2", "edges: 0")).graph.ties,
            1U);
}

}  // namespace
}  // namespace heapglot
