#include "core/ir/greatest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

namespace heapglot {
namespace {

// For every length below 150, each number is the greatest once.
template <typename T>
void ExpectGreatest(T (*greatest)(std::span<const T>), std::string_view name) {
  std::mt19937_64 random(1);
  for (std::size_t count = 0; count < 150; ++count) {
    const int shift = static_cast<int>(random() % 60);
    std::vector<T> numbers(count);
    for (T& number : numbers) number = static_cast<T>(random() >> shift) / 2;
    const auto expected =
        count == 0 ? T{0} : *std::max_element(numbers.begin(), numbers.end());
    EXPECT_EQ(greatest(numbers), expected) << name << ", " << count;
    for (T& number : numbers) {
      const T before = number;
      // With the highest bit set, which is the sign in other types.
      number = std::numeric_limits<T>::max() - static_cast<T>(count);
      EXPECT_EQ(greatest(numbers), number) << name << ", " << count;
      number = before;
    }
  }
}

TEST(Greatest, IsThatOfStd) {
  for (const GreatestVariant& variant : GreatestVariants()) {
    ExpectGreatest(variant.of32, variant.name);
    ExpectGreatest(variant.of64, variant.name);
  }
}

TEST(Greatest, TakesColumns) {
  google::protobuf::RepeatedField<std::uint64_t> column;
  EXPECT_EQ(GreatestOf(column), 0u);
  for (const std::uint64_t entry : {3u, 7u, 5u}) column.Add(entry);
  EXPECT_EQ(GreatestOf(column), 7u);
}

}  // namespace
}  // namespace heapglot
