// The tables of numbers, as DevTools reads them.
#ifndef HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_VALIDATE_TABLES_H_
#define HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_VALIDATE_TABLES_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "heapglot/validate.h"
#include "readers/heapsnapshot/heapsnapshot_wire.h"

namespace heapglot::heapsnapshot {

inline constexpr std::uint64_t kMax32 =
    std::numeric_limits<std::uint32_t>::max();
// How many numbers are checked together.
inline constexpr std::size_t kBlockNumbers = 16'384;

struct Tables {
  const Meta& meta;
  Span nodes;  // as DevtoolsWalk::Array() gives it
  Span edges;
  std::optional<std::uint64_t> string_count;  // if they could be counted
  std::uint64_t stated_nodes = 0;  // the counts as JavaScript has them
  std::uint64_t stated_edges = 0;
  // Filled by CheckTables().
  std::uint64_t node_count = 0;
  std::uint64_t edge_count = 0;
  std::uint64_t last_edges = 0;   // that the last node states
  bool last_is_referred = false;  // an edge leads to it
};

// Checks nodes, edges and the stated counts.
// Memory: see IdBitmap and SortedIds; a block.
void CheckTables(const ByteSource& source, Context& context, Tables* tables,
                 FindingLog& log);

// Whether the rows of locations are whole.
void CheckLocationRows(const ByteSource& source, const Meta& meta,
                       const Section& locations, FindingLog& log);

// Whether DevTools can divide samples into rows, which for it have two numbers.
void CheckSampleRows(const ByteSource& source, const Section& samples,
                     FindingLog& log);

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_VALIDATE_TABLES_H_
