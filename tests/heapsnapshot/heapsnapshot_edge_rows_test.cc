#include "readers/heapsnapshot/heapsnapshot_edge_rows.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace heapglot::heapsnapshot {
namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};
constexpr std::uint64_t kNodes = 1000;
constexpr std::uint64_t kNodeWidth = 7;

EdgeRowRules Rules(std::size_t width, std::size_t types) {
  EdgeRowRules rules;
  rules.columns.width = width;
  rules.columns.type = 0;
  rules.columns.name = 1;
  rules.columns.to = 2;
  rules.node_rows = RowDivider(kNodeWidth);
  rules.nodes = kNodes;
  for (std::size_t type = 0; type < types; ++type)
    rules.types.push_back(
        {.name_mask = type % 2 == 0 ? kAll : 0, .counted = type * 1000 + 1});
  return rules;
}

std::vector<std::uint64_t> Rows(const EdgeRowRules& rules, std::size_t count,
                                std::mt19937_64& random) {
  std::vector<std::uint64_t> rows;
  for (std::size_t i = 0; i < count; ++i) {
    rows.push_back(random() % rules.types.size());
    rows.push_back(random() >> (1 + random() % 63));
    rows.push_back(random() % kNodes * kNodeWidth);
    rows.resize(rows.size() + rules.columns.width - 3, kAll);
  }
  return rows;
}

// The definition, implemented literally.
bool Expected(const EdgeRowRules& rules, std::span<const std::uint64_t> rows,
              EdgeRowSums* sums) {
  EdgeRowSums own = *sums;
  for (std::size_t at = 0; at < rows.size(); at += rules.columns.width) {
    const std::uint64_t type = rows[at];
    const std::uint64_t name = rows[at + 1];
    const std::uint64_t to = rows[at + 2];
    if (type >= rules.types.size() || name > kAll / 2) return false;
    if (to % kNodeWidth != 0 || to / kNodeWidth >= kNodes) return false;
    own.counted += rules.types[type].counted;
    if (rules.types[type].name_mask != 0 && name > own.max_name)
      own.max_name = name;
  }
  *sums = own;
  return true;
}

void ExpectAllAgree(const EdgeRowRules& rules,
                    std::span<const std::uint64_t> rows) {
  EdgeRowSums expected = {.counted = 5, .max_name = 3};
  const bool is_plain = Expected(rules, rows, &expected);
  for (const EdgeRowsVariant& way : EdgeRowsVariants()) {
    EdgeRowSums sums = {.counted = 5, .max_name = 3};
    EXPECT_EQ(way.check(rules, rows, &sums), is_plain) << way.name;
    EXPECT_EQ(sums.counted, expected.counted) << way.name;
    EXPECT_EQ(sums.max_name, expected.max_name) << way.name;
  }
}

TEST(HeapsnapshotEdgeRows, AllWaysCountTheSame) {
  std::mt19937_64 random(1);
  for (const std::size_t width : {3, 5}) {
    for (const std::size_t types : {1, 7, 8, 9, 40}) {
      const EdgeRowRules rules = Rules(width, types);
      for (std::size_t count = 0; count < 40; ++count)
        ExpectAllAgree(rules, Rows(rules, count, random));
    }
  }
}

TEST(HeapsnapshotEdgeRows, AllWaysFindWhatIsOdd) {
  std::mt19937_64 random(2);
  const std::uint64_t odd[][2] = {
      // A column, and a value that is invalid there.
      {0, 7},
      {0, 8},
      {0, kAll},
      {1, kAll},
      {1, kAll / 2 + 1},
      {2, 1},
      {2, kNodeWidth - 1},
      {2, kNodes * kNodeWidth},
      {2, kAll / kNodeWidth * kNodeWidth},
      {2, kAll},
  };
  const EdgeRowRules rules = Rules(3, 7);
  for (const auto& [column, value] : odd) {
    for (std::size_t row = 0; row < 19; ++row) {
      std::vector<std::uint64_t> rows = Rows(rules, 19, random);
      rows[row * 3 + column] = value;
      EdgeRowSums sums;
      ASSERT_FALSE(Expected(rules, rows, &sums)) << column << ' ' << value;
      ExpectAllAgree(rules, rows);
    }
  }
}

