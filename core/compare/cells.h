// Single cells of two tables: whether they are the same, and their text.
#ifndef HEAPGLOT_CORE_COMPARE_CELLS_H_
#define HEAPGLOT_CORE_COMPARE_CELLS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/compare/table_rows.h"

namespace heapglot {

// A column of the rows that a cursor has at hand.
struct ColumnAt {
  const TableCursor* cursor = nullptr;
  const BoundColumn* column = nullptr;
  std::size_t index = 0;  // of the column in its spec
};

// Pairs of strings of two streams that were found to be equal: the last ones.
// Memory: 1 MiB.
class EqualStrings {
 public:
  bool Has(std::uint64_t a, std::uint64_t b) const {
    const Pair& pair = pairs_[Slot(a)];
    return pair.a == a && pair.b == b;
  }
  void Add(std::uint64_t a, std::uint64_t b) { pairs_[Slot(a)] = {a, b}; }

 private:
  struct Pair {
    std::uint64_t a = 0;  // the empty string is 0 in every stream
    std::uint64_t b = 0;
  };
  static std::size_t Slot(std::uint64_t a) { return a % kSlots; }
  static constexpr std::size_t kSlots = std::size_t{64} << 10;

  std::vector<Pair> pairs_{kSlots};
};

// Whether row `row` of `a` and row `other` of `b` are the same under `spec`.
bool SameCell(const ColumnSpec& spec, const ColumnAt& a, std::size_t row,
              const ColumnAt& b, std::size_t other, EqualStrings& known);

// The cell as text; strings in quotes, cut to `max_text` bytes.
std::string CellText(const ColumnSpec& spec, const ColumnAt& at,
                     std::size_t row, const KindNames& names,
                     std::size_t max_text);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_COMPARE_CELLS_H_
