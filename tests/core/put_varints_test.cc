#include "core/ir/put_varints.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/ir/wire.h"

namespace heapglot::wire {
namespace {

template <typename T>
std::string Expected(const std::vector<T>& numbers) {
  ByteBuffer bytes;
  for (const T number : numbers) AppendVarint(number, &bytes);
  return std::string(bytes.view());
}

template <typename T>
std::string Put(char* (*put)(std::span<const T>, char*),
                const std::vector<T>& numbers) {
  std::string bytes(numbers.size() * kMaxVarint, '?');
  const char* const end = put(numbers, bytes.data());
  bytes.resize(static_cast<std::size_t>(end - bytes.data()));
  return bytes;
}

// `count` numbers of at most `max_bits` bits; every 40th has any number of
// bits.
template <typename T>
std::vector<T> SomeNumbers(std::size_t count, int max_bits,
                           std::mt19937_64& random) {
  std::vector<T> numbers(count);
  for (T& number : numbers) {
    const int bits =
        random() % 40 == 0 ? std::numeric_limits<T>::digits : max_bits;
    number = static_cast<T>(random()) >>
             (std::numeric_limits<T>::digits - 1 -
              static_cast<int>(random() % static_cast<unsigned>(bits)));
  }
  return numbers;
}

TEST(PutVarints, IsThatOfEachNumber) {
  std::mt19937_64 random(1);
  for (const PutVarintsVariant& variant : PutVarintsVariants()) {
    for (int max_bits = 1; max_bits <= 32; ++max_bits) {
      for (const std::size_t count : {0, 1, 15, 16, 17, 100}) {
        const auto words = SomeNumbers<std::uint32_t>(count, max_bits, random);
        EXPECT_EQ(Put(variant.put32, words), Expected(words)) << variant.name;
        const auto numbers =
            SomeNumbers<std::uint64_t>(count, max_bits, random);
        EXPECT_EQ(Put(variant.put64, numbers), Expected(numbers))
            << variant.name;
      }
    }
  }
}

TEST(PutVarints, KnowsWhereOneMoreByteBegins) {
  std::vector<std::uint64_t> numbers;
  for (int bit = 0; bit < 64; ++bit) {
    // Sixteen alike; the limit of the quick way is among them.
    for (int i = 0; i < 16; ++i)
      numbers.push_back((std::uint64_t{1} << bit) - (i % 2 == 0 ? 1 : 0));
  }
  for (const PutVarintsVariant& variant : PutVarintsVariants()) {
    EXPECT_EQ(Put(variant.put64, numbers), Expected(numbers)) << variant.name;
    const std::vector<std::uint32_t> words(numbers.begin(),
                                           numbers.begin() + 32 * 16);
    EXPECT_EQ(Put(variant.put32, words), Expected(words)) << variant.name;
  }
}

}  // namespace
}  // namespace heapglot::wire
