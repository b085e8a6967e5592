#include "readers/heapsnapshot/heapsnapshot_split_rows.h"

#include "core/text/vector_cpu.h"

namespace heapglot::heapsnapshot {
namespace {

std::span<const SplitRowsVariant> FindSplitRowsVariants() {
  static constexpr SplitRowsVariant kAll[] = {
      {"plain", internal::SplitRowsPlain},
#ifdef HEAPGLOT_X86_KERNELS
      {"avx512", internal::SplitRowsAvx512},
#endif
  };
  return heapglot::internal::UsableWays(kAll);
}

}  // namespace

void internal::SplitRowsPlain(std::span<const std::uint64_t> rows,
                              std::size_t width,
                              std::uint64_t* const* columns) {
  for (std::size_t column = 0; column < width; ++column) {
    std::uint64_t* out = columns[column];
    if (out == nullptr) continue;
    for (std::size_t at = column; at < rows.size(); at += width)
      *out++ = rows[at];
  }
}

std::span<const SplitRowsVariant> SplitRowsVariants() {
  static const std::span<const SplitRowsVariant> variants =
      FindSplitRowsVariants();
  return variants;
}

void SplitRows(std::span<const std::uint64_t> rows, std::size_t width,
               std::uint64_t* const* columns) {
  static const auto split = SplitRowsVariants().back().split;
  split(rows, width, columns);
}

}  // namespace heapglot::heapsnapshot
