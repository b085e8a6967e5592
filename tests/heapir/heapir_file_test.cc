// Whole files: what the writer merges, what the reader skips and refuses.
#include "tests/heapir/heapir_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "readers/heapir/heapir_frames.h"
#include "readers/heapir/heapir_wire.h"
#include "tests/collect_sink.h"
#include "tests/heapir/every_column.h"
#include "tests/sanitized.h"

namespace heapglot::testing {
namespace {

using Body = pb::Chunk::BodyCase;

std::string EveryColumn(bool compress = true) {
  return WriteFile(ParseStream(kEveryColumn), compress);
}

// ---------------------------------------------------------------- round trip

TEST(HeapirFileTest, CopyOfAFileIsTheFile) {
  const std::string file = EveryColumn();
  EXPECT_TRUE(Copy(file) == file);
  const std::string raw = EveryColumn(/*compress=*/false);
  EXPECT_TRUE(Copy(raw, /*compress=*/false) == raw);
  EXPECT_TRUE(Copy(raw) == file);
}

TEST(HeapirFileTest, TwoGraphsStayTwo) {
  const std::string file = WriteFile(ParseStream(kTwoGraphs));
  EXPECT_TRUE(Copy(file) == file);
  std::string text;
  for (const pb::Chunk& chunk : ChunksOf(file)) text += ToText(chunk);
  // Merged within a graph; a leading node without edges may be omitted.
  EXPECT_EQ(text,
            "header { format: \"test\" }\n"
            "graph { edges_grouped: true }\n"
            "nodes { count: 3 edge_count: [0, 1, 1] }\n"
            "edges { count: 2 first_node: 1 edges_per_node: [1, 1] "
            "to: [0, 1] }\n"
            "graph_end { nodes: 3 edges: 2 }\n"
            "graph { id_space: UNSTABLE }\n"
            "nodes { count: 3 }\n"
            "edges { count: 3 from: [2, 0, 1] to: [0, 1, 2] }\n"
            "graph_end { nodes: 3 edges: 3 id_limit: 4 }\n"
            "footer { graphs: 2 strings: 1 }\n");
}

// The file in the corpus is what heapglot writes, so that old and new files are
// the same. HEAPGLOT_ACCEPT=1 rewrites it.
TEST(HeapirFileTest, BytesAreThoseOfTheCorpus) {
  for (const bool compress : {true, false}) {
    const std::filesystem::path path =
        std::filesystem::path(HEAPGLOT_CORPUS_DIR) / "heapir" / "good" /
        (compress ? "every-column.heapir" : "every-column-raw.heapir");
    const std::string file = EveryColumn(compress);
    if (std::getenv("HEAPGLOT_ACCEPT") != nullptr)
      std::ofstream(path, std::ios::binary) << file;
    std::ifstream in(path, std::ios::binary);
    EXPECT_TRUE(file == std::string(std::istreambuf_iterator<char>(in), {}))
        << path;
  }
}

// Readers refuse files that expand more than 1,000 times. Ours never do,
// however well they compress.
TEST(HeapirFileTest, IsNoBomb) {
  constexpr std::uint64_t kPieces = 200;
  constexpr std::uint32_t kPiece = 512 << 10;
  std::vector<pb::Chunk> chunks(1);
  chunks[0].mutable_header()->set_format("test");
  chunks.emplace_back().mutable_graph();
  for (std::uint64_t i = 0; i < kPieces; ++i) {
    pb::Strings& strings = *chunks.emplace_back().mutable_strings();
    strings.set_first(1);
    strings.set_data(std::string(kPiece, 'A'));
    strings.add_length(kPiece);
    strings.set_continued(i + 1 < kPieces);
  }
  chunks.emplace_back().mutable_graph_end();
  pb::Footer& footer = *chunks.emplace_back().mutable_footer();
  footer.set_graphs(1);
  footer.set_strings(2);
  const std::string file = WriteFile(chunks);
  EXPECT_LT(file.size(), std::size_t{2} << 20);
  EXPECT_EQ(ChunksOf(file).size(), chunks.size());
  EXPECT_TRUE(Copy(file) == file);
}

// Each selection gives the whole stream without the other chunks.
TEST(HeapirFileTest, SkipsWhatIsNotWanted) {
  const std::string file = EveryColumn();
  const std::vector<pb::Chunk> all = ChunksOf(file);
  for (int a = Body::kHeader; a <= Body::kSourceImage; ++a) {
    for (int b = a; b <= Body::kSourceImage; ++b) {
      const ChunkSet wanted{static_cast<Body>(a), static_cast<Body>(b)};
      std::string expected;
      for (const pb::Chunk& chunk : all)
        if (wanted.Includes(chunk)) expected += ToText(chunk);
      VectorSink sink;
      EXPECT_TRUE(ReadFile(file, sink, wanted).ok());
      EXPECT_EQ(sink.text(), expected) << a << " " << b;
    }
  }
}

// ------------------------------------------------------------------ gathering

// A random heap in small chunks, as a reader might cut them.
std::vector<pb::Chunk> RandomHeap(std::uint64_t seed, std::uint32_t nodes) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t limit) { return random() % limit; };
  std::vector<pb::Chunk> chunks = ParseStream(
      "header { format: \"test\" }\n"
      "graph { edges_grouped: true }\n"
      "vocabulary { known: [4, 3] }\n"
      "vocabulary { space: EDGE_KIND known: [2, 3] name_form: [2, 2] }\n");
  std::uint64_t strings = 1, edges = 0, values = 0, roots = 0;
  std::uint64_t frames = 0;
  for (std::uint32_t first = 0; first < nodes;) {
    const auto count = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(nodes - first, 1 + below(6000)));
    const std::uint64_t names = below(3) == 0 ? 0 : below(3000);
    if (names != 0) {
      pb::Strings& chunk = *chunks.emplace_back().mutable_strings();
      chunk.set_first(strings);
      for (std::uint64_t i = 0; i < names; ++i) {
        const std::string text = std::to_string(random() >> below(64));
        chunk.mutable_data()->append(text);
        chunk.add_length(static_cast<std::uint32_t>(text.size()));
      }
    }
    pb::Nodes node_rows;
    pb::Edges edge_rows;
    node_rows.set_first(first);
    node_rows.set_count(count);
    edge_rows.set_first(edges);
    edge_rows.set_first_node(first);
    const bool has_sizes = below(2) == 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint64_t out = below(2000) == 0 ? below(40000)
                                : below(3) == 0  ? 0
                                                 : below(5);
      node_rows.add_edge_count(out);
      node_rows.add_value_form(i < names ? pb::V_NAME : pb::V_NONE);
      node_rows.add_value(i < names ? strings + i : 0);
      if (has_sizes) node_rows.add_self_size(0);
      edge_rows.add_edges_per_node(static_cast<std::uint32_t>(out));
      for (std::uint64_t k = 0; k < out; ++k) {
        edge_rows.add_to(below(nodes));
        edge_rows.add_name(k);
      }
    }
    edge_rows.set_count(static_cast<std::uint32_t>(edge_rows.to_size()));
    edges += edge_rows.count();
    strings += names;
    *chunks.emplace_back().mutable_nodes() = node_rows;
    if (below(4) == 0) {
      pb::Values& chunk = *chunks.emplace_back().mutable_values();
      if (first > nodes / 2) chunk.set_owner_space(pb::Values::OF_STRING);
      chunk.set_first(values++);
      chunk.set_count(1);
      chunk.add_owner(first > nodes / 2 ? strings - 1 : first);
    }
    if (below(40) == 0) chunks.emplace_back().mutable_extra()->set_data("x");
    if (below(20) == 0) {
      pb::StackFrames& chunk = *chunks.emplace_back().mutable_stack_frames();
      chunk.set_first(frames);
      const auto rows = static_cast<std::uint32_t>(below(40'000));
      chunk.set_count(rows);
      for (std::uint32_t i = 0; i < rows; ++i) chunk.add_line(below(2) - 1);
      frames += rows;
    }
    if (below(4) == 0) {
      pb::Roots& chunk = *chunks.emplace_back().mutable_roots();
      chunk.set_first(roots++);
      chunk.set_count(1);
      chunk.add_to(first);
    }
    *chunks.emplace_back().mutable_edges() = edge_rows;
    first += count;
  }
  pb::GraphEnd& end = *chunks.emplace_back().mutable_graph_end();
  end.set_nodes(nodes);
  end.set_edges(edges);
  end.set_values(values);
  end.set_roots(roots);
  end.set_stack_frames(frames);
  pb::Footer& footer = *chunks.emplace_back().mutable_footer();
  footer.set_graphs(1);
  footer.set_strings(strings);
  return chunks;
}

