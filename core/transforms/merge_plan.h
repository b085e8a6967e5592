// What must be known about all graphs of a stream before they can be merged.
#ifndef HEAPGLOT_CORE_TRANSFORMS_MERGE_PLAN_H_
#define HEAPGLOT_CORE_TRANSFORMS_MERGE_PLAN_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "heapglot/stream.h"

namespace heapglot {

inline constexpr std::size_t kVocabularies = pb::Vocabulary::Space_ARRAYSIZE;

// A word of the merged vocabulary. `name` is an index into MergePlan::names.
struct MergedWord {
  std::uint64_t name = 0;
  std::uint32_t known = 0;
  std::int64_t source_code = 0;
  std::uint32_t name_form = 0;
  std::uint32_t edge_flags = 0;

  bool operator<(const MergedWord& other) const {
    const auto fields = [](const MergedWord& it) {
      return std::tie(it.name, it.known, it.source_code, it.name_form,
                      it.edge_flags);
    };
    return fields(*this) < fields(other);
  }
};

// How one graph is merged.
struct GraphMerge {
  // Where its kinds are in MergePlan::kinds: those of a vocabulary begin at the
  // entry of its space and end at the next entry.
  std::array<std::uint64_t, kVocabularies + 1> kinds_begin{};
  std::uint32_t root_kind = 0;  // of Graph.root_ref, if there is one
  std::uint64_t trace_ids = 0;  // to be added to the ids of its trace nodes
};

struct MergePlan {
  pb::Graph graph;  // the merged one
  std::vector<GraphMerge> graphs;
  // For each kind of each graph, its number in the merged vocabulary.
  std::vector<std::uint32_t> kinds;
  std::array<std::vector<MergedWord>, kVocabularies> words;
  // Names of words; entry i is string i. Entry 0 is the empty one.
  std::vector<std::string> names;

  // The new number of a kind of the graph that `merge` belongs to.
  std::uint32_t NewKind(const GraphMerge& merge, pb::Vocabulary::Space space,
                        std::uint32_t kind) const {
    const std::uint64_t begin = merge.kinds_begin[space];
    const std::uint64_t end = merge.kinds_begin[space + 1];
    if (begin + kind < end) return kinds[begin + kind];
    return begin < end ? kinds[begin] : 0;
  }
  std::uint32_t NameForm(std::uint32_t edge_kind) const {
    const auto& edge_words = words[pb::Vocabulary::EDGE_KIND];
    return edge_kind < edge_words.size() ? edge_words[edge_kind].name_form : 0;
  }
};

// Reads `reader` once if it has one graph, otherwise twice. For one graph, only
// MergePlan::graphs is set. Errors: those of `reader`.
Status PlanMerge(Reader& reader, MergePlan* plan);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TRANSFORMS_MERGE_PLAN_H_
