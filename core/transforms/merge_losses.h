// What several graphs say and one graph has no place for.
#ifndef HEAPGLOT_CORE_TRANSFORMS_MERGE_LOSSES_H_
#define HEAPGLOT_CORE_TRANSFORMS_MERGE_LOSSES_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/transforms/merge_plan.h"
#include "heapglot/context.h"
#include "heapglot/stream.h"

namespace heapglot {

// Counts under the codes of kMergeGraphsFidelity, over all passes of one
// stream. Each kind of chunk is counted only in the first pass that asks for
// it.
class MergeLosses {
 public:
  void BeginPass(ChunkSet wanted) {
    counting_ = wanted.Without(counted_);
    counts_.fill(0);
  }
  // The chunks that follow are of this graph. `merged` is what all graphs
  // become.
  void BeginGraph(const pb::Graph& graph, const GraphMerge& merge,
                  const pb::Graph& merged);
  // A chunk of the graph, as it was before the merge.
  void Add(const pb::Chunk& chunk);
  // Reports what the pass has lost; to be called only if it came to its end.
  void EndPass(LossReport* loss);

 private:
  // Positions in kMergeGraphsFidelity.
  enum Row {
    kGraphName,
    kGraphRoot,
    kGraphTotals,
    kGraphSchema,
    kGraphFields,
    kTypeId,
    kNodeId,
    kTraceId,
    kExtra,
    kExtraTable,
    kRows
  };

  ChunkSet counted_;   // in earlier passes
  ChunkSet counting_;  // in this one
  std::array<std::uint64_t, kRows> counts_{};
  bool shifts_trace_ids_ = false;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TRANSFORMS_MERGE_LOSSES_H_
