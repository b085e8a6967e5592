#include "core/roundtrip/round_trip.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/roundtrip/compare_spool.h"
#include "core/roundtrip/minimize.h"
#include "tests/core/text_stream.h"

namespace heapglot {
namespace {

std::unique_ptr<ByteSource> Corpus(const std::string& file) {
  Result<std::unique_ptr<ByteSource>> source =
      ByteSource::Open(std::string(HEAPGLOT_CORPUS_DIR) + "/" + file, Limits());
  EXPECT_TRUE(source.ok()) << source.status().ToString(file);
  return source.ok() ? *std::move(source) : nullptr;
}

// ---------------------------------------------------------- formats with a bug

// Writes heapir, but something goes wrong on the way.
class BuggyWriter : public Writer {
 public:
  BuggyWriter(ByteSink& sink, const WriterOptions& options, Context& context)
      : heapir_(FindWriter("heapir")->make(sink, options, context)) {}

  ChunkSet Wanted(int pass) override { return heapir_->Wanted(pass); }
  Status Accept(const pb::Chunk& chunk) override {
    pb::Chunk spoilt = chunk;
    HEAPGLOT_RETURN_IF_ERROR(Spoil(&spoilt));
    return heapir_->Accept(spoilt);
  }
  Status Finish() override { return heapir_->Finish(); }

 protected:
  virtual Status Spoil(pb::Chunk* chunk) = 0;

 private:
  std::unique_ptr<Writer> heapir_;
};

// A size is lost.
class LosesSize : public BuggyWriter {
 public:
  using BuggyWriter::BuggyWriter;
  static constexpr std::uint64_t kLost = 2048;

 private:
  Status Spoil(pb::Chunk* chunk) override {
    if (chunk->has_graph_end()) {
      pb::GraphEnd& end = *chunk->mutable_graph_end();
      end.set_self_size_total(end.self_size_total() - lost_);
      lost_ = 0;
    }
    if (!chunk->has_nodes()) return {};
    for (auto& size : *chunk->mutable_nodes()->mutable_self_size()) {
      if (size != kLost) continue;
      lost_ += size;
      size = 0;
    }
    return {};
  }

  std::uint64_t lost_ = 0;  // of this graph
};

// A text cannot be written.
class RefusesLongStrings : public BuggyWriter {
 public:
  using BuggyWriter::BuggyWriter;
  static constexpr std::uint32_t kTooLong = 9;

 private:
  Status Spoil(pb::Chunk* chunk) override {
    for (const std::uint32_t length : chunk->strings().length()) {
      if (length >= kTooLong) return {Code::kUnsupported, "too long for us"};
    }
    return {};
  }
};

// Fails depending on the file's size, so that no rewritten file shows it.
class RefusesSource : public BuggyWriter {
 public:
  using BuggyWriter::BuggyWriter;
  static std::uint64_t size;

 private:
  Status Spoil(pb::Chunk* chunk) override {
    if (chunk->header().source_size() != size) return {};
    return {Code::kUnsupported, "a file that we do not like"};
  }
};
std::uint64_t RefusesSource::size = 0;

// What it writes cannot be read.
class WritesNoise : public Writer {
 public:
  WritesNoise(ByteSink& sink, const WriterOptions&, Context&) : sink_(sink) {}
  ChunkSet Wanted(int) override { return {}; }
  Status Accept(const pb::Chunk&) override { return {}; }
  Status Finish() override { return sink_.Write("noise"); }

