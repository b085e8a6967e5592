// The first look at the tables besides nodes and edges.
#ifndef HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_INDEX_TABLES_H_
#define HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_INDEX_TABLES_H_

#include "heapglot/status.h"
#include "readers/heapsnapshot/heapsnapshot_blocks.h"
#include "readers/heapsnapshot/heapsnapshot_index.h"

namespace heapglot::heapsnapshot {

// Checks and counts the rows of trace functions, samples and locations, and the
// trace tree, in `*index`, which has everything else already. A section that
// meta does not describe, or describes wrongly, becomes one of another kind.
// Errors: as BuildIndex(). Memory: 4 bytes per node of the trace tree.
Status IndexTables(BlockChecker& blocks, Index* index);

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_INDEX_TABLES_H_
