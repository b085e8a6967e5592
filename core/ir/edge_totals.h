// Totals of the edges of a graph.
#ifndef HEAPGLOT_CORE_IR_EDGE_TOTALS_H_
#define HEAPGLOT_CORE_IR_EDGE_TOTALS_H_

#include <cstdint>

#include "core/ir/synthesized_edges.h"
#include "heapglot/stream.h"

namespace heapglot {

// Counts what GraphEnd states about edges, except for their total number.
// Memory: one byte per kind of edge.
class EdgeTotals {
 public:
  std::uint64_t omitted = 0;
  std::uint64_t dangling = 0;
  std::uint64_t immediate = 0;
  std::uint64_t synthesized = 0;

  // Kinds must be added before edges.
  void Add(const pb::Vocabulary& vocabulary) {
    synthesized_edges_.Add(vocabulary);
  }
  void Add(const pb::Edges& edges) {
    for (const std::uint32_t form : edges.to_form()) {
      omitted += form == pb::TO_OMITTED ? 1 : 0;
      dangling += form == pb::TO_DANGLING ? 1 : 0;
      immediate += form == pb::TO_IMMEDIATE ? 1 : 0;
    }
    synthesized += synthesized_edges_.CountIn(edges);
  }
  void Store(pb::GraphEnd* end) const {
    end->set_edges_omitted(omitted);
    end->set_edges_dangling(dangling);
    end->set_edges_immediate(immediate);
    end->set_edges_synthesized(synthesized);
  }

 private:
  SynthesizedEdges synthesized_edges_;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_IR_EDGE_TOTALS_H_
