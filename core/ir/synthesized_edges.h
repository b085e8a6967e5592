// Edges that a converter has added.
#ifndef HEAPGLOT_CORE_IR_SYNTHESIZED_EDGES_H_
#define HEAPGLOT_CORE_IR_SYNTHESIZED_EDGES_H_

#include <cstdint>
#include <vector>

#include "core/column.h"
#include "core/ir/word_count.h"
#include "heapglot/stream.h"

namespace heapglot {

// Edges of a graph that are EDGE_SYNTHESIZED, by themselves or by their kind.
// Memory: one byte per kind of edge.
class SynthesizedEdges {
 public:
  // Kinds must be added before edges.
  void Add(const pb::Vocabulary& vocabulary) {
    if (vocabulary.space() != pb::Vocabulary::EDGE_KIND) return;
    const int rows = WordCount(vocabulary);
    for (int i = 0; i < rows; ++i)
      kinds_.push_back(IsSet(At(vocabulary.edge_flags(), i)) ? 1 : 0);
    while (first_kind_ < kinds_.size() && kinds_[first_kind_] == 0)
      ++first_kind_;
  }

  // Whether all edges of that kind are synthesized.
  bool HasKind(std::uint32_t kind) const {
    return kind < kinds_.size() && kinds_[kind] != 0;
  }
  bool Has(const pb::Edges& edges, int row) const {
    return IsSet(At(edges.flags(), row)) || HasKind(At(edges.kind(), row));
  }
  // The first such kind; if there is none, the number of kinds.
  std::uint64_t first_kind() const { return first_kind_; }
  bool has_kinds() const { return first_kind_ < kinds_.size(); }

  std::uint64_t CountIn(const pb::Edges& edges) const {
    std::uint64_t count = 0;
    if (!edges.flags().empty()) {
      for (int row = 0; row < static_cast<int>(edges.count()); ++row)
        count += Has(edges, row) ? 1 : 0;
    } else if (edges.kind().empty()) {
      count = HasKind(0) ? edges.count() : 0;
    } else if (has_kinds()) {
      for (const std::uint32_t kind : edges.kind())
        count += HasKind(kind) ? 1 : 0;
    }
    return count;
  }

 private:
  static bool IsSet(std::uint32_t flags) {
    return (flags & pb::EDGE_SYNTHESIZED) != 0;
  }

  std::vector<unsigned char> kinds_;
  std::uint64_t first_kind_ = 0;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_IR_SYNTHESIZED_EDGES_H_
