#include "writers/heapsnapshot/heapsnapshot_join_edges.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace heapglot::heapsnapshot {
namespace {

constexpr std::uint64_t kShift = 5;
constexpr std::uint64_t kFields = 7;

std::vector<EdgeRowForm> Forms(std::size_t count) {
  std::vector<EdgeRowForm> forms;
  for (std::uint64_t i = 0; i < count; ++i)
    forms.push_back({.type = i + 1,
                     .name_shift = 100 * i,
                     .of_zero = 7 * i,
                     .max_name = i % 2 == 0 ? ~std::uint64_t{0} : 0xffff'ffff,
                     .is_plain = true});
  return forms;
}

struct Columns {
  std::vector<std::uint32_t> kinds;
  std::vector<std::uint64_t> names, targets;

  EdgesToJoin edges() const {
    return {kinds.data(), names.data(), targets.data(), kinds.size()};
  }
};

Columns Random(const std::vector<EdgeRowForm>& forms, std::size_t rows,
               std::mt19937_64& random) {
  Columns columns;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto kind = static_cast<std::uint32_t>(random() % forms.size());
    columns.kinds.push_back(kind);
    columns.names.push_back(
        random() % 3 == 0 ? 0 : random() & forms[kind].max_name);
    columns.targets.push_back(random() >> random() % 64);
  }
  return columns;
}

TEST(HeapsnapshotJoinEdges, AllWaysMakeTheSameRows) {
  std::mt19937_64 random(1);
  for (const std::size_t kinds : {1, 7, 8, 9, 20}) {
    const std::vector<EdgeRowForm> forms = Forms(kinds);
    for (std::size_t rows = 0; rows < 40; ++rows) {
      const Columns columns = Random(forms, rows, random);
      for (const JoinEdgeRowsVariant& way : JoinEdgeRowsVariants()) {
        std::vector<std::uint64_t> out(3 * rows);
        ASSERT_TRUE(way.join(forms, kShift, columns.edges(), out.data()));
        for (std::size_t row = 0; row < rows; ++row) {
          const EdgeRowForm& form = forms[columns.kinds[row]];
          const std::uint64_t name = columns.names[row];
          EXPECT_EQ(out[3 * row], form.type) << way.name;
          EXPECT_EQ(out[3 * row + 1],
                    name == 0 ? form.of_zero : name + form.name_shift)
              << way.name;
          EXPECT_EQ(out[3 * row + 2], (columns.targets[row] + kShift) * kFields)
              << way.name;
        }
      }
    }
  }
}

TEST(HeapsnapshotJoinEdges, NoWayTakesWhatIsNotPlain) {
  std::mt19937_64 random(2);
  std::vector<EdgeRowForm> forms = Forms(8);
  forms.back().is_plain = false;
  const std::vector<EdgeRowForm> plain(forms.begin(), forms.end() - 1);
  constexpr std::size_t kRows = 19;
  for (std::size_t row = 0; row < kRows; ++row) {
    const auto expect_false = [&](auto spoil) {
      Columns columns = Random(plain, kRows, random);
      spoil(columns);
      for (const JoinEdgeRowsVariant& way : JoinEdgeRowsVariants()) {
        std::vector<std::uint64_t> out(3 * kRows);
        EXPECT_FALSE(way.join(forms, kShift, columns.edges(), out.data()))
            << way.name << ' ' << row;
      }
    };
    expect_false([row](Columns& columns) { columns.kinds[row] = 7; });
    expect_false([row](Columns& columns) { columns.kinds[row] = 8; });
    expect_false([row](Columns& columns) { columns.kinds[row] = ~0U; });
    expect_false([row](Columns& columns) {
      columns.kinds[row] = 1;
      columns.names[row] = 0x1'0000'0000;
    });
  }
}

}  // namespace
}  // namespace heapglot::heapsnapshot
