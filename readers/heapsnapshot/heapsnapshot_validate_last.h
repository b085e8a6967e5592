// VS Code's parser and the last node, whose place in its tables is too small.
#ifndef HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_VALIDATE_LAST_H_
#define HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_VALIDATE_LAST_H_

#include "heapglot/status.h"
#include "heapglot/validate.h"
#include "readers/heapsnapshot/heapsnapshot_validate_tables.h"

namespace heapglot::heapsnapshot {

// Checks whether something refers to the last node, and that it dominates no
// other node. The tables must be ones that the parser reads, with the root
// first, and have been checked.
// Errors: those of the search's temporary file; kCancelled. Memory: 10 bits per
// node and that of a ReferenceGraph, but only if the last node has references.
Status CheckLastNode(const ByteSource& source, Context& context,
                     const Tables& tables, FindingLog& log);

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_VALIDATE_LAST_H_
