#include "readers/heapsnapshot/heapsnapshot_node_sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace heapglot::heapsnapshot {
namespace {

constexpr NodeRowSums kBefore = {.max_type = 3,
                                 .max_name = 5,
                                 .max_id = 7,
                                 .edges = 11,
                                 .sizes = 13,
                                 .bits = 1,
                                 .with_size = 17,
                                 .with_trace = 19,
                                 .with_detachedness = 23};

// V8's columns, as many as fit; the last one is detachedness.
NodeColumns Columns(std::size_t width) {
  NodeColumns columns;
  columns.width = width;
  columns.type = 0;
  columns.name = 1;
  columns.id = 2;
  columns.edge_count = 3;
  if (width > 4) columns.self_size = 4;
  if (width > 5) columns.trace_node = 5;
  if (width > 6) columns.detachedness = width - 1;
  return columns;
}

// The definition, implemented literally.
NodeRowSums Expected(const NodeColumns& columns,
                     std::span<const std::uint64_t> rows) {
  NodeRowSums sums = kBefore;
  const auto number = [&](std::size_t at, std::size_t column) {
    return column == kNoColumn ? 0 : rows[at + column];
  };
  for (std::size_t at = 0; at < rows.size(); at += columns.width) {
    sums.max_type = std::max(sums.max_type, number(at, columns.type));
    sums.max_name = std::max(sums.max_name, number(at, columns.name));
    sums.max_id = std::max(sums.max_id, number(at, columns.id));
    sums.edges += number(at, columns.edge_count);
    sums.sizes += number(at, columns.self_size);
    sums.bits |= number(at, columns.edge_count) | number(at, columns.self_size);
    if (number(at, columns.self_size) != 0) ++sums.with_size;
    if (number(at, columns.trace_node) != 0) ++sums.with_trace;
    if (number(at, columns.detachedness) != 0) ++sums.with_detachedness;
  }
  return sums;
}

TEST(HeapsnapshotNodeSums, AllWaysSumTheSame) {
  std::mt19937_64 random(1);
  for (std::size_t width = 4; width <= 11; ++width) {
    const NodeColumns columns = Columns(width);
    for (std::size_t count = 0; count < 40; ++count) {
      std::vector<std::uint64_t> rows(width * count);
      for (std::uint64_t& number : rows)
        number = random() % 2 == 0 ? 0 : random() >> (random() % 64);
      for (const SumNodeRowsVariant& way : SumNodeRowsVariants()) {
        EXPECT_EQ(way.sum(columns, rows, kBefore), Expected(columns, rows))
            << way.name << ": " << count << " rows of " << width;
      }
    }
  }
}

}  // namespace
}  // namespace heapglot::heapsnapshot
