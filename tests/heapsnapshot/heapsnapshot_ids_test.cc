#include "readers/heapsnapshot/heapsnapshot_ids.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace heapglot::heapsnapshot {
namespace {

constexpr std::uint64_t kFar = std::uint64_t{1} << 40;

TEST(HeapsnapshotIdsTest, SmallOnesAreFoundAtOnce) {
  IdBitmap ids;
  for (const std::uint64_t id : {5, 1, 100'000, 0}) EXPECT_TRUE(ids.Add(id));
  EXPECT_TRUE(ids.is_exact());
  EXPECT_FALSE(ids.Add(100'000));
}

TEST(HeapsnapshotIdsTest, SomeMayBeFar) {
  IdBitmap ids;
  for (const std::uint64_t id : {kFar, std::uint64_t{3}, kFar - 1, kFar + 1})
    EXPECT_TRUE(ids.Add(id));
  EXPECT_TRUE(ids.is_exact());
  EXPECT_TRUE(ids.Add(kFar - 1));
  EXPECT_FALSE(ids.is_exact());
}

TEST(HeapsnapshotIdsTest, AColumnIsAddedUpToTheFirstSecondOne) {
  const std::uint64_t rows[] = {7, 0, 9, 0, 1'000'000, 0, 9, 0, 8, 0};
  IdBitmap ids;
  EXPECT_EQ(ids.AddColumn(rows, 2, 5), 3);
  EXPECT_TRUE(ids.Add(8));
  EXPECT_EQ(ids.AddColumn(rows + 1, 2, 1), 1);
}

TEST(HeapsnapshotIdsTest, NothingIsBehindTheHighest) {
  constexpr std::uint64_t kHighest = ~std::uint64_t{0};
  IdBitmap ids;
  EXPECT_TRUE(ids.Add(kHighest));
  EXPECT_TRUE(ids.is_exact());
  EXPECT_TRUE(ids.Add(kHighest));
  EXPECT_FALSE(ids.is_exact());
}

TEST(HeapsnapshotIdsTest, ManyMayBeFarIfTheyAscend) {
  constexpr std::uint64_t kMany = 100'000;
  IdBitmap up, down;
  for (std::uint64_t i = 0; i < kMany; ++i) {
    up.Add(kFar + i);
    down.Add(kFar - i);
  }
  EXPECT_TRUE(up.is_exact());
  EXPECT_FALSE(down.is_exact());
}

TEST(HeapsnapshotIdsTest, ASortedListFindsAny) {
  SortedIds ids;
  for (const std::uint64_t id : {kFar, std::uint64_t{3}, kFar + 1}) ids.Add(id);
  EXPECT_EQ(ids.FindDuplicate(), std::nullopt);
  ids.Add(3);
  EXPECT_EQ(ids.FindDuplicate(), 3);
}

}  // namespace
}  // namespace heapglot::heapsnapshot