std::string Rows(const CollectSink& all) {
  std::string text;
  for (const auto& node : all.nodes)
    text += node.text + "," + std::to_string(node.form) + " ";
  for (const auto& edge : all.edges)
    text +=
        std::to_string(edge.from) + edge.name + std::to_string(edge.to) + " ";
  return text;
}

class HeapirGatheringTest : public ::testing::TestWithParam<int> {};

TEST_P(HeapirGatheringTest, KeepsTheRowsAndIsDoneOnce) {
  const std::vector<pb::Chunk> chunks =
      RandomHeap(static_cast<std::uint64_t>(GetParam()), 150'000);
  const std::string file = WriteFile(chunks);
  const std::vector<pb::Chunk> gathered = ChunksOf(file);
  EXPECT_LT(gathered.size(), chunks.size());
  CollectSink before, after;
  for (const pb::Chunk& chunk : chunks) ASSERT_TRUE(before.Accept(chunk).ok());
  for (const pb::Chunk& chunk : gathered) ASSERT_TRUE(after.Accept(chunk).ok());
  EXPECT_EQ(before.strings, after.strings);
  EXPECT_TRUE(Rows(before) == Rows(after));
  EXPECT_TRUE(Copy(file) == file);
}

INSTANTIATE_TEST_SUITE_P(Seeds, HeapirGatheringTest,
                         ::testing::Range(0, Rounds(4)));

// ------------------------------------------------------------------- damage

TEST(HeapirDamageTest, EveryPrefixIsTruncated) {
  const std::string file = EveryColumn();
  for (std::size_t size = 0; size < file.size(); ++size) {
    VectorSink sink;
    const Status status = ReadFile(file.substr(0, size), sink);
    EXPECT_EQ(status.code(), Code::kTruncated) << size << status.ToString();
    EXPECT_EQ(status.where().byte, size);
    EXPECT_TRUE(sink.chunks().empty());
  }
}

TEST(HeapirDamageTest, EveryFlippedBitIsNoticed) {
  for (const bool compress : {true, false}) {
    std::string file = EveryColumn(compress);
    for (std::size_t bit = 0; bit < 8 * file.size(); bit += kBitStep) {
      const auto mask = static_cast<char>(1 << bit % 8);
      file[bit / 8] = static_cast<char>(file[bit / 8] ^ mask);
      VectorSink sink;
      const Status status = ReadFile(file, sink);
      EXPECT_TRUE(status.code() == Code::kMalformed ||
                  status.code() == Code::kTruncated ||
                  status.code() == Code::kLimit)
          << bit << ": " << status.ToString();
      EXPECT_TRUE(sink.chunks().empty());
      file[bit / 8] = static_cast<char>(file[bit / 8] ^ mask);
    }
  }
}

// The frames of a file, each with its length prefix, after the magic number.
std::vector<std::string> Split(const std::string& file) {
  std::vector<std::string> parts = {std::string(heapir::kMagic)};
  heapir::FrameCursor cursor(file);
  heapir::Frame frame;
  while (!cursor.at_end()) {
    EXPECT_TRUE(cursor.Next(&frame).ok());
    parts.push_back(file.substr(frame.offset, cursor.offset() - frame.offset));
  }
  return parts;
}

void ExpectRefused(const std::vector<std::string>& parts, std::size_t place) {
  std::string file;
  for (const std::string& part : parts) file += part;
  VectorSink sink;
  EXPECT_FALSE(ReadFile(file, sink).ok()) << place;
  EXPECT_TRUE(sink.chunks().empty());
}

TEST(HeapirDamageTest, FramesThatMissRepeatOrMoveAreNoticed) {
  const std::vector<std::string> whole = Split(EveryColumn());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::vector<std::string> parts = whole;
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i));
    ExpectRefused(parts, i);
    parts = whole;
    parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(i), parts[i]);
    ExpectRefused(parts, i);
    if (i + 1 == whole.size()) continue;
    parts = whole;
    std::swap(parts[i], parts[i + 1]);
    ExpectRefused(parts, i);
  }
}

