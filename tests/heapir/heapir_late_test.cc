// Errors that may come late (Context::errors_may_come_late) are the same
// errors.
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/bytes/spool.h"
#include "core/check_sink.h"
#include "core/ir/columns.h"
#include "heapglot/convert.h"
#include "tests/heapir/every_column.h"
#include "tests/heapir/heapir_file.h"
#include "tests/sanitized.h"

namespace heapglot::testing {
namespace {

using Body = pb::Chunk::BodyCase;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr ChunkSet kBulk = {Body::kNodes, Body::kEdges, Body::kStrings};

// Keeps the chunks of a pass, and refuses those that it must not have.
class PassSink : public ChunkSink {
 public:
  explicit PassSink(ChunkSet wanted) : check_(wanted, &kept_) {}
  Status Accept(const pb::Chunk& chunk) override {
    Status status = check_.Accept(chunk);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return status;
  }
  std::string text() const { return kept_.text(); }

 private:
  VectorSink kept_;
  CheckSink check_;
};

// A file of any chunks, valid or not; empty if a frame cannot hold one of them.
std::string FileOf(const std::vector<pb::Chunk>& chunks) {
  std::string file;
  const auto sink = ByteSink::ToString(&file);
  heapir::FrameWriter frames(*sink, /*compress=*/true);
  for (const pb::Chunk& chunk : chunks) {
    if (!frames.Accept(chunk).ok()) return {};  // over the limits of a frame
  }
  EXPECT_TRUE(frames.Finish().ok());
  return file;
}

struct Passes {
  Status status;  // the first error
  std::vector<std::string> texts;
};

Passes Read(const std::string& file, const std::vector<ChunkSet>& passes,
            bool late) {
  const auto source = ByteSource::FromMemory(file);
  Context context;
  context.errors_may_come_late = late;
  const std::unique_ptr<Reader> reader = kHeapirReader.make(*source, context);
  Passes result;
  for (const ChunkSet wanted : passes) {
    PassSink sink(wanted);
    result.status = reader->Read(wanted, sink);
    if (!result.status.ok()) return result;
    result.texts.push_back(sink.text());
  }
  result.status = reader->CheckRest();
  return result;
}

// One or more passes in some order.
std::vector<ChunkSet> SomePasses(std::mt19937_64& random) {
  std::vector<ChunkSet> passes;
  for (auto count = random() % 4; count > 0; --count) {
    ChunkSet wanted = ChunkSet::All();
    for (const Body kind : {Body::kNodes, Body::kEdges, Body::kStrings}) {
      if (random() % 2 == 0) wanted = wanted.Without({kind});
    }
    if (random() % 2 == 0) wanted = wanted & kBulk;
    passes.push_back(wanted);
  }
  if (passes.empty() || random() % 2 == 0) passes.push_back(ChunkSet::All());
  return passes;
}

// Replaces an entry of a column, or a number of the chunk itself.
void Damage(pb::Chunk& chunk, std::mt19937_64& random) {
  constexpr std::uint64_t kNumbers[] = {
      0, 1, 2, 3, 5, 0xFFFF'FFFF, std::uint64_t{1} << 63};
  const std::uint64_t number = kNumbers[random() % std::size(kNumbers)];
  Message& body = *chunk.GetReflection()->MutableMessage(
      &chunk, BodyField(chunk.body_case()));
  const Reflection& reflection = *body.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(body, &fields);
  if (fields.empty()) return;
  const FieldDescriptor* const field = fields[random() % fields.size()];
  const bool is_repeated = field->is_repeated();
  const int at =
      is_repeated
          ? static_cast<int>(random() % static_cast<unsigned>(
                                            reflection.FieldSize(body, field)))
          : 0;
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_UINT64:
      is_repeated ? reflection.SetRepeatedUInt64(&body, field, at, number)
                  : reflection.SetUInt64(&body, field, number);
      break;
    case FieldDescriptor::CPPTYPE_UINT32:
      is_repeated ? reflection.SetRepeatedUInt32(
                        &body, field, at, static_cast<std::uint32_t>(number))
                  : reflection.SetUInt32(&body, field,
                                         static_cast<std::uint32_t>(number));
      break;
    default:
      break;
  }
}

TEST(HeapirLate, FindsTheSameErrorsWhateverIsReadFirst) {
  constexpr int kRounds = Rounds(4000);
  std::mt19937_64 random(1);  // NOLINT: the same in every run
  int broken = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<pb::Chunk> chunks = ParseStream(
        round % 2 == 0 ? std::string(kEveryColumn) : std::string(kTwoGraphs));
    for (auto changes = random() % 3; changes > 0; --changes)
      Damage(chunks[random() % chunks.size()], random);
    if (random() % 4 == 0) {
      std::swap(chunks[random() % chunks.size()],
                chunks[random() % chunks.size()]);
    }
    const std::string file = FileOf(chunks);
    if (file.empty()) continue;
    const std::vector<ChunkSet> passes = SomePasses(random);
    const Passes expected = Read(file, passes, /*late=*/false);
    const Passes late = Read(file, passes, /*late=*/true);
    EXPECT_EQ(late.status.ToString(), expected.status.ToString()) << round;
    if (expected.status.ok())
      EXPECT_EQ(late.texts, expected.texts) << round;
    else
      ++broken;
  }
  EXPECT_GT(broken, kRounds / 8);
  EXPECT_LT(broken, kRounds);
}

// Nodes and edges both say how many edges a node has, but no pass reads both.
TEST(HeapirLate, ComparesNodesWithTheirEdges) {
  constexpr char kStream[] = R"(
header { format: "test" }
graph { edges_grouped: true }
nodes { count: 3 edge_count: [1, 0, 2] }
edges { count: 3 edges_per_node: [1, 1, 1] to: [0, 1, 2] }
graph_end { nodes: 3 edges: 3 }
footer { graphs: 1 strings: 1 }
)";
  const ChunkSet nodes = {Body::kNodes};
  const ChunkSet edges = {Body::kEdges};
  const std::string file = FileOf(ParseStream(kStream));
  const Status expected = Read(file, {nodes}, /*late=*/false).status;
  EXPECT_NE(expected.message().find("node 1 has 1 edges"), std::string::npos);
  for (const auto& passes :
       {std::vector{nodes, edges}, {edges, nodes}, {nodes}, {edges}}) {
    EXPECT_EQ(Read(file, passes, /*late=*/true).status.ToString(),
              expected.ToString());
  }
}

