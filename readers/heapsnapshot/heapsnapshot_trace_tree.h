// The tree of allocation stacks of a .heapsnapshot file.
#ifndef HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_TRACE_TREE_H_
#define HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_TRACE_TREE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "readers/heapsnapshot/heapsnapshot_numbers.h"
#include "readers/heapsnapshot/heapsnapshot_wire.h"

namespace heapglot::heapsnapshot {

// Goes over "trace_tree" without recursion. A node is a row of numbers and the
// array of its children, in which their rows follow each other:
//   tree = "[" [ node { "," node } ] "]"    node = { number "," } tree
class TraceTreeCursor {
 public:
  enum class Event {
    kNode,   // row() has its numbers; its children come next
    kClose,  // there are no more children of a node
    kEnd,    // all is read
    kBad,    // it is not as `fields` say
  };

  // `text` is the array; `fields` those of a node, the last one being the
  // children. Otherwise the tree must be empty.
  TraceTreeCursor(std::string_view text, const std::vector<MetaField>& fields);

  Event Next();
  // The numbers of a node. Only id, the first of the usual fields, and such as
  // have no column in the IR may be negative; none look odd.
  std::span<const Integer> row() const { return row_; }
  // In the text, for messages.
  std::uint64_t offset() const {
    return static_cast<std::uint64_t>(p_ - text_.data());
  }

 private:
  Event ReadRow();
  // Takes `byte` and the space before it, if it is there.
  bool Take(char byte);

  std::string_view text_;
  const char* p_;
  const char* end_;
  std::vector<bool> may_be_negative_;
  std::vector<Integer> row_;
  bool has_children_ = false;
  bool is_first_ = true;  // of its siblings, if another node follows
  std::uint64_t depth_ = 0;
};

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_TRACE_TREE_H_
