#include "readers/heapsnapshot/heapsnapshot_edge_rows.h"

#include <algorithm>

#include "core/text/vector_cpu.h"
#include "readers/heapsnapshot/heapsnapshot_edge_rows_ways.h"

namespace heapglot::heapsnapshot {
namespace {

std::span<const CheckEdgeRowsVariant> FindCheckVariants() {
  static constexpr CheckEdgeRowsVariant kAll[] = {
      {"plain", internal::CheckEdgeRowsPlain},
#ifdef HEAPGLOT_X86_KERNELS
      {"avx512", internal::CheckEdgeRowsAvx512},
#endif
  };
  return heapglot::internal::UsableWays(kAll);
}

}  // namespace

bool internal::CheckEdgeRowsPlain(const EdgeRowRules& rules,
                                  std::span<const std::uint64_t> rows,
                                  EdgeRowSums* sums) {
  const EdgeColumns& columns = rules.columns;
  const std::span<const EdgeTypeRule> types = rules.types;
  const RowDivider node_rows = rules.node_rows;
  EdgeRowSums own = *sums;
  std::uint64_t names = 0;  // the bits of all
  bool all_lead = true;
  for (std::size_t at = 0; at < rows.size(); at += columns.width) {
    const std::uint64_t* const row = &rows[at];
    const std::uint64_t type = row[columns.type];
    if (type >= types.size()) [[unlikely]]
      return false;
    const std::uint64_t name = row[columns.name];
    names |= name;
    own.counted += types[type].counted;
    own.max_name = std::max(own.max_name, name & types[type].name_mask);
    std::uint64_t target = 0;
    all_lead &= node_rows.Divide(row[columns.to], rules.nodes, &target);
  }
  if (!all_lead || names >> 63 != 0) return false;
  *sums = own;
  return true;
}

std::span<const CheckEdgeRowsVariant> CheckEdgeRowsVariants() {
  static const std::span<const CheckEdgeRowsVariant> variants =
      FindCheckVariants();
  return variants;
}

bool CheckEdgeRows(const EdgeRowRules& rules,
                   std::span<const std::uint64_t> rows, EdgeRowSums* sums) {
  static const auto check = CheckEdgeRowsVariants().back().check;
  return check(rules, rows, sums);
}

}  // namespace heapglot::heapsnapshot