// Expects the order of chunks to matter that no pass reads together. `right` is
// a valid stream, `wrong` the same with two lines swapped.
void ExpectOrderMatters(const std::string& right, const std::string& wrong,
                        ChunkSet some, ChunkSet others,
                        const std::string& message) {
  const Status expected =
      Read(FileOf(ParseStream(wrong)), {some}, /*late=*/false).status;
  EXPECT_NE(expected.message().find(message), std::string::npos)
      << expected.ToString();
  for (const auto& passes :
       {std::vector{some, others}, {others, some}, {some}, {others}}) {
    const Status in_order =
        Read(FileOf(ParseStream(right)), passes, /*late=*/true).status;
    EXPECT_TRUE(in_order.ok()) << in_order.ToString();
    EXPECT_EQ(Read(FileOf(ParseStream(wrong)), passes, /*late=*/true)
                  .status.ToString(),
              expected.ToString());
  }
}

TEST(HeapirLate, EdgesStandBehindTheirNodes) {
  const std::string begin = R"(
header { format: "test" }
graph { edges_grouped: true }
nodes { count: 2 edge_count: [1, 0] }
edges { count: 1 edges_per_node: [1, 0] }
graph_end { nodes: 2 edges: 1 }
graph { edges_grouped: true }
nodes { count: 1 }
)";
  const std::string nodes = "nodes { first: 1 count: 2 edge_count: [0, 1] }\n";
  const std::string edges =
      "edges { count: 1 first_node: 2 edges_per_node: 1 }\n";
  const std::string end =
      "graph_end { nodes: 3 edges: 1 }\nfooter { graphs: 2 strings: 1 }";
  ExpectOrderMatters(begin + nodes + edges + end, begin + edges + nodes + end,
                     {Body::kNodes}, {Body::kEdges},
                     "edges of node 2 come before the node");
}

TEST(HeapirLate, NamesOfValuesStandRightBeforeTheirNodes) {
  const std::string begin = R"(
header { format: "test" }
graph { }
strings { first: 1 data: "ab" length: [1, 1] }
)";
  const std::string nodes = "nodes { count: 1 value_form: 8 value: 2 }\n";
  const std::string more = "strings { first: 3 data: \"c\" length: 1 }\n";
  const std::string value =
      "nodes { first: 1 count: 1 value_form: 8 value: 3 }\n";
  const std::string end =
      "graph_end { nodes: 2 }\nfooter { graphs: 1 strings: 4 }";
  const std::string right = begin + nodes + more + value + end;
  const std::string message = "does not stand in the strings since the nodes";
  for (const std::string& wrong : {begin + nodes + value + more + end,
                                   begin + more + nodes + value + end}) {
    ExpectOrderMatters(right, wrong, {Body::kNodes}, {Body::kStrings}, message);
  }
}

