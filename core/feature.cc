#include "heapglot/feature.h"

#include <array>

namespace heapglot {
namespace {

struct Row {
  Feature feature;
  std::string_view key;
  std::string_view title;
};

constexpr std::array<Row, kFeatures> kTable = {{
    // Nodes
    {Feature::kNode, "node", "objects"},
    {Feature::kNodeId, "node.id", "ids of objects"},
    {Feature::kNodeKind, "node.kind", "what an object is: string, code, ..."},
    {Feature::kNodeName, "node.name", "names of objects"},
    {Feature::kNodeSelfSize, "node.self_size", "sizes of objects"},
    {Feature::kNodeIdentityHash, "node.identity_hash", "identity hash codes"},
    {Feature::kNodeDetachedness, "node.detachedness", "detached or not"},
    {Feature::kNodeTrace, "node.trace", "where objects were allocated"},
    {Feature::kNodeHeapSpace, "node.heap_space", "spaces of the heap"},
    {Feature::kNodePhantom, "node.phantom",
     "objects that are only referred to"},
    {Feature::kNodeExtra, "node.extra", "source-specific fields of objects"},
    // Types
    {Feature::kType, "type", "classes of objects"},
    {Feature::kTypeId, "type.id", "ids of classes"},
    {Feature::kTypeDangling, "type.dangling", "undefined classes"},
    {Feature::kTypeLibrary, "type.library", "libraries of classes"},
    {Feature::kTypeFields, "type.fields", "declared fields of classes"},
    {Feature::kTypeRelation, "type.relation", "superclasses, modules, loaders"},
    {Feature::kTypeDetail, "type.detail", "flags and other details of classes"},
    // Nodes.value, Values, Strings
    {Feature::kValueConstant, "value.constant", "null, true and false"},
    {Feature::kValueInteger, "value.integer", "integers"},
    {Feature::kValueDouble, "value.double", "floating-point numbers"},
    {Feature::kValueText, "value.text", "texts of strings"},
    {Feature::kValueCut, "value.cut", "full lengths of truncated texts"},
    {Feature::kValueName, "value.name", "names that are values"},
    {Feature::kValueLength, "value.length",
     "stated lengths of arrays and lists"},
    {Feature::kValueOther, "value.other", "other values: nodes, bytes, JSON"},
    {Feature::kValueNamed, "value.named", "additional values with names"},
    {Feature::kStringEncoding, "string.encoding",
     "texts that are not valid Unicode"},
    {Feature::kStringId, "string.id", "ids of strings"},
    // Edges
    {Feature::kEdge, "edge", "references"},
    {Feature::kEdgeOrder, "edge.order", "order of an object's references"},
    {Feature::kEdgeScattered, "edge.scattered",
     "order of references across objects"},
    {Feature::kEdgeName, "edge.name", "names of references"},
    {Feature::kEdgeIndex, "edge.index", "indices of references"},
    {Feature::kEdgeKind, "edge.kind", "kinds of references"},
    {Feature::kEdgeWeak, "edge.weak", "weak references"},
    {Feature::kEdgeOmitted, "edge.omitted", "references to omitted objects"},
    {Feature::kEdgeDangling, "edge.dangling", "references to missing objects"},
    {Feature::kEdgeImmediate, "edge.immediate",
     "references that are small integers"},
    {Feature::kEdgeExtra, "edge.extra", "source-specific fields of references"},
    // Roots
    {Feature::kRoot, "root", "roots"},
    {Feature::kRootKind, "root.kind", "kinds of roots"},
    {Feature::kRootDetail, "root.detail", "flags, holders, labels of roots"},
    {Feature::kRootDangling, "root.dangling", "roots that refer to no object"},
    // Other tables
    {Feature::kExternal, "external", "memory outside the heap"},
    {Feature::kLocation, "location", "locations in scripts"},
    {Feature::kTrace, "trace", "allocation traces and samples"},
    {Feature::kStack, "stack", "stack frames and threads"},
    // The graph
    {Feature::kGraphName, "graph.name", "name of the heap"},
    {Feature::kGraphSeveral, "graph.several", "several heaps in a dump"},
    {Feature::kGraphRoot, "graph.root", "the node above all roots"},
    {Feature::kGraphTotals, "graph.totals", "totals stated by the source"},
    {Feature::kGraphDetail, "graph.detail", "flags, version, times"},
    {Feature::kMetadata, "metadata", "metadata"},
    {Feature::kExtra, "extra", "other source-specific data"},
}};

constexpr bool IsInOrder() {
  for (std::size_t i = 0; i < kFeatures; ++i) {
    if (static_cast<std::size_t>(kTable[i].feature) != i) return false;
  }
  return true;
}
static_assert(IsInOrder());

}  // namespace

std::string_view Key(Feature feature) {
  return kTable[static_cast<std::size_t>(feature)].key;
}

std::string_view Title(Feature feature) {
  return kTable[static_cast<std::size_t>(feature)].title;
}

bool IsRule(const FidelityRow& row, std::string_view target) {
  const std::string_view key = Key(row.feature);
  return row.code.size() == target.size() + 1 + key.size() &&
         row.code.starts_with(target) && row.code[target.size()] == '.' &&
         row.code.ends_with(key);
}

}  // namespace heapglot
