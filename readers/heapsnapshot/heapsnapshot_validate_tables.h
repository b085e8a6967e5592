// The tables of numbers, as DevTools reads them.
#ifndef HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_VALIDATE_TABLES_H_
#define HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_VALIDATE_TABLES_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "heapglot/validate.h"
#include "readers/heapsnapshot/heapsnapshot_wire.h"

namespace heapglot::heapsnapshot {

struct Tables {
  const Meta& meta;
  Span nodes;  // as DevtoolsWalk::Array() gives it
  Span edges;
  std::optional<std::uint64_t> string_count;  // if they could be counted
  // Filled by CheckTables().
  std::uint64_t node_count = 0;
  std::uint64_t edge_count = 0;
};

// Checks nodes, edges and the stated counts.
// Memory: see IdBitmap and SortedIds; a block.
void CheckTables(const ByteSource& source, Context& context, Tables* tables,
                 FindingLog& log);

// Whether the rows of locations are whole.
void CheckLocationRows(const ByteSource& source, const Meta& meta,
                       const Section& locations, FindingLog& log);

// Whether the functions that the tree at `tree` refers to are among those that
// DevTools reads. Memory: none that grows.
void CheckTraceFunctions(const ByteSource& source, const Meta& meta,
                         const Span& tree, FindingLog& log);

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_VALIDATE_TABLES_H_
