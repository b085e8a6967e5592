// What a GC log cannot hold.
#ifndef HEAPGLOT_WRITERS_NETCF_NETCF_LOSSES_H_
#define HEAPGLOT_WRITERS_NETCF_NETCF_LOSSES_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/loss/loss_tally.h"
#include "heapglot/context.h"
#include "heapglot/format.h"

namespace heapglot::netcf {

// What a run counts: the first rows of the table, in its order.
enum class Loss : std::uint8_t {
  kGraphName,
  kGraphSaid,
  kTypeEscaped,
  kNodeId,
  kNodeKind,
  kNodeNameEmpty,
  kNodeSize,
  kEdgeDangling,
  kRootDangling,
  kRootKind,
  kRootDetail,
};
inline constexpr std::size_t kLosses =
    static_cast<std::size_t>(Loss::kRootDetail) + 1;

// What becomes of each feature of a stream of another format. A row with the
// code of its feature is the rule; the others are special cases.
inline constexpr FidelityRow kFidelity[] = {
    {Feature::kGraphName, "netcf.graph.name.changed", LossClass::kApproximated,
     "the name of the heap, changed so that a log can hold it"},
    {Feature::kGraphDetail, "netcf.graph.detail.said", LossClass::kExact,
     "the version and the times on the lines of a domain"},
    {Feature::kType, "netcf.type.escaped", LossClass::kApproximated,
     "control characters and blanks around a class's name are escaped"},
    {Feature::kNodeId, "netcf.node.id.renumbered", LossClass::kDropped,
     "ids that are not unique or exceed 32 bits are renumbered"},
    {Feature::kNodeKind, "netcf.node.kind.classed", LossClass::kDropped,
     "whether an object of a class is a string, a closure, code and so on"},
    {Feature::kNodeName, "netcf.node.name.empty", LossClass::kExact,
     "an empty name, which says nothing"},
    {Feature::kNodeSelfSize, "netcf.node.self_size.large",
     LossClass::kApproximated, "sizes of 4 GiB and more become 4 GiB - 1"},
    {Feature::kEdgeDangling, "netcf.edge.dangling.changed",
     LossClass::kApproximated,
     "references to missing objects become one undefined id"},
    {Feature::kRootDangling, "netcf.root.dangling.changed",
     LossClass::kApproximated,
     "roots that are missing objects become one undefined id; small integers "
     "and omitted objects become 0"},
    {Feature::kRootKind, "netcf.root.kind.nearest", LossClass::kApproximated,
     "a kind of root that .NET does not have becomes the nearest one"},
    {Feature::kRootDetail, "netcf.root.detail.other", LossClass::kDropped,
     "label, thread, frame and holder of a root, fields specific to the "
     "source's format, and flags that logs do not have"},
    {Feature::kNode, "netcf.node", LossClass::kExact, "an object"},
    {Feature::kNodeId, "netcf.node.id", LossClass::kExact,
     "as the id of the object"},
    {Feature::kNodeKind, "netcf.node.kind", LossClass::kEquivalent,
     "objects without a class get a type named after their kind"},
    {Feature::kNodeName, "netcf.node.name", LossClass::kDropped,
     "the name of an object"},
    {Feature::kNodeSelfSize, "netcf.node.self_size", LossClass::kExact,
     "as the size"},
    {Feature::kNodeIdentityHash, "netcf.node.identity_hash",
     LossClass::kDropped, "the identity hash of an object"},
    {Feature::kNodeDetachedness, "netcf.node.detachedness", LossClass::kDropped,
     "whether an object is detached"},
    {Feature::kNodeTrace, "netcf.node.trace", LossClass::kDropped,
     "where an object was allocated"},
    {Feature::kNodeHeapSpace, "netcf.node.heap_space", LossClass::kDropped,
     "the part of the heap that an object is in"},
    {Feature::kNodePhantom, "netcf.node.phantom", LossClass::kDropped,
     "that an object is only referred to in the source"},
    {Feature::kNodeExtra, "netcf.node.extra", LossClass::kDropped,
     "fields of objects specific to the source's format"},
    {Feature::kType, "netcf.type", LossClass::kExact, "as a type"},
    {Feature::kTypeId, "netcf.type.id", LossClass::kEquivalent,
     "types are numbered in the order of their use"},
    {Feature::kTypeDangling, "netcf.type.dangling", LossClass::kApproximated,
     "undefined classes become one undefined type id"},
    {Feature::kTypeLibrary, "netcf.type.library", LossClass::kDropped,
     "the library of a class"},
    {Feature::kTypeFields, "netcf.type.fields", LossClass::kDropped,
     "the fields of a class"},
    {Feature::kTypeRelation, "netcf.type.relation", LossClass::kDropped,
     "superclass, module, loader, size or class object of a class"},
    {Feature::kTypeDetail, "netcf.type.detail", LossClass::kDropped,
     "flags and other details of a class"},
    {Feature::kValueConstant, "netcf.value.constant", LossClass::kDropped,
     "that an object is null, true or false"},
    {Feature::kValueInteger, "netcf.value.integer", LossClass::kDropped,
     "the number that an object holds"},
    {Feature::kValueDouble, "netcf.value.double", LossClass::kDropped,
     "the number that an object holds"},
    {Feature::kValueText, "netcf.value.text", LossClass::kDropped,
     "the text that an object holds"},
    {Feature::kValueCut, "netcf.value.cut", LossClass::kDropped,
     "the full length of a text"},
    {Feature::kValueName, "netcf.value.name", LossClass::kDropped,
     "the name that an object holds"},
    {Feature::kValueLength, "netcf.value.length", LossClass::kDropped,
     "the stated number of elements"},
    {Feature::kValueOther, "netcf.value.other", LossClass::kDropped,
     "what an object holds"},
    {Feature::kValueNamed, "netcf.value.named", LossClass::kDropped,
     "named values"},
    {Feature::kStringEncoding, "netcf.string.encoding", LossClass::kEquivalent,
     "as they are in names; other texts are dropped"},
    {Feature::kStringId, "netcf.string.id", LossClass::kDropped,
     "ids of strings"},
    {Feature::kEdge, "netcf.edge", LossClass::kExact, "a reference"},
    {Feature::kEdgeOrder, "netcf.edge.order", LossClass::kExact,
     "references are in the order of the source"},
    {Feature::kEdgeScattered, "netcf.edge.scattered", LossClass::kEquivalent,
     "references are sorted by source object"},
    {Feature::kEdgeName, "netcf.edge.name", LossClass::kDropped,
     "the name of a reference"},
    {Feature::kEdgeIndex, "netcf.edge.index", LossClass::kDropped,
     "the index of a reference, which is its position at best"},
    {Feature::kEdgeKind, "netcf.edge.kind", LossClass::kDropped,
     "whether a reference is a property, an element, internal and so on"},
    {Feature::kEdgeWeak, "netcf.edge.weak", LossClass::kApproximated,
     "a weak reference becomes an ordinary one"},
    {Feature::kEdgeOmitted, "netcf.edge.omitted", LossClass::kExact,
     "as reference 0"},
    {Feature::kEdgeDangling, "netcf.edge.dangling", LossClass::kExact,
     "as an id that no object has"},
    {Feature::kEdgeImmediate, "netcf.edge.immediate", LossClass::kDropped,
     "a small integer in place of a reference"},
    {Feature::kEdgeExtra, "netcf.edge.extra", LossClass::kDropped,
     "fields of references specific to the source's format"},
    {Feature::kRoot, "netcf.root", LossClass::kExact, "as a root"},
    {Feature::kRootKind, "netcf.root.kind", LossClass::kExact,
     "as the kind of the root"},
    {Feature::kRootDetail, "netcf.root.detail", LossClass::kExact,
     "its flags, and the class that holds a static"},
    {Feature::kRootDangling, "netcf.root.dangling", LossClass::kEquivalent,
     "as an id that no object has"},
    {Feature::kExternal, "netcf.external", LossClass::kDropped,
     "memory outside the heap"},
    {Feature::kLocation, "netcf.location", LossClass::kDropped,
     "locations in scripts"},
    {Feature::kTrace, "netcf.trace", LossClass::kDropped,
     "allocation traces and samples"},
    {Feature::kStack, "netcf.stack", LossClass::kDropped,
     "stack frames and threads"},
    {Feature::kGraphName, "netcf.graph.name", LossClass::kExact,
     "as the name of the application domain"},
    {Feature::kGraphSeveral, "netcf.graph.several", LossClass::kExact,
     "each as a domain"},
    {Feature::kGraphRoot, "netcf.graph.root", LossClass::kEquivalent,
     "as an object, and a root of kind 0"},
    {Feature::kGraphTotals, "netcf.graph.totals", LossClass::kDropped,
     "stated totals of the heap"},
    {Feature::kGraphDetail, "netcf.graph.detail", LossClass::kDropped,
     "flags, version and times"},
    {Feature::kMetadata, "netcf.metadata", LossClass::kDropped, "metadata"},
    {Feature::kExtra, "netcf.extra", LossClass::kDropped,
     "data that only the source's format can hold"},
};

// For a log that comes from a log.
inline constexpr FidelityRow kCutLine = {
    Feature::kExtra, "netcf.line.cut", LossClass::kDropped,
    "a last line that may be cut: with a line end it would be a record"};

inline constexpr SynthesizedRow kMadeId = {
    "netcf.node.id", "ids of objects: their position, from 1"};
inline constexpr SynthesizedRow kKindType = {
    "netcf.type.kind", "types for the kinds of objects that have no class"};
inline constexpr SynthesizedRow kTypeName = {"netcf.type.name",
                                             "a name for a class without one"};
inline constexpr SynthesizedRow kGraphName = {
    "netcf.graph.name", "a name for an application domain without one"};
inline constexpr SynthesizedRow kSynthesized[] = {kMadeId, kKindType, kTypeName,
                                                  kGraphName};

// Counts losses.
class Losses {
 public:
  void Add(Loss loss, std::uint64_t count = 1) {
    tallies_[static_cast<std::size_t>(loss)].count += count;
  }
  void AddIf(bool condition, Loss loss) { Add(loss, condition ? 1 : 0); }
  // The same, for the node with this index.
  void AddNode(bool condition, Loss loss, std::uint64_t node) {
    if (condition) tallies_[static_cast<std::size_t>(loss)].Add(node);
  }

  void Report(LossReport& report) const;

 private:
  std::array<LossTally, kLosses> tallies_;
};

}  // namespace heapglot::netcf

#endif  // HEAPGLOT_WRITERS_NETCF_NETCF_LOSSES_H_
