#include <gtest/gtest.h>

#include <cstdint>

#include "readers/heapsnapshot/heapsnapshot_index.h"

namespace heapglot::heapsnapshot {
namespace {

TEST(HeapsnapshotKinds, UnknownOnesFollowThoseOfTheEnumeration) {
  const Kinds kinds = {.names = {"hidden", "array"}, .unknown = {7, 20}};
  EXPECT_EQ(kinds.RowOfUnknown(7), 2);
  EXPECT_EQ(kinds.RowOfUnknown(20), 3);
  EXPECT_EQ(KindRows(kinds).Of(1), 1);
  EXPECT_EQ(KindRows(kinds).Of(20), 3);
}

// This happens in a file that changes while it is read.
TEST(HeapsnapshotKinds, WhatWasNeverAddedHasSomeRow) {
  const Kinds some = {.names = {"hidden", "array"}, .unknown = {7}};
  const Kinds none = {.names = {"hidden", "array"}, .unknown = {}};
  for (const std::uint64_t type : {std::uint64_t{2}, ~std::uint64_t{0}}) {
    EXPECT_LT(some.RowOfUnknown(type), some.size());
    EXPECT_LT(none.RowOfUnknown(type), none.size());
  }
}

}  // namespace
}  // namespace heapglot::heapsnapshot
