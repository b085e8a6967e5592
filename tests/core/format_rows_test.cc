#include "core/text/format_rows.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace heapglot {
namespace {

using Columns = std::vector<RowLayout::Column>;
using Numbers = std::vector<std::uint64_t>;

std::string Expected(const Columns& columns, const Numbers& numbers,
                     std::size_t column) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto& [separator, is_signed] = columns[(column + i) % columns.size()];
    text += separator;
    text += is_signed ? std::to_string(static_cast<std::int64_t>(numbers[i]))
                      : std::to_string(numbers[i]);
  }
  return text;
}

void ExpectAll(const Columns& columns, const Numbers& numbers,
               std::size_t column) {
  const std::string expected = Expected(columns, numbers, column);
  const RowLayout layout(columns);
  for (const FormatRowsVariant& variant : FormatRowsVariants()) {
    // Exactly as large as it must be, for AddressSanitizer.
    const auto out = std::make_unique<char[]>(numbers.size() * kMaxFormatted);
    char* const end = variant.format(layout, numbers.data(), numbers.size(),
                                     column, out.get());
    ASSERT_EQ(
        std::string_view(out.get(), static_cast<std::size_t>(end - out.get())),
        expected)
        << variant.name << ", " << columns.size() << " columns, from "
        << column;
  }
}

Columns Rows(std::size_t width, bool is_signed = false) {
  Columns columns(width, {",", is_signed});
  columns[0].separator = "\n,";
  return columns;
}

TEST(FormatRows, KnowsItsVariants) {
  ASSERT_FALSE(FormatRowsVariants().empty());
  EXPECT_EQ(FormatRowsVariants()[0].name, "plain");
}

TEST(FormatRows, TakesEveryWidthAndColumn) {
  std::mt19937_64 random(1);
  for (std::size_t width = 1; width < 70; width += width < 12 ? 1 : 13) {
    for (std::size_t column = 0; column < width; ++column) {
      Numbers numbers;
      for (int i = 0; i < 50; ++i)
        numbers.push_back(random() % 100'000'000 >> random() % 27);
      ExpectAll(Rows(width), numbers, column);
    }
  }
}

TEST(FormatRows, TakesEverySize) {
  Numbers edges = {0};
  for (std::uint64_t power = 1;; power *= 10) {
    for (const std::uint64_t value : {power - 1, power, power + 1})
      edges.push_back(value);
    if (power > std::numeric_limits<std::uint64_t>::max() / 10) break;
  }
  for (const std::uint64_t value : {std::uint64_t{1} << 63, ~std::uint64_t{0}})
    for (const std::uint64_t delta : {-1, 0, 1}) edges.push_back(value + delta);
  for (const bool is_signed : {false, true}) {
    ExpectAll(Rows(7, is_signed), edges, 0);
    // One of each among small ones, at each place of eight.
    for (const std::uint64_t edge : edges) {
      for (std::size_t at = 0; at < 19; ++at) {
        Numbers numbers(19, 5);
        numbers[at] = edge;
        ExpectAll(Rows(3, is_signed), numbers, at % 3);
      }
    }
  }
}

TEST(FormatRows, TakesEveryCount) {
  for (std::size_t count = 0; count < 40; ++count) {
    ExpectAll(Rows(3), Numbers(count, 0), 1);
    ExpectAll(Rows(3), Numbers(count, 99'999'999), 1);
    ExpectAll(Rows(3), Numbers(count, ~std::uint64_t{0}), 1);
  }
}

TEST(FormatRows, TakesSeparatorsUpToEightBytes) {
  const Columns columns = {{"\r\n  ,\t\t "}, {""}, {", ", true}, {"\n,"}};
  std::mt19937_64 random(2);
  Numbers numbers;
  for (int i = 0; i < 200; ++i)
    numbers.push_back(random() >> (64 - 1 - random() % 27));
  for (std::size_t column = 0; column < columns.size(); ++column)
    ExpectAll(columns, numbers, column);
}

// Every number of up to six digits, and some of the others, in all variants.
TEST(FormatRows, IsExact) {
  Numbers numbers;
  for (std::uint64_t i = 0; i < 1'000'000; ++i) numbers.push_back(i);
  ExpectAll(Rows(3), numbers, 0);
  numbers.clear();
  for (std::uint64_t i = 0; i < 100'000'000; i += 9973) numbers.push_back(i);
  ExpectAll(Rows(7), numbers, 0);
}

// The last ones of nine and ten digits, and those around each multiple of 10^8.
TEST(FormatRows, IsExactBeyondEightDigits) {
  Numbers numbers;
  for (std::uint64_t i = 100'000'000; i < 10'500'000'000; i += 99'991)
    numbers.push_back(i);
  for (std::uint64_t i = 1; i < 130; ++i)
    for (const std::uint64_t delta : {-2, -1, 0, 1, 2})
      numbers.push_back(i * 100'000'000 + delta);
  ExpectAll(Rows(3), numbers, 0);
  ExpectAll(Rows(7), numbers, 2);
  // As in rows of large dumps, where one of three is small.
  for (std::size_t i = 0; i < numbers.size(); i += 3) numbers[i] %= 100;
  ExpectAll(Rows(3, true), numbers, 0);
}

// Up to fifteen digits and the first ones of sixteen, where each multiple of
// 10^8 parts two numbers of eight digits.
TEST(FormatRows, IsExactUpToSixteenDigits) {
  Numbers numbers;
  for (const std::uint64_t last : {0, 1, 49'999'999, 50'000'000, 99'999'999}) {
    for (std::uint64_t first = 1; first < 12'000'000; first += 1 + first / 300)
      numbers.push_back(first * 100'000'000 + last);
    for (std::uint64_t less = 0; less < 300; ++less)
      numbers.push_back((9'999'999 - less) * 100'000'000 + last);
  }
  ExpectAll(Rows(3), numbers, 0);
  for (std::size_t i = 0; i < numbers.size(); i += 3) numbers[i] %= 1000;
  ExpectAll(Rows(7), numbers, 4);
}

TEST(FormatRows, TakesWideNumbersBehindAnySeparator) {
  for (std::size_t size = 0; size <= RowLayout::kMaxSeparator; ++size) {
    const std::string separator(size, ' ');
    ExpectAll({{separator}, {","}},
              Numbers{123'456'789, 1, 9'876'543'210, 99'999'999, 100'000'000, 0,
                      9'999'999'999, 10'000'000'000, 300'000'000, 42},
              0);
  }
}

}  // namespace
}  // namespace heapglot
