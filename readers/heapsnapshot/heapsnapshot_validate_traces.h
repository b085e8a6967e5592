// The tree of allocation stacks, as DevTools reads it.
#ifndef HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_VALIDATE_TRACES_H_
#define HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_VALIDATE_TRACES_H_

#include "heapglot/stream.h"
#include "heapglot/validate.h"
#include "readers/heapsnapshot/heapsnapshot_wire.h"

namespace heapglot::heapsnapshot {

// Whether DevTools gets through the tree at `tree`, which is JSON, with what
// meta says of it. Memory: 16 bytes a level of nesting, of which there are
// Limits::max_depth at most.
void CheckTraces(const ByteSource& source, const Context& context,
                 const Meta& meta, const Span& tree, FindingLog& log);

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_VALIDATE_TRACES_H_
