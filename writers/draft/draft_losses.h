// What becomes of streams of other formats in records of the draft.
#ifndef HEAPGLOT_WRITERS_DRAFT_DRAFT_LOSSES_H_
#define HEAPGLOT_WRITERS_DRAFT_DRAFT_LOSSES_H_

#include <array>
#include <cstddef>
#include <iterator>
#include <string_view>

#include "heapglot/feature.h"

namespace heapglot::draft {

// What becomes of each feature. A row with the code of its feature is the rule;
// the others are special cases. kEmbedded: in records and fields of the
// namespace hg., which programs other than heapglot skip. FidelityOf puts the
// name of the form before the codes.
inline constexpr FidelityRow kDraftFidelity[] = {
    {Feature::kNode, "node", LossClass::kExact, "a node"},
    {Feature::kNodeId, "node.id", LossClass::kEmbedded,
     "in hg.id; identifiers are odd numbers of the file"},
    {Feature::kNodeKind, "node.kind", LossClass::kEquivalent,
     "as subtypes; the draft has most, others are namespaced"},
    {Feature::kNodeName, "node.name", LossClass::kEmbedded, "in hg.name"},
    {Feature::kNodeSelfSize, "node.self_size", LossClass::kEmbedded,
     "in hg.size"},
    {Feature::kNodeIdentityHash, "node.identity_hash", LossClass::kEmbedded,
     "in hg.identity_hash"},
    {Feature::kNodeDetachedness, "node.detachedness", LossClass::kEmbedded,
     "in hg.detachedness"},
    {Feature::kNodeTrace, "node.trace", LossClass::kEmbedded,
     "in hg.trace_node and hg.stack_frame"},
    {Feature::kNodeHeapSpace, "node.heap_space", LossClass::kEmbedded,
     "in hg.heap_space"},
    {Feature::kNodePhantom, "node.phantom", LossClass::kEmbedded,
     "in hg.flags"},
    {Feature::kNodeExtra, "node.extra", LossClass::kEmbedded,
     "as records hg.column"},
    {Feature::kNodeExtra, "node.extra.excess", LossClass::kDropped,
     "fields of nodes specific to the source's format beyond 32"},
    {Feature::kType, "type", LossClass::kEmbedded,
     "in hg.type, and records of that name"},
    {Feature::kTypeId, "type.id", LossClass::kEmbedded, "in records hg.type"},
    {Feature::kTypeDangling, "type.dangling", LossClass::kEmbedded,
     "in hg.type and hg.flags"},
    {Feature::kTypeLibrary, "type.library", LossClass::kEmbedded,
     "in records hg.type"},
    {Feature::kTypeFields, "type.fields", LossClass::kEmbedded,
     "as records hg.type_field"},
    {Feature::kTypeRelation, "type.relation", LossClass::kEmbedded,
     "in records hg.type"},
    {Feature::kTypeDetail, "type.detail", LossClass::kEmbedded,
     "in records hg.type and hg.type_field"},
    {Feature::kValueConstant, "value.constant", LossClass::kExact,
     "as oddballs"},
    {Feature::kValueInteger, "value.integer", LossClass::kEmbedded,
     "rounded to a double, and exact in hg.value"},
    {Feature::kValueDouble, "value.double", LossClass::kExact,
     "as the value of a heap number, all bits"},
    {Feature::kValueText, "value.text", LossClass::kExact,
     "as data of a string"},
    {Feature::kValueCut, "value.cut", LossClass::kEmbedded, "in hg.length"},
    {Feature::kValueName, "value.name", LossClass::kEmbedded, "in hg.text"},
    {Feature::kValueLength, "value.length", LossClass::kEmbedded,
     "as length of an array, else in hg.value"},
    {Feature::kValueOther, "value.other", LossClass::kEmbedded,
     "in hg.value and hg.text"},
    {Feature::kValueNamed, "value.named", LossClass::kEmbedded,
     "as records hg.value"},
    {Feature::kValueNamed, "value.named.early", LossClass::kDropped,
     "values of an edge that come before it"},
    {Feature::kStringEncoding, "string.encoding", LossClass::kEmbedded,
     "U+FFFD as text, and exact in hg.utf16le or hg.bytes"},
    {Feature::kStringId, "string.id", LossClass::kDropped,
     "strings are renumbered"},
    {Feature::kEdge, "edge", LossClass::kExact, "an edge"},
    {Feature::kEdgeOrder, "edge.order", LossClass::kExact,
     "edges are in the order of the source"},
    {Feature::kEdgeScattered, "edge.scattered", LossClass::kExact,
     "edges are in the order of the source"},
    {Feature::kEdgeName, "edge.name", LossClass::kExact, "as a label"},
    {Feature::kEdgeIndex, "edge.index", LossClass::kEquivalent,
     "as a label in decimal digits; beyond 2^52 in hg.number"},
    {Feature::kEdgeKind, "edge.kind", LossClass::kEquivalent,
     "as subtypes; those that the draft does not have are namespaced"},
    {Feature::kEdgeWeak, "edge.weak", LossClass::kEquivalent,
     "as a subtype of its own"},
    {Feature::kEdgeOmitted, "edge.omitted", LossClass::kEquivalent,
     "as an edge without a dest"},
    {Feature::kEdgeDangling, "edge.dangling", LossClass::kEmbedded,
     "in hg.dangling; the edge has no dest"},
    {Feature::kEdgeImmediate, "edge.immediate", LossClass::kExact,
     "as a small integer"},
    {Feature::kEdgeImmediate, "edge.immediate.wide", LossClass::kDropped,
     "a small integer of 64 bits is left out"},
    {Feature::kEdgeExtra, "edge.extra", LossClass::kEmbedded,
     "as records hg.column"},
    {Feature::kEdgeExtra, "edge.extra.excess", LossClass::kDropped,
     "fields of edges that no schema announces, and those beyond 32"},
    {Feature::kRoot, "root", LossClass::kEmbedded, "as records hg.root"},
    {Feature::kRootKind, "root.kind", LossClass::kEmbedded,
     "in records hg.root and hg.word"},
    {Feature::kRootDetail, "root.detail", LossClass::kEmbedded,
     "in records hg.root"},
    {Feature::kRootDangling, "root.dangling", LossClass::kEmbedded,
     "in records hg.root"},
    {Feature::kExternal, "external", LossClass::kEmbedded,
     "as records hg.external"},
    {Feature::kLocation, "location", LossClass::kEmbedded,
     "as records hg.location"},
    {Feature::kTrace, "trace", LossClass::kEmbedded,
     "as records hg.trace_function, hg.trace_node, hg.sample"},
    {Feature::kStack, "stack", LossClass::kEmbedded,
     "as records hg.stack_frame, hg.stack_thread"},
    {Feature::kGraphName, "graph.name", LossClass::kEmbedded, "in hg.graph"},
    {Feature::kGraphSeveral, "graph.several", LossClass::kEmbedded,
     "as heaps by hg.heap, each after its hg.graph"},
    {Feature::kGraphRoot, "graph.root", LossClass::kEmbedded, "in hg.graph"},
    {Feature::kGraphTotals, "graph.totals", LossClass::kEmbedded,
     "in hg.graph"},
    {Feature::kGraphDetail, "graph.detail", LossClass::kEmbedded,
     "in hg.graph"},
    {Feature::kGraphDetail, "graph.text", LossClass::kApproximated,
     "what is not UTF-8 in texts of a graph becomes U+FFFD"},
    {Feature::kMetadata, "metadata", LossClass::kExact, "as metadata"},
    {Feature::kMetadata, "metadata.marks", LossClass::kApproximated,
     "only key and value are kept; what is not UTF-8 becomes U+FFFD"},
    {Feature::kExtra, "extra", LossClass::kEmbedded,
     "as records hg.extra and hg.column"},
    {Feature::kExtra, "extra.excess", LossClass::kDropped,
     "columns beyond 32 of a table that only one format has"},
};

// kDraftFidelity for the form kName: "edge.name" becomes "ndjson.edge.name".
template <const std::string_view& kName>
class FidelityOf {
  static constexpr std::size_t kRows = std::size(kDraftFidelity);
  static constexpr std::size_t kMaxCode = 48;
  using Text = std::array<char, kMaxCode>;

  static constexpr std::array<Text, kRows> MakeCodes() {
    std::array<Text, kRows> codes{};
    for (std::size_t i = 0; i < kRows; ++i) {
      std::size_t at = 0;
      for (const char letter : kName) codes[i][at++] = letter;
      codes[i][at++] = '.';
      for (const char letter : kDraftFidelity[i].code) codes[i][at++] = letter;
    }
    return codes;
  }
  static constexpr std::array<Text, kRows> kCodes = MakeCodes();

  static constexpr std::array<FidelityRow, kRows> MakeTable() {
    std::array<FidelityRow, kRows> rows{};
    for (std::size_t i = 0; i < kRows; ++i) {
      rows[i] = kDraftFidelity[i];
      rows[i].code = std::string_view(
          kCodes[i].data(), kName.size() + 1 + kDraftFidelity[i].code.size());
    }
    return rows;
  }

 public:
  static constexpr std::array<FidelityRow, kRows> kTable = MakeTable();
};

}  // namespace heapglot::draft

#endif  // HEAPGLOT_WRITERS_DRAFT_DRAFT_LOSSES_H_
