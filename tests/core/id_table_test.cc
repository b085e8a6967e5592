#include "core/id_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace heapglot {
namespace {

// Ids that a hash table of the standard library, which has a prime number of
// buckets, would put into one.
TEST(IdTable, NoChoiceOfIdsFillsABucket) {
  IdTable<int> table;
  constexpr std::uint64_t kPrime = 85'229;
  for (std::uint64_t i = 1; i <= 65'536; ++i) table.emplace(i * kPrime, 0);
  std::size_t fullest = 0;
  for (std::size_t i = 0; i < table.bucket_count(); ++i)
    fullest = std::max(fullest, table.bucket_size(i));
  EXPECT_LT(fullest, 20u);
}

TEST(IdTable, FindsAll) {
  IdSet set;
  for (const std::uint64_t id : {0ull, 1ull, 2ull, ~0ull, 1ull << 63})
    EXPECT_TRUE(set.insert(id).second) << id;
  for (const std::uint64_t id : {0ull, 1ull, 2ull, ~0ull, 1ull << 63})
    EXPECT_TRUE(set.contains(id)) << id;
  EXPECT_FALSE(set.contains(3));
}

}  // namespace
}  // namespace heapglot