 private:
  ByteSink& sink_;
};

class FillsTheDisk : public Writer {
 public:
  FillsTheDisk(ByteSink&, const WriterOptions&, Context&) {}
  ChunkSet Wanted(int) override { return {}; }
  Status Accept(const pb::Chunk&) override { return {}; }
  Status Finish() override { return {Code::kOutput, "no space left"}; }
};

template <typename Kind>
const WriterInfo& Buggy() {
  static const WriterInfo kInfo = {
      .name = "heapir",
      .title = "with a bug",
      .extensions = "bug",
      .several_graphs = true,
      .ungrouped_edges = true,
      .fidelity = {},
      .make = [](ByteSink& sink, const WriterOptions& options,
                 Context& context) -> std::unique_ptr<Writer> {
        return std::make_unique<Kind>(sink, options, context);
      }};
  return kInfo;
}

// Without leftovers, so that what the intermediate file does not say is
// missing.
RoundTripOptions Bare() {
  RoundTripOptions options;
  options.embed = false;
  return options;
}

RoundTrip Take(const ByteSource& source, const std::string& format,
               const WriterInfo& via,
               const RoundTripOptions& options = Bare()) {
  Result<RoundTrip> trip =
      TakeRoundTrip(source, *FindReader(format), via, options);
  EXPECT_TRUE(trip.ok()) << trip.status().ToString();
  return trip.ok() ? *std::move(trip) : RoundTrip();
}

// A dartheap of `nodes` nodes, one of them of the size LosesSize::kLost.
std::string DumpWithSizes(std::uint64_t nodes) {
  std::string sizes;
  for (std::uint64_t i = 0; i < nodes; ++i) {
    sizes += i == nodes / 3 ? "2048," : "16,";
  }
  sizes.pop_back();
  const std::string count = std::to_string(nodes);
  VectorReader reader(ParseStream(
      "header { format: \"dartheap\" }\n"
      "graph { edges_grouped: true }\n"
      "nodes { count: " +
      count + " self_size: [" + sizes +
      "] }\n"
      "roots { count: 1 to: [1] }\n"
      "graph_end { nodes: " +
      count + " roots: 1 id_limit: " + std::to_string(nodes + 1) +
      " self_size_total: " + std::to_string(16 * (nodes - 1) + 2048) +
      " }\n"
      "footer { graphs: 1 strings: 1 }\n"));
  std::string file;
  const auto sink = ByteSink::ToString(&file);
  Context context;
  const auto writer =
      FindWriter("dartheap")
          ->make(*sink, {.native = true, .profile = {}}, context);
  const Status status = RunPasses(reader, *writer);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return file;
}

// --------------------------------------------------------------------- trips

TEST(RoundTrip, ThroughTheIrIsIdentical) {
  const auto source = Corpus("dartheap/good/quirks-graph.dartheap");
  const RoundTrip trip = Take(*source, "dartheap", *FindWriter("heapir"));
  EXPECT_EQ(trip.sameness, Sameness::kIdentical);
  EXPECT_FALSE(trip.bytes.has_value());
  EXPECT_TRUE(trip.content.empty());
  EXPECT_EQ(trip.back.size, source->bytes().size());
  EXPECT_EQ(SortOf(trip), "identical");
}

TEST(RoundTrip, WhatChangedIsTold) {
  const std::string dump = DumpWithSizes(10);
  const auto source = ByteSource::FromMemory(dump);
  const RoundTrip trip = Take(*source, "dartheap", Buggy<LosesSize>());
  EXPECT_EQ(trip.sameness, Sameness::kChanged);
  ASSERT_EQ(trip.content.Names(), std::vector<std::string>{"nodes.self_size"});
  ASSERT_EQ(trip.content.columns[0].examples.size(), 1u);
  EXPECT_EQ(trip.content.columns[0].examples[0].row, 3u);
  EXPECT_EQ(trip.content.columns[0].examples[0].before, "2048");
  EXPECT_EQ(trip.content.columns[0].examples[0].after, "0");
  EXPECT_TRUE(trip.bytes.has_value());
  EXPECT_EQ(trip.bytes->line, 0u);  // of a binary format
  EXPECT_EQ(SortOf(trip), "changed nodes.self_size");
}

TEST(RoundTrip, LeftoversMakeGood) {
  const auto source = Corpus("dartheap/good/quirks-graph.dartheap");
  for (const char* via : {"heapsnapshot", "ndjson", "netcf"}) {
    const RoundTrip with =
        Take(*source, "dartheap", *FindWriter(via), RoundTripOptions());
    EXPECT_EQ(with.sameness, Sameness::kIdentical) << via;
    EXPECT_EQ(Take(*source, "dartheap", *FindWriter(via)).sameness,
              Sameness::kChanged)
        << via;
    // Leftovers are beside the file if it has no room.
    const bool has_room = FindWriter(via)->max_leftovers != 0;
    EXPECT_EQ(with.there.sidecar_size == 0, has_room) << via;
  }
}

TEST(RoundTrip, PlacesInTextHaveALine) {
  const auto pretty = Corpus("heapsnapshot/good/pretty-printed.heapsnapshot");
  const RoundTrip other = Take(*pretty, "heapsnapshot", *FindWriter("netcf"));
  ASSERT_TRUE(other.bytes.has_value());
  const std::string_view text = pretty->bytes();
  const std::string_view before = text.substr(0, other.bytes->offset);
  EXPECT_EQ(other.bytes->line, 1 + static_cast<std::uint64_t>(std::count(
                                       before.begin(), before.end(), '\n')));
  EXPECT_EQ(other.bytes->column, before.size() - before.rfind('\n'));
  EXPECT_EQ(other.bytes->before, text.substr(other.bytes->offset, 24));
}

TEST(RoundTrip, AFailureIsAResult) {
  const auto source = Corpus("dartheap/good/strings.dartheap");
  const RoundTrip there =
      Take(*source, "dartheap", Buggy<RefusesLongStrings>());
  EXPECT_EQ(there.sameness, Sameness::kFailed);
  EXPECT_FALSE(there.failed_on_the_way_back);
  EXPECT_EQ(there.failure.message(), "too long for us");
  const RoundTrip back = Take(*source, "dartheap", Buggy<WritesNoise>());
  EXPECT_EQ(back.sameness, Sameness::kFailed);
  EXPECT_TRUE(back.failed_on_the_way_back);
  EXPECT_NE(SortOf(there), SortOf(back));
}

TEST(RoundTrip, AFullDiskIsNoResult) {
  const auto source = Corpus("dartheap/good/strings.dartheap");
  const Result<RoundTrip> trip =
      TakeRoundTrip(*source, *FindReader("dartheap"), Buggy<FillsTheDisk>(),
                    RoundTripOptions());
  EXPECT_EQ(trip.status().code(), Code::kOutput);
}

// ----------------------------------------------------------------- minimizing

Result<MinimizedDump> MinimizeIt(const ByteSource& source,
                                 const std::string& format,
                                 const RoundTrip& shown,
                                 std::uint64_t max_tries = 2000) {
  MinimizeOptions options;
  options.trip = Bare();
  options.max_tries = max_tries;
  return Minimize(source, *FindReader(format), shown, options);
}

TEST(Minimize, OneNodeOfManyIsLeft) {
  const std::string dump = DumpWithSizes(3000);
  const auto source = ByteSource::FromMemory(dump);
  const WriterInfo& via = Buggy<LosesSize>();
  const RoundTrip shown = Take(*source, "dartheap", via);
  const Result<MinimizedDump> minimized =
      MinimizeIt(*source, "dartheap", shown);
  ASSERT_TRUE(minimized.ok()) << minimized.status().ToString();
  ASSERT_NE(minimized->dump, nullptr);
  EXPECT_EQ(minimized->nodes, 1u);
  EXPECT_TRUE(minimized->is_minimal);
  EXPECT_LT(minimized->tries, 150u);
  EXPECT_LT(minimized->dump->bytes().size(), dump.size());
  const RoundTrip again = Take(*minimized->dump, "dartheap", via);
  EXPECT_EQ(SortOf(again), SortOf(shown));
}

TEST(Minimize, AFailureIsKept) {
  const auto source = Corpus("dartheap/good/strings.dartheap");
  const WriterInfo& via = Buggy<RefusesLongStrings>();
  const RoundTrip shown = Take(*source, "dartheap", via);
  const Result<MinimizedDump> minimized =
      MinimizeIt(*source, "dartheap", shown);
  ASSERT_TRUE(minimized.ok()) << minimized.status().ToString();
  ASSERT_NE(minimized->dump, nullptr);
  // Little more than the string.
  EXPECT_LE(minimized->dump->bytes().size(), 60u);
  EXPECT_EQ(SortOf(Take(*minimized->dump, "dartheap", via)), SortOf(shown));
}

TEST(Minimize, IsTheSameEveryTime) {
  const auto source = Corpus("heapsnapshot/good/node14-locations.heapsnapshot");
  const RoundTrip shown = Take(*source, "heapsnapshot", *FindWriter("netcf"));
  ASSERT_EQ(shown.sameness, Sameness::kChanged);
  std::string first;
  for (int run = 0; run < 2; ++run) {
    const Result<MinimizedDump> minimized =
        MinimizeIt(*source, "heapsnapshot", shown);
    ASSERT_TRUE(minimized.ok());
    ASSERT_NE(minimized->dump, nullptr);
    const std::string bytes(minimized->dump->bytes());
    EXPECT_LT(bytes.size(), source->bytes().size());
    const std::string count =
        "\"node_count\":" + std::to_string(minimized->nodes) + ",";
    EXPECT_NE(bytes.find(count), std::string::npos) << bytes;
    if (run == 0) first = bytes;
    EXPECT_EQ(bytes, first);
  }
}

TEST(Minimize, StopsAfterSoManyTries) {
  const std::string dump = DumpWithSizes(3000);
  const auto source = ByteSource::FromMemory(dump);
  const RoundTrip shown = Take(*source, "dartheap", Buggy<LosesSize>());
  const Result<MinimizedDump> minimized =
      MinimizeIt(*source, "dartheap", shown, 4);
  ASSERT_TRUE(minimized.ok());
  EXPECT_EQ(minimized->tries, 4u);
  EXPECT_FALSE(minimized->is_minimal);
  ASSERT_NE(minimized->dump, nullptr);
  EXPECT_LT(minimized->nodes, 3000u);
  EXPECT_GT(minimized->nodes, 1u);
}

TEST(Minimize, WhatIsGoneInARewrittenFileIsNotMinimized) {
  const auto source = Corpus("dartheap/good/nonminimal-lebs.dartheap");
  RefusesSource::size = source->bytes().size();
  const RoundTrip shown = Take(*source, "dartheap", Buggy<RefusesSource>());
  ASSERT_EQ(shown.sameness, Sameness::kFailed);
  const Result<MinimizedDump> minimized =
      MinimizeIt(*source, "dartheap", shown);
  ASSERT_TRUE(minimized.ok()) << minimized.status().ToString();
  EXPECT_EQ(minimized->dump, nullptr);
  EXPECT_EQ(minimized->tries, 1u);
}

// ----------------------------------------------------------------- the outputs

TEST(CompareSpool, KeepsNothingOfWhatIsTheSame) {
  const std::string text(300'000, 'x');
  const auto expected = ByteSource::FromMemory(text);
  CompareSpool spool(*expected);
  for (std::size_t at = 0; at < text.size(); at += 7777) {
    ASSERT_TRUE(spool.Write(std::string_view(text).substr(at, 7777)).ok());
  }
  ASSERT_TRUE(spool.Close().ok());
  EXPECT_FALSE(spool.difference().has_value());
  EXPECT_EQ(spool.position(), text.size());
}

TEST(CompareSpool, FindsTheFirstByteAndKeepsAll) {
  for (const auto& [expected, written, offset] :
       {std::tuple("abcdef", "abcXef", 3u), std::tuple("abc", "abcd", 3u),
        std::tuple("abcd", "abc", 3u), std::tuple("", "a", 0u),
        std::tuple("abc", "", 0u), std::tuple("abc", "Xbc", 0u)}) {
    for (std::size_t piece = 1; piece < 5; ++piece) {
      const auto source = ByteSource::FromMemory(expected);
      CompareSpool spool(*source);
      const std::string_view bytes = written;
      for (std::size_t at = 0; at < bytes.size(); at += piece) {
        ASSERT_TRUE(spool.Write(bytes.substr(at, piece)).ok());
      }
      ASSERT_TRUE(spool.Close().ok());
      EXPECT_EQ(spool.difference(), offset) << expected << ", " << written;
      const auto kept = spool.TakeSource("(kept)");
      ASSERT_TRUE(kept.ok());
      EXPECT_EQ((*kept)->bytes(), bytes);
    }
  }
}

}  // namespace
}  // namespace heapglot
