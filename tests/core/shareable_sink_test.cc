#include "core/bytes/shareable_sink.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <thread>

#include "core/bytes/fd.h"
#include "tests/core/log_sink.h"

namespace heapglot {
namespace {

// A thread that does whatever work there is, all the time.
class Helper {
 public:
  explicit Helper(SpareWork& work)
      : thread_([this, &work] {
          while (!is_over_) {
            if (work.HasSome()) work.DoSome();
            std::this_thread::yield();
          }
        }) {}
  ~Helper() {
    is_over_ = true;
    thread_.join();
  }
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;

 private:
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

TEST(ShareableSinkTest, PassesEverythingOnInOrder) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{5}, kIoBuffer,
                                 kIoBuffer + 1, 37 * kIoBuffer + 3}) {
    for (const std::size_t step : {std::size_t{1000}, 2 * kIoBuffer + 7}) {
      for (const bool is_helped : {false, true}) {
        Log log;
        const auto sink = MakeShareable(std::make_unique<LogSink>(log));
        SpareWork* const work = sink->Share();
        ASSERT_NE(work, nullptr);
        std::unique_ptr<Helper> helper;
        if (is_helped) helper = std::make_unique<Helper>(*work);
        const std::string content = Content(size);
        for (std::size_t at = 0; at < size; at += step)
          ASSERT_TRUE(sink->Write(content.substr(at, step)).ok());
        EXPECT_EQ(sink->position(), size);
        helper.reset();
        ASSERT_TRUE(sink->Close().ok());
        EXPECT_TRUE(sink->Close().ok());
        EXPECT_TRUE(log.content == content) << size;
        EXPECT_TRUE(log.closed);
        EXPECT_EQ(log.closer, std::this_thread::get_id());
        EXPECT_FALSE(work->HasSome());
      }
    }
  }
}

TEST(ShareableSinkTest, WritesAtOnceWhatIsNotShared) {
  Log log;
  const auto sink = MakeShareable(std::make_unique<LogSink>(log));
  ASSERT_TRUE(sink->Write("little").ok());
  EXPECT_EQ(log.content, "little");
}

TEST(ShareableSinkTest, LeavesFullBlocksToOthers) {
  Log log;
  const auto sink = MakeShareable(std::make_unique<LogSink>(log));
  SpareWork& work = *sink->Share();
  const std::string content = Content(2 * kIoBuffer + 1);
  ASSERT_TRUE(sink->Write(content).ok());
  EXPECT_EQ(log.writes, 0);
  for (int block = 1; block <= 2; ++block) {
    EXPECT_TRUE(work.HasSome());
    std::thread([&work] { work.DoSome(); }).join();
    EXPECT_EQ(log.writes, block);
    EXPECT_NE(log.writer, std::this_thread::get_id());
  }
  EXPECT_FALSE(work.HasSome());
  work.DoSome();
  EXPECT_EQ(log.writes, 2);
  ASSERT_TRUE(sink->Prepare().ok());
  EXPECT_EQ(log.content, content);
}

TEST(ShareableSinkTest, WritesByItselfWhatNobodyDoes) {
  Log log;
  const auto sink = MakeShareable(std::make_unique<LogSink>(log));
  (void)sink->Share();
  ASSERT_TRUE(sink->Write(Content(20 * kIoBuffer)).ok());
  EXPECT_GT(log.writes, 10);
  EXPECT_LT(log.writes, 20);
}

TEST(ShareableSinkTest, ErrorsArriveAndStay) {
  const std::string content = Content(kIoBuffer);
  for (int at = 1; at <= 10; ++at) {
    for (const bool is_helped : {false, true}) {
      Log log;
      const auto sink =
          MakeShareable(std::make_unique<LogSink>(log, [at](int n) -> Status {
            if (n == at) return {Code::kOutput, "full"};
            return {};
          }));
      SpareWork& work = *sink->Share();
      Status status;
      for (int i = 0; i < 10 && status.ok(); ++i) {
        status = sink->Write(content);
        if (is_helped) work.DoSome();
      }
      if (status.ok()) status = sink->Close();
      EXPECT_EQ(status.message(), "full") << at;
      EXPECT_FALSE(work.HasSome());
      work.DoSome();
      EXPECT_EQ(sink->Write("x").message(), "full");
      EXPECT_EQ(sink->Write(content).message(), "full");
      EXPECT_EQ(sink->Close().message(), "full");
      EXPECT_EQ(log.writes, at);
      EXPECT_FALSE(log.closed);
    }
  }
}

TEST(ShareableSinkTest, ExceptionsBecomeErrors) {
  Log log;
  const auto sink = MakeShareable(std::make_unique<LogSink>(
      log, [](int) -> Status { throw std::bad_alloc(); }));
  SpareWork& work = *sink->Share();
  ASSERT_TRUE(sink->Write(Content(kIoBuffer)).ok());
  work.DoSome();
  EXPECT_EQ(sink->Close().code(), Code::kLimit);
}

TEST(ShareableSinkTest, CopiesBehindWhatWasWritten) {
  Log log;
  const auto sink = MakeShareable(std::make_unique<LogSink>(log));
  (void)sink->Share();
  const std::string first = Content(kIoBuffer + 1);
  const std::string second = "and this";
  ASSERT_TRUE(sink->Write(first).ok());
  ASSERT_TRUE(sink->Copy(*ByteSource::FromMemory(second)).ok());
  EXPECT_EQ(sink->position(), first.size() + second.size());
  ASSERT_TRUE(sink->Close().ok());
  EXPECT_EQ(log.content, first + second);
}

TEST(ShareableSinkTest, FilesAreShareable) {
  const std::string path = testing::TempDir() + "shareable_sink_test.out";
  const auto sink = ByteSink::Create(path, {.replace = true});
  ASSERT_TRUE(sink.ok());
  EXPECT_NE((*sink)->Share(), nullptr);
  const auto compressed = ByteSink::Create(
      path, {.compression = Compression::kZstd, .replace = true});
  ASSERT_TRUE(compressed.ok());
  EXPECT_EQ((*compressed)->Share(), nullptr);
}

}  // namespace
}  // namespace heapglot
