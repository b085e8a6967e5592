#include "core/transforms/merge_losses.h"

#include <iterator>

#include "core/transforms/merge_graphs.h"

namespace heapglot {
namespace {

using Body = pb::Chunk::BodyCase;

// In the order of MergeLosses::Row.
constexpr FidelityRow kTable[] = {
    {Feature::kGraphName, "merge_graphs.graph.name", LossClass::kApproximated,
     "the names of the heaps become one name, and part of root kinds"},
    {Feature::kGraphRoot, "merge_graphs.graph.root", LossClass::kApproximated,
     "the node above the roots of a heap becomes a root like the others"},
    {Feature::kGraphTotals, "merge_graphs.graph.totals", LossClass::kDropped,
     "totals stated for each heap"},
    {Feature::kExtra, "merge_graphs.graph.schema", LossClass::kDropped,
     "the columns that the tables of a heap have in the source"},
    {Feature::kGraphDetail, "merge_graphs.graph.fields", LossClass::kDropped,
     "flags, pointer size, version and times in which the heaps differ"},
    {Feature::kTypeId, "merge_graphs.type.id", LossClass::kDropped,
     "ids of classes, which are unique only within a heap"},
    {Feature::kNodeId, "merge_graphs.node.id", LossClass::kDropped,
     "ids of nodes, which are unique only within a heap"},
    {Feature::kTrace, "merge_graphs.trace.id", LossClass::kApproximated,
     "ids of trace nodes are shifted past those of the previous heap"},
    {Feature::kExtra, "merge_graphs.extra", LossClass::kDropped,
     "sections of a heap that only the source's format can hold"},
    {Feature::kExtra, "merge_graphs.extra_table", LossClass::kDropped,
     "rows of a heap's tables that only the source's format has"},
};

std::uint64_t TotalsIn(const pb::Graph& graph) {
  std::uint64_t totals = 0;
  for (const bool is_stated :
       {graph.has_self_size_total(), graph.has_capacity(),
        graph.has_external_size_total(), graph.has_edge_count(),
        graph.has_node_count(), graph.has_trace_function_count(),
        graph.has_extra_native_bytes(), graph.has_has_identity_hashes()}) {
    totals += is_stated ? 1 : 0;
  }
  return totals;
}

bool HasSchema(const pb::Graph& graph) {
  return graph.node_schema_size() != 0 || graph.edge_schema_size() != 0 ||
         graph.location_schema_size() != 0 || graph.sample_schema_size() != 0 ||
         graph.trace_function_schema_size() != 0 ||
         graph.trace_node_schema_size() != 0;
}

// Counts fields that say something else, or nothing, in the merged graph.
std::uint64_t FieldsLost(const pb::Graph& graph, const pb::Graph& merged) {
  std::uint64_t lost = graph.flags() != merged.flags() ? 1 : 0;
  lost += graph.pointer_size() != merged.pointer_size() ? 1 : 0;
  const auto compare = [&lost](const pb::Text& text, const pb::Text& kept) {
    lost += text.data() != kept.data() ? 1 : 0;
  };
  compare(graph.source_version(), merged.source_version());
  compare(graph.timestamp(), merged.timestamp());
  compare(graph.end_name(), merged.end_name());
  compare(graph.end_timestamp(), merged.end_timestamp());
  return lost;
}

}  // namespace

constinit const std::span<const FidelityRow> kMergeGraphsFidelity = kTable;

void MergeLosses::BeginGraph(const pb::Graph& graph, const GraphMerge& merge,
                             const pb::Graph& merged) {
  shifts_trace_ids_ = merge.trace_ids != 0;
  if (!counting_.Has(Body::kGraph)) return;
  counts_[kGraphName] += graph.name().data().empty() ? 0 : 1;
  counts_[kGraphRoot] += graph.root_ref() == 0 ? 0 : 1;
  counts_[kGraphTotals] += TotalsIn(graph);
  counts_[kGraphSchema] += HasSchema(graph) ? 1 : 0;
  counts_[kGraphFields] += FieldsLost(graph, merged);
}

void MergeLosses::Add(const pb::Chunk& chunk) {
  if (!counting_.Has(chunk.body_case())) return;
  switch (chunk.body_case()) {
    case Body::kTypes:
      counts_[kTypeId] += static_cast<std::uint64_t>(chunk.types().id_size());
      break;
    case Body::kNodes:
      counts_[kNodeId] += static_cast<std::uint64_t>(chunk.nodes().id_size());
      break;
    case Body::kTraceNodes:
      if (shifts_trace_ids_) counts_[kTraceId] += chunk.trace_nodes().count();
      break;
    case Body::kExtra:
      // The pieces of a section count as one.
      counts_[kExtra] += chunk.extra().continued() ? 0 : 1;
      break;
    case Body::kExtraTable:
      counts_[kExtraTable] += chunk.extra_table().count();
      break;
    default:
      break;
  }
}

void MergeLosses::EndPass(LossReport* loss) {
  static_assert(std::size(kTable) == kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    const FidelityRow& row = kTable[i];
    loss->Add(row.code, row.loss_class, counts_[i], row.note);
  }
  counted_ = counted_ | counting_;
}

}  // namespace heapglot
