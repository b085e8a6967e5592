// What rows of `nodes` add up to, many at a time.
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
  std::uint64_t edges = 0;  // these two wrap around,
  std::uint64_t sizes = 0;
  std::uint64_t bits = 0;  // of all that is added up in them
  // With more than 0 in a column; 0 if that is not there.
  std::uint64_t with_size = 0;
  std::uint64_t with_trace = 0;
  std::uint64_t with_detachedness = 0;

  bool operator==(const NodeRowSums&) const = default;
};

// Of `rows`, which are whole, and what is in `sums`.
//
// Takes what is the fastest on this machine.
NodeRowSums SumNodeRows(const NodeColumns& columns,
                        std::span<const std::uint64_t> rows,
                        const NodeRowSums& sums = {});

// Ways to do so, with the same answers.
struct SumNodeRowsVariant {
  std::string_view name;
  NodeRowSums (*sum)(const NodeColumns& columns,
                     std::span<const std::uint64_t> rows,
                     const NodeRowSums& sums);
};
// As SplitRowsVariants().
std::span<const SumNodeRowsVariant> SumNodeRowsVariants();

namespace internal {

NodeRowSums SumNodeRowsPlain(const NodeColumns& columns,
                             std::span<const std::uint64_t> rows,
                             const NodeRowSums& sums);
// Leaves rows of more than eight numbers to the plain way. Needs HasAvx512().
NodeRowSums SumNodeRowsAvx512(const NodeColumns& columns,
                              std::span<const std::uint64_t> rows,
                              const NodeRowSums& sums);

}  // namespace internal
}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_NODE_SUMS_H_
