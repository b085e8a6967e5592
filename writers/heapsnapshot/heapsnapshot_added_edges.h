// The edges that nodes of the source get besides those that it says.
#ifndef HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_ADDED_EDGES_H_
#define HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_ADDED_EDGES_H_

#include <cstdint>
#include <utility>

#include "writers/heapsnapshot/heapsnapshot_externals.h"
#include "writers/heapsnapshot/heapsnapshot_layout.h"

namespace heapglot::heapsnapshot {

// Goes over them in the order of their nodes: those that the layout adds to the
// root, if that is node 0, and one for each piece of external memory that a node
// holds.
class AddedEdges {
 public:
  // `layout` must outlive this.
  explicit AddedEdges(Layout& layout)
      : layout_(layout), externals_(layout.externals()) {}

  // Before the first one. Once the layout is finished.
  void Start() {
    externals_.Start();
    has_root_ = layout_.added_to_root().size() > 0;
  }

  // Whether some are left of nodes before `node`.
  bool HasBefore(std::uint64_t node) const {
    return externals_.holder() < node || (has_root_ && node > 0);
  }
  // Takes those of `node`, which is the next one that has any or comes before it.
  // Answers how many.
  std::uint64_t Take(std::uint64_t node) {
    std::uint64_t count = 0;
    if (std::exchange(has_root_, false))
      count += layout_.added_to_root().size();
    for (; externals_.holder() == node; externals_.Advance()) ++count;
    return count;
  }

  // Takes those of the root, if it stands before `node`: whether they are to be
  // written now. They come before all others.
  bool TakeRoot(std::uint64_t node) {
    return node > 0 && std::exchange(has_root_, false);
  }
  // Takes those to external memory that nodes before `node` hold:
  // visit(ordinal of the target).
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
