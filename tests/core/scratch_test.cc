#include "core/bytes/scratch.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>
#include <utility>

namespace heapglot {
namespace {

// Runs `test` in a process of its own, for which it may set limits.
bool InChild(const std::function<bool()>& test) {
  const pid_t child = fork();
  if (child == 0) _exit(test() ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(ScratchTest, IsZeroAndKeepsWhatIsWritten) {
  for (const std::uint64_t size :
       {std::uint64_t{8}, Scratch::kInMemory, Scratch::kInMemory + 8,
        3 * Scratch::kInMemory}) {
    Result<Scratch> made = Scratch::Create(size);
    ASSERT_EQ(made.status().ToString(), "");
    Scratch scratch = *std::move(made);
    EXPECT_EQ(scratch.size(), size);
    const std::span<std::uint64_t> numbers = scratch.As<std::uint64_t>();
    ASSERT_EQ(numbers.size(), size / 8);
    EXPECT_TRUE(std::all_of(numbers.begin(), numbers.end(),
                            [](std::uint64_t number) { return number == 0; }));
    for (std::uint64_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
    scratch.Release(0, size / 2);
    scratch.Release(0, size + 1'000'000);
    for (std::uint64_t i = 0; i < numbers.size(); ++i) {
      ASSERT_EQ(numbers[i], i);
    }
  }
}

TEST(ScratchTest, MayBeEmpty) {
  const Result<Scratch> scratch = Scratch::Create(0);
  ASSERT_TRUE(scratch.ok());
  EXPECT_TRUE(scratch->As<int>().empty());
  scratch->Release(0, 1);
}

TEST(ScratchTest, MoreThanThereIs) {
  EXPECT_EQ(Scratch::Create(std::numeric_limits<std::uint64_t>::max())
                .status()
                .code(),
            Code::kLimit);
  // A file of an exabyte.
  EXPECT_EQ(Scratch::Create(std::uint64_t{1} << 60).status().code(),
            Code::kOutput);
}

TEST(ScratchTest, NowhereToPutIt) {
  EXPECT_TRUE(InChild([] {
    setenv("TMPDIR", "/proc", 1);
    const Status status = Scratch::Create(Scratch::kInMemory + 1).status();
    return status.code() == Code::kOutput &&
           status.message() ==
               "temporary file in /proc: No such file or directory";
  }));
  EXPECT_TRUE(InChild([] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {.rlim_cur = 4096, .rlim_max = 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
    return Scratch::Create(Scratch::kInMemory).ok() &&
           Scratch::Create(Scratch::kInMemory + 1).status().code() ==
               Code::kOutput;
  }));
}

}  // namespace
}  // namespace heapglot
