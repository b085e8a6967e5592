// What a dartheap file cannot hold as it is.
#ifndef HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_LOSSES_H_
#define HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_LOSSES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/loss/loss_code.h"
#include "core/loss/loss_tally.h"
#include "heapglot/context.h"
#include "heapglot/format.h"
#include "heapglot/stream.h"

namespace heapglot::dartheap {

// What becomes of each feature of a stream of another format. A row with the
// code of its feature is the rule; the others are special cases.
inline constexpr FidelityRow kFidelity[] = {
    {Feature::kNode, "dartheap.node", LossClass::kExact, "an object"},
    {Feature::kNodeId, "dartheap.node.id", LossClass::kDropped,
     "the id of an object is its position"},
    {Feature::kNodeKind, "dartheap.node.kind", LossClass::kEquivalent,
     "shown by the value or the class; objects without a class get the VM's "
     "class for their kind"},
    {Feature::kNodeKind, "dartheap.node.kind.classed", LossClass::kDropped,
     "the kind of a node that has a class of its own"},
    {Feature::kNodeName, "dartheap.node.name", LossClass::kEquivalent,
     "as NameData, or in the name of the class"},
    {Feature::kNodeName, "dartheap.node.name.valued", LossClass::kDropped,
     "the name of a node that has a value"},
    {Feature::kNodeSelfSize, "dartheap.node.self_size", LossClass::kExact,
     "as the shallow size"},
    {Feature::kNodeIdentityHash, "dartheap.node.identity_hash",
     LossClass::kExact, "as the identity hash"},
    {Feature::kNodeDetachedness, "dartheap.node.detachedness",
     LossClass::kDropped, "whether a node is detached"},
    {Feature::kNodeTrace, "dartheap.node.trace", LossClass::kDropped,
     "where a node was allocated"},
    {Feature::kNodeHeapSpace, "dartheap.node.heap_space", LossClass::kDropped,
     "the part of the heap that a node is in"},
    {Feature::kNodePhantom, "dartheap.node.phantom", LossClass::kDropped,
     "that a node is only referred to in the source"},
    {Feature::kNodeExtra, "dartheap.node.extra", LossClass::kDropped,
     "fields of nodes specific to the source's format"},
    {Feature::kType, "dartheap.type", LossClass::kEquivalent,
     "a class for each list of reference names among its objects"},
    {Feature::kType, "dartheap.type.repeated", LossClass::kApproximated,
     "long names of classes are cut where repeated texts would take 256 MiB"},
    {Feature::kTypeId, "dartheap.type.id", LossClass::kDropped,
     "the id of a type"},
    {Feature::kTypeDangling, "dartheap.type.dangling", LossClass::kDropped,
     "the id of a type that does not exist"},
    {Feature::kTypeLibrary, "dartheap.type.library", LossClass::kExact,
     "as libraryName and libraryUri"},
    {Feature::kTypeFields, "dartheap.type.fields", LossClass::kApproximated,
     "fields are made from the edges of objects"},
    {Feature::kTypeRelation, "dartheap.type.relation", LossClass::kDropped,
     "the superclass, module, loader, size or class object of a type"},
    {Feature::kTypeDetail, "dartheap.type.detail", LossClass::kDropped,
     "flags, reserved texts and fields specific to the source's format"},
    {Feature::kValueConstant, "dartheap.value.constant", LossClass::kExact,
     "as data"},
    {Feature::kValueConstant, "dartheap.value.bool", LossClass::kApproximated,
     "a boolean other than 0 and 1 is shown as true"},
    {Feature::kValueInteger, "dartheap.value.integer", LossClass::kExact,
     "as data of an integer"},
    {Feature::kValueInteger, "dartheap.value.unsigned",
     LossClass::kApproximated, "a number of 2^63 or more becomes negative"},
    {Feature::kValueDouble, "dartheap.value.double", LossClass::kExact,
     "as data, all bits"},
    {Feature::kValueText, "dartheap.value.text", LossClass::kExact,
     "as Latin-1 or UTF-16, in full"},
    {Feature::kValueText, "dartheap.value.text.named", LossClass::kEquivalent,
     "as NameData if the object is not a string"},
    {Feature::kValueText, "dartheap.value.text.repeated",
     LossClass::kApproximated,
     "long texts are cut where repeated texts would take 256 MiB"},
    {Feature::kValueCut, "dartheap.value.cut", LossClass::kExact,
     "as the full length beside the text"},
    {Feature::kValueCut, "dartheap.value.cut.named", LossClass::kDropped,
     "the full length of a text whose object is not a string"},
    {Feature::kValueName, "dartheap.value.name", LossClass::kExact,
     "as NameData"},
    {Feature::kValueLength, "dartheap.value.length", LossClass::kExact,
     "as LengthData"},
    {Feature::kValueOther, "dartheap.value.other", LossClass::kDropped,
     "a value that refers to a node"},
    {Feature::kValueOther, "dartheap.value.json", LossClass::kApproximated,
     "the text of an array or a JSON value is shown as a name"},
    {Feature::kValueNamed, "dartheap.value.named", LossClass::kDropped,
     "values other than a node's own"},
    {Feature::kStringEncoding, "dartheap.string.encoding", LossClass::kExact,
     "lone surrogates as they are, in UTF-16"},
    {Feature::kStringEncoding, "dartheap.string.bytes",
     LossClass::kApproximated, "bytes that are not text are shown as Latin-1"},
    {Feature::kStringId, "dartheap.string.id", LossClass::kDropped,
     "texts are stored in their objects and have no ids"},
    {Feature::kEdge, "dartheap.edge", LossClass::kExact, "a reference"},
    {Feature::kEdgeOrder, "dartheap.edge.order", LossClass::kExact,
     "references are in the order of the source"},
    {Feature::kEdgeOrder, "dartheap.edge.order.fields",
     LossClass::kApproximated,
     "fields are placed before elements, so references move"},
    {Feature::kEdgeScattered, "dartheap.edge.scattered", LossClass::kEquivalent,
     "references are sorted by source object"},
    {Feature::kEdgeName, "dartheap.edge.name", LossClass::kExact,
     "as the name of a field"},
    {Feature::kEdgeName, "dartheap.edge.name.excess", LossClass::kDropped,
     "the name of an edge beyond the number of classes and fields that a file "
     "may have"},
    {Feature::kEdgeName, "dartheap.edge.name.repeated",
     LossClass::kApproximated,
     "long names of fields are cut where repeated texts would take 256 MiB"},
    {Feature::kEdgeIndex, "dartheap.edge.index", LossClass::kEquivalent,
     "as an element, whose index is its position"},
    {Feature::kEdgeIndex, "dartheap.edge.index.other", LossClass::kDropped,
     "the index of an element that is not its position"},
    {Feature::kEdgeKind, "dartheap.edge.kind", LossClass::kEquivalent,
     "as a field or an element"},
    {Feature::kEdgeKind, "dartheap.edge.kind.internal", LossClass::kDropped,
     "that an edge is internal, hidden, a shortcut or a context variable"},
    {Feature::kEdgeWeak, "dartheap.edge.weak", LossClass::kApproximated,
     "shown only by the flags of its field, which are 0"},
    {Feature::kEdgeWeak, "dartheap.edge.weak.element", LossClass::kDropped,
     "that an element is weak"},
    {Feature::kEdgeOmitted, "dartheap.edge.omitted", LossClass::kExact,
     "reference 0"},
    {Feature::kEdgeDangling, "dartheap.edge.dangling", LossClass::kApproximated,
     "a reference to a missing object leads to one that is made for its id"},
    {Feature::kEdgeImmediate, "dartheap.edge.immediate",
     LossClass::kApproximated,
     "a small integer in place of a reference becomes an object"},
    {Feature::kEdgeExtra, "dartheap.edge.extra", LossClass::kDropped,
     "fields of edges specific to the source's format"},
    {Feature::kRoot, "dartheap.root", LossClass::kEquivalent,
     "as a reference from object 1"},
    {Feature::kRootKind, "dartheap.root.kind", LossClass::kDropped,
     "the kind of a root, which becomes a reference from object 1"},
    {Feature::kRootDetail, "dartheap.root.detail", LossClass::kDropped,
     "flags, holder, label and thread of a root"},
    {Feature::kRootDangling, "dartheap.root.dangling", LossClass::kApproximated,
     "for a root that is missing, an object is made for its id"},
    {Feature::kExternal, "dartheap.external", LossClass::kExact,
     "as an external property"},
    {Feature::kExternal, "dartheap.external.holder", LossClass::kApproximated,
     "external memory of a missing object is held by one that is made for its "
     "id"},
    {Feature::kExternal, "dartheap.external.repeated", LossClass::kApproximated,
     "long names of external properties are cut where repeated texts would "
     "take 256 MiB"},
    {Feature::kLocation, "dartheap.location", LossClass::kDropped,
     "the source locations of functions"},
    {Feature::kTrace, "dartheap.trace", LossClass::kDropped,
     "allocation traces, and samples of a timeline"},
    {Feature::kStack, "dartheap.stack", LossClass::kDropped,
     "stack frames and threads"},
    {Feature::kGraphName, "dartheap.graph.name", LossClass::kExact,
     "as the name of the isolate"},
    {Feature::kGraphSeveral, "dartheap.graph.several", LossClass::kApproximated,
     "all heaps become one"},
    {Feature::kGraphRoot, "dartheap.graph.root", LossClass::kEquivalent,
     "as object 1, or as what object 1 refers to"},
    {Feature::kGraphTotals, "dartheap.graph.totals", LossClass::kExact,
     "as the totals of the header"},
    {Feature::kGraphTotals, "dartheap.graph.totals.native", LossClass::kDropped,
     "the stated size of memory outside of V8"},
    {Feature::kGraphDetail, "dartheap.graph.detail", LossClass::kDropped,
     "flags, version, times and closing name of the source"},
    {Feature::kMetadata, "dartheap.metadata", LossClass::kDropped,
     "metadata of the source"},
    {Feature::kExtra, "dartheap.extra", LossClass::kDropped,
     "data that only the source's format can hold"},
};

inline constexpr SynthesizedRow kMadeClass = {
    "dartheap.class",
    "a class for each type and each list of edge names among its objects"};
inline constexpr SynthesizedRow kMadeRoot = {
    "dartheap.node.root", "object 1, which refers to all roots"};
inline constexpr SynthesizedRow kMadeStandIn = {
    "dartheap.node.stand_in",
    "objects that stand for missing ids and small integers"};
inline constexpr SynthesizedRow kSynthesized[] = {kMadeClass, kMadeRoot,
                                                  kMadeStandIn};

using Tally = LossTally;

// Counts under the declared codes.
class Losses {
 public:
  explicit Losses(LossReport& report) : report_(report) {}

  void Lose(LossCode<kFidelity> code, std::uint64_t count,
            const std::vector<std::uint64_t>& examples = {}) {
    AddLoss(kFidelity[code.row()], count, examples, &report_);
  }
  void Lose(LossCode<kFidelity> code, const Tally& tally) {
    Lose(code, tally.count, tally.examples);
  }

  // Counts something that is made up.
  void Make(const SynthesizedRow& row, std::uint64_t count) {
    report_.AddSynthesized(row.code, count, row.note);
  }

  // Counts the rows of tables that a dartheap does not have.
  void LoseTables(const pb::GraphEnd& totals);

 private:
  LossReport& report_;
};

}  // namespace heapglot::dartheap

#endif  // HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_LOSSES_H_
