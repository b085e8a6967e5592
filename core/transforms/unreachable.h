// What to do about nodes that no root reaches.
#ifndef HEAPGLOT_CORE_TRANSFORMS_UNREACHABLE_H_
#define HEAPGLOT_CORE_TRANSFORMS_UNREACHABLE_H_

#include <memory>
#include <span>

#include "heapglot/context.h"
#include "heapglot/convert.h"
#include "heapglot/feature.h"
#include "heapglot/stream.h"

namespace heapglot {

// The codes under which context.loss counts what it adds.
extern const std::span<const SynthesizedRow> kUnreachableSynthesized;

// A reader that shows what `upstream`, which must outlive it as `context` must,
// shows, but
//
// kRoot: every entry point into what no root reaches is a root of kind
//   ROOT_UNREACHABLE: a node that no other unreachable node holds, or the
//   first node of a cycle that nothing outside of it holds. These roots come
//   right before GraphEnd.
// kDrop: what no root reaches is not there. The other nodes are numbered anew
//   and keep their old index + 1 as id, if they had no other. A weak reference
//   to a dropped node is omitted, another reference to one is none. The numbers
//   that the source states about itself are not there, nor is what describes
//   the layout of the file. An ExtraTable that may refer to nodes in ways we do
//   not know has no rows, which is counted.
//
// Roots are Graph.root_ref and all Roots but weak ones (ROOT_WEAK), which reach
// nothing, as weak edges (EDGE_WEAK) do.
//
// With `reports_roots` they are counted: false if the writer has none of them.
//
// The first Read() reads upstream once (kRoot) or twice (kDrop) before.
// Memory: 12 MiB and 3 bits a node, or 5 bits a node, while it does, or 9 bits and a byte for each
// node that garbage refers to where there is such; afterwards 1 bit a node then,
// and 1 bit an edge with kDrop. Temporary files: 1 to 4 bytes an edge and 1 byte a
// node.
// Errors: those of upstream; kUnsupported if edges are not grouped by their
// source; kLimit for 2^32 - 1 nodes or more; kOutput when a temporary file
// cannot be written.
std::unique_ptr<Reader> MakeUnreachableFilter(Reader& upstream,
                                              Unreachable mode,
                                              Context& context,
                                              bool reports_roots = true);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TRANSFORMS_UNREACHABLE_H_
