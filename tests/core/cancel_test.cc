// Runs that somebody wants to end.
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
        EXPECT_EQ(Convert(**source, sink, {.to = to}, context).code(),
                  Code::kCancelled)
            << format->name << " to " << to->name;
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

// Converts `source`, and cancels that at call number `last` of progress. Whether it
// was called so often.
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

// Sends nodes to whoever wants some until that fails, and asks nobody.
class EndlessReader : public Reader {
 public:
  Status Read(ChunkSet wanted, ChunkSink& out) override {
    pb::Chunk chunk;
    chunk.mutable_header()->set_format("endless");
    if (wanted.Includes(chunk)) HEAPGLOT_RETURN_IF_ERROR(out.Accept(chunk));
    chunk.mutable_graph();
    if (wanted.Includes(chunk)) HEAPGLOT_RETURN_IF_ERROR(out.Accept(chunk));
    for (std::uint64_t first = 0; wanted.Has(pb::Chunk::kNodes);
         first += kChunkRows) {
      chunk.mutable_nodes()->set_first(first);
      chunk.mutable_nodes()->set_count(kChunkRows);
      HEAPGLOT_RETURN_IF_ERROR(out.Accept(chunk));
    }
    return {};
  }
};

std::atomic<bool> cancel_endless;

// Has enough of it after some chunks.
class ImpatientWriter : public Writer {
 public:
  ChunkSet Wanted(int) override { return ChunkSet::All(); }
  Status Accept(const pb::Chunk&) override {
    if (++chunks_ == 10) cancel_endless = true;
    return {};
  }
  Status Finish() override { return {}; }

 private:
  int chunks_ = 0;
};

TEST(CancelTest, StopsAReaderThatDoesNotAsk) {
  ReaderInfo from = IrReader();
  from.name = "endless";
  from.make = [](const ByteSource&, Context&) -> std::unique_ptr<Reader> {
    return std::make_unique<EndlessReader>();
  };
  WriterInfo to = IrWriter();
  to.make = [](ByteSink&, const WriterOptions&,
               Context&) -> std::unique_ptr<Writer> {
    return std::make_unique<ImpatientWriter>();
  };
  const auto source = ByteSource::FromMemory("a dump");
  for (const unsigned threads : {1, 2}) {
    cancel_endless = false;
    Context context;
    context.limits.max_threads = threads;
    context.cancel = &cancel_endless;
    Unseen sink;
    EXPECT_EQ(
        Convert(*source, sink, {.from = &from, .to = &to}, context).code(),
        Code::kCancelled);
    EXPECT_FALSE(sink.is_closed());
  }
}

}  // namespace
}  // namespace heapglot
