// The variants of CheckEdgeRows() and SplitEdgeRows().
#ifndef HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_EDGE_ROWS_WAYS_H_
#define HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_EDGE_ROWS_WAYS_H_

#include <cstdint>
#include <span>

#include "core/text/vector_cpu.h"
#include "readers/heapsnapshot/heapsnapshot_edge_rows.h"

namespace heapglot::heapsnapshot::internal {

// Without vectors; any columns.
bool CheckEdgeRowsPlain(const EdgeRowRules& rules,
                        std::span<const std::uint64_t> rows, EdgeRowSums* sums);
bool SplitEdgeRowsPlain(const EdgeRowRules& rules,
                        std::span<const std::uint64_t> first_names,
                        std::span<const std::uint64_t> rows,
                        const EdgeRowColumns& columns);
#ifdef HEAPGLOT_X86_KERNELS
// These leave rows that are not laid out like V8's, or that have too many types
// or nodes, to the plain variant. Need HasAvx2().
bool CheckEdgeRowsAvx2(const EdgeRowRules& rules,
                       std::span<const std::uint64_t> rows, EdgeRowSums* sums);
bool SplitEdgeRowsAvx2(const EdgeRowRules& rules,
                       std::span<const std::uint64_t> first_names,
                       std::span<const std::uint64_t> rows,
                       const EdgeRowColumns& columns);
// Need HasAvx512().
bool CheckEdgeRowsAvx512(const EdgeRowRules& rules,
                         std::span<const std::uint64_t> rows,
                         EdgeRowSums* sums);
bool SplitEdgeRowsAvx512(const EdgeRowRules& rules,
                         std::span<const std::uint64_t> first_names,
                         std::span<const std::uint64_t> rows,
                         const EdgeRowColumns& columns);
#endif

}  // namespace heapglot::heapsnapshot::internal

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_EDGE_ROWS_WAYS_H_
