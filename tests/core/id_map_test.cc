#include "core/id_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <unordered_map>
#include <vector>

namespace heapglot {
namespace {

// Builds a map and compares all of it with one that is known to be right.
void CheckWith(IdMap::Numbering numbering,
               const std::vector<std::uint64_t>& ids) {
  const bool counts_all = numbering == IdMap::Numbering::kAll;
  IdMap map(numbering);
  std::unordered_map<std::uint64_t, std::uint64_t> expected;
  std::vector<std::uint32_t> duplicates;
  std::vector<std::uint64_t> firsts;
  for (std::uint32_t i = 0; i < ids.size(); ++i) {
    map.Add(ids[i]);
    ASSERT_EQ(map.added(), i + 1);
    const auto [entry, is_new] =
        expected.try_emplace(ids[i], counts_all ? i : expected.size());
    if (is_new) continue;
    duplicates.push_back(i);
    firsts.push_back(entry->second);
  }
  map.Finish();
  ASSERT_EQ(map.size(), expected.size());
  for (const auto& [id, index] : expected) {
    ASSERT_EQ(map.Find(id), index) << id;
    for (const std::uint64_t near :
         {id - 1, id + 1, id + 8, id ^ (std::uint64_t{1} << 63)}) {
      if (expected.contains(near)) continue;
      ASSERT_EQ(map.Find(near), IdMap::kNone) << near;
    }
  }
  ASSERT_EQ(map.duplicates().size(), duplicates.size());
  for (std::size_t i = 0; i < duplicates.size(); ++i) {
    EXPECT_EQ(map.duplicates()[i].ordinal, duplicates[i]);
    EXPECT_EQ(map.duplicates()[i].first_index, firsts[i]);
  }
}

void Check(const std::vector<std::uint64_t>& ids) {
  CheckWith(IdMap::Numbering::kDistinct, ids);
  CheckWith(IdMap::Numbering::kAll, ids);
}

IdRange RangeOf(const std::vector<std::uint64_t>& ids) {
  IdRange range;
  for (const std::uint64_t id : ids) range.Add(id);
  return range;
}

TEST(IdMap, HasAllOfARange) {
  IdMap map;
  for (std::uint64_t id = 5; id < 100; id += 4) map.Add(id);
  map.Finish();
  EXPECT_TRUE(map.HasAll(RangeOf({})));
  EXPECT_TRUE(map.HasAll(RangeOf({5, 97})));
  EXPECT_TRUE(map.HasAll(RangeOf({33, 9, 33})));
  EXPECT_FALSE(map.HasAll(RangeOf({5, 101})));
  EXPECT_FALSE(map.HasAll(RangeOf({1, 9})));
  for (const std::uint64_t between : {34, 35, 36})
    EXPECT_FALSE(map.HasAll(RangeOf({5, between, 97}))) << between;
}

TEST(IdMap, HasAllKnowsWhatItCannotTell) {
  IdMap none;
  none.Finish();
  EXPECT_TRUE(none.HasAll(RangeOf({})));
  EXPECT_FALSE(none.HasAll(RangeOf({0})));
  IdMap one;
  one.Add(7);
  one.Finish();
  EXPECT_TRUE(one.HasAll(RangeOf({7})));
  EXPECT_FALSE(one.HasAll(RangeOf({7, 8})));
  // A hole between existing ids.
  IdMap others;
  for (const std::uint64_t id : {1, 2, 4}) others.Add(id);
  others.Finish();
  EXPECT_FALSE(others.HasAll(RangeOf({1, 3})));
}

TEST(IdMap, Empty) {
  IdMap map;
  map.Finish();
  EXPECT_EQ(map.size(), 0U);
  EXPECT_EQ(map.Find(0), IdMap::kNone);
  EXPECT_EQ(map.Find(~std::uint64_t{0}), IdMap::kNone);
}

TEST(IdMap, Small) {
  Check({0});
  Check({~std::uint64_t{0}});
  Check({7, 7, 7});
  Check({0, ~std::uint64_t{0}});
  Check({5, 3, 5, 9, 3, 3, 1});
  Check({0x100, 0x103, 0x10a, 0x10d});
}

TEST(IdMap, DenseAndAscending) {
  std::vector<std::uint64_t> ids;
  for (std::uint64_t id = 0x7c79f; ids.size() < 10'000; id += 1 + id % 7)
    ids.push_back(id);
  Check(ids);
  ids.push_back(ids[17]);
  ids.insert(ids.begin() + 500, ids[499]);
  Check(ids);
}

TEST(IdMap, Aligned) {
  std::vector<std::uint64_t> ids;
  for (std::uint64_t i = 0; i < 5'000; ++i)
    ids.push_back(0x7fff'0000'0008 + i * 4096);
  Check(ids);
}

// Ids that count up, and ids that stop doing so late.
TEST(IdMap, Progressions) {
  for (const std::uint64_t step : {1ULL, 2ULL, 3ULL, 12ULL, 1ULL << 50}) {
    std::vector<std::uint64_t> ids;
    for (std::uint64_t i = 0; i < 1'000; ++i) ids.push_back(3 + i * step);
    Check(ids);
    for (const std::uint64_t last :
         {ids.back(), ids.back() + step + 1, std::uint64_t{0}, ids[500]}) {
      ids.push_back(last);
      Check(ids);
      ids.pop_back();
    }
  }
  // The step after the last one must not wrap around.
  const std::uint64_t half = std::uint64_t{1} << 63;
  Check({0, half, 5});
  Check({1, half, 0});
}

// Too far apart for a bitmap, and for the index beside the key.
TEST(IdMap, Wide) {
  std::mt19937_64 random(2);
  std::vector<std::uint64_t> ids(3'000);
  for (std::uint64_t& id : ids) id = random();
  std::sort(ids.begin(), ids.end());
  Check(ids);
  std::shuffle(ids.begin(), ids.end(), random);
  Check(ids);
  ids.push_back(ids[7]);
  ids.insert(ids.begin() + 9, ids[7]);
  Check(ids);
  // Addresses of a process.
  for (std::uint64_t& id : ids) id = 0x7f00'0000'0000 + (id >> 24 & ~7ULL);
  Check(ids);
}

TEST(IdMap, AnyOrder) {
  std::mt19937_64 random(1);
  for (const unsigned bits : {12U, 31U, 32U, 33U, 64U}) {
    std::vector<std::uint64_t> ids(5'000);
    for (std::uint64_t& id : ids) id = random() >> (64 - bits);
    Check(ids);
  }
}

// Ids that differ only in their upper bits, and ids that crowd in one bucket.
TEST(IdMap, Crowded) {
  std::vector<std::uint64_t> ids;
  for (std::uint64_t i = 0; i < 1'000; ++i) {
    ids.push_back(1'000 - i);
    ids.push_back(0xffff'ffff - i);
  }
  Check(ids);
  ids.clear();
  for (std::uint64_t i = 64; i-- > 0;) ids.push_back(std::uint64_t{1} << i);
  Check(ids);
}

}  // namespace
}  // namespace heapglot
