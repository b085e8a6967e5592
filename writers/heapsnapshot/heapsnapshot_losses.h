// What a snapshot has no place for.
#ifndef HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_LOSSES_H_
#define HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_LOSSES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/loss/loss_code.h"
#include "core/loss/loss_tally.h"
#include "heapglot/context.h"
#include "heapglot/format.h"
#include "heapglot/stream.h"
#include "writers/heapsnapshot/heapsnapshot_names.h"

namespace heapglot::heapsnapshot {

// What becomes of each feature of a stream of another format. A row with the
// code of its feature is the rule; the others are special cases.
inline constexpr FidelityRow kFidelity[] = {
    {Feature::kNode, "heapsnapshot.node", LossClass::kExact, "a node"},
    {Feature::kNodeId, "heapsnapshot.node.id", LossClass::kEquivalent,
     "V8's ids as they are; positions as twice the position, plus 1, since "
     "V8's ids are odd"},
    {Feature::kNodeId, "heapsnapshot.node.id.renumbered",
     LossClass::kApproximated,
     "ids that are useless for comparing snapshots are renumbered"},
    {Feature::kNodeKind, "heapsnapshot.node.kind", LossClass::kEquivalent,
     "as the nearest of V8's types"},
    {Feature::kNodeName, "heapsnapshot.node.name", LossClass::kEquivalent,
     "as the name of the node, or part of it"},
    {Feature::kNodeName, "heapsnapshot.node.name.valued", LossClass::kDropped,
     "the name of a string that is shown by its text"},
    {Feature::kNodeSelfSize, "heapsnapshot.node.self_size", LossClass::kExact,
     "as self_size"},
    {Feature::kNodeSelfSize, "heapsnapshot.node.self_size.large",
     LossClass::kApproximated,
     "DevTools shows sizes of 4 GiB and more modulo 2^32"},
    {Feature::kNodeIdentityHash, "heapsnapshot.node.identity_hash",
     LossClass::kDropped, "the identity hash code of an object"},
    {Feature::kNodeDetachedness, "heapsnapshot.node.detachedness",
     LossClass::kExact, "as detachedness"},
    {Feature::kNodeTrace, "heapsnapshot.node.trace", LossClass::kDropped,
     "where a node was allocated"},
    {Feature::kNodeTrace, "heapsnapshot.node.trace.kept", LossClass::kExact,
     "as trace_node_id, if there are functions and a trace tree"},
    {Feature::kNodeHeapSpace, "heapsnapshot.node.heap_space",
     LossClass::kDropped, "the part of the heap that a node is in"},
    {Feature::kNodePhantom, "heapsnapshot.node.phantom", LossClass::kDropped,
     "that a node is only referred to in the source"},
    {Feature::kNodeExtra, "heapsnapshot.node.extra", LossClass::kDropped,
     "data about a node that V8 has no field for"},
    {Feature::kType, "heapsnapshot.type", LossClass::kEquivalent,
     "as the name of its objects, which DevTools groups by"},
    {Feature::kType, "heapsnapshot.type.unshown", LossClass::kDropped,
     "the class of a node that is shown by its value"},
    {Feature::kType, "heapsnapshot.type.like_other", LossClass::kApproximated,
     "a name that DevTools would take for a kind of node, or cut as that of a "
     "page element, gets (object) after it or class before it"},
    {Feature::kTypeId, "heapsnapshot.type.id", LossClass::kDropped,
     "the id of a class"},
    {Feature::kTypeDangling, "heapsnapshot.type.dangling", LossClass::kDropped,
     "the id of a class that does not exist"},
    {Feature::kTypeLibrary, "heapsnapshot.type.library", LossClass::kDropped,
     "the library of a class; shown only where two classes share a name"},
    {Feature::kTypeLibrary, "heapsnapshot.type.library.told",
     LossClass::kEquivalent, "after the name, where two classes share it"},
    {Feature::kTypeFields, "heapsnapshot.type.fields", LossClass::kDropped,
     "declared fields; references still have their names"},
    {Feature::kTypeRelation, "heapsnapshot.type.relation", LossClass::kDropped,
     "the superclass, module, loader, size or class object of a class"},
    {Feature::kTypeDetail, "heapsnapshot.type.detail", LossClass::kDropped,
     "flags and other details of a class"},
    {Feature::kValueConstant, "heapsnapshot.value.constant",
     LossClass::kEquivalent, "shown as the name of a node: null, true, false"},
    {Feature::kValueConstant, "heapsnapshot.value.constant.unshown",
     LossClass::kDropped,
     "null, true or false of a node that is shown by something else"},
    {Feature::kValueInteger, "heapsnapshot.value.integer",
     LossClass::kEquivalent, "shown as the name of a node"},
    {Feature::kValueInteger, "heapsnapshot.value.integer.unshown",
     LossClass::kDropped,
     "an integer of a node that is shown by something else"},
    {Feature::kValueDouble, "heapsnapshot.value.double", LossClass::kEquivalent,
     "shown as the shortest text that reads back as the same number"},
    {Feature::kValueDouble, "heapsnapshot.value.nan", LossClass::kApproximated,
     "a NaN is shown as NaN, whatever its bits"},
    {Feature::kValueDouble, "heapsnapshot.value.double.unshown",
     LossClass::kDropped,
     "a floating-point number of a node that is shown by something else"},
    {Feature::kValueText, "heapsnapshot.value.text", LossClass::kExact,
     "as the name of a string"},
    {Feature::kValueText, "heapsnapshot.value.text.unshown",
     LossClass::kDropped, "a text of a node that is shown by something else"},
    {Feature::kValueCut, "heapsnapshot.value.cut", LossClass::kDropped,
     "the full length of a string that the source truncated"},
    {Feature::kValueName, "heapsnapshot.value.name", LossClass::kEquivalent,
     "as the name of the node, or part of it"},
    {Feature::kValueName, "heapsnapshot.value.name.unshown",
     LossClass::kDropped, "a name of a node that is shown by something else"},
    {Feature::kValueName, "heapsnapshot.value.name.cut",
     LossClass::kApproximated,
     "a name that is part of another one is cut to 64 KiB, or to 128 bytes "
     "where repeated texts would exceed 256 MiB"},
    {Feature::kValueLength, "heapsnapshot.value.length", LossClass::kDropped,
     "the stated number of elements"},
    {Feature::kValueOther, "heapsnapshot.value.other", LossClass::kDropped,
     "values of nodes other than strings, numbers and oddballs"},
    {Feature::kValueNamed, "heapsnapshot.value.named", LossClass::kDropped,
     "named values of nodes, edges and classes"},
    {Feature::kStringEncoding, "heapsnapshot.string.encoding",
     LossClass::kApproximated, "what is not valid Unicode becomes U+FFFD"},
    {Feature::kStringEncoding, "heapsnapshot.string.surrogate",
     LossClass::kApproximated, "a lone surrogate becomes U+FFFD"},
    {Feature::kStringEncoding, "heapsnapshot.string.bytes",
     LossClass::kApproximated, "a byte that is not UTF-8 becomes U+FFFD"},
    {Feature::kStringId, "heapsnapshot.string.id", LossClass::kDropped,
     "strings are identified by their position"},
    {Feature::kEdge, "heapsnapshot.edge", LossClass::kExact, "an edge"},
    {Feature::kEdgeOrder, "heapsnapshot.edge.order", LossClass::kExact,
     "edges are in the order of the source"},
    {Feature::kEdgeScattered, "heapsnapshot.edge.scattered",
     LossClass::kEquivalent, "edges are sorted by source node"},
    {Feature::kEdgeName, "heapsnapshot.edge.name", LossClass::kExact,
     "as the name of the edge"},
    {Feature::kEdgeIndex, "heapsnapshot.edge.index", LossClass::kExact,
     "as the index of an element"},
    {Feature::kEdgeIndex, "heapsnapshot.edge.index.large",
     LossClass::kApproximated,
     "an index below 0, or of 2^32 or more, is written modulo 2^32"},
    {Feature::kEdgeIndex, "heapsnapshot.edge.weak_index", LossClass::kDropped,
     "the index of a weak element"},
    {Feature::kEdgeKind, "heapsnapshot.edge.kind", LossClass::kEquivalent,
     "as the nearest of V8's types"},
    {Feature::kEdgeKind, "heapsnapshot.edge.kind.unusual_name",
     LossClass::kApproximated,
     "an edge that has a name where its kind has indices, or vice versa, gets "
     "a type that fits"},
    {Feature::kEdgeWeak, "heapsnapshot.edge.weak", LossClass::kExact,
     "as a weak edge"},
    {Feature::kEdgeOmitted, "heapsnapshot.edge.omitted",
     LossClass::kApproximated,
     "a reference to an object that the source left out leads to (omitted)"},
    {Feature::kEdgeDangling, "heapsnapshot.edge.dangling",
     LossClass::kApproximated,
     "a reference to a missing object leads to (dangling reference)"},
    {Feature::kEdgeImmediate, "heapsnapshot.edge.immediate",
     LossClass::kApproximated,
     "a small integer in place of a reference leads to (small integer)"},
    {Feature::kEdgeExtra, "heapsnapshot.edge.extra", LossClass::kDropped,
     "data about an edge other than its name and target"},
    {Feature::kRoot, "heapsnapshot.root", LossClass::kEquivalent,
     "in a group for its kind, under (GC roots)"},
    {Feature::kRootKind, "heapsnapshot.root.kind", LossClass::kEquivalent,
     "as the name of that group"},
    {Feature::kRootDetail, "heapsnapshot.root.detail", LossClass::kDropped,
     "flags, containers, labels and threads of roots"},
    {Feature::kRootDangling, "heapsnapshot.root.dangling", LossClass::kDropped,
     "roots that are objects that the source left out or does not have"},
    {Feature::kExternal, "heapsnapshot.external", LossClass::kEquivalent,
     "as a native node that its holder refers to"},
    {Feature::kExternal, "heapsnapshot.external.holder",
     LossClass::kApproximated,
     "external memory of a missing object is held by (omitted) or (dangling "
     "reference)"},
    {Feature::kLocation, "heapsnapshot.location", LossClass::kExact,
     "as locations"},
    {Feature::kLocation, "heapsnapshot.location.odd", LossClass::kDropped,
     "locations of nodes that do not exist, or with a number below 0 or above "
     "2^31 - 1"},
    {Feature::kLocation, "heapsnapshot.location.extra", LossClass::kDropped,
     "data about a location other than script, line and column"},
    {Feature::kTrace, "heapsnapshot.trace", LossClass::kDropped,
     "allocation traces, and samples of a timeline"},
    {Feature::kTrace, "heapsnapshot.trace.kept", LossClass::kExact,
     "as trace_function_infos and trace_tree if both are there, and as samples "
     "if ids are V8's"},
    {Feature::kTrace, "heapsnapshot.trace.extra", LossClass::kApproximated,
     "data about traces and samples that V8 has no fields for"},
    {Feature::kStack, "heapsnapshot.stack", LossClass::kDropped,
     "stack frames and threads"},
    {Feature::kGraphName, "heapsnapshot.graph.name", LossClass::kDropped,
     "the name of the heap"},
    {Feature::kGraphSeveral, "heapsnapshot.graph.several",
     LossClass::kApproximated, "all heaps become one"},
    {Feature::kGraphRoot, "heapsnapshot.graph.root", LossClass::kEquivalent,
     "as (GC roots), under the root of the file; V8's own is that root"},
    {Feature::kGraphTotals, "heapsnapshot.graph.totals", LossClass::kDropped,
     "stated totals of the heap"},
    {Feature::kGraphTotals, "heapsnapshot.graph.totals.native",
     LossClass::kExact, "the stated size of memory outside of V8"},
    {Feature::kGraphDetail, "heapsnapshot.graph.detail", LossClass::kDropped,
     "flags, version, times and closing name of the source"},
    {Feature::kMetadata, "heapsnapshot.metadata", LossClass::kDropped,
     "metadata of the source"},
    {Feature::kExtra, "heapsnapshot.extra", LossClass::kDropped,
     "data that only the source's format can hold"},
};

inline constexpr SynthesizedRow kGroupNode = {
    "heapsnapshot.node.group",
    "the root of the file, groups of roots, and nodes that stand for missing "
    "targets"};
inline constexpr SynthesizedRow kExternalNode = {
    "heapsnapshot.node.external",
    "a native node for each piece of external memory"};
inline constexpr SynthesizedRow kMadeId = {
    "heapsnapshot.node.id", "ids of nodes: twice the position, plus 1"};
inline constexpr SynthesizedRow kSynthesized[] = {kGroupNode, kExternalNode,
                                                  kMadeId};

// Counts `count` cases of a code of kFidelity.
inline void Lose(LossCode<kFidelity> code, std::uint64_t count,
                 LossReport* loss,
                 const std::vector<std::uint64_t>& examples = {}) {
  AddLoss(kFidelity[code.row()], count, examples, loss);
}
inline void Lose(LossCode<kFidelity> code, const LossTally& tally,
                 LossReport* loss) {
  Lose(code, tally.count, loss, tally.examples);
}

// Losses of nodes, and of external memory that becomes nodes.
class NodeLosses {
 public:
  // Counts those of a chunk of `rows` rows.
  void Add(const NodeColumns& nodes, int rows, bool loses_ids);
  void AddName(std::uint64_t node) { names_.Add(node); }
  // A value of this node that its name shows, or does not show.
  void AddShown(std::uint32_t form, std::uint64_t value, std::uint64_t node);
  void AddUnshown(std::uint32_t form, std::uint64_t node);
  void AddCutName(std::uint64_t node) { cut_names_.Add(node); }
  void AddUnshownType(std::uint64_t node) { types_.Add(node); }
  void AddChangedType(std::uint64_t node) { changed_types_.Add(node); }
  void AddTraces(const NodeColumns& nodes, int rows);
  void AddExternal(std::uint64_t size);
  void Report(LossReport* loss) const;

 private:
  LossTally nans_, names_, cut_names_, types_, changed_types_, big_sizes_, ids_;
  std::uint64_t traces_ = 0;
  // Of values that are not shown.
  LossTally constants_, integers_, doubles_, texts_, value_names_;
};

// Losses of edges.
class EdgeLosses {
 public:
  // An edge of the node with this index.
  void AddBigIndex(std::uint64_t node) { big_indices_.Add(node); }
  void AddWeakElement(std::uint64_t node) { weak_elements_.Add(node); }
  void AddUnusualName(std::uint64_t node) { unusual_names_.Add(node); }
  void Report(LossReport* loss) const;

 private:
  LossTally big_indices_, weak_elements_, unusual_names_;
};

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_LOSSES_H_
