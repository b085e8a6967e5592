#include "writers/dartheap/dartheap_losses.h"

#include <cstdlib>

namespace heapglot::dartheap {
namespace {

std::uint64_t IsThere(const pb::Text& text) {
  return text.data().empty() ? 0 : 1;
}

}  // namespace

void Losses::Lose(std::string_view code, std::uint64_t count,
                  const std::vector<std::uint64_t>& examples) {
  if (count == 0) return;
  for (const FidelityRow& row : kFidelity) {
    if (row.code != code) continue;
    report_.Add(code, row.loss_class, count, row.note, examples);
    return;
  }
  std::abort();  // a code that is not declared is a bug
}

void Losses::LoseTables(const pb::GraphEnd& totals) {
  Lose("dartheap.value.named", totals.values());
  Lose("dartheap.locations", totals.locations());
  Lose("dartheap.traces", totals.trace_functions() + totals.trace_nodes());
  Lose("dartheap.samples", totals.samples());
  Lose("dartheap.stack_frames", totals.stack_frames());
  Lose("dartheap.threads", totals.threads());
}

void Losses::LoseGraph(const pb::Graph& graph) {
  Lose("dartheap.graph.text",
       IsThere(graph.source_version()) + IsThere(graph.timestamp()) +
           IsThere(graph.end_name()) + IsThere(graph.end_timestamp()) +
           (graph.has_extra_native_bytes() ? 1 : 0));
  Lose("dartheap.graph.flags", graph.flags() != 0 ? 1 : 0);
}

}  // namespace heapglot::dartheap
