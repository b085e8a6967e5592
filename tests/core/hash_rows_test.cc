#include "core/canonical/hash_rows.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace heapglot {
namespace {

constexpr std::size_t kColumns = 16;
constexpr std::size_t kRows = 21;  // two times eight, and a rest

// Numbers of rows, independent of how the columns are kept.
class Table {
 public:
  // Columns are kept one way and the other in turn.
  explicit Table(std::uint64_t seed) : hashes_(kColumns, kHashes) {
    std::mt19937_64 random(seed);
    for (std::size_t k = 0; k < kColumns; ++k) {
      for (std::uint64_t& number : numbers_[k]) number = Number(random);
      for (Hash128& hash : hashes_[k]) hash = {Number(random), Number(random)};
    }
  }

  NumberColumn Column(std::size_t k, std::size_t turn) const {
    switch ((k + turn) % 4) {
      case 0:
        return Numbers(numbers_[k].data());
      case 1:
        return SameNumber(numbers_[k][7]);
      case 2:
        return LowHalves(hashes_[k].data());
      default:
        return HighHalves(hashes_[k].data());
    }
  }

 private:
  // Includes numbers whose products carry much, or nothing.
  static std::uint64_t Number(std::mt19937_64& random) {
    switch (random() % 4) {
      case 0:
        return 0;
      case 1:
        return ~std::uint64_t{0} >> random() % 64;
      default:
        return random();
    }
  }

  static inline const std::vector<Hash128> kHashes =
      std::vector<Hash128>(kRows);
  std::array<std::array<std::uint64_t, kRows>, kColumns> numbers_;
  std::vector<std::vector<Hash128>> hashes_;
};

Hash128 HashOfRow(std::span<const NumberColumn> columns, std::size_t row) {
  std::string bytes;
  for (const NumberColumn& column : columns) {
    const std::uint64_t number = column.first[row * column.step];
    char piece[sizeof number];
    std::memcpy(piece, &number, sizeof number);
    bytes.append(piece, sizeof piece);
  }
  return Hash128Of(bytes);
}

TEST(HashRows, MakesTheHashOfEachRow) {
  const Table table(1);
  for (std::size_t width = 3; width <= kColumns; ++width) {
    for (std::size_t turn = 0; turn < 4; ++turn) {
      std::vector<NumberColumn> columns;
      for (std::size_t k = 0; k < width; ++k)
        columns.push_back(table.Column(k, turn));
      for (const HashRowsVariant& variant : HashRowsVariants()) {
        for (const std::size_t rows : {std::size_t{0}, kRows - 8, kRows}) {
          std::vector<Hash128> hashes(rows);
          variant.hash(columns, rows, hashes.data());
          for (std::size_t row = 0; row < rows; ++row) {
            ASSERT_EQ(hashes[row], HashOfRow(columns, row))
                << variant.name << ", " << width << " numbers, row " << row;
          }
        }
      }
    }
  }
}

TEST(HashRows, MayReplaceWhatItHashes) {
  for (const HashRowsVariant& variant : HashRowsVariants()) {
    std::vector<Hash128> hashes(kRows);
    for (std::size_t i = 0; i < kRows; ++i) hashes[i] = {i, ~i};
    const std::uint64_t label = 5;
    const std::vector<NumberColumn> columns = {
        SameNumber(label), LowHalves(hashes.data()), HighHalves(hashes.data())};
    std::vector<Hash128> expected(kRows);
    variant.hash(columns, kRows, expected.data());
    variant.hash(columns, kRows, hashes.data());
    EXPECT_EQ(hashes, expected) << variant.name;
  }
}

TEST(HashRows, HashesWhatStandsAtPlaces) {
  std::mt19937_64 random(2);
  std::vector<Hash128> hashes_of(100);
  for (Hash128& hash : hashes_of) hash = {random(), random()};
  std::vector<std::uint64_t> numbers(kRows);
  std::vector<std::uint32_t> places(kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    numbers[i] = random();
    places[i] = static_cast<std::uint32_t>(random() % hashes_of.size());
  }
  for (const HashRowsVariant& variant : HashRowsVariants()) {
    for (const std::size_t rows : {std::size_t{0}, kRows - 8, kRows}) {
      std::vector<Hash128> hashes(rows);
      variant.hash_places({numbers.data(), rows}, places.data(),
                          hashes_of.data(), hashes.data());
      for (std::size_t i = 0; i < rows; ++i) {
        const Hash128& of = hashes_of[places[i]];
        const std::vector<NumberColumn> row = {
            SameNumber(numbers[i]), SameNumber(of.low), SameNumber(of.high)};
        ASSERT_EQ(hashes[i], HashOfRow(row, 0)) << variant.name << ", " << i;
      }
    }
  }
}

}  // namespace
}  // namespace heapglot
