#include "core/in_parts.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

namespace heapglot {
namespace {

TEST(InPartsTest, WorksOnEachOnce) {
  for (const unsigned threads : {0U, 1U, 2U, 5U}) {
    for (const std::size_t parts : {0U, 1U, 2U, 3U, 1000U}) {
      std::vector<std::atomic<int>> worked(parts);
      InParts(threads, parts, [&](std::size_t part) { ++worked[part]; });
      for (const std::atomic<int>& times : worked) EXPECT_EQ(times, 1);
    }
  }
}

TEST(InPartsTest, UsesThemInOrderHere) {
  const std::thread::id home = std::this_thread::get_id();
  for (const unsigned threads : {1U, 2U, 5U}) {
    std::vector<std::size_t> results(1000);
    std::size_t used = 0;
    InParts(
        threads, results.size(),
        [&](std::size_t part) { results[part] = part * part + 1; },
        [&](std::size_t part) {
          EXPECT_EQ(std::this_thread::get_id(), home);
          EXPECT_EQ(part, used++);
          EXPECT_EQ(results[part], part * part + 1);
        });
    EXPECT_EQ(used, results.size());
  }
}

TEST(InPartsTest, UsesAPartBehindItsWorkInOneThread) {
  std::size_t worked = 0;
  InParts(
      1, 10, [&](std::size_t /*part*/) { ++worked; },
      [&](std::size_t part) { EXPECT_EQ(worked, part + 1); });
  EXPECT_EQ(worked, 10U);
}

TEST(InPartsTest, UsesOtherThreads) {
  // The two parts wait for each other.
  std::atomic<int> begun = 0;
  InParts(2, 2, [&](std::size_t /*part*/) {
    ++begun;
    while (begun != 2) std::this_thread::yield();
  });
  EXPECT_EQ(begun, 2);
}

TEST(InPartsTest, ThrowsWhatIsThrown) {
  for (const unsigned threads : {1U, 2U, 5U}) {
    for (const std::size_t thrower : {0U, 1U, 500U, 999U}) {
      std::atomic<std::size_t> worked = 0;
      std::size_t used = 0;
      EXPECT_THROW(InParts(
                       threads, 1000,
                       [&](std::size_t part) {
                         if (part == thrower) throw std::bad_alloc();
                         ++worked;
                       },
                       [&](std::size_t part) {
                         EXPECT_NE(part, thrower);
                         ++used;
                       }),
                   std::bad_alloc);
      EXPECT_LE(used, thrower);
      EXPECT_LT(worked, 1000U);
      EXPECT_THROW(InParts(
                       threads, 1000, [](std::size_t /*part*/) {},
                       [&](std::size_t part) {
                         if (part == thrower) throw std::runtime_error("oh");
                       }),
                   std::runtime_error);
    }
  }
}

}  // namespace
}  // namespace heapglot
