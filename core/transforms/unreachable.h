// What to do about nodes that no root reaches.
#ifndef HEAPGLOT_CORE_TRANSFORMS_UNREACHABLE_H_
#define HEAPGLOT_CORE_TRANSFORMS_UNREACHABLE_H_

#include <memory>
#include <span>

#include "heapglot/context.h"
#include "heapglot/convert.h"
#include "heapglot/feature.h"
#include "heapglot/format.h"
#include "heapglot/stream.h"

namespace heapglot {

// The codes under which context.loss counts what it adds.
extern const std::span<const SynthesizedRow> kUnreachableSynthesized;

struct UnreachableOptions {
  // The roots of kRoot are counted: false if the writer has none of them.
  bool reports_roots = true;
  // An edge to a dropped node stays, as one whose target was left out: where the
  // source's format has such, in which edges are known by their position.
  bool omits_targets = true;
  // FindReader(), which tells of JSON that may refer to nodes (UnknownJson): it
  // stays as it is, and is counted. nullptr: there is none.
  decltype(&FindReader) find = nullptr;
};

// A reader that shows what `upstream`, which must outlive it as `context` must,
// shows, but
//
// kRoot: every entry point into what no root reaches is a root of kind
//   ROOT_UNREACHABLE: a node that no other unreachable node holds, or the
//   first node of a cycle that nothing outside of it holds. These roots come
//   right before GraphEnd.
// kDrop: what no root reaches is not there. The other nodes are numbered anew
//   and keep their old index + 1 as id, if they had no other. A weak edge to a
//   dropped node is not there, either, or is omitted; another reference to one is
//   none, also in a row of an ExtraTable, which stays: rows of others may be
//   counted by it, as those of V8's scopes are. Both are counted. Totals that the
//   source states stay true if they were, and are not there otherwise. Strings that only what is dropped has
//   used are not there, nor is what describes the layout of the file. An ExtraTable
//   that may refer to nodes in ways we do not know has no rows, which is counted.
//
// Roots are Graph.root_ref and all Roots but weak ones (ROOT_WEAK), which reach
// nothing, as weak edges (EDGE_WEAK) do.
//
// The first Read() reads upstream once (kRoot) or up to four times (kDrop) before.
// Memory: 12 MiB and 3 bits a node, or 5 bits a node, while it does, or 9 bits and
// a byte for each node that garbage refers to where there is such; afterwards 1
// bit a node then, and with kDrop 1 bit an edge and 1.25 bits a string. Temporary
// files: 1 to 4 bytes an edge and 1 byte a node.
// Errors: those of upstream; kUnsupported if edges are not grouped by their
// source; kLimit for 2^32 - 1 nodes or more; kOutput when a temporary file
// cannot be written.
std::unique_ptr<Reader> MakeUnreachableFilter(
    Reader& upstream, Unreachable mode, Context& context,
    const UnreachableOptions& options = {});

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TRANSFORMS_UNREACHABLE_H_
