// Sums of rows of `nodes`, many at a time.
#ifndef HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_NODE_SUMS_H_
#define HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_NODE_SUMS_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "readers/heapsnapshot/heapsnapshot_rows.h"

namespace heapglot::heapsnapshot {

struct NodeRowSums {
  std::uint64_t max_type = 0;
  std::uint64_t max_name = 0;
  std::uint64_t max_id = 0;
  std::uint64_t edges = 0;  // wraps around, like sizes
  std::uint64_t sizes = 0;
  std::uint64_t bits = 0;  // OR of all edge counts and sizes
  // Nodes with more than 0 in a column; 0 if there is no such column.
  std::uint64_t with_size = 0;
  std::uint64_t with_trace = 0;
  std::uint64_t with_detachedness = 0;

  bool operator==(const NodeRowSums&) const = default;
};

// Adds `rows`, which are whole, to `sums`.
//
// Uses the fastest variant for this machine.
NodeRowSums SumNodeRows(const NodeColumns& columns,
                        std::span<const std::uint64_t> rows,
                        const NodeRowSums& sums = {});

// A variant of that function; all have the same results.
struct SumNodeRowsVariant {
  std::string_view name;
  NodeRowSums (*sum)(const NodeColumns& columns,
                     std::span<const std::uint64_t> rows,
                     const NodeRowSums& sums);
};
// See SplitRowsVariants().
std::span<const SumNodeRowsVariant> SumNodeRowsVariants();

namespace internal {

NodeRowSums SumNodeRowsPlain(const NodeColumns& columns,
                             std::span<const std::uint64_t> rows,
                             const NodeRowSums& sums);
// Leaves rows of more than eight numbers to the plain variant. Needs
// HasAvx512().
NodeRowSums SumNodeRowsAvx512(const NodeColumns& columns,
                              std::span<const std::uint64_t> rows,
                              const NodeRowSums& sums);

}  // namespace internal
}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_NODE_SUMS_H_
