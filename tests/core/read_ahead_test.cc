#include "core/read_ahead.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

namespace heapglot {
namespace {

constexpr std::uint64_t kChunks = 200;

// Sends numbered chunks of nodes, and fails after `until` of them.
class NumberingReader : public Reader {
 public:
  // Each chunk has `bytes` bytes and some more.
  explicit NumberingReader(std::uint64_t until = kChunks, std::size_t bytes = 0)
      : until_(until), ids_(static_cast<int>(bytes / sizeof(std::uint64_t))) {}

  Status Read(ChunkSet /*wanted*/, ChunkSink& out) override {
    pb::Chunk chunk;
    for (sent_ = 0; sent_ < until_; ++sent_) {
      chunk.mutable_nodes()->Clear();
      chunk.mutable_nodes()->set_first(sent_);
      chunk.mutable_nodes()->mutable_self_size()->Resize(
          static_cast<int>(sent_ % 7), sent_);
      chunk.mutable_nodes()->mutable_id()->Resize(ids_, sent_);
      // Kept and given away in turn.
      HEAPGLOT_RETURN_IF_ERROR(sent_ % 3 == 0 ? out.Accept(chunk)
                                              : out.AcceptOwned(chunk));
      if (sent_ % 3 == 0) {
        EXPECT_EQ(chunk.nodes().first(), sent_);
      }
    }
    if (throws_) throw std::runtime_error("oh");
    return until_ == kChunks ? Status()
                             : Status(Code::kMalformed, "the reader");
  }

  std::uint64_t sent() const { return sent_; }
  void Throw() { throws_ = true; }

 private:
  const std::uint64_t until_;
  const int ids_;
  std::atomic<std::uint64_t> sent_ = 0;
  bool throws_ = false;
};

// Takes `until` chunks, which must come in order.
class TakingSink : public ChunkSink {
 public:
  explicit TakingSink(std::uint64_t until = kChunks) : until_(until) {}

  Status Accept(const pb::Chunk& chunk) override {
    if (taken_ == until_) {
      if (throws_) throw std::bad_alloc();
      if (throws_number_) throw 42;
      return {Code::kOutput, "the sink"};
    }
    EXPECT_EQ(chunk.nodes().first(), taken_);
    const auto& sizes = chunk.nodes().self_size();
    EXPECT_EQ(std::vector<std::uint64_t>(sizes.begin(), sizes.end()),
              std::vector<std::uint64_t>(taken_ % 7, taken_));
    ++taken_;
    if (std::this_thread::get_id() != home_) ++elsewhere_;
    return {};
  }

  std::uint64_t taken() const { return taken_; }
  std::uint64_t elsewhere() const { return elsewhere_; }
  void Throw() { throws_ = true; }
  void ThrowNumber() { throws_number_ = true; }

 private:
  const std::uint64_t until_;
  const std::thread::id home_ = std::this_thread::get_id();
  std::uint64_t taken_ = 0;
  std::uint64_t elsewhere_ = 0;
  bool throws_ = false;
  bool throws_number_ = false;
};

const ChunkSet kNodes = {pb::Chunk::kNodes};

TEST(ReadAheadTest, KeepsTheOrder) {
  for (const unsigned threads : {0U, 1U, 2U, 64U}) {
    NumberingReader reader;
    TakingSink sink;
    ASSERT_TRUE(ReadAhead(reader, kNodes, sink, threads).ok());
    EXPECT_EQ(sink.taken(), kChunks);
    // The first chunks need no thread.
    EXPECT_EQ(sink.elsewhere() > kChunks / 2, threads > 1);
    EXPECT_LT(sink.elsewhere(), kChunks);
  }
}

TEST(ReadAheadTest, KeepsAsManyAsItMay) {
  for (const std::size_t chunks : {1U, 2U, 3U, 32U, 1000U}) {
    NumberingReader reader;
    TakingSink sink;
    ASSERT_TRUE(ReadAhead(reader, kNodes, sink, 2, {.chunks = chunks}).ok());
    EXPECT_EQ(sink.taken(), kChunks);
    EXPECT_GT(sink.elsewhere(), kChunks / 2);

    NumberingReader all(kChunks, std::size_t{3} << 20);
    TakingSink failing(50);
    EXPECT_EQ(ReadAhead(all, kNodes, failing, 2, {.chunks = chunks}).message(),
              "the sink");
    EXPECT_LE(all.sent(), 50 + chunks + 1);
  }
}

// Takes a chunk once `waits_for` chunks after it have been sent, or all.
class WaitingSink : public ChunkSink {
 public:
  WaitingSink(const NumberingReader& reader, std::uint64_t waits_for,
              std::uint64_t all = kChunks)
      : reader_(reader), waits_for_(waits_for), all_(all) {}

  Status Accept(const pb::Chunk& /*chunk*/) override {
    ++taken_;
    while (std::this_thread::get_id() != home_ &&
           reader_.sent() < std::min(taken_ + waits_for_, all_))
      std::this_thread::yield();
    return {};
  }

 private:
  const NumberingReader& reader_;
  const std::uint64_t waits_for_;
  const std::uint64_t all_;
  const std::thread::id home_ = std::this_thread::get_id();
  std::uint64_t taken_ = 0;
};

// A reader that sends several at once continues with the next ones meanwhile.
TEST(ReadAheadTest, KeepsMoreOfThemIfTheyAreSmall) {
  NumberingReader reader;
  WaitingSink sink(reader, 8);
  EXPECT_TRUE(ReadAhead(reader, kNodes, sink, 2).ok());
}

class BurstWriter : public Writer {
 public:
  explicit BurstWriter(ChunkSink& sink) : sink_(sink) {}
  ChunkSet Wanted(int pass) override { return pass == 0 ? kNodes : ChunkSet(); }
  Status Accept(const pb::Chunk& chunk) override { return sink_.Accept(chunk); }
  Status Finish() override { return {}; }
  bool TakesInBursts() const override { return true; }

