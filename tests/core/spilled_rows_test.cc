#include "core/bytes/spilled_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/bytes/spilled_sort.h"
#include "tests/no_temporary_files.h"

namespace heapglot {
namespace {

struct Pair {
  std::uint64_t first;
  std::uint64_t second;

  bool operator==(const Pair&) const = default;
  bool operator<(const Pair& other) const {
    return std::pair(first, second) < std::pair(other.first, other.second);
  }
};

// Numbers without an order; few of them occur twice.
std::uint64_t Scattered(std::uint64_t i) {
  return i % 7 == 0 ? i % 1000 : i * 0x9e37'79b9'7f4a'7c15;
}

TEST(SpilledRows, AreReadBackInAnyOrder) {
  constexpr std::uint64_t kRows = 300'000;
  SpilledRows<Pair> rows(std::size_t{16} << 10);
  for (std::uint64_t i = 0; i < kRows; ++i) {
    ASSERT_EQ(rows.size(), i);
    rows.Add({i, Scattered(i)});
  }
  for (std::uint64_t i = 0; i < kRows; i += 17) {
    const std::uint64_t row = i * 7919 % kRows;
    ASSERT_EQ(rows[row], (Pair{row, Scattered(row)}));
  }
  std::vector<Pair> some(1000);
  rows.Copy(kRows - 1000, some.size(), some.data());
  EXPECT_EQ(some.front().first, kRows - 1000);
  EXPECT_EQ(some.back().second, Scattered(kRows - 1));
  EXPECT_TRUE(rows.status().ok());
}

// None, less than a piece, a piece, several, and so many that pieces grow.
TEST(SpilledSort, TakesAllInOrder) {
  constexpr std::size_t kPiece = 50;
  for (const std::uint64_t count :
       {0u, 1u, 49u, 50u, 51u, 100u, 1'234u, 6'400u, 6'401u, 60'000u}) {
    SpilledSort<Pair> sort(kPiece);
    std::vector<Pair> expected;
    for (std::uint64_t i = 0; i < count; ++i) {
      expected.push_back({Scattered(i), i});
      sort.Add(expected.back());
    }
    std::sort(expected.begin(), expected.end());
    std::vector<Pair> taken;
    sort.TakeAll([&taken](const Pair& row) { taken.push_back(row); });
    EXPECT_EQ(taken, expected) << count;
    EXPECT_TRUE(sort.status().ok());
  }
}

TEST(SpilledSort, SaysWhenThereIsNoFile) {
  const NoTemporaryFiles none;
  SpilledSort<Pair> sort(50);
  // More than is written at once.
  for (std::uint64_t i = 0; i < 10'000; ++i) sort.Add({Scattered(i), i});
  std::uint64_t taken = 0;
  sort.TakeAll([&taken](const Pair&) { ++taken; });
  EXPECT_EQ(sort.status().code(), Code::kOutput);
  EXPECT_LT(taken, 10'000u);
}

}  // namespace
}  // namespace heapglot
