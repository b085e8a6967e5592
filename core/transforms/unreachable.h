// What to do with nodes that no root reaches.
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

// The codes under which context.loss counts what kRoot adds, and what kDrop
// loses.
extern const std::span<const SynthesizedRow> kUnreachableSynthesized;
extern const std::span<const FidelityRow> kUnreachableFidelity;

struct UnreachableOptions {
  // Whether the roots of kRoot are counted: false if the writer writes none of
  // them.
  bool reports_roots = true;
  // An edge to a dropped node stays, with its target omitted: for source
  // formats that have such edges, and identify edges by their position.
  bool omits_targets = true;
  // FindReader(), for JSON that may refer to nodes (UnknownJson): it stays as
  // it is, and is counted. nullptr: there is none.
  decltype(&FindReader) find = nullptr;
};

// A reader that shows `upstream` with the following changes. `upstream` and
// `context` must outlive it.
//
// kRoot: every entry point into what no root reaches becomes a root of kind
//   ROOT_UNREACHABLE: a node that no other unreachable node holds, or the
//   first node of a cycle that nothing outside of it holds. These roots come
//   right before GraphEnd.
// kDrop: what no root reaches is left out. The other nodes are renumbered, and
//   get their old index + 1 as id if they had none. A weak edge to a dropped
//   node is left out, too, or its target is omitted; any other reference to one
//   becomes none, also in a row of an ExtraTable. That row stays: rows of other
//   tables may be counted by it, as those of V8's scopes are. Both are counted.
//   Totals that the source states stay true if they were, and are left out
//   otherwise. Strings that only dropped rows use are left out, and so is what
//   describes the layout of the file. An ExtraTable that may refer to nodes in
//   ways we do not know has no rows, which is counted.
//
// Roots are Graph.root_ref and all Roots except weak ones (ROOT_WEAK). These
// reach nothing, and neither do weak edges (EDGE_WEAK).
//
// The first Read() reads upstream once (kRoot) or up to four times (kDrop) in
// advance.
// Memory: meanwhile 12 MiB and 3 bits per node, or 5 bits per node, or, if
// there is garbage, 9 bits per node and a byte for each node that garbage
// refers to; afterwards 1 bit per node if there is garbage, and with kDrop 1
// bit per edge and 1.25 bits per string. Temporary files: 1 to 4 bytes per edge
// and 1 byte per node.
// Errors: those of upstream; kUnsupported if edges are not grouped by their
// source; kLimit for 2^32 - 1 nodes or more; kOutput if a temporary file cannot
// be written.
std::unique_ptr<Reader> MakeUnreachableFilter(
    Reader& upstream, Unreachable mode, Context& context,
    const UnreachableOptions& options = {});

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TRANSFORMS_UNREACHABLE_H_
