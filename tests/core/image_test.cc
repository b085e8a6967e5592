#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/bytes/sha256.h"
#include "core/image/image_recorder.h"
#include "core/image/image_restorer.h"
#include "core/image/recording_reader.h"
#include "core/image/source_image.h"
#include "core/ir/checksum.h"
#include "tests/core/text_stream.h"

namespace heapglot {
namespace {

constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

// Writes `bytes` in pieces of random sizes.
Status WriteInPieces(std::string_view bytes, std::mt19937& random,
                     ByteSink& sink) {
  while (!bytes.empty()) {
    const std::size_t size =
        std::min<std::size_t>(bytes.size(), std::size_t{1} << (random() % 18));
    HEAPGLOT_RETURN_IF_ERROR(sink.Write(bytes.substr(0, size)));
    bytes.remove_prefix(size);
  }
  return sink.Close();
}

std::string Digest(std::string_view bytes) {
  Digest128 digest;
  digest.Add(bytes);
  return digest.value();
}

pb::SourceImage Record(std::string_view source, std::string_view output,
                       unsigned seed = 1) {
  std::mt19937 random(seed);
  const auto bytes = ByteSource::FromMemory(source);
  ImageRecorder recorder(*bytes, kNoLimit);
  EXPECT_TRUE(WriteInPieces(output, random, recorder).ok());
  return recorder.image();
}

std::string Restore(const pb::SourceImage& image, std::string_view output,
                    Status* status, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::string restored;
  const auto sink = ByteSink::ToString(&restored);
  ImageRestorer restorer(image, *sink);
  *status = WriteInPieces(output, random, restorer);
  return restored;
}

std::uint64_t InsertedBytes(const pb::SourceImage& image) {
  return image.data().size();
}

// Lines of numbers, as in most of our formats.
std::string Lines(std::size_t size, std::mt19937& random) {
  std::string text;
  while (text.size() < size) {
    text += std::to_string(random() % 1000);
    text += random() % 6 == 0 ? '\n' : ' ';
  }
  return text;
}

// Changes a few places.
std::string Edit(std::string text, int edits, std::mt19937& random) {
  for (; edits > 0; --edits) {
    const std::size_t at = random() % (text.size() + 1);
    const std::size_t removed = random() % 4 == 0 ? random() % 300 : 0;
    text.replace(at, removed, Lines(random() % 40, random));
  }
  return text;
}

TEST(Image, EqualOutputIsVerified) {
  const pb::SourceImage image = Record("a dump", "a dump");
  EXPECT_EQ(image.method(), pb::SourceImage::VERIFIED);
  EXPECT_EQ(image.copy_size(), 0);
}

TEST(Image, PatchesAreSmallWhereDifferencesAre) {
  std::mt19937 random(7);
  const std::string source = Lines(200'000, random);
  std::string output = source;
  output.replace(100'000, 3, "something else");
  output.insert(150'000, "x");
  const pb::SourceImage image = Record(source, output);
  EXPECT_EQ(image.method(), pb::SourceImage::PATCHED);
  EXPECT_EQ(image.copy_size(), 2);
  EXPECT_LE(InsertedBytes(image), 8u);
}

TEST(Image, WhateverDiffersCanBeMadeAgain) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    const std::string source = Lines(random() % 300'000, random);
    const std::string output = Edit(source, static_cast<int>(seed % 9), random);
    const pb::SourceImage image = Record(source, output, seed);
    Status status;
    EXPECT_EQ(Restore(image, output, &status, seed + 1), source) << seed;
    EXPECT_TRUE(status.ok()) << seed << ": " << status.ToString();
  }
}

TEST(Image, EndsMayDiffer) {
  for (const auto& [source, output] :
       {std::pair("", "abc"), std::pair("abc", ""), std::pair("abc", "abcdef"),
        std::pair("abcdef", "abc"), std::pair("xabc", "abc"),
        std::pair("abc", "xyz")}) {
    const pb::SourceImage image = Record(source, output);
    Status status;
    EXPECT_EQ(Restore(image, output, &status), source);
    EXPECT_TRUE(status.ok()) << status.ToString();
  }
}

TEST(Image, RecordingStopsWhenPatchesAreNotWorthIt) {
  std::mt19937 random(3);
  const std::string source = Lines(500'000, random);
  const auto bytes = ByteSource::FromMemory(source);
  ImageRecorder recorder(*bytes, 1000);
  const Status status = WriteInPieces(Lines(500'000, random), random, recorder);
  EXPECT_EQ(status.code(), Code::kCancelled);
}

TEST(Image, AWrongImageIsRefused) {
  const std::string source = "0123456789 a dump that is a little longer";
  const std::string output = "0123456789 A dump that is a little longer!";
  const pb::SourceImage good = Record(source, output);
  ASSERT_GT(good.copy_size(), 0);
  std::vector<pb::SourceImage> bad(9, good);
  bad[0].set_copy(0, 1'000);
  bad[1].set_remove(0, ~std::uint64_t{0});
  bad[2].set_insert(0, ~std::uint64_t{0});
  bad[3].set_size(good.size() - 1);
  bad[4].set_xxh3_128(Digest("another file"));
  bad[5].mutable_data()->at(0) = 'z';
  bad[6].clear_data();
  bad[7].clear_xxh3_128();
  bad[8].set_sha256(Sha256Of("another file"));
  for (const pb::SourceImage& image : bad) {
    Status status;
    Restore(image, output, &status);
    EXPECT_EQ(status.code(), Code::kMalformed) << status.ToString();
  }
}

// Programs without a library for XXH3 may write it.
TEST(Image, TheDigestMayBeTheOtherOne) {
  pb::SourceImage image = Record("a dump", "a Dump");
  image.clear_xxh3_128();
  image.set_sha256(Sha256Of("a dump"));
  Status status;
  EXPECT_EQ(Restore(image, "a Dump", &status), "a dump");
  EXPECT_TRUE(status.ok()) << status.ToString();
}

// The same text occurs everywhere, but far away.
TEST(Image, GivesUpWhereLookingForPatchesTakesTooLong) {
  std::mt19937 random(1);
  std::string source, output;
  for (int i = 0; i < 2000; ++i) {
    std::string mark(12, '\0');
    for (char& byte : mark) byte = static_cast<char>(random());
    for (int byte = 0; byte < 8; ++byte) source += static_cast<char>(random());
    for (int byte = 0; byte < 20'000; ++byte)
      output += static_cast<char>(random());
    source += mark;
    output += mark;
  }
  const auto bytes = ByteSource::FromMemory(source);
  ImageRecorder recorder(*bytes, kNoLimit);
  EXPECT_EQ(WriteInPieces(output, random, recorder).code(), Code::kCancelled);
}

// The slot of a gram in the table of image_recorder.cc, which has 2^17.
std::uint64_t SlotOf(std::string_view gram) {
  std::uint64_t head = 0, tail = 0;
  std::memcpy(&head, gram.data(), 8);
  std::memcpy(&tail, gram.data() + 4, 8);
  return ((head * 0x9E37'79B9'7F4A'7C15 ^ std::rotl(tail, 32)) *
          0xD6E8'FEB8'6659'FD93) >>
         47;
}

// Blanks that JSON may have, chosen so that all grams want the same slots of
// the table: each was searched for in half of it.
TEST(Image, GivesUpWhereGramsAreChosen) {
  std::string source(" \t\n\r \n\t\r \r\t");
  std::set<std::string> grams;
  while (source.size() < (64 << 10)) {
    constexpr std::string_view kBlanks = " \t\n\r";
    const std::string head = source.substr(source.size() - 11);
    char best = kBlanks[source.size() % kBlanks.size()];
    std::uint64_t lowest = ~std::uint64_t{0};
    for (const char blank : kBlanks) {
      const std::uint64_t slot = SlotOf(head + blank);
      if (slot >= lowest || grams.contains(head + blank)) continue;
      lowest = slot;
      best = blank;
    }
    source += best;
    grams.insert(head + best);
  }
  for (int i = 0; i < 4; ++i) source += source;
  std::mt19937 random(1);
  const std::string output = Lines(source.size(), random);
  const auto bytes = ByteSource::FromMemory(source);
  ImageRecorder recorder(*bytes, kNoLimit);
  EXPECT_EQ(WriteInPieces(output, random, recorder).code(), Code::kCancelled);
}

// Bytes that are the same in all grams must not fill one slot of the table.
TEST(Image, IsQuickWhereMostBytesAreTheSame) {
  std::mt19937 random(1);
  std::string source, output;
  for (int i = 0; i < 100'000; ++i) {
    std::string row(15, '\x01');
    for (const int at : {5, 6}) row[at] = static_cast<char>(random());
    source += row;
    row[6] = static_cast<char>(random());
    output += row;
  }
  const auto bytes = ByteSource::FromMemory(source);
  ImageRecorder recorder(*bytes, 100'000);
  EXPECT_EQ(WriteInPieces(output, random, recorder).code(), Code::kCancelled);
}

// Writes `ahead` while it writes `before`, and then `behind`.
Status WriteSideBySide(ImageRecorder& recorder, std::string_view before,
                       std::string_view ahead, std::string_view behind) {
  ByteSink* const sink = recorder.Ahead();
  if (sink == nullptr) return {Code::kInternal, "nothing goes ahead"};
  const std::size_t half = ahead.size() / 2;
  HEAPGLOT_RETURN_IF_ERROR(sink->Write(ahead.substr(0, half)));
  HEAPGLOT_RETURN_IF_ERROR(recorder.Write(before));
  HEAPGLOT_RETURN_IF_ERROR(sink->Write(ahead.substr(half)));
  HEAPGLOT_RETURN_IF_ERROR(recorder.TakeAhead());
  HEAPGLOT_RETURN_IF_ERROR(recorder.Write(behind));
  return recorder.Close();
}

TEST(Image, APartMayBeComparedBeforeWhatIsBeforeIt) {
  std::mt19937 random(4);
  const std::string before = Lines(5000, random);
  const std::string part = Lines(50'000, random);
  const std::string behind = Lines(500, random);
  const std::string text = before + part + behind;
  std::string source = text;
  source[3000] = '!';
  source[text.size() - 300] = '!';
  for (const std::string& of : {text, source}) {
    const auto bytes = ByteSource::FromMemory(of);
    ImageRecorder recorder(*bytes, kNoLimit, ImageRecorder::Order::kAny);
    ASSERT_TRUE(WriteSideBySide(recorder, before, part, behind).ok());
    EXPECT_EQ(recorder.position(), text.size());
    EXPECT_EQ(recorder.image().method(), of == text ? pb::SourceImage::VERIFIED
                                                    : pb::SourceImage::PATCHED);
    Status status;
    EXPECT_EQ(Restore(recorder.image(), text, &status), of);
    EXPECT_TRUE(status.ok()) << status.ToString();
    // The same as in order.
    EXPECT_EQ(recorder.image().SerializeAsString(),
              Record(of, text).SerializeAsString());
  }
}

TEST(Image, APartThatIsNotTheSameNeedsOrder) {
  const struct {
    const char* source;
    const char* why;
  } cases[] = {
      {"before: 1, 2_4; behind", "another byte"},
      {"before: 1, 2", "the source ends before"},
      {"before: 1, 23, 4; behind", "it is longer there"},
      {"Before: 1, 2,4; behind", "still looking for where both go on alike"},
  };
  for (const auto& [source, why] : cases) {
    const auto bytes = ByteSource::FromMemory(source);
    ImageRecorder recorder(*bytes, kNoLimit, ImageRecorder::Order::kAny);
    const Status status =
        WriteSideBySide(recorder, "before: ", "1, 2,4", "; behind");
    EXPECT_EQ(status.code(), Code::kCancelled) << why;
    EXPECT_TRUE(recorder.needs_order()) << why;
  }
  const auto bytes = ByteSource::FromMemory("a");
  EXPECT_EQ(ImageRecorder(*bytes, kNoLimit).Ahead(), nullptr);
}

// --------------------------------------------------------------- recording

constexpr const char* kStream = R"(
header { format: "test" }
graph { edges_grouped: true }
nodes { count: 1 edge_count: 1 }
edges { count: 1 edges_per_node: 1 }
graph_end { nodes: 1 edges: 1 }
source_image { size: 1 }
footer { graphs: 1 strings: 1 })";

// Counts how often nodes are read.
class CountingReader : public Reader {
 public:
  Status Read(ChunkSet wanted, ChunkSink& out) override {
    passes_ += wanted.Has(pb::Chunk::kNodes) ? 1 : 0;
    return upstream_.Read(wanted, out);
  }
  int passes() const { return passes_; }

 private:
  VectorReader upstream_{ParseStream(kStream)};
  int passes_ = 0;
};

// Writes the names of the tables that it gets, in two passes: first `first`,
// then nodes and edges. Fails at the table `fails_at` with `code`.
template <pb::Chunk::BodyCase first, pb::Chunk::BodyCase fails_at, Code code>
class TableWriter : public Writer {
 public:
  explicit TableWriter(ByteSink& out) : out_(out) {}
  ChunkSet Wanted(int pass) override {
    if (pass == 0) return {first};
    if (pass == 1) return {pb::Chunk::kNodes, pb::Chunk::kEdges};
    return {};
  }
  Status Accept(const pb::Chunk& chunk) override {
    if (chunk.body_case() == fails_at) return {code, "no way"};
    return out_.Write(std::to_string(chunk.body_case()));
  }
  Status Finish() override { return {}; }

 private:
  ByteSink& out_;
};

template <pb::Chunk::BodyCase first, pb::Chunk::BodyCase fails_at, Code code>
constexpr WriterInfo kTableWriter = {
    .name = "tables",
    .title = "",
    .extensions = "",
    .fidelity = {},
    .make = [](ByteSink& out, const WriterOptions&,
               Context&) -> std::unique_ptr<Writer> {
      return std::make_unique<TableWriter<first, fails_at, code>>(out);
    }};

constexpr const WriterInfo& kWriter =
    kTableWriter<pb::Chunk::kGraphEnd, pb::Chunk::BODY_NOT_SET, Code::kOk>;

std::string Kinds(const std::vector<pb::Chunk>& chunks) {
  std::string kinds;
  for (const pb::Chunk& chunk : chunks)
    kinds += std::to_string(chunk.body_case()) + ' ';
  return kinds;
}

pb::SourceImage::Method MethodOf(const std::vector<pb::Chunk>& chunks) {
  ImageCollector collector;
  for (const pb::Chunk& chunk : chunks) {
    if (chunk.has_source_image()) collector.Add(chunk.source_image());
  }
  return collector.image().method();
}

// The chunks that a pass with `wanted` gets of the stream, recorded with
// `writer`.
Result<std::vector<pb::Chunk>> Recorded(const WriterInfo& writer,
                                        std::string_view bytes,
                                        ChunkSet wanted = ChunkSet::All()) {
  CountingReader upstream;
  const auto source = ByteSource::FromMemory(bytes);
  const Limits limits;
  const auto reader = MakeRecordingReader(upstream, *source, writer, limits);
  VectorSink sink;
  Status status = reader->Read(wanted, sink);
  if (!status.ok()) return status;
  return sink.chunks();
}

// The writer that is tried and the caller, who wants the stream, share one
// reading.
TEST(Recording, ReadsNodesAndEdgesOnce) {
  CountingReader upstream;
  const auto source = ByteSource::FromMemory("589");
  const Limits limits;
  const auto reader = MakeRecordingReader(upstream, *source, kWriter, limits);
  VectorSink sink;
  ASSERT_TRUE(reader->Read(ChunkSet::All(), sink).ok());
  EXPECT_EQ(upstream.passes(), 1);
  EXPECT_EQ(Kinds(sink.chunks()), "1 4 8 9 5 23 2 ");
  EXPECT_EQ(MethodOf(sink.chunks()), pb::SourceImage::VERIFIED);
  VectorSink again;
  ASSERT_TRUE(reader->Read(ChunkSet::All(), again).ok());
  EXPECT_EQ(upstream.passes(), 2) << "it was tried again";
  EXPECT_EQ(Kinds(again.chunks()), Kinds(sink.chunks()));
}

TEST(Recording, MayBeDoneBefore) {
  CountingReader upstream;
  const auto source = ByteSource::FromMemory("589");
  const Limits limits;
  const auto reader = MakeRecordingReader(upstream, *source, kWriter, limits);
  ASSERT_TRUE(reader->Record().ok());
  EXPECT_EQ(upstream.passes(), 1);
  VectorSink sink;
  ASSERT_TRUE(reader->Read(ChunkSet::All(), sink).ok());
  EXPECT_EQ(upstream.passes(), 2);
  EXPECT_EQ(Kinds(sink.chunks()), "1 4 8 9 5 23 2 ");
  EXPECT_EQ(MethodOf(sink.chunks()), pb::SourceImage::VERIFIED);
}

TEST(Recording, GoesBeforeAPassThatHasLess) {
  const auto chunks = Recorded(kWriter, "589", {pb::Chunk::kSourceImage});
  ASSERT_TRUE(chunks.ok());
  EXPECT_EQ(Kinds(*chunks), "23 ");
  EXPECT_EQ(MethodOf(*chunks), pb::SourceImage::VERIFIED);
}

TEST(Recording, PatchesOtherBytes) {
  const auto chunks = Recorded(kWriter, "58 9");
  ASSERT_TRUE(chunks.ok());
  EXPECT_EQ(MethodOf(*chunks), pb::SourceImage::PATCHED);
}

// Writes edges in the same pass as the nodes before them, if it can.
class AheadWriter : public Writer {
 public:
  explicit AheadWriter(ByteSink& out) : out_(out), ahead_(out.Ahead()) {}
  ChunkSet Wanted(int pass) override {
    const ChunkSet nodes = {pb::Chunk::kNodes};
    const ChunkSet edges = {pb::Chunk::kEdges};
    if (ahead_ == nullptr) {
      if (pass == 0) return nodes;
      return pass == 1 ? edges : ChunkSet();
    }
    if (pass == 0) return nodes | edges;
    status_ = out_.TakeAhead();
    return {};
  }
  Status Accept(const pb::Chunk& chunk) override {
    if (chunk.has_nodes()) return out_.Write("nodes");
    return (ahead_ == nullptr ? out_ : *ahead_).Write("some edges");
  }
  Status Finish() override { return status_; }

 private:
  ByteSink& out_;
  ByteSink* const ahead_;
  Status status_;
};

constexpr WriterInfo kAheadWriter = {
    .name = "ahead",
    .title = "",
    .extensions = "",
    .fidelity = {},
    .make = [](ByteSink& sink, const WriterOptions&,
               Context&) -> std::unique_ptr<Writer> {
      return std::make_unique<AheadWriter>(sink);
    },
};

// And once more in order if they differ, to find the difference.
TEST(Recording, TakesPartsSideBySideWhereTheyAreTheSame) {
  const struct {
    const char* source;
    pb::SourceImage::Method method;
    int passes;
  } cases[] = {
      {"nodessome edges", pb::SourceImage::VERIFIED, 1},
      {"nodessome ed_ges", pb::SourceImage::PATCHED, 2},
  };
  for (const auto& [bytes, method, passes] : cases) {
    CountingReader upstream;
    const auto source = ByteSource::FromMemory(bytes);
    const Limits limits;
    const auto reader =
        MakeRecordingReader(upstream, *source, kAheadWriter, limits);
    VectorSink sink;
    ASSERT_TRUE(reader->Read(ChunkSet::All(), sink).ok());
    EXPECT_EQ(Kinds(sink.chunks()), "1 4 8 9 5 23 2 ");
    EXPECT_EQ(MethodOf(sink.chunks()), method) << bytes;
    EXPECT_EQ(upstream.passes(), passes) << bytes;
  }
}

// Whenever the writer fails, and whatever it has seen by then, the caller gets
// all.
TEST(Recording, EmbedsWhatAWriterFailsWith) {
  for (const WriterInfo* const writer :
       {&kTableWriter<pb::Chunk::kHeader, pb::Chunk::kHeader,
                      Code::kUnsupported>,
        &kTableWriter<pb::Chunk::kHeader, pb::Chunk::kNodes,
                      Code::kUnsupported>,
        &kTableWriter<pb::Chunk::kHeader, pb::Chunk::kEdges,
                      Code::kUnsupported>}) {
    const auto chunks = Recorded(*writer, "a dump");
    ASSERT_TRUE(chunks.ok());
    EXPECT_EQ(Kinds(*chunks), "1 4 8 9 5 23 2 ");
    EXPECT_EQ(MethodOf(*chunks), pb::SourceImage::EMBEDDED);
  }
}

// A full disk says nothing about the dump. It is an error, since it would
// otherwise decide what the output is.
TEST(Recording, IsNotDoneWithoutRoomToTry) {
  for (const WriterInfo* const writer :
       {&kTableWriter<pb::Chunk::kHeader, pb::Chunk::kHeader, Code::kOutput>,
        &kTableWriter<pb::Chunk::kHeader, pb::Chunk::kEdges, Code::kOutput>})
    EXPECT_EQ(Recorded(*writer, "a dump").status().code(), Code::kOutput);
}

// The caller's sink may fail, too.
TEST(Recording, EndsWhereTheOtherCannotGoOn) {
  class FullSink : public ChunkSink {
   public:
    Status Accept(const pb::Chunk& chunk) override {
      return chunk.has_nodes() ? Status(Code::kUnsupported, "full") : Status();
    }
  };
  CountingReader upstream;
  const auto source = ByteSource::FromMemory("589");
  const Limits limits;
  const auto reader = MakeRecordingReader(upstream, *source, kWriter, limits);
  FullSink sink;
  EXPECT_EQ(reader->Read(ChunkSet::All(), sink).message(), "full");
}

}  // namespace
}  // namespace heapglot
