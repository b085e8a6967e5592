#include "core/id_bitmap.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <set>
#include <vector>

namespace heapglot {
namespace {

constexpr std::uint64_t kFar = std::uint64_t{1} << 40;
// An id this far away needs a bitmap of its own.
constexpr std::uint64_t kRegion = std::uint64_t{1} << 18;
// More than the bitmaps and the other room of a small file.
constexpr std::uint64_t kMany = 100'000;

TEST(IdBitmapTest, SecondOnesAreFoundAtOnce) {
  IdBitmap ids;
  for (const std::uint64_t id : {5, 1, 100'000, 0}) EXPECT_TRUE(ids.Add(id));
  EXPECT_TRUE(ids.is_exact());
  EXPECT_FALSE(ids.Add(100'000));
}

TEST(IdBitmapTest, AColumnIsAddedUpToTheFirstSecondOne) {
  const std::uint64_t rows[] = {7, 0, 9, 0, 1'000'000, 0, 9, 0, 8, 0};
  IdBitmap ids;
  EXPECT_EQ(ids.AddColumn(rows, 2, 5), 3);
  EXPECT_TRUE(ids.Add(8));
  EXPECT_EQ(ids.AddColumn(rows + 1, 2, 1), 1);
}

TEST(IdBitmapTest, NothingIsBehindTheHighest) {
  constexpr std::uint64_t kHighest = ~std::uint64_t{0};
  IdBitmap ids;
  EXPECT_TRUE(ids.Add(kHighest));
  EXPECT_TRUE(ids.is_exact());
  EXPECT_FALSE(ids.Add(kHighest));
}

TEST(IdBitmapTest, IdsWithoutGapsAreKnownWhenTheirBitmapIsGone) {
  for (const std::uint64_t step : {1, 2, 8}) {
    IdBitmap ids;
    for (std::uint64_t i = 0; i < 10 * kMany; ++i)
      ASSERT_TRUE(ids.Add(kFar - 1 - i * step));
    EXPECT_TRUE(ids.is_exact());
    for (std::uint64_t i = 0; i < 10 * kMany; i += 999)
      ASSERT_FALSE(ids.Add(kFar - 1 - i * step));
  }
}

// Like those of a snapshot of a 3 GB heap, with the last one apart.
TEST(IdBitmapTest, NoNumberOfIdsOfV8IsTooMany) {
  constexpr std::uint64_t kNodes = 40'000'000;
  IdBitmap ids;
  std::vector<std::uint64_t> block(10'000);
  for (std::uint64_t first = 0; first < kNodes; first += block.size()) {
    for (std::size_t i = 0; i < block.size(); ++i)
      block[i] = 2 * (first + i) + 3;
    ASSERT_EQ(ids.AddColumn(block.data(), 1, block.size()), block.size());
  }
  EXPECT_TRUE(ids.Add(1));
  EXPECT_TRUE(ids.is_exact());
  EXPECT_FALSE(ids.Add(kNodes + 1));
}

TEST(IdBitmapTest, AreTooFarApartToKnowIfTheFileIsSmall) {
  const auto add = [](IdBitmap ids, bool ascend) {
    for (std::uint64_t i = 0; i < kMany; ++i)
      EXPECT_TRUE(ids.Add(kFar + (ascend ? i : kMany - i) * kRegion));
    return ids.is_exact();
  };
  EXPECT_TRUE(add(IdBitmap(), true));
  EXPECT_FALSE(add(IdBitmap(), false));
  EXPECT_TRUE(add(IdBitmap(kMany * kRegion), false));
}

TEST(IdBitmapTest, SomeMayBeTooFarApart) {
  IdBitmap ids;
  for (std::uint64_t i = 0; i < kMany / 2; ++i)
    EXPECT_TRUE(ids.Add(kFar - i * kRegion));
  EXPECT_TRUE(ids.is_exact());
  // An id for which there was no room has none after a bitmap is given back.
  const std::uint64_t apart = kFar - (kMany / 2 - 1) * kRegion;
  for (std::uint64_t i = 0; i < kRegion; ++i)
    EXPECT_EQ(ids.Add(kFar + kRegion - 1 - i), i != kRegion - 1);
  EXPECT_TRUE(ids.Add(apart));
  EXPECT_FALSE(ids.is_exact());
}

TEST(IdBitmapTest, FindsWhatASetFinds) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 50; ++round) {
    IdBitmap ids;
    std::set<std::uint64_t> known;
    const std::uint64_t most = std::uint64_t{1} << (10 + random() % 40);
    const std::uint64_t low = random() % 8;
    bool has_twice = false;
    bool is_found = false;
    for (int i = 0; i < 5000; ++i) {
      const std::uint64_t id = random() % most * 8 + low;
      const bool is_new = known.insert(id).second;
      const bool is_added = ids.Add(id);
      EXPECT_TRUE(is_added || !is_new);
      has_twice = has_twice || !is_new;
      is_found = is_found || !is_added;
    }
    EXPECT_EQ(has_twice, is_found || !ids.is_exact());
  }
}

// Runs like V8's, which meet and cross each other and the ends of regions.
TEST(IdBitmapTest, RunsAreAddedUpToTheFirstSecondOne) {
  std::mt19937_64 random(2);
  int second = 0;
  for (int round = 0; round < 2000; ++round) {
    IdBitmap ids;
    std::set<std::uint64_t> known;
    for (int run = 0; run < 6; ++run) {
      const std::uint64_t count = 1 + random() % 300;
      const std::uint64_t first =
          kFar + random() % 4 * kRegion - random() % 2000;
      const std::uint64_t gap = random() % 4 == 0 ? random() % count : count;
      std::vector<std::uint64_t> column;
      for (std::uint64_t i = 0; i < count; ++i) {
        column.push_back(first + 2 * i + (i < gap ? 0 : 2));
        column.push_back(first);  // of another column
      }
      std::size_t expected = 0;
      while (expected < count && known.insert(column[2 * expected]).second)
        ++expected;
      ASSERT_EQ(ids.AddColumn(column.data(), 2, count), expected);
      second += expected < count ? 1 : 0;
    }
  }
  EXPECT_GT(second, 100);
}

TEST(IdBitmapTest, ARunEndsAtTheHighest) {
  constexpr std::uint64_t kCount = 200;
  std::vector<std::uint64_t> column;
  for (std::uint64_t i = 0; i < kCount; ++i)
    column.push_back(std::uint64_t{0} - kCount + 2 * i);  // wraps half way
  IdBitmap ids;
  EXPECT_EQ(ids.AddColumn(column.data(), 1, kCount), kCount);
  EXPECT_TRUE(ids.is_exact());
  for (const std::uint64_t id : column) EXPECT_FALSE(ids.Add(id));
}

TEST(IdBitmapTest, RunsFillLanesUp) {
  std::vector<std::uint64_t> column;
  for (std::uint64_t i = 0; i < 2 * kRegion; ++i)
    column.push_back(2 * i + kFar + 1);
  IdBitmap ids;
  EXPECT_EQ(ids.AddColumn(column.data(), 1, column.size()), column.size());
  EXPECT_TRUE(ids.is_exact());
  EXPECT_EQ(ids.AddColumn(column.data() + 77, 1, 300), 0);
  EXPECT_TRUE(ids.Add(kFar));
}

TEST(IdBitmapTest, ASortedListFindsAny) {
  SortedIds ids(4);
  for (const std::uint64_t id : {kFar, std::uint64_t{3}, kFar + 1}) ids.Add(id);
  EXPECT_EQ(ids.FindDuplicate(), std::nullopt);
  ids.Add(3);
  EXPECT_EQ(ids.FindDuplicate(), 3);
}

}  // namespace
}  // namespace heapglot
