// What several graphs say that one graph has no place for.
#ifndef HEAPGLOT_CORE_TRANSFORMS_MERGE_LOSSES_H_
#define HEAPGLOT_CORE_TRANSFORMS_MERGE_LOSSES_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/transforms/merge_plan.h"
#include "heapglot/context.h"
#include "heapglot/stream.h"

namespace heapglot {

// Counts under the codes of kMergeGraphsFidelity, over all passes of one stream, and each kind of chunk in one pass only:
// the first that asks for it.
class MergeLosses {
 public:
  void BeginPass(ChunkSet wanted) {
    counting_ = wanted.Without(counted_);
    counts_.fill(0);
  }
  // What comes now is of this graph. `merged` is what becomes of all of them.
  void BeginGraph(const pb::Graph& graph, const GraphMerge& merge,
                  const pb::Graph& merged);
  // A chunk of a graph, as it was before the merge.
  void Add(const pb::Chunk& chunk);
  // Reports what the pass has lost; to be called if it came to its end.
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

  ChunkSet counted_;   // in passes before
  ChunkSet counting_;  // in this one
  std::array<std::uint64_t, kRows> counts_{};
  bool shifts_trace_ids_ = false;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TRANSFORMS_MERGE_LOSSES_H_
