// Which columns of which tables are indices, and into what: one place for all
// code that checks or renumbers them.
#ifndef HEAPGLOT_CORE_IR_INDEX_COLUMNS_H_
#define HEAPGLOT_CORE_IR_INDEX_COLUMNS_H_

#include <google/protobuf/message.h>
#include <google/protobuf/repeated_field.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "heapglot/stream.h"

namespace heapglot {

// What an index may count.
enum class IndexSpace {
  kStrings,
  kTypes,
  kNodes,
  kEdges,
  kRoots,
  kTraceFunctions,
  kStackFrames,
  kThreads,
  kHeapSpaces,
};
inline constexpr std::size_t kIndexSpaces = 9;

// A column with an index or a ref in every row. `get` and `mutate` take the
// table's message, which must be of that kind.
struct IndexColumn {
  using Column = google::protobuf::RepeatedField<std::uint64_t>;

  const char* name;
  IndexSpace space;
  bool is_ref;  // index + 1, or 0 for none
  const Column& (*get)(const google::protobuf::Message& table);
  Column* (*mutate)(google::protobuf::Message* table);
};

// The index columns of a table. Left out are columns whose meaning depends on
// another column (Nodes.type_ref and value, Edges.name and to, Values.owner and
// value, `to` of other tables), columns that only grouped or only ungrouped
// edges have (Edges.first_node, from), ExtraColumns, and kinds.
std::span<const IndexColumn> IndexColumnsOf(pb::Chunk::BodyCase table);

// Of an ExtraColumn, `strings` and `node_refs` are indices. Whether its other
// numbers may be indices, too, because nothing says what they are.
inline bool MayHoldIndices(const pb::ExtraColumn& column) {
  return column.type().empty() && column.strings().empty() &&
         column.node_refs().empty() && column.bits().empty();
}
// The number of entries that a table has in such columns.
std::uint64_t UnknownNumbers(const google::protobuf::Message& table);

// Whether a value of this ValueForm is the index of a string.
constexpr bool IsStringForm(std::uint32_t form) {
  switch (form) {
    case pb::V_LATIN1:
    case pb::V_UTF16:
    case pb::V_NAME:
    case pb::V_UTF8:
    case pb::V_STRING_ID:
    case pb::V_BYTES:
    case pb::V_JSON:
    case pb::V_ARRAY:
      return true;
    default:
      return false;
  }
}

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_IR_INDEX_COLUMNS_H_
