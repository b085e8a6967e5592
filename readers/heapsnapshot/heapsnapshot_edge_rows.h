// Rows of `edges`, checked many at a time where all is as it should be.
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

// What a type of edges means for its rows.
struct EdgeTypeRule {
  // All bits if such edges are named by a string, none if by a number.
  std::uint64_t name_mask = 0;
  // What EdgeRowSums.counted is to get for each.
  std::uint64_t counted = 0;
};

struct EdgeRowRules {
  EdgeColumns columns;
  std::vector<EdgeTypeRule> types;  // of each type of meta's
  RowDivider node_rows;
  std::uint64_t nodes = 0;
};

// What rows add up to.
struct EdgeRowSums {
  std::uint64_t counted = 0;   // of their types' rules; wraps around
  std::uint64_t max_name = 0;  // of those that are named by strings, or 0
};

// False if one of `rows`, which are whole, has a type that meta does not have, a
// number above 63 bits for a name, or does not point to where a node begins.
// Else adds to `*sums`.
//
// Takes what is the fastest on this machine.
bool CheckEdgeRows(const EdgeRowRules& rules,
                   std::span<const std::uint64_t> rows, EdgeRowSums* sums);

// Where columns of edges go to, an entry a row.
struct EdgeRowColumns {
  std::uint32_t* kinds;
  std::uint64_t* names;
  std::uint64_t* targets;  // ordinals of nodes
};

// Splits rows into columns: types as they are, names with what `first_names` has
// for their types added. False, and what was written is of no use, if one of
// them has a type that meta does not have, or does not point to where a node
// begins.
//
// Takes what is the fastest on this machine.
bool SplitEdgeRows(const EdgeRowRules& rules,
                   std::span<const std::uint64_t> first_names,
                   std::span<const std::uint64_t> rows,
                   const EdgeRowColumns& columns);

// Ways to do so, with the same answers.
struct EdgeRowsVariant {
  std::string_view name;
  decltype(&CheckEdgeRows) check;
  decltype(&SplitEdgeRows) split;
};
// Those that this machine can run, the plain one first; the last one is what the
// functions above take. For tests.
std::span<const EdgeRowsVariant> EdgeRowsVariants();

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_EDGE_ROWS_H_
