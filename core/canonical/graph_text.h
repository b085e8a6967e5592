// What things are called in a canonical graph, as hashes.
#ifndef HEAPGLOT_CORE_CANONICAL_GRAPH_TEXT_H_
#define HEAPGLOT_CORE_CANONICAL_GRAPH_TEXT_H_

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/ir/checksum.h"
#include "heapglot/stream.h"

namespace heapglot {

// The strings of a stream, and the words and classes of the graph that one is in.
// Memory: 16 bytes a string and a class.
class GraphText {
 public:
  struct EdgeWord {
    Hash128 hash;
    std::uint32_t name_form = 0;
    bool is_synthesized = false;
  };

  void BeginGraph(const pb::Graph& graph);
  void AddStrings(const pb::Strings& strings);
  void AddVocabulary(const pb::Vocabulary& vocabulary);
  void AddTypes(const pb::Types& types);

  // Of the bytes of a string, whatever its encoding.
  Hash128 Text(std::uint64_t string) const {
    return string < texts_.size() ? texts_[string] : Hash128();
  }
  // Of the name of this graph.
  const Hash128& graph_name() const { return graph_name_; }
  // Of a kind: what it means, or the source's own word where that is OTHER.
  Hash128 Word(pb::Vocabulary::Space space, std::uint64_t kind) const {
    return kind < words_[space].size() ? words_[space][kind] : Hash128();
  }
  const EdgeWord& Edge(std::uint32_t kind) const {
    return kind < edges_.size() ? edges_[kind] : no_edge_;
  }
  // Of name and library of a class; `ref` is its index + 1.
  Hash128 Class(std::uint64_t ref, bool is_dangling) const;
  // Of a value that is no node: what sort of thing it is, and which.
  Hash128 Value(std::uint32_t form, std::uint64_t value) const;

 private:
  std::vector<Hash128> texts_ = {Hash128Of({})};
  Digest128 pieces_;
  bool in_pieces_ = false;
  Hash128 graph_name_;
  std::array<std::vector<Hash128>, pb::Vocabulary::Space_ARRAYSIZE> words_;
  std::vector<EdgeWord> edges_;
  EdgeWord no_edge_;
  std::vector<Hash128> classes_;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_CANONICAL_GRAPH_TEXT_H_
