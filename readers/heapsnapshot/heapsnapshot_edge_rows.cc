#include "readers/heapsnapshot/heapsnapshot_edge_rows.h"

#include <algorithm>

#include "core/text/vector_cpu.h"
#include "readers/heapsnapshot/heapsnapshot_edge_rows_ways.h"

namespace heapglot::heapsnapshot {
namespace {

std::span<const EdgeRowsVariant> FindEdgeRowsVariants() {
  static constexpr EdgeRowsVariant kAll[] = {
      {"plain", internal::CheckEdgeRowsPlain, internal::SplitEdgeRowsPlain},
#ifdef HEAPGLOT_X86_KERNELS
      {"avx2", internal::CheckEdgeRowsAvx2, internal::SplitEdgeRowsAvx2},
      {"avx512", internal::CheckEdgeRowsAvx512, internal::SplitEdgeRowsAvx512},
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
  std::uint64_t names = 0;  // OR of all names
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

bool internal::SplitEdgeRowsPlain(const EdgeRowRules& rules,
                                  std::span<const std::uint64_t> first_names,
                                  std::span<const std::uint64_t> rows,
                                  const EdgeRowColumns& columns) {
  // Copies, because what the loop writes might alias their sources.
  const std::size_t width = rules.columns.width;
  const std::size_t type_at = rules.columns.type;
  const std::size_t name_at = rules.columns.name;
  const std::size_t to_at = rules.columns.to;
  const std::size_t types = rules.types.size();
  const std::uint64_t* const first = first_names.data();
  const RowDivider node_rows = rules.node_rows;
  const std::uint64_t nodes = rules.nodes;
  const auto [kinds, names, targets] = columns;
  bool all_lead = true;
  std::size_t row = 0;
  for (std::size_t at = 0; at < rows.size(); at += width, ++row) {
    const std::uint64_t* const numbers = &rows[at];
    const std::uint64_t type = numbers[type_at];
    if (type >= types) [[unlikely]]
      return false;
    kinds[row] = static_cast<std::uint32_t>(type);
    // Not a branch, because it could not be predicted.
    names[row] = first[type] + numbers[name_at];
    all_lead &= node_rows.Divide(numbers[to_at], nodes, &targets[row]);
  }
  return all_lead;
}

std::span<const EdgeRowsVariant> EdgeRowsVariants() {
  static const std::span<const EdgeRowsVariant> variants =
      FindEdgeRowsVariants();
  return variants;
}

bool CheckEdgeRows(const EdgeRowRules& rules,
                   std::span<const std::uint64_t> rows, EdgeRowSums* sums) {
  static const auto check = EdgeRowsVariants().back().check;
  return check(rules, rows, sums);
}

bool SplitEdgeRows(const EdgeRowRules& rules,
                   std::span<const std::uint64_t> first_names,
                   std::span<const std::uint64_t> rows,
                   const EdgeRowColumns& columns) {
  static const auto split = EdgeRowsVariants().back().split;
  return split(rules, first_names, rows, columns);
}

}  // namespace heapglot::heapsnapshot
