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

// Iterates over "trace_tree" without recursion. A node is a row of numbers and
// the array of its children, in which their rows follow each other:
//   tree = "[" [ node { "," node } ] "]"    node = { number "," } tree
class TraceTreeCursor {
 public:
  enum class Event {
    kNode,   // row() has its numbers; its children come next
    kClose,  // a node has no more children
    kEnd,    // everything is read
    kBad,    // the tree is not as `fields` say
  };

  // `text` is the array, `fields` are those of a node. If the last one is not
  // the children, the tree must be empty.
  TraceTreeCursor(std::string_view text, const std::vector<MetaField>& fields);

  Event Next();
  // The numbers of a node. Only id and fields without a column in the IR may be
  // negative; none are odd.
  std::span<const Integer> row() const { return row_; }
  // The offset in the text, for messages.
  std::uint64_t offset() const {
    return static_cast<std::uint64_t>(p_ - text_.data());
  }

 private:
  Event ReadRow();
  // Skips space, and takes `byte` if it is next.
  bool Take(char byte);

  std::string_view text_;
  const char* p_;
  const char* end_;
  std::vector<bool> may_be_negative_;
  std::vector<Integer> row_;
  bool has_children_ = false;
  bool is_first_ = true;  // whether the next node is the first of its siblings
  std::uint64_t depth_ = 0;
};

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_TRACE_TREE_H_
