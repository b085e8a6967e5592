// Keeps the nodes that roots hold until the groups are written.
#ifndef HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_ROOTS_H_
#define HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_ROOTS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/bytes/spill_buffer.h"
#include "core/ir/wire.h"
#include "heapglot/status.h"

namespace heapglot::heapsnapshot {

// A list of nodes for each kind of root and distance. Every entry point into
// garbage is a root, and half of a heap may be entry points. So a node is kept
// as the difference from the previous one in its list, mostly a byte or two.
//
// Errors are sticky, as in SpillBuffer, which keeps the nodes: lists are empty
// then, or end early, and status() tells.
// Memory: about 130 bytes a list, and up to 8 KiB of its newest nodes; 16 bytes
// for every 4 KiB that follow those of another list; 1 MiB for all others; more
// is in a temporary file.
class RootLists {
 public:
  struct Key {
    std::uint32_t kind = 0;  // in the vocabulary
    std::uint32_t distance = 0;

    bool operator==(const Key&) const = default;
    bool operator<(const Key& other) const {
      return std::pair(kind, distance) < std::pair(other.kind, other.distance);
    }
  };
  class List {
   public:
    std::uint64_t count() const { return count_; }

   private:
    friend RootLists;
    struct Run {
      std::uint64_t begin;  // in nodes_
      std::uint64_t size;
    };

    std::uint64_t count_ = 0;
    std::uint64_t last_ = 0;
    std::vector<Run> runs_;
    std::string newest_;  // what follows the runs
  };

  explicit RootLists(std::size_t max_memory = std::size_t{1} << 20)
      : nodes_(max_memory) {}

  void Add(Key key, std::uint64_t node);

  // In the order of their keys; lists never move.
  const std::map<Key, List>& lists() const { return lists_; }

  // Calls visit(node) for all nodes of one of lists(), in the order in which
  // they came.
  template <typename Visit>
  void ForEach(const List& list, Visit&& visit);

  const Status& status() const { return nodes_.status(); }

 private:
  static constexpr std::size_t kMaxNewest = 4096;
  // Bytes that are looked at together.
  static constexpr std::uint64_t kPiece = std::uint64_t{64} << 10;

  void PutAway(List* list);

  // Visits the nodes in `bytes`, and returns how many bytes they take: all but
  // a number that is cut off. `*node` is the previous node, and then the last
  // of these.
  template <typename Visit>
  static std::size_t Take(std::string_view bytes, std::uint64_t* node,
                          Visit&& visit);

  std::map<Key, List> lists_;
  // Of the last node, and mostly of the next one as well.
  Key last_key_;
  List* last_list_ = nullptr;
  SpillBuffer nodes_;
};

template <typename Visit>
void RootLists::ForEach(const List& list, Visit&& visit) {
  std::uint64_t node = 0;
  for (const List::Run& run : list.runs_) {
    const std::uint64_t end = run.begin + run.size;
    for (std::uint64_t at = run.begin; at < end;) {
      const std::string_view piece =
          nodes_.View(at, std::min(kPiece, end - at));
      if (!status().ok()) return;
      at += Take(piece, &node, visit);
    }
  }
  Take(list.newest_, &node, visit);
}

template <typename Visit>
std::size_t RootLists::Take(std::string_view bytes, std::uint64_t* node,
                            Visit&& visit) {
  const std::size_t size = bytes.size();
  std::uint64_t folded = 0;
  while (wire::TakeVarint(&bytes, &folded)) {
    *node += wire::UnZigZag(folded);
    visit(*node);
  }
  return size - bytes.size();
}

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_ROOTS_H_
