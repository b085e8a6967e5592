// Totals of the edges of a graph.
#ifndef HEAPGLOT_CORE_IR_EDGE_TOTALS_H_
#define HEAPGLOT_CORE_IR_EDGE_TOTALS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/column.h"
#include "heapglot/stream.h"

namespace heapglot {

// Counts what GraphEnd says of the edges besides how many there are. Memory: a bit
// for each kind of edge.
class EdgeTotals {
 public:
  std::uint64_t omitted = 0;
  std::uint64_t dangling = 0;
  std::uint64_t immediate = 0;
  std::uint64_t synthesized = 0;

  // Kinds come before edges.
  void Add(const pb::Vocabulary& vocabulary) {
    if (vocabulary.space() != pb::Vocabulary::EDGE_KIND) return;
    const int rows = std::max(vocabulary.known_size(), vocabulary.name_size());
    for (int i = 0; i < rows; ++i) {
      made_kinds_.push_back(
          (At(vocabulary.edge_flags(), i) & pb::EDGE_SYNTHESIZED) != 0);
      has_made_kind_ = has_made_kind_ || made_kinds_.back();
    }
  }
  void Add(const pb::Edges& edges) {
    for (const std::uint32_t form : edges.to_form()) {
      omitted += form == pb::TO_OMITTED ? 1 : 0;
      dangling += form == pb::TO_DANGLING ? 1 : 0;
      immediate += form == pb::TO_IMMEDIATE ? 1 : 0;
    }
    if (!edges.flags().empty()) {
      for (int row = 0; row < static_cast<int>(edges.count()); ++row) {
        const bool is_made =
            (At(edges.flags(), row) & pb::EDGE_SYNTHESIZED) != 0 ||
            IsMade(At(edges.kind(), row));
        synthesized += is_made ? 1 : 0;
      }
    } else if (has_made_kind_ && edges.kind().empty()) {
      synthesized += IsMade(0) ? edges.count() : 0;
    } else if (has_made_kind_) {
      for (const std::uint32_t kind : edges.kind())
        synthesized += IsMade(kind) ? 1 : 0;
    }
  }
  void Store(pb::GraphEnd* end) const {
    end->set_edges_omitted(omitted);
    end->set_edges_dangling(dangling);
    end->set_edges_immediate(immediate);
    end->set_edges_synthesized(synthesized);
  }

 private:
  bool IsMade(std::uint32_t kind) const {
    return kind < made_kinds_.size() && made_kinds_[kind];
  }

  std::vector<bool> made_kinds_;
  bool has_made_kind_ = false;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_IR_EDGE_TOTALS_H_
