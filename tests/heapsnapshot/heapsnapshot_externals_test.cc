#include "writers/heapsnapshot/heapsnapshot_externals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/no_temporary_files.h"

namespace heapglot::heapsnapshot {
namespace {

// More than is kept in memory.
constexpr std::uint64_t kPieces = 300'000;

// Many holders have several pieces, and some pieces have no holder.
std::uint64_t HolderOf(std::uint64_t piece) {
  if (piece % 1000 == 1) return Externals::kOmitted;
  if (piece % 1000 == 2) return Externals::kDangling;
  return piece * 7919 % 100'003;
}

void AddAll(Externals& externals) {
  for (std::uint64_t i = 0; i < kPieces; ++i)
    externals.Add(HolderOf(i), {.size = i * 3, .name = i % 17});
  externals.Finish();
}

TEST(Externals, AreThereInBothOrders) {
  Externals externals;
  AddAll(externals);
  ASSERT_EQ(externals.size(), kPieces);
  for (std::uint64_t i = 0; i < kPieces; ++i) {
    ASSERT_EQ(externals.PieceAt(i).size, i * 3);
    ASSERT_EQ(externals.PieceAt(i).name, i % 17);
  }

  std::vector<Externals::Held> expected;
  for (std::uint64_t i = 0; i < kPieces; ++i)
    expected.push_back({HolderOf(i), i});
  std::sort(expected.begin(), expected.end());
  for (std::uint64_t i = 0; i < kPieces; ++i)
    ASSERT_EQ(externals.HeldAt(i), expected[i]);
  EXPECT_EQ(externals.HeldByOmitted().size(), kPieces / 1000);
  EXPECT_EQ(externals.HeldByDangling().size(), kPieces / 1000);

  // Two passes, as for nodes and for edges.
  Externals::Cursor cursor(externals);
  for (int pass = 0; pass < 2; ++pass) {
    std::uint64_t count = 0;
    for (cursor.Start(); cursor.holder() < Externals::kNobody;
         cursor.Advance()) {
      ASSERT_EQ(cursor.holder(), expected[count].holder);
      ASSERT_EQ(cursor.piece(), expected[count++].piece);
    }
    EXPECT_EQ(count, externals.HeldByNodes().size());
  }
  EXPECT_TRUE(externals.status().ok());
}

TEST(Externals, SayWhenTheyCannotBeKept) {
  const NoTemporaryFiles none;
  Externals externals;
  AddAll(externals);
  EXPECT_EQ(externals.status().code(), Code::kOutput);
  Externals::Cursor cursor(externals);
  std::uint64_t count = 0;
  for (cursor.Start(); cursor.holder() < Externals::kNobody; cursor.Advance())
    ++count;
  EXPECT_EQ(count, externals.HeldByNodes().size());
}

}  // namespace
}  // namespace heapglot::heapsnapshot