TEST(HeapsnapshotEdgeRows, AllWaysSplitTheSame) {
  std::mt19937_64 random(3);
  for (const std::size_t width : {3, 4}) {
    for (const std::size_t types : {1, 7, 8, 9}) {
      const EdgeRowRules rules = Rules(width, types);
      std::vector<std::uint64_t> first_names;
      for (std::size_t type = 0; type < types; ++type)
        first_names.push_back(type % 2 * 1000);
      for (std::size_t count = 0; count < 40; ++count) {
        const std::vector<std::uint64_t> rows = Rows(rules, count, random);
        for (const EdgeRowsVariant& way : EdgeRowsVariants()) {
          std::vector<std::uint32_t> kinds(count);
          std::vector<std::uint64_t> names(count), targets(count);
          EXPECT_TRUE(way.split(rules, first_names, rows,
                                {kinds.data(), names.data(), targets.data()}));
          for (std::size_t i = 0; i < count; ++i) {
            const std::uint64_t* const row = &rows[i * width];
            EXPECT_EQ(kinds[i], row[0]) << way.name;
            EXPECT_EQ(names[i], row[1] + row[0] % 2 * 1000) << way.name;
            EXPECT_EQ(targets[i], row[2] / kNodeWidth) << way.name;
          }
        }
      }
    }
  }
}

TEST(HeapsnapshotEdgeRows, NoWaySplitsWhatIsOdd) {
  std::mt19937_64 random(4);
  const EdgeRowRules rules = Rules(3, 7);
  const std::vector<std::uint64_t> first_names(7);
  for (std::size_t row = 0; row < 19; ++row) {
    std::vector<std::uint64_t> rows = Rows(rules, 19, random);
    rows[row * 3 + row % 2 * 2] = 7 * kNodes + 7;
    for (const EdgeRowsVariant& way : EdgeRowsVariants()) {
      std::vector<std::uint32_t> kinds(19);
      std::vector<std::uint64_t> names(19), targets(19);
      EXPECT_FALSE(way.split(rules, first_names, rows,
                             {kinds.data(), names.data(), targets.data()}))
          << way.name << ' ' << row;
    }
  }
}

// Offsets around the limit of 32 bits, and nodes of several widths.
TEST(HeapsnapshotEdgeRows, AllWaysFindTheSameNodes) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 32;
  const std::vector<std::uint64_t> first_names(7);
  for (const std::uint64_t width : {1, 2, 6, 7, 8, 12}) {
    for (const std::uint64_t nodes :
         {kMost / width - 1, kMost / width, kMost / width + 1, kMost * 256}) {
      EdgeRowRules rules = Rules(3, 7);
      rules.node_rows = RowDivider(width);
      rules.nodes = nodes;
      for (const std::uint64_t around : {nodes * width, kMost, 2 * kMost}) {
        for (std::uint64_t to = around - 20; to < around + 20; ++to) {
          const bool is_node = to % width == 0 && to / width < nodes;
          for (const std::size_t row : {0, 1, 2, 3}) {
            std::vector<std::uint64_t> rows(4 * 3);
            rows[row * 3 + 2] = to;
            for (const EdgeRowsVariant& way : EdgeRowsVariants()) {
              EdgeRowSums sums;
              EXPECT_EQ(way.check(rules, rows, &sums), is_node)
                  << way.name << ' ' << width << ' ' << nodes << ' ' << to;
              std::vector<std::uint32_t> kinds(4);
              std::vector<std::uint64_t> names(4), targets(4);
              ASSERT_EQ(way.split(rules, first_names, rows,
                                  {kinds.data(), names.data(), targets.data()}),
                        is_node)
                  << way.name << ' ' << width << ' ' << nodes << ' ' << to;
              if (is_node) {
                EXPECT_EQ(targets[row], to / width) << way.name;
              }
            }
          }
        }
      }
    }
  }
}

TEST(HeapsnapshotRows, OffsetsOfRowsAreDividedWithoutARest) {
  for (const std::uint64_t width : {1, 2, 3, 4, 5, 6, 7, 8, 12, 1023, 1024}) {
    const RowDivider divider(width);
    std::uint64_t ordinal = 0;
    for (const std::uint64_t row : {std::uint64_t{0}, std::uint64_t{1},
                                    std::uint64_t{999'999}, kAll / width - 1}) {
      const std::uint64_t offset = row * width;
      EXPECT_TRUE(divider.Divide(offset, row + 1, &ordinal));
      EXPECT_EQ(ordinal, row) << width;
      EXPECT_FALSE(divider.Divide(offset, row, &ordinal)) << width;
      for (std::uint64_t rest = 1; rest < width; ++rest)
        EXPECT_FALSE(divider.Divide(offset + rest, kAll / width, &ordinal))
            << width << ' ' << rest;
    }
  }
}

}  // namespace
}  // namespace heapglot::heapsnapshot
