#include "core/ir/planes.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>
#include <vector>

namespace heapglot::planes {
namespace {

constexpr std::size_t kCounts[] = {1, 15, 16, 17, 31, 100, 512, 513, 2000};

template <typename T>
std::vector<T> SomeValues(std::size_t count, std::uint32_t width,
                          std::mt19937_64& random) {
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(random() >> (64 - 8 * width));
  return values;
}

// The planes as they are specified.
template <typename T>
std::string Expected(const std::vector<T>& values, std::uint32_t width) {
  std::string planes;
  for (std::uint32_t byte = 0; byte < width; ++byte)
    for (const T value : values)
      planes.push_back(static_cast<char>(value >> (8 * byte)));
  return planes;
}

template <typename T>
void ExpectThere(void (*split)(const T*, std::size_t, std::size_t,
                               std::uint32_t, unsigned char*),
                 void (*join)(const unsigned char*, std::size_t, std::uint32_t,
                              T*),
                 std::string_view name) {
  std::mt19937_64 random(1);
  for (std::uint32_t width = 1; width <= sizeof(T); ++width) {
    for (const std::size_t count : kCounts) {
      const auto values = SomeValues<T>(count, width, random);
      const std::string expected = Expected(values, width);
      // Exactly as much room as there must be, for the sanitizers.
      std::vector<unsigned char> planes(expected.size());
      split(values.data(), count, count, width, planes.data());
      EXPECT_EQ(std::string(planes.begin(), planes.end()), expected)
          << name << ", " << count << " of " << width;
      std::vector<T> joined(count, 1);
      join(planes.data(), count, width, joined.data());
      EXPECT_EQ(joined, values) << name << ", " << count << " of " << width;
    }
  }
}

TEST(Planes, AreTheSameInAllVariants) {
  for (const Variant& variant : Variants()) {
    ExpectThere(variant.split32, variant.join32, variant.name);
    ExpectThere(variant.split64, variant.join64, variant.name);
  }
}

TEST(Planes, AreSplitInParts) {
  std::mt19937_64 random(1);
  const auto values = SomeValues<std::uint64_t>(100, 3, random);
  for (const Variant& variant : Variants()) {
    std::vector<unsigned char> planes(300);
    for (const std::size_t begin : {0, 40})
      variant.split64(values.data() + begin, begin == 0 ? 40 : 60, 100, 3,
                      planes.data() + begin);
    EXPECT_EQ(std::string(planes.begin(), planes.end()), Expected(values, 3))
        << variant.name;
  }
}

// With ZIGZAG and DELTA, whatever the length of the column.
TEST(Planes, ComeBack) {
  std::mt19937_64 random(1);
  for (const std::size_t count : kCounts) {
    for (const auto encoding : {ir::v1::Column::PLAIN, ir::v1::Column::ZIGZAG,
                                ir::v1::Column::DELTA}) {
      const auto values = SomeValues<std::uint64_t>(count, 8, random);
      const Shape shape = {encoding, 8, values[0]};
      std::string planes(8 * count, '?');
      Split(values.data(), count, shape, planes.data());
      std::vector<std::uint64_t> joined(count);
      Join(planes.data(), count, shape, joined.data());
      EXPECT_EQ(joined, values) << encoding << ", " << count;
      const auto encoded = [&](std::size_t row) {
        std::uint64_t number = 0;
        for (unsigned byte = 0; byte < 8; ++byte)
          number |= std::uint64_t{static_cast<unsigned char>(
                        planes[byte * count + row])}
                    << (8 * byte);
        return number;
      };
      for (std::size_t row = 0; row < count; ++row) {
        const std::uint64_t before = row == 0 ? values[0] : values[row - 1];
        const auto number = static_cast<std::int64_t>(
            encoding == ir::v1::Column::DELTA ? values[row] - before
                                              : values[row]);
        const auto zigzag = static_cast<std::uint64_t>(number) << 1 ^
                            static_cast<std::uint64_t>(number >> 63);
        EXPECT_EQ(encoded(row),
                  encoding == ir::v1::Column::PLAIN ? values[row] : zigzag);
      }
    }
  }
}

}  // namespace
}  // namespace heapglot::planes
