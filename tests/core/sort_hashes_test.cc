#include "core/canonical/sort_hashes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace heapglot {
namespace {

// Hashes, one in `same` of which is equal to another one; all, if that is 1.
std::vector<Hash128> SomeHashes(std::size_t count, unsigned same) {
  std::mt19937_64 random(5);
  const Hash128 one = {random(), random()};
  std::vector<Hash128> hashes;
  while (hashes.size() < count) {
    const Hash128 next = {random(), random()};
    hashes.push_back(random() % same == 0 ? one : next);
  }
  return hashes;
}

TEST(SortHashesTest, SortsThem) {
  for (const unsigned threads : {0U, 1U, 2U, 3U, 7U}) {
    for (const std::size_t count :
         {0U, 1U, 7U, 8U, 100U, 5000U, 20'000U, 300'000U}) {
      for (const unsigned same : {1U, 3U, 1000U}) {
        SCOPED_TRACE(testing::Message()
                     << count << " in " << threads << ", " << same);
        std::vector<Hash128> hashes = SomeHashes(count, same);
        std::vector<Hash128> expected = hashes;
        std::sort(expected.begin(), expected.end());
        std::vector<Hash128> spare(count);
        std::vector<Hash128> sorted;
        SortHashes(hashes, spare, threads, [&](std::span<const Hash128> some) {
          // Equal ones stay together.
          if (!sorted.empty() && !some.empty()) {
            EXPECT_LT(sorted.back(), some.front());
          }
          sorted.insert(sorted.end(), some.begin(), some.end());
        });
        EXPECT_TRUE(sorted == expected);
        EXPECT_TRUE(hashes == expected);
      }
    }
  }
}

}  // namespace
}  // namespace heapglot
