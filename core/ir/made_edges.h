// The edges that a reader made.
#ifndef HEAPGLOT_CORE_IR_MADE_EDGES_H_
#define HEAPGLOT_CORE_IR_MADE_EDGES_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/column.h"
#include "heapglot/stream.h"

namespace heapglot {

// Counts the edges of a graph that its source does not have as such
// (EDGE_SYNTHESIZED): the items of a container, the fields of a record. Totals of
// GraphEnd include them. Memory: a bit for each kind of edge.
class MadeEdges {
 public:
  static constexpr ChunkSet kWanted = {pb::Chunk::kVocabulary,
                                       pb::Chunk::kEdges};

  void Add(const pb::Vocabulary& vocabulary) {
    if (vocabulary.space() != pb::Vocabulary::EDGE_KIND) return;
    const int rows = std::max(vocabulary.known_size(), vocabulary.name_size());
    for (int i = 0; i < rows; ++i)
      kinds_.push_back(
          (At(vocabulary.edge_flags(), i) & pb::EDGE_SYNTHESIZED) != 0);
  }
  // Whether there may be any, by what the kinds say.
  bool HasKind() const {
    return std::find(kinds_.begin(), kinds_.end(), true) != kinds_.end();
  }
  void Add(const pb::Edges& edges) {
    if (edges.flags().empty() && !HasKind()) return;
    for (int row = 0; row < static_cast<int>(edges.count()); ++row) {
      const std::uint32_t kind = At(edges.kind(), row);
      count_ += (At(edges.flags(), row) & pb::EDGE_SYNTHESIZED) != 0 ||
                (kind < kinds_.size() && kinds_[kind]);
    }
  }

  std::uint64_t count() const { return count_; }

 private:
  std::vector<bool> kinds_;
  std::uint64_t count_ = 0;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_IR_MADE_EDGES_H_
