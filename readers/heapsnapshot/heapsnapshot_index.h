// The first look at a .heapsnapshot file: checks every byte, counts, and
// remembers where things are.
#ifndef HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_INDEX_H_
#define HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_INDEX_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/rank_bitmap.h"
#include "heapglot/bytes.h"
#include "heapglot/context.h"
#include "heapglot/feature.h"
#include "heapglot/stream.h"
#include "readers/heapsnapshot/heapsnapshot_edge_rows.h"
#include "readers/heapsnapshot/heapsnapshot_rows.h"
#include "readers/heapsnapshot/heapsnapshot_wire.h"

namespace heapglot::heapsnapshot {

// Types of nodes or edges: those of the file's enumeration, then the numbers
// beyond it that are in use. The position of a type is its row in the
// vocabulary.
struct Kinds {
  std::vector<std::string> names;
  std::vector<std::uint64_t> unknown;  // ascending

  std::size_t size() const { return names.size() + unknown.size(); }
  // The row for a type number that is not in the enumeration; any row for one
  // that was never added.
  std::uint32_t RowOfUnknown(std::uint64_t type) const;
};

// Rows for type numbers. Keeps the size of the enumeration, which loops that
// write numbers would otherwise load again and again.
class KindRows {
 public:
  // `kinds` must outlive this, and not change.
  explicit KindRows(const Kinds& kinds)
      : known_(kinds.names.size()), kinds_(kinds) {}

  std::uint32_t Of(std::uint64_t type) const {
    if (type < known_) [[likely]]
      return static_cast<std::uint32_t>(type);
    return kinds_.RowOfUnknown(type);
  }

 private:
  std::uint64_t known_;
  const Kinds& kinds_;
};

// What a node's type means.
struct NodeKindInfo {
  pb::NodeKind known = pb::NODE_OTHER;
  bool is_named_by_class = false;  // its name is its class
  bool is_text = false;            // its name is its text
  // Unless its name is this string, or another one of Index::NoTextsOf().
  std::uint64_t no_text = kNoString;
  bool is_made_of_others = false;  // only these may have a no_text
  bool is_used = false;
};
NodeKindInfo DescribeNodeKind(std::string_view type);
// Whether all nodes of the kind, of which there are some, are of one type.
inline bool HasOneType(const NodeKindInfo& kind) {
  return kind.is_used && !kind.is_named_by_class;
}
pb::EdgeKind DescribeEdgeKind(std::string_view type);

struct Index {
  Sections sections;
  Meta meta;
  NodeColumns node;
  EdgeColumns edge;
  RowDivider node_rows;
  EdgeRowRules edge_rules;
  Kinds node_kinds;
  Kinds edge_kinds;
  std::vector<NodeKindInfo> node_infos;     // by row of node_kinds
  std::vector<bool> edges_named_by_number;  // by row of edge_kinds

  std::uint64_t node_count = 0;
  std::uint64_t edge_count = 0;
  // The number of nodes of each type in meta, of nodes with more than 0 in a
  // column, and of edges whose type has a property.
  std::vector<std::uint64_t> nodes_of_type;
  std::uint64_t nodes_with_text = 0;
  std::uint64_t nodes_with_size = 0;
  std::uint64_t nodes_with_trace = 0;
  std::uint64_t nodes_with_detachedness = 0;
  std::uint64_t edges_by_number = 0;
  std::uint64_t weak_edges = 0;
  std::uint64_t edges_of_kind = 0;  // of a kind that is known, and not weak
  std::uint64_t self_sizes = 0;     // saturating
  std::uint64_t dangling = 0;       // edges
  std::uint64_t id_limit = 0;       // highest id + 1; 0 = not known
  RankBitmap class_names;           // strings that name a class
  // The names of types are those of kinds that have one type (ClassOfKind()), then
  // class_names. Equal names are one type: the number of each, or empty if all
  // are different.
  std::vector<std::uint64_t> type_of_name;
  std::uint64_t type_count = 0;

  std::uint64_t location_count = 0;
  std::uint64_t trace_function_count = 0;
  std::uint64_t sample_count = 0;
  std::vector<std::uint32_t> trace_children;  // of each node of the trace tree

  std::uint64_t string_count() const { return sections.string_count; }
  // The names of nodes of a kind that is made of others which are not texts.
  const Copies& NoTextsOf(const NodeKindInfo& kind) const {
    return kind.known == pb::NODE_CONS_STRING ? sections.cons_strings
                                              : sections.sliced_strings;
  }
};

// Checks `source` and fills `*index`.
// Errors: kTruncated, kMalformed, kLimit and kUnsupported, with the byte.
// Memory: 2 bits and a quarter of a byte per string, 4 bytes per node of the
// trace tree; meanwhile, 1 bit for each id up to the highest, at most 8 MiB, or
// 8 bytes per node if ids are higher than that and not ascending, and 1 bit for
// each name up to the highest, at most 8 MiB or 4 bits per node; 40 bytes per
// type, of which 8 stay if some have equal names; 1 bit per string if one of
// Copies is there twice.
Status BuildIndex(const ByteSource& source, Context& context, Index* index);

// What DevTools calls the class of nodes of a kind (a row of node_kinds) that
// are not named by their class.
std::string ClassOfKind(const Index& index, std::size_t kind);

// The features of nodes, edges and strings.
FeatureCounts CountRows(const Index& index);

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_INDEX_H_
