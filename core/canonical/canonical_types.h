// Types that are only names, in an order of their own.
#ifndef HEAPGLOT_CORE_CANONICAL_CANONICAL_TYPES_H_
#define HEAPGLOT_CORE_CANONICAL_CANONICAL_TYPES_H_

#include <cstdint>
#include <vector>

#include "core/canonical/canonical_strings.h"
#include "heapglot/stream.h"

namespace heapglot {

// If a source has no classes, only objects with names of classes, the reader
// makes types of these names, in the order of its string table or in any other.
// So if all types of a graph have a name and nothing else, equal ones become
// one, and they are sorted by the hashes of their names. In other graphs
// nothing changes.
class CanonicalTypes {
 public:
  // `chunks` are all types of the graph; they are changed. `is_owner`: some
  // Values belong to types, so no type may move.
  void Arrange(bool is_owner, const CanonicalStrings& strings,
               std::vector<pb::Chunk>* chunks);

  // Changes the references to types in a chunk.
  void Renumber(pb::Chunk* chunk) const;
  // How many types of the graph became part of another.
  std::uint64_t merged() const { return merged_; }

 private:
  std::uint64_t NewRef(std::uint64_t ref) const {
    return ref == 0 || ref > new_index_.size() ? ref : new_index_[ref - 1] + 1;
  }

  std::vector<std::uint64_t> new_index_;  // empty: they stay as they are
  std::uint64_t merged_ = 0;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_CANONICAL_CANONICAL_TYPES_H_
