// The last step of every chunk of a canonical stream.
#ifndef HEAPGLOT_CORE_CANONICAL_CANONICAL_OUT_H_
#define HEAPGLOT_CORE_CANONICAL_CANONICAL_OUT_H_

#include <cstdint>
#include <vector>

#include "core/canonical/canonical_strings.h"
#include "core/canonical/canonical_types.h"
#include "heapglot/stream.h"

namespace heapglot {

// Makes columns explicit whose absence does not mean 0, so that rows of several
// chunks can be put together. Later drops what is implied, has strings
// numbered, and sends the chunk after its strings.
class CanonicalOut {
 public:
  // Both must outlive this.
  CanonicalOut(CanonicalStrings& strings, ChunkSink& out)
      : strings_(strings), out_(out) {}

  // A graph begins, with an empty vocabulary of edges. `types` says how its
  // types are numbered, and must outlive the graph.
  void BeginGraph(const CanonicalTypes& types) {
    name_forms_.clear();
    types_ = &types;
  }

  // Fills in ids of nodes and forms of names if they are absent.
  void MakeExplicit(pb::Chunk* chunk) const;
  // Sends a chunk in which these are filled in. Changes the chunk.
  // Errors: those of the sink and of the strings.
  Status Send(pb::Chunk* chunk);
  // The same for a chunk that the caller no longer needs.
  Status SendOwned(pb::Chunk* chunk);

 private:
  // Everything but sending it.
  Status Prepare(pb::Chunk* chunk);
  void AddVocabulary(const pb::Vocabulary& vocabulary);
  std::uint32_t NameFormOf(std::uint32_t edge_kind) const {
    return edge_kind < name_forms_.size() ? name_forms_[edge_kind] : 0;
  }
  void NumberStrings(pb::Chunk* chunk);
  void DropDefaults(pb::Chunk* chunk) const;

  CanonicalStrings& strings_;
  ChunkSink& out_;
  const CanonicalTypes* types_ = nullptr;
  std::vector<std::uint32_t> name_forms_;  // of the kinds of edges
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_CANONICAL_CANONICAL_OUT_H_
