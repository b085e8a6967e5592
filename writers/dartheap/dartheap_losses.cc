#include "writers/dartheap/dartheap_losses.h"

namespace heapglot::dartheap {

void Losses::LoseTables(const pb::GraphEnd& totals) {
  Lose("dartheap.value.named", totals.values());
  Lose("dartheap.location", totals.locations());
  Lose("dartheap.trace",
       totals.trace_functions() + totals.trace_nodes() + totals.samples());
  Lose("dartheap.stack", totals.stack_frames() + totals.threads());
}

}  // namespace heapglot::dartheap
