#include "core/bytes/background_sink.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <new>
#include <string>
#include <thread>

#include "core/bytes/fd.h"
#include "tests/core/log_sink.h"
#include "tests/sanitized.h"

namespace heapglot {
namespace {

TEST(BackgroundSinkTest, PassesEverythingOnInOrder) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{5}, kIoBuffer,
                                 kIoBuffer + 1, 7 * kIoBuffer + 3}) {
    for (const std::size_t step : {std::size_t{1000}, 2 * kIoBuffer + 7}) {
      Log log;
      const auto sink = WriteInBackground(std::make_unique<LogSink>(log));
      const std::string content = Content(size);
      for (std::size_t at = 0; at < size; at += step)
        ASSERT_TRUE(sink->Write(content.substr(at, step)).ok());
      EXPECT_EQ(sink->position(), size);
      ASSERT_TRUE(sink->Close().ok());
      EXPECT_TRUE(sink->Close().ok());
      EXPECT_TRUE(log.content == content) << size;
      EXPECT_TRUE(log.closed);
      EXPECT_EQ(log.closer, std::this_thread::get_id());
      EXPECT_EQ(sink->Write("x").code(), Code::kInternal);
    }
  }
}

TEST(BackgroundSinkTest, LittleIsWrittenWithoutAThread) {
  Log log;
  const auto sink = WriteInBackground(std::make_unique<LogSink>(log));
  ASSERT_TRUE(sink->Write("little").ok());
  EXPECT_EQ(log.writes, 0);
  ASSERT_TRUE(sink->Close().ok());
  EXPECT_EQ(log.writer, std::this_thread::get_id());
}

TEST(BackgroundSinkTest, ErrorsArriveAndStay) {
  const std::string content = Content(kIoBuffer);
  for (int at = 1; at <= 4; ++at) {
    Log log;
    const auto sink =
        WriteInBackground(std::make_unique<LogSink>(log, [at](int n) -> Status {
          if (n == at) return {Code::kOutput, "full"};
          return {};
        }));
    Status status;
    for (int i = 0; i < 4 && status.ok(); ++i) status = sink->Write(content);
    if (status.ok()) status = sink->Close();
    EXPECT_EQ(status.message(), "full") << at;
    EXPECT_EQ(sink->Write("x").message(), "full");
    EXPECT_EQ(sink->Close().message(), "full");
    EXPECT_EQ(log.writes, at);
    EXPECT_FALSE(log.closed);
  }
}

TEST(BackgroundSinkTest, TakesNothingWhenAllIsSaid) {
  Log log;
  const auto sink = WriteInBackground(std::make_unique<LogSink>(log));
  ASSERT_TRUE(sink->Write("all").ok());
  ASSERT_TRUE(sink->Prepare().ok());
  EXPECT_EQ(sink->Write("more").code(), Code::kInternal);
  ASSERT_TRUE(sink->Close().ok());
  EXPECT_EQ(log.content, "all");
}

TEST(BackgroundSinkTest, ExceptionsBecomeErrors) {
  Log log;
  const auto sink = WriteInBackground(std::make_unique<LogSink>(
      log, [](int) -> Status { throw std::bad_alloc(); }));
  Status status = sink->Write(Content(2 * kIoBuffer + 1));
  if (status.ok()) status = sink->Close();
  EXPECT_EQ(status.code(), Code::kLimit);
}

TEST(BackgroundSinkTest, MayBeGivenUp) {
  Log log;
  {
    const auto sink = WriteInBackground(std::make_unique<LogSink>(log));
    ASSERT_TRUE(sink->Write(Content(3 * kIoBuffer)).ok());
  }
  EXPECT_FALSE(log.closed);
}

// Limits on threads do not apply to root; limits on memory do.
TEST(BackgroundSinkTest, DoesWithoutAThread) {
  if (kSanitized) GTEST_SKIP() << "sanitizers need the memory";
  const std::string content = Content(5 * kIoBuffer);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    Log log;
    log.content.reserve(content.size());
    const auto sink = WriteInBackground(std::make_unique<LogSink>(log));
    // Nothing can be mapped any more.
    const rlimit none = {.rlim_cur = 0, .rlim_max = 0};
    setrlimit(RLIMIT_DATA, &none);
    const bool done = sink->Write(content).ok() && sink->Close().ok();
    const bool alone = log.writer == std::this_thread::get_id();
    _exit(done && alone && log.content == content ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace heapglot
