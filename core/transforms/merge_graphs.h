// Merges graphs into one, for formats that hold only one.
#ifndef HEAPGLOT_CORE_TRANSFORMS_MERGE_GRAPHS_H_
#define HEAPGLOT_CORE_TRANSFORMS_MERGE_GRAPHS_H_

#include <memory>
#include <span>

#include "heapglot/context.h"
#include "heapglot/format.h"
#include "heapglot/stream.h"

namespace heapglot {

// The codes under which context.loss counts what a merge loses.
extern const std::span<const FidelityRow> kMergeGraphsFidelity;

// A reader that shows all graphs of `upstream` as one. `upstream` and `context`
// must outlive it. A stream of one graph stays as it is. Otherwise
//
// * the rows of each table follow those of the previous graph, renumbered. So
//   are all references to them;
// * the vocabularies follow each other, with equal words only once. The name of
//   a kind of root is followed by that of its graph: "static in Domain1". Words
//   are cut at 4 KiB;
// * there is no Graph.root_ref: the node becomes a root of a kind of its own,
//   "heap Domain1", after the other roots of its graph. So no graph's root is
//   above the others;
// * nodes and types have no ids, because two graphs may use the same ones. Ids
//   that no record defines, in targets and values, stay as they are. Ids of
//   trace nodes are shifted so that they differ;
// * Graph.name is all names, separated by ", " and cut at 1 KiB. Flags, pointer
//   size, source version and times are there if all graphs agree. Edges are
//   grouped if they are in all graphs. Stated totals and schemas are left out;
// * Extra, ExtraTable, RecordOrder and SourceImage are left out: they belong to
//   one graph, and may refer to rows that have other numbers now. Extra columns
//   stay.
//
// What is lost is counted once, when a pass has asked for it; the layout of the
// file (RecordOrder, SourceImage) is not a loss.
//
// The first Read() reads upstream once in advance, or twice if there are
// several graphs. Memory: the merged vocabulary; 48 bytes per graph and 4 bytes
// per kind of each graph. Errors: those of upstream.
std::unique_ptr<Reader> MakeGraphMerger(Reader& upstream, Context& context);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TRANSFORMS_MERGE_GRAPHS_H_
