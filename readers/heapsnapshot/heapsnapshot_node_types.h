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
  std::uint64_t type_ref = 0;  // the lowest one
  bool is_ranked = false;      // add the name's rank among names of classes
  bool has_text = false;       // the name is the text
  std::uint64_t no_text = kNoString;  // unless the name is this string
};

struct NodeTypeRules {
  std::span<const NodeTypeRule> of_kind;
  const RankBitmap& class_names;
  std::uint64_t first_string;  // is added to texts
};

// Columns of a chunk, one entry per row.
struct NodeTypeColumns {
  const std::uint32_t* kinds;  // all of them have a rule
  const std::uint64_t* names;  // strings of the file
  std::uint64_t* type_refs;
  std::uint32_t* value_forms;
  std::uint64_t* values;
};

// Writes the last three columns. Returns whether any node has a text.
//
// Uses the fastest variant for this machine.
bool SetNodeTypes(const NodeTypeRules& rules, std::size_t rows,
                  const NodeTypeColumns& columns);

// A variant of that function; all have the same results.
struct SetNodeTypesVariant {
  std::string_view name;
  decltype(&SetNodeTypes) set;
};
// See SplitRowsVariants().
std::span<const SetNodeTypesVariant> SetNodeTypesVariants();

namespace internal {

bool SetNodeTypesPlain(const NodeTypeRules& rules, std::size_t rows,
                       const NodeTypeColumns& columns);
// Leaves more than 16 kinds to the plain variant. Needs HasAvx512().
bool SetNodeTypesAvx512(const NodeTypeRules& rules, std::size_t rows,
                        const NodeTypeColumns& columns);

}  // namespace internal
}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_NODE_TYPES_H_
