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

// The strings of a stream, and the words and classes of the current graph.
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

  // The hash of the bytes of a string, whatever its encoding.
  Hash128 Text(std::uint64_t string) const {
    return string < texts_.size() ? texts_[string] : Hash128();
  }
  // The hash of the name of this graph.
  const Hash128& graph_name() const { return graph_name_; }
  // The hash of a kind: of its meaning, or of the source's own word if that is
  // OTHER.
  Hash128 Word(pb::Vocabulary::Space space, std::uint64_t kind) const {
    return kind < words_[space].size() ? words_[space][kind] : Hash128();
  }
  const EdgeWord& Edge(std::uint32_t kind) const {
    return kind < edges_.size() ? edges_[kind] : no_edge_;
  }
  // The hash of name and library of a class; `ref` is its index + 1.
  Hash128 Class(std::uint64_t ref, bool is_dangling) const;
  // The hash of a value that is not a node: of its sort, and of the value.
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
