#include "core/packed_numbers.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace heapglot {
namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

// Also after each step, since the last block is different while it is filled.
void ExpectKept(const std::vector<std::uint64_t>& numbers) {
  PackedNumbers packed;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    packed.Add(numbers[i]);
    ASSERT_EQ(packed.size(), i + 1);
    ASSERT_EQ(packed[i], numbers[i]) << i;
    ASSERT_EQ(packed[i / 2], numbers[i / 2]) << i / 2 << " of " << i;
  }
  for (std::size_t i = 0; i < numbers.size(); ++i)
    ASSERT_EQ(packed[i], numbers[i]) << i;
}

TEST(PackedNumbersTest, KeepsNone) {
  const PackedNumbers packed;
  EXPECT_EQ(packed.size(), 0U);
}

TEST(PackedNumbersTest, KeepsWhatIsCountedUp) {
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t i = 0; i < 1000; ++i) numbers.push_back(2 * i + 1);
  for (std::uint64_t i = 0; i < 1000; ++i) numbers.push_back(kMax - 3 * i);
  ExpectKept(numbers);
}

TEST(PackedNumbersTest, KeepsNumbersOfAnyWidth) {
  std::mt19937_64 random(1);
  for (unsigned bits = 1; bits <= 64; ++bits) {
    std::vector<std::uint64_t> numbers;
    for (int i = 0; i < 700; ++i) numbers.push_back(random() >> (64 - bits));
    ExpectKept(numbers);
  }
}

TEST(PackedNumbersTest, KeepsTheEndsOfTheRange) {
  std::vector<std::uint64_t> numbers;
  for (int i = 0; i < 300; ++i) {
    numbers.push_back(i % 3 == 0 ? kMax : 0);
    numbers.push_back(std::uint64_t{1} << (i % 64));
    numbers.push_back(kMax >> 1);
  }
  ExpectKept(numbers);
}

TEST(PackedNumbersTest, KeepsStepsThatChange) {
  std::vector<std::uint64_t> numbers;
  std::uint64_t number = 7;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    numbers.push_back(number);
    number += i % 97 == 0 ? 1 << 20 : i % 5 + 1;
  }
  ExpectKept(numbers);
}

TEST(PackedNumbersTest, MoreThanOnePiece) {
  std::mt19937_64 random(2);
  std::vector<std::uint64_t> numbers(20'000);
  for (std::uint64_t& number : numbers) number = random();
  ExpectKept(numbers);
}

TEST(PackedNumbersTest, IsEmptyOnceCleared) {
  PackedNumbers packed;
  for (std::uint64_t i = 0; i < 1000; ++i) packed.Add(i * i);
  packed.Clear();
  EXPECT_EQ(packed.size(), 0U);
  packed.Add(5);
  EXPECT_EQ(packed[0], 5U);
}

}  // namespace
}  // namespace heapglot
