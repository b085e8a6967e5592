#include "readers/dartheap/dartheap_containers.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace heapglot::dartheap {
namespace {

void ExpectTheSame(const Containers& containers,
                   const std::vector<Container>& expected) {
  Containers::Cursor cursor(containers);
  for (const Container& container : expected) {
    ASSERT_TRUE(cursor.Next());
    ASSERT_EQ(cursor.container().object, container.object);
    ASSERT_EQ(cursor.container().list, container.list);
    ASSERT_EQ(cursor.container().length, container.length);
    ASSERT_EQ(cursor.container().role, container.role);
    ASSERT_EQ(cursor.container().edges, container.edges);
    ASSERT_EQ(cursor.container().strings, container.strings);
  }
  EXPECT_FALSE(cursor.Next());
  EXPECT_FALSE(cursor.Next());
}

TEST(ContainersTest, AreNone) { ExpectTheSame(Containers(), {}); }

// Enough containers to spill into a file.
TEST(ContainersTest, ComeBackInTheirOrder) {
  std::mt19937_64 random(1);
  Containers containers;
  std::vector<Container> expected;
  std::uint64_t object = 0;
  for (int i = 0; i < 300'000; ++i) {
    object += random() % 40;
    expected.push_back({object, object + random() % 9 - 4, random() % 1000,
                        random() % 2 == 0 ? Role::kSet : Role::kMap,
                        random() % 1000, random() % 3});
    ++object;
  }
  const std::uint64_t most = ~std::uint64_t{0};
  expected.push_back({most - 1, 0, most, Role::kMap, most, most});
  expected.push_back({most, most, 0, Role::kSet, 0, most});
  for (const Container& container : expected) containers.Add(container);
  ASSERT_TRUE(containers.status().ok());
  ExpectTheSame(containers, expected);
  ExpectTheSame(containers, expected);
}

}  // namespace
}  // namespace heapglot::dartheap
