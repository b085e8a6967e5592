// Rows of `edges`: checks and splits many at a time if all is as it should be.
#ifndef HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_EDGE_ROWS_H_
#define HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_EDGE_ROWS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "readers/heapsnapshot/heapsnapshot_rows.h"

namespace heapglot::heapsnapshot {

// What a type of edge means for its rows.
struct EdgeTypeRule {
  // All bits set if such edges are named by a string, none if by a number.
  std::uint64_t name_mask = 0;
  // What each such edge adds to EdgeRowSums::counted.
  std::uint64_t counted = 0;
};

struct EdgeRowRules {
  EdgeColumns columns;
  std::vector<EdgeTypeRule> types;  // of each type in meta
  RowDivider node_rows;
  std::uint64_t nodes = 0;
};

// What rows add up to.
struct EdgeRowSums {
  std::uint64_t counted = 0;   // by the rules of their types; wraps around
  std::uint64_t max_name = 0;  // of edges named by strings, or 0
};

// False if one of `rows`, which are whole, has a type that is not in meta, a
// name of more than 63 bits, or a target that is not the start of a node.
// Otherwise adds to `*sums`.
//
// Uses the fastest variant for this machine.
bool CheckEdgeRows(const EdgeRowRules& rules,
                   std::span<const std::uint64_t> rows, EdgeRowSums* sums);

// Where columns of edges are written, one entry per row.
struct EdgeRowColumns {
  std::uint32_t* kinds;
  std::uint64_t* names;
  std::uint64_t* targets;  // ordinals of nodes
};

// Splits rows into columns: types unchanged, names plus the entry of their type
// in `first_names`. False, and the output is useless, if a row has a type that
// is not in meta, or a target that is not the start of a node.
//
// Uses the fastest variant for this machine.
bool SplitEdgeRows(const EdgeRowRules& rules,
                   std::span<const std::uint64_t> first_names,
                   std::span<const std::uint64_t> rows,
                   const EdgeRowColumns& columns);

// A variant of both functions; all have the same results.
struct EdgeRowsVariant {
  std::string_view name;
  decltype(&CheckEdgeRows) check;
  decltype(&SplitEdgeRows) split;
};
// Those that this machine can run, the plain one first; the functions above use
// the last one. For tests.
std::span<const EdgeRowsVariant> EdgeRowsVariants();

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_EDGE_ROWS_H_
