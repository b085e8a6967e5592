#include "writers/dartheap/dartheap_losses.h"

#include <cstdlib>

namespace heapglot::dartheap {

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
  Lose("dartheap.location", totals.locations());
  Lose("dartheap.trace",
       totals.trace_functions() + totals.trace_nodes() + totals.samples());
  Lose("dartheap.stack", totals.stack_frames() + totals.threads());
}

}  // namespace heapglot::dartheap