// More chunks than the reader keeps places of.
TEST(HeapirLate, LooksAtManyChunksTogether) {
  constexpr std::uint64_t kChunks = (std::uint64_t{1} << 16) + 2;
  for (const bool in_order : {true, false}) {
    std::vector<pb::Chunk> chunks = ParseStream(
        "header { format: \"test\" }\ngraph { edges_grouped: true }");
    for (std::uint64_t i = 0; i < kChunks; ++i) {
      pb::Chunk nodes;
      nodes.mutable_nodes()->set_first(i);
      nodes.mutable_nodes()->set_count(1);
      nodes.mutable_nodes()->add_edge_count(1);
      pb::Chunk edges;
      edges.mutable_edges()->set_first(i);
      edges.mutable_edges()->set_first_node(i);
      edges.mutable_edges()->set_count(1);
      edges.mutable_edges()->add_edges_per_node(1);
      chunks.push_back(std::move(nodes));
      chunks.push_back(std::move(edges));
    }
    const std::string count = std::to_string(kChunks);
    for (pb::Chunk& chunk :
         ParseStream("graph_end { nodes: " + count + " edges: " + count +
                     " }\nfooter { graphs: 1 strings: 1 }"))
      chunks.push_back(std::move(chunk));
    if (!in_order)
      std::swap(chunks[chunks.size() - 3], chunks[chunks.size() - 4]);
    const Status status = Read(FileOf(chunks), {{Body::kNodes}, {Body::kEdges}},
                               /*late=*/true)
                              .status;
    EXPECT_EQ(status.ok(), in_order) << status.ToString();
  }
}

// These counts have the right sum modulo 2^64. A check that adds up their
// products with random factors would miss them half of the time.
TEST(HeapirLate, CountsThatWrapDoNotFit) {
  constexpr char kStream[] = R"(
header { format: "test" }
graph { edges_grouped: true }
nodes { count: 2 edge_count: [9223372036854775808, 9223372036854775808] }
graph_end { nodes: 2 }
footer { graphs: 1 strings: 1 }
)";
  const std::string file = FileOf(ParseStream(kStream));
  for (int run = 0; run < 16; ++run) {
    EXPECT_FALSE(Read(file, {{Body::kNodes}, {Body::kEdges}}, /*late=*/true)
                     .status.ok());
  }
}

// Writers allocate space for the totals that a file claims.
TEST(HeapirLate, ClaimsOfAllGraphsAreBounded) {
  std::string text = "header { format: \"test\" }\n";
  for (int graph = 0; graph < 50; ++graph)
    text += "graph { edges_grouped: true }\ngraph_end { nodes: 50000000 }\n";
  const std::string file =
      FileOf(ParseStream(text + "footer { graphs: 50 strings: 1 }"));
  const ChunkSet outline = {Body::kGraph};
  const Status late = Read(file, {outline}, /*late=*/true).status;
  EXPECT_EQ(late.ToString(),
            Read(file, {outline}, /*late=*/false).status.ToString());
  EXPECT_FALSE(late.ok());
}

TEST(HeapirLate, LimitsHoldOverAllPasses) {
  constexpr char kStream[] = R"(
header { format: "test" }
graph { edges_grouped: true }
nodes { count: 3 edge_count: [1, 0, 2] }
edges { count: 3 edges_per_node: [1, 0, 2] }
graph_end { nodes: 3 edges: 3 }
footer { graphs: 1 strings: 1 }
)";
  const std::string file = FileOf(ParseStream(kStream));
  const auto source = ByteSource::FromMemory(file);
  for (const std::uint64_t most : {5, 6}) {
    Context context;
    context.errors_may_come_late = true;
    context.limits.max_records = most;
    const std::unique_ptr<Reader> reader = kHeapirReader.make(*source, context);
    VectorSink sink;
    EXPECT_TRUE(reader->Read({Body::kNodes}, sink).ok());
    EXPECT_EQ(reader->Read({Body::kEdges}, sink).code(),
              most == 6 ? Code::kOk : Code::kLimit);
  }
}

// The envelope of a frame shows that it is between the pieces of a string.
TEST(HeapirLate, NothingStandsWithinAString) {
  constexpr char kStream[] = R"(
header { format: "test" }
graph { }
strings { first: 1 data: "a" length: 1 continued: true }
metadata { }
strings { first: 1 data: "b" length: 1 }
graph_end { }
footer { graphs: 1 strings: 2 }
)";
  const std::string file = FileOf(ParseStream(kStream));
  const Status late = Read(file, {{Body::kStrings}}, /*late=*/true).status;
  EXPECT_EQ(late.ToString(),
            Read(file, {{Body::kStrings}}, /*late=*/false).status.ToString());
  EXPECT_FALSE(late.ok());
}

