// What follows from the kinds and names of nodes: their types and texts.
#ifndef HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_NODE_TYPES_H_
#define HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_NODE_TYPES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/rank_bitmap.h"
#include "readers/heapsnapshot/heapsnapshot_wire.h"

namespace heapglot::heapsnapshot {

// What nodes of a kind have.
struct NodeTypeRule {
  std::uint64_t type_ref = 0;  // the least one
  bool is_ranked = false;  // the name's rank among names of classes is added
  bool has_text = false;   // the name is the text,
  std::uint64_t no_text = kNoString;  // unless it is this one
};

struct NodeTypeRules {
  std::span<const NodeTypeRule> of_kind;
  const RankBitmap& class_names;
  std::uint64_t first_string;  // is added to texts
};

// Columns of a chunk, an entry a row.
struct NodeTypeColumns {
  const std::uint32_t* kinds;  // all of them have a rule
  const std::uint64_t* names;  // strings of the file
  std::uint64_t* type_refs;
  std::uint32_t* value_forms;
  std::uint64_t* values;
};

// Writes the last three columns. Answers whether a node has a text.
//
// Takes what is the fastest on this machine.
bool SetNodeTypes(const NodeTypeRules& rules, std::size_t rows,
                  const NodeTypeColumns& columns);

// Ways to do so, with the same answers.
struct SetNodeTypesVariant {
  std::string_view name;
  decltype(&SetNodeTypes) set;
};
// As SplitRowsVariants().
std::span<const SetNodeTypesVariant> SetNodeTypesVariants();

namespace internal {

bool SetNodeTypesPlain(const NodeTypeRules& rules, std::size_t rows,
                       const NodeTypeColumns& columns);
// Leaves more than 16 kinds to the plain way. Needs HasAvx512().
bool SetNodeTypesAvx512(const NodeTypeRules& rules, std::size_t rows,
                        const NodeTypeColumns& columns);

}  // namespace internal
}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_NODE_TYPES_H_
