// The tree of allocation stacks, as DevTools reads it.
#ifndef HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_VALIDATE_TRACES_H_
#define HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_VALIDATE_TRACES_H_

#include "heapglot/stream.h"
#include "heapglot/validate.h"
#include "readers/heapsnapshot/heapsnapshot_wire.h"

namespace heapglot::heapsnapshot {

// Checks that DevTools gets through the tree at `tree`, which is JSON, with
// what meta says about it. Memory: 16 bytes per level of nesting, of which
// there are at most Limits::max_depth.
void CheckTraces(const ByteSource& source, const Context& context,
                 const Meta& meta, const Span& tree, FindingLog& log);

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_VALIDATE_TRACES_H_
