#include "readers/heapsnapshot/heapsnapshot_split_rows.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace heapglot::heapsnapshot {
namespace {

constexpr std::uint64_t kUntouched = ~std::uint64_t{0};

// Splits rows of distinct numbers into columns, except column `left_out`.
// Expects each number in its column, and nothing written past the columns.
void ExpectSplit(const SplitRowsVariant& way, std::size_t width,
                 std::size_t count, std::size_t left_out) {
  std::vector<std::uint64_t> rows(width * count);
  std::iota(rows.begin(), rows.end(), std::uint64_t{0});
  std::vector<std::vector<std::uint64_t>> columns(
      width, std::vector<std::uint64_t>(count + 1, kUntouched));
  std::vector<std::uint64_t*> places;
  for (std::size_t column = 0; column < width; ++column)
    places.push_back(column == left_out ? nullptr : columns[column].data());
  way.split(rows, width, places.data());
  for (std::size_t column = 0; column < width; ++column) {
    std::vector<std::uint64_t> expected(count + 1, kUntouched);
    for (std::size_t row = 0; row < count && column != left_out; ++row)
      expected[row] = row * width + column;
    EXPECT_EQ(columns[column], expected)
        << way.name << ": column " << column << " of " << width << ", " << count
        << " rows";
  }
}

TEST(HeapsnapshotSplitRows, AllWaysSplitTheSame) {
  for (const SplitRowsVariant& way : SplitRowsVariants()) {
    for (std::size_t width = 1; width <= 11; ++width) {
      for (std::size_t count = 0; count < 40; ++count)
        ExpectSplit(way, width, count, count % (width + 1));
    }
  }
}

}  // namespace
}  // namespace heapglot::heapsnapshot
