// Losses by the codes that a writer's table declares.
#ifndef HEAPGLOT_CORE_LOSS_LOSS_CODE_H_
#define HEAPGLOT_CORE_LOSS_LOSS_CODE_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <vector>

#include "heapglot/context.h"
#include "heapglot/format.h"

namespace heapglot {

// A code that is in kTable, an array of FidelityRow. Any other does not
// compile.
template <const auto& kTable>
class LossCode {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a text where it is used
  consteval LossCode(const char* code) : row_(Find(code)) {}

  // The position of its row.
  constexpr std::size_t row() const { return row_; }

 private:
  static consteval std::size_t Find(std::string_view code) {
    for (std::size_t row = 0; row < std::size(kTable); ++row) {
      if (kTable[row].code == code) return row;
    }
    std::abort();  // no constant expression: "no row has this code"
  }

  std::size_t row_;
};

// Counts `count` cases of the loss that `row` declares, if there are any.
inline void AddLoss(const FidelityRow& row, std::uint64_t count,
                    const std::vector<std::uint64_t>& examples,
                    LossReport* report) {
  if (count != 0)
    report->Add(row.code, row.loss_class, count, row.note, examples);
}

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_LOSS_LOSS_CODE_H_