 private:
  ChunkSink& sink_;
};

// Six of them have more than 1 MiB, half of what may wait otherwise; the reader
// is not woken until it gets less.
TEST(ReadAheadTest, KeepsMoreOfThemForBursts) {
  constexpr std::uint64_t kAll = 60;
  NumberingReader reader(kAll, std::size_t{300} << 10);
  WaitingSink sink(reader, 5, kAll);
  BurstWriter writer(sink);
  EXPECT_EQ(RunPasses(reader, writer, 2).message(), "the reader");
}

// Work of which there is always some.
class CountedWork final : public SpareWork {
 public:
  bool HasSome() const override { return true; }
  void DoSome() override {
    EXPECT_EQ(std::this_thread::get_id(), home_);
    ++done_;
  }
  int done() const { return done_; }

 private:
  const std::thread::id home_ = std::this_thread::get_id();
  std::atomic<int> done_ = 0;
};

// Takes a chunk once some of `work` has been done after the last one.
class UrgingSink : public ChunkSink {
 public:
  explicit UrgingSink(const CountedWork& work) : work_(work) {}

  Status Accept(const pb::Chunk& chunk) override {
    EXPECT_EQ(chunk.nodes().first(), taken_++);
    if (std::this_thread::get_id() == home_ || taken_ > kChunks / 2) return {};
    const int done = work_.done();
    while (work_.done() == done) std::this_thread::yield();
    return {};
  }
  std::uint64_t taken() const { return taken_; }

 private:
  const CountedWork& work_;
  const std::thread::id home_ = std::this_thread::get_id();
  std::uint64_t taken_ = 0;
};

TEST(ReadAheadTest, DoesOtherWorkWhereItWouldWait) {
  CountedWork work;
  UrgingSink sink(work);
  NumberingReader reader;
  ASSERT_TRUE(ReadAhead(reader, kNodes, sink, 2, {.spare_work = &work}).ok());
  EXPECT_EQ(sink.taken(), kChunks);
  EXPECT_GT(work.done(), 0);

  CountedWork none;
  TakingSink alone;
  ASSERT_TRUE(ReadAhead(reader, kNodes, alone, 1, {.spare_work = &none}).ok());
  EXPECT_EQ(none.done(), 0);
}

TEST(ReadAheadTest, TakesAllThatCouldBeRead) {
  for (const std::uint64_t until : {0U, 1U, 5U, 100U}) {
    NumberingReader reader(until);
    TakingSink sink;
    const Status status = ReadAhead(reader, kNodes, sink, 2);
    EXPECT_EQ(status.code(), Code::kMalformed);
    EXPECT_EQ(sink.taken(), until);
  }
}

TEST(ReadAheadTest, StopsReadingWhenTheSinkFails) {
  for (const std::uint64_t until : {0U, 1U, 5U, 100U}) {
    NumberingReader reader;
    TakingSink sink(until);
    const Status status = ReadAhead(reader, kNodes, sink, 2);
    EXPECT_EQ(status.message(), "the sink");
    EXPECT_EQ(sink.taken(), until);
    EXPECT_LE(reader.sent(), until + 17);
  }
}

// A reader that sends more has ignored the status.
TEST(ReadAheadTest, TakesNothingBehindAFailure) {
  class DeafReader : public Reader {
   public:
    Status Read(ChunkSet /*wanted*/, ChunkSink& out) override {
      pb::Chunk chunk;
      chunk.mutable_nodes();
      for (std::uint64_t i = 0; i < kChunks; ++i)
        failures += out.Accept(chunk).ok() ? 0 : 1;
      return {};
    }
    int failures = 0;
  };
  class OnceFailingSink : public ChunkSink {
   public:
    Status Accept(const pb::Chunk& /*chunk*/) override {
      return ++taken == 10 ? Status(Code::kOutput, "the sink") : Status();
    }
    int taken = 0;
  };
  DeafReader reader;
  OnceFailingSink sink;
  EXPECT_EQ(ReadAhead(reader, kNodes, sink, 2).message(), "the sink");
  EXPECT_GT(reader.failures, 1);
  EXPECT_EQ(sink.taken, 10);
}

TEST(ReadAheadTest, TellsWhatFailedFirst) {
  for (const std::uint64_t until : {0U, 4U, 5U, 50U}) {
    NumberingReader reader(until + 1);
    TakingSink sink(until);
    EXPECT_EQ(ReadAhead(reader, kNodes, sink, 2).message(), "the sink");
  }
}

TEST(ReadAheadTest, LetsNoExceptionLeaveAThread) {
  TakingSink sink(50);
  sink.Throw();
  NumberingReader reader;
  EXPECT_EQ(ReadAhead(reader, kNodes, sink, 2).code(), Code::kLimit);

  TakingSink odd(50);
  odd.ThrowNumber();
  NumberingReader another;
  EXPECT_EQ(ReadAhead(another, kNodes, odd, 2).code(), Code::kInternal);

  TakingSink taking;
  NumberingReader throwing(50);
  throwing.Throw();
  EXPECT_THROW((void)ReadAhead(throwing, kNodes, taking, 2),
               std::runtime_error);
  EXPECT_EQ(taking.taken(), 50U);
}

}  // namespace
}  // namespace heapglot