// A file with one frame of another file, which still keeps the grammar.
TEST(HeapirDamageTest, AFrameOfAnotherFileIsNoticed) {
  constexpr char kStream[] =
      "header { format: \"a\" }\ngraph { }\ngraph_end { }\n"
      "footer { graphs: 1 strings: 1 }\n";
  std::string other = kStream;
  other.replace(other.find("\"a\""), 3, "\"b\"");
  std::vector<std::string> parts = Split(WriteFile(ParseStream(kStream)));
  parts[2] = Split(WriteFile(ParseStream(other)))[2];
  ExpectRefused(parts, 2);
}

TEST(HeapirReaderTest, TextModeTransfersAreNamed) {
  for (const std::string& magic :
       {std::string("\x89HIR\n\x1a\n"), std::string("\x89HIR\r\r\n\x1a\r\n"),
        std::string("\tHIR\r\n\x1a\n")}) {
    VectorSink sink;
    const Status status = ReadFile(magic + "more", sink);
    EXPECT_EQ(status.code(), Code::kMalformed);
    EXPECT_NE(status.message().find("text-mode"), std::string::npos);
    EXPECT_EQ(kHeapirReader.sniff(magic + "more"), Sniff::kMaybe);
  }
}

// libprotobuf prints errors of its own by default.
TEST(HeapirReaderTest, NothingIsSaidOnStandardError) {
  for (const char* const name :
       {"text-no-utf8", "file-header-no-utf8", "file-header-with-32-bits"}) {
    const std::string path =
        std::string(HEAPGLOT_CORPUS_DIR "/heapir/bad/") + name + ".heapir";
    const auto source = ByteSource::Open(path, Limits());
    ASSERT_TRUE(source.ok()) << path;
    Context context;
    VectorSink sink;
    ::testing::internal::CaptureStderr();
    const Status status =
        kHeapirReader.make(**source, context)->Read(ChunkSet::All(), sink);
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "") << name;
    EXPECT_EQ(status.code(), Code::kMalformed) << name;
  }
}

}  // namespace
}  // namespace heapglot::testing
