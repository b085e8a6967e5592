// Runs that are cancelled.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "heapglot/convert.h"
#include "heapglot/validate.h"

namespace heapglot {
namespace {

namespace fs = std::filesystem;

// Knows whether its output was made visible.
class Unseen : public ByteSink {
 public:
  Status Write(std::string_view bytes) override {
    size_ += bytes.size();
    return {};
  }
  Status Close() override {
    is_closed_ = true;
    return {};
  }
  std::uint64_t position() const override { return size_; }
  bool is_closed() const { return is_closed_; }

 private:
  std::uint64_t size_ = 0;
  bool is_closed_ = false;
};

// Some file of the format.
std::string FileOf(const ReaderInfo& format) {
  const fs::path good = fs::path(HEAPGLOT_CORPUS_DIR) / format.name / "good";
  std::string first = "~";
  for (const auto& entry : fs::directory_iterator(good))
    first = std::min(first, entry.path().string());
  return first;
}

TEST(CancelTest, StopsEveryReader) {
  const std::atomic<bool> cancel = true;
  for (const ReaderInfo* const format : Readers()) {
    const auto source = ByteSource::Open(FileOf(*format), Limits());
    ASSERT_TRUE(source.ok());
    for (const WriterInfo* const to : Writers()) {
      for (const unsigned threads : {1, 2}) {
        Context context;
        context.limits.max_threads = threads;
        context.cancel = &cancel;
        Unseen sink;
        const Status status = Convert(**source, sink, {.to = to}, context);
        EXPECT_EQ(status.code(), Code::kCancelled)
            << format->name << " to " << to->name;
        EXPECT_EQ(status.ToString(), "it was cancelled");
        EXPECT_FALSE(sink.is_closed());
      }
    }
    Context context;
    context.cancel = &cancel;
    EXPECT_EQ(Validate(**source, *format, context).status().code(),
              Code::kCancelled)
        << format->name;
  }
}

// Converts `source`, and cancels that at call number `last` of progress.
// Returns whether there were so many calls.
bool CancelsAt(int last, const ByteSource& source, const WriterInfo& to,
               unsigned threads) {
  std::atomic<bool> cancel = false;
  int calls = 0;
  Context context;
  context.limits.max_threads = threads;
  context.cancel = &cancel;
  context.progress = [&](std::string_view, std::uint64_t, std::uint64_t) {
    if (++calls == last) cancel = true;
  };
  Unseen sink;
  const Status status = Convert(source, sink, {.to = &to}, context);
  EXPECT_EQ(status.code(), calls < last ? Code::kOk : Code::kCancelled);
  EXPECT_EQ(sink.is_closed(), calls < last);
  return calls >= last;
}

TEST(CancelTest, NobodyGoesOnAllTheSame) {
  for (const ReaderInfo* const format : Readers()) {
    const auto source = ByteSource::Open(FileOf(*format), Limits());
    ASSERT_TRUE(source.ok());
    for (const WriterInfo* const to : Writers()) {
      SCOPED_TRACE(std::string(format->name) + " to " + std::string(to->name));
      for (const unsigned threads : {1, 2}) {
        for (int last = 1; CancelsAt(last, **source, *to, threads); ++last)
          ASSERT_FALSE(testing::Test::HasFailure());
      }
    }
  }
}

std::atomic<bool> cancel_nodes;
int sent_nodes = 0;  // chunks of nodes, in all passes
int last_nodes = 0;  // the run is cancelled at this chunk

// Sends many nodes, and never asks whether it is cancelled.
class ManyNodesReader : public Reader {
 public:
  static constexpr int kChunks = 1000;

  Status Read(ChunkSet wanted, ChunkSink& out) override {
    pb::Chunk chunk;
    chunk.mutable_header()->set_format("many");
    if (wanted.Includes(chunk)) HEAPGLOT_RETURN_IF_ERROR(out.Accept(chunk));
    chunk.mutable_graph();
    if (wanted.Includes(chunk)) HEAPGLOT_RETURN_IF_ERROR(out.Accept(chunk));
    for (int i = 0; wanted.Has(pb::Chunk::kNodes) && i < kChunks; ++i) {
      chunk.mutable_nodes()->set_first(std::uint64_t{kChunkRows} * i);
      chunk.mutable_nodes()->set_count(kChunkRows);
      if (++sent_nodes == last_nodes) cancel_nodes = true;
      HEAPGLOT_RETURN_IF_ERROR(out.Accept(chunk));
    }
    chunk.mutable_graph_end()->set_nodes(std::uint64_t{kChunkRows} * kChunks);
    if (wanted.Includes(chunk)) HEAPGLOT_RETURN_IF_ERROR(out.Accept(chunk));
    chunk.mutable_footer()->set_graphs(1);
    chunk.mutable_footer()->set_strings(1);
    return wanted.Includes(chunk) ? out.Accept(chunk) : Status();
  }
};

TEST(CancelTest, StopsAReaderThatDoesNotAsk) {
  ReaderInfo from = IrReader();
  from.name = "many";
  from.make = [](const ByteSource&, Context&) -> std::unique_ptr<Reader> {
    return std::make_unique<ManyNodesReader>();
  };
  const auto source = ByteSource::FromMemory("a dump");
  // While the stream is checked, and while it is written.
  for (const int last : {10, ManyNodesReader::kChunks + 10}) {
    for (const unsigned threads : {1, 2}) {
      cancel_nodes = false;
      sent_nodes = 0;
      last_nodes = last;
      Context context;
      context.limits.max_threads = threads;
      context.cancel = &cancel_nodes;
      Unseen sink;
      EXPECT_EQ(
          Convert(*source, sink, {.from = &from, .to = &IrWriter()}, context)
              .code(),
          Code::kCancelled);
      EXPECT_EQ(sent_nodes, last);
      EXPECT_FALSE(sink.is_closed());
    }
  }
}

}  // namespace
}  // namespace heapglot
