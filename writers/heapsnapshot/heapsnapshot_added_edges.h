// The edges that nodes of the source get in addition to their own.
#ifndef HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_ADDED_EDGES_H_
#define HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_ADDED_EDGES_H_

#include <cstdint>
#include <utility>

#include "writers/heapsnapshot/heapsnapshot_externals.h"
#include "writers/heapsnapshot/heapsnapshot_layout.h"

namespace heapglot::heapsnapshot {

// Iterates over them in the order of their nodes: those that the layout adds to
// the root, if that is node 0, and one for each piece of external memory that a
// node holds.
class AddedEdges {
 public:
  // `layout` must outlive this.
  explicit AddedEdges(Layout& layout)
      : layout_(layout), externals_(layout.externals()) {}

  // Moves to the first one. The layout must be finished.
  void Start() {
    externals_.Start();
    has_root_ = layout_.added_to_root().size() > 0;
  }

  // Whether nodes before `node` have some left.
  bool HasBefore(std::uint64_t node) const {
    return externals_.holder() < node || (has_root_ && node > 0);
  }
  // Takes those of `node` and returns how many they are. No earlier node may
  // have some left.
  std::uint64_t Take(std::uint64_t node) {
    std::uint64_t count = 0;
    if (std::exchange(has_root_, false))
      count += layout_.added_to_root().size();
    for (; externals_.holder() == node; externals_.Advance()) ++count;
    return count;
  }

  // Takes those of the root, if it comes before `node`; returns whether they
  // have to be written now. They come before all others.
  bool TakeRoot(std::uint64_t node) {
    return node > 0 && std::exchange(has_root_, false);
  }
  // Takes those to external memory that nodes before `node` hold, and calls
  // visit(ordinal of the target) for each.
  template <typename Visit>
  void TakeExternals(std::uint64_t node, Visit&& visit) {
    for (; externals_.holder() < node; externals_.Advance())
      visit(layout_.ExternalOrdinal(externals_.piece()));
  }

 private:
  Layout& layout_;
  Externals::Cursor externals_;
  bool has_root_ = false;  // those of the root are still to come
};

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_ADDED_EDGES_H_
