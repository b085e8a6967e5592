#include "readers/heapsnapshot/heapsnapshot_node_sums.h"

#include <algorithm>
#include <cstddef>

#include "core/text/vector_cpu.h"

namespace heapglot::heapsnapshot {
namespace {

std::span<const SumNodeRowsVariant> FindSumNodeRowsVariants() {
  static constexpr SumNodeRowsVariant kAll[] = {
      {"plain", internal::SumNodeRowsPlain},
#ifdef HEAPGLOT_X86_KERNELS
      {"avx512", internal::SumNodeRowsAvx512},
#endif
  };
  return heapglot::internal::UsableWays(kAll);
}

// Numbers of a column that may be absent; then they are 0.
class MaybeColumn {
 public:
  explicit MaybeColumn(std::size_t column)
      : column_(column == kNoColumn ? 0 : column),
        mask_(column == kNoColumn ? 0 : ~std::uint64_t{0}) {}

  std::uint64_t Of(const std::uint64_t* row) const {
    return row[column_] & mask_;
  }

 private:
  std::size_t column_;
  std::uint64_t mask_;
};

}  // namespace

NodeRowSums internal::SumNodeRowsPlain(const NodeColumns& columns,
                                       std::span<const std::uint64_t> rows,
                                       const NodeRowSums& sums) {
  const MaybeColumn sizes(columns.self_size);
  const MaybeColumn traces(columns.trace_node);
  const MaybeColumn detachedness(columns.detachedness);
  NodeRowSums own = sums;
  for (std::size_t at = 0; at < rows.size(); at += columns.width) {
    const std::uint64_t* const row = &rows[at];
    own.max_type = std::max(own.max_type, row[columns.type]);
    own.max_name = std::max(own.max_name, row[columns.name]);
    own.max_id = std::max(own.max_id, row[columns.id]);
    const std::uint64_t edges = row[columns.edge_count];
    const std::uint64_t size = sizes.Of(row);
    own.edges += edges;
    own.sizes += size;
    own.bits |= edges | size;
    own.with_size += size != 0 ? 1 : 0;
    own.with_trace += traces.Of(row) != 0 ? 1 : 0;
    own.with_detachedness += detachedness.Of(row) != 0 ? 1 : 0;
  }
  return own;
}

std::span<const SumNodeRowsVariant> SumNodeRowsVariants() {
  static const std::span<const SumNodeRowsVariant> variants =
      FindSumNodeRowsVariants();
  return variants;
}

NodeRowSums SumNodeRows(const NodeColumns& columns,
                        std::span<const std::uint64_t> rows,
                        const NodeRowSums& sums) {
  static const auto sum = SumNodeRowsVariants().back().sum;
  return sum(columns, rows, sums);
}

}  // namespace heapglot::heapsnapshot