// With --strict, a finding is an error.
TEST(HeapirLate, FindingsAreErrorsIfStrict) {
  constexpr char kStream[] = R"(
header { format: "test" is_source_only: true }
graph { }
graph_end { }
source_image { method: EMBEDDED size: 1 data: "a" }
footer { graphs: 1 strings: 1 }
)";
  const std::string file = FileOf(ParseStream(kStream));
  const auto source = ByteSource::FromMemory(file);
  Status found[2];
  for (const bool late : {false, true}) {
    Context context;
    context.strict = true;
    context.errors_may_come_late = late;
    VectorSink sink;
    found[late] =
        kHeapirReader.make(*source, context)->Read(ChunkSet::All(), sink);
  }
  EXPECT_EQ(found[0].code(), Code::kMalformed);
  EXPECT_EQ(found[1].ToString(), found[0].ToString());
}

// A writer that fails has not seen later errors of the input.
TEST(HeapirLate, ErrorsOfTheInputComeFirst) {
  constexpr char kStream[] = R"(
header { format: "heapsnapshot" }
graph { edges_grouped: true }
extra { format: "heapsnapshot" section: "heapsnapshot.section" data: "x" }
extra { format: "heapsnapshot" section: "heapsnapshot.snapshot" data: "{}" }
nodes { count: 1 edge_count: 1 }
graph_end { nodes: 1 edges: 1 }
footer { graphs: 1 strings: 1 }
)";
  const std::string file = FileOf(ParseStream(kStream));
  const auto source = ByteSource::FromMemory(file);
  ConvertOptions options;
  options.to = FindWriter("heapsnapshot");
  SpoolSink out;
  Context context;
  EXPECT_EQ(Convert(*source, out, options, context).ToString(),
            Read(file, {{}}, /*late=*/false).status.ToString());
}

TEST(HeapirLate, ChecksWhatNobodyWanted) {
  constexpr char kStream[] = R"(
header { format: "test" }
graph { }
strings { first: 1 data: "\377" length: 1 }
graph_end { }
footer { graphs: 1 strings: 2 }
)";
  const std::string file = FileOf(ParseStream(kStream));
  const auto source = ByteSource::FromMemory(file);
  Context context;
  context.errors_may_come_late = true;
  const std::unique_ptr<Reader> reader = kHeapirReader.make(*source, context);
  VectorSink sink;
  EXPECT_TRUE(reader->Read({Body::kNodes, Body::kEdges}, sink).ok());
  EXPECT_EQ(reader->CheckRest().ToString(),
            Read(file, {{}}, /*late=*/false).status.ToString());
  EXPECT_FALSE(reader->CheckRest().ok());
}

// A bad file has no output, and the same message as in a run that checks all of
// it first.
TEST(HeapirLate, ConversionsSayTheSame) {
  const std::filesystem::path bad = HEAPGLOT_CORPUS_DIR "/heapir/bad";
  for (const auto& entry : std::filesystem::directory_iterator(bad)) {
    if (entry.path().extension() != ".heapir") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string file(std::istreambuf_iterator<char>(in), {});
    const auto source = ByteSource::FromMemory(file);
    for (const WriterInfo* const to : Writers()) {
      ConvertOptions options;
      options.to = to;
      std::string bytes;
      const auto seen = ByteSink::ToString(&bytes);
      Context context;
      const Status expected = Convert(*source, *seen, options, context);
      SpoolSink thrown_away;
      Context late_context;
      const Status late = Convert(*source, thrown_away, options, late_context);
      EXPECT_EQ(late.ToString(), expected.ToString())
          << entry.path().filename() << " to " << to->name;
      EXPECT_EQ(late.where().byte, expected.where().byte);
      EXPECT_EQ(bytes, "") << entry.path().filename() << " to " << to->name;
    }
  }
}

TEST(HeapirLate, AConversionLeavesTheContextAsItWas) {
  const auto source = ByteSource::FromMemory("{\"type\":\"metadata\"}");
  ConvertOptions options;
  options.to = FindWriter("heapir");
  for (const bool late : {false, true}) {
    Context context;
    context.errors_may_come_late = late;
    SpoolSink thrown_away;
    (void)Convert(*source, thrown_away, options, context);
    EXPECT_EQ(context.errors_may_come_late, late);
  }
}

}  // namespace
}  // namespace heapglot::testing
