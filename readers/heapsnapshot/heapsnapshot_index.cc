#include "readers/heapsnapshot/heapsnapshot_index.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "core/bytes/trail.h"
#include "core/record_limit.h"
#include "core/saturating.h"
#include "readers/heapsnapshot/heapsnapshot_blocks.h"
#include "readers/heapsnapshot/heapsnapshot_ids.h"
#include "readers/heapsnapshot/heapsnapshot_index_tables.h"
#include "readers/heapsnapshot/heapsnapshot_numbers.h"

namespace heapglot::heapsnapshot {
namespace {

// Of a counter of the edges of a block; three are in one number.
constexpr unsigned kCountBits = 21;
static_assert(BlockChecker::kNumbers < std::size_t{1} << kCountBits);

class Indexer {
 public:
  Indexer(const ByteSource& source, Context& context, Index* index)
      : source_(source),
        bytes_(source.bytes()),
        context_(context),
        blocks_(source, context),
        index_(*index) {}

  Status Run();

 private:
  Status FindParts();
  Status RequireParts() const;
  Status WarnOfFile();
  void FindColumns();
  Status CheckCounts();

  Status CheckNodes();
  Status CheckNodeBlock(const NumberCursor& in);
  void CountAbove0(std::span<const std::uint64_t> block, std::size_t column,
                   std::uint64_t* nodes) const;
  bool NoteKind(std::uint64_t type, std::uint64_t name);
  Status AddUnknownKind(std::uint64_t type, Kinds* kinds, std::string_view what,
                        std::uint64_t where);
  Status CheckRecords(const NumberCursor& in) const;
  Status CheckIds();
  Status FindSecond(std::uint64_t id);
  void FinishKinds();

  // One comparison and one addition, whatever names of edges of a type mean, for
  // which type comes next nobody foresees.
  struct EdgeType {
    std::uint64_t name_limit;  // the name is below, or is looked at closely
    std::uint64_t counted;     // what AddEdgeCounts() is to get for it
  };

  Status CheckEdges();
  void DescribeEdgeTypes();
  void AddEdgeCounts(std::uint64_t counted);
  Status CheckEdgeBlock(const NumberCursor& in);
  Status CheckOddEdge(const NumberCursor& in, std::size_t at);
  Status CheckDangling(const NumberCursor& in, std::size_t at);
  Status CheckEdgeSum();

  const ByteSource& source_;
  std::string_view bytes_;
  Context& context_;
  BlockChecker blocks_;
  Index& index_;
  IdBitmap ids_;
  std::uint64_t max_id_ = 0;
  std::uint64_t edge_sum_ = 0;
  std::vector<EdgeType> edge_types_;
};

Status Indexer::Run() {
  HEAPGLOT_RETURN_IF_ERROR(FindParts());
  HEAPGLOT_RETURN_IF_ERROR(RequireParts());
  const Section& snapshot = *index_.sections.Find(SectionKind::kSnapshot);
  const auto warn_twice = [this](std::uint64_t offset) {
    return context_.Warn("heapsnapshot.key.twice", Where::Byte(offset), [] {
      return std::string("a key stands twice in the snapshot object");
    });
  };
  HEAPGLOT_RETURN_IF_ERROR(
      ParseMeta(bytes_, snapshot.value, warn_twice, &index_.meta));
  FindColumns();
  HEAPGLOT_RETURN_IF_ERROR(WarnOfFile());
  HEAPGLOT_RETURN_IF_ERROR(CheckNodes());
  HEAPGLOT_RETURN_IF_ERROR(CheckIds());
  HEAPGLOT_RETURN_IF_ERROR(CheckEdges());
  HEAPGLOT_RETURN_IF_ERROR(CheckEdgeSum());
  HEAPGLOT_RETURN_IF_ERROR(CheckCounts());
  FinishKinds();
  return IndexTables(blocks_, context_, &index_);
}

Status Indexer::FindParts() {
  Trail trail(source_);
  return FindSections(
      bytes_, context_.limits,
      [&](std::uint64_t offset) {
        trail.Advance(offset);
        blocks_.Progress(offset);
      },
      &index_.sections);
}

Status Indexer::RequireParts() const {
  const Sections& sections = index_.sections;
  const auto has = [&](std::string_view name) {
    return std::any_of(
        sections.list.begin(), sections.list.end(),
        [name](const Section& part) { return part.name == name; });
  };
  if (!has("snapshot") && has("head") && has("samples")) {
    return {Code::kUnsupported,
            "this is a sampling profile (.heapprofile), not a snapshot",
            Where::Byte(sections.open)};
  }
  for (const std::string_view name :
       {"snapshot", "nodes", "edges", "strings"}) {
    if (!has(name)) {
      return Malformed("there is no key '" + std::string(name) + "'",
                       sections.open);
    }
  }
  return {};
}

Status Indexer::WarnOfFile() {
  const Sections& sections = index_.sections;
  if (sections.has_bom) {
    HEAPGLOT_RETURN_IF_ERROR(context_.Warn(
        "heapsnapshot.bom", "the file begins with a BOM", Where::Byte(0)));
  }
  if (sections.trailing_zeros > 0) {
    HEAPGLOT_RETURN_IF_ERROR(context_.Warn(
        "heapsnapshot.trailing_zeros",
        std::to_string(sections.trailing_zeros) + " NUL bytes behind the end",
        Where::Byte(bytes_.size() - sections.trailing_zeros)));
  }
  for (std::uint64_t i = 0; i < sections.bad_strings; ++i) {
    HEAPGLOT_RETURN_IF_ERROR(context_.Warn(
        "heapsnapshot.string.bytes", Where::Byte(sections.first_bad_string),
        [] { return std::string("a string is not UTF-8"); }));
  }
  return {};
}

// Where the column of a field is: that of its name, or one more of the extra
// ones.
template <std::size_t kSize>
void Place(const std::pair<std::string_view, std::size_t*> (&columns)[kSize],
           const std::vector<MetaField>& fields,
           std::vector<std::size_t>* extra) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto* const column = std::find_if(
        std::begin(columns), std::end(columns),
        [&](const auto& named) { return named.first == fields[i].name; });
    if (column == std::end(columns))
      extra->push_back(i);
    else
      *column->second = i;
  }
}

void Indexer::FindColumns() {
  NodeColumns& node = index_.node;
  node.width = index_.meta.node_fields.size();
  const std::pair<std::string_view, std::size_t*> node_columns[] = {
      {kType, &node.type},
      {kName, &node.name},
      {kId, &node.id},
      {kEdgeCount, &node.edge_count},
      {kSelfSize, &node.self_size},
      {kTraceNodeId, &node.trace_node},
      {kDetachedness, &node.detachedness}};
  Place(node_columns, index_.meta.node_fields, &node.extra);

  EdgeColumns& edge = index_.edge;
  edge.width = index_.meta.edge_fields.size();
  const std::pair<std::string_view, std::size_t*> edge_columns[] = {
      {kType, &edge.type}, {kNameOrIndex, &edge.name}, {kToNode, &edge.to}};
  Place(edge_columns, index_.meta.edge_fields, &edge.extra);

  index_.node_rows = RowDivider(node.width);
  index_.node_kinds.names = index_.meta.node_types;
  index_.edge_kinds.names = index_.meta.edge_types;
  for (const std::string& type : index_.meta.node_types)
    index_.node_infos.push_back(DescribeNodeKind(type));
  for (const std::string& type : index_.meta.edge_types)
    index_.edges_named_by_number.push_back(IsNamedByNumber(type));
  index_.nodes_of_type.resize(index_.node_infos.size());
  index_.class_names = RankBitmap(index_.string_count());
}

// ---------------------------------------------------------------------- nodes

Status Indexer::CheckNodes() {
  const Section& section = *index_.sections.Find(SectionKind::kNodes);
  return blocks_.ForEach(
      section, index_.node.width, [&](const NumberCursor& in) -> Status {
        HEAPGLOT_RETURN_IF_ERROR(
            blocks_.Check(in, section, index_.node.width, index_.node.extra));
        HEAPGLOT_RETURN_IF_ERROR(CheckNodeBlock(in));
        return CheckRecords(in);
      });
}

Status Indexer::CheckNodeBlock(const NumberCursor& in) {
  const NodeColumns& columns = index_.node;
  const std::span<const std::uint64_t> block = in.block();
  const std::uint64_t strings = index_.string_count();
  for (std::size_t at = 0; at < block.size(); at += columns.width) {
    const std::uint64_t* const row = &block[at];
    const std::uint64_t name = row[columns.name];
    if (name >= strings) [[unlikely]] {
      return Malformed("nodes: the name of node " +
                           std::to_string(index_.node_count) + " is string " +
                           std::to_string(name) + " of " +
                           std::to_string(strings),
                       in.OffsetOf(at + columns.name));
    }
    if (!NoteKind(row[columns.type], name)) [[unlikely]] {
      HEAPGLOT_RETURN_IF_ERROR(AddUnknownKind(row[columns.type],
                                              &index_.node_kinds, "nodes",
                                              in.OffsetOf(at + columns.type)));
    }
    const std::uint64_t id = row[columns.id];
    if (!ids_.Add(id)) [[unlikely]] {
      return Malformed("nodes: the id " + std::to_string(id) + " comes twice",
                       in.OffsetOf(at + columns.id));
    }
    max_id_ = std::max(max_id_, id);
    const std::uint64_t edges = row[columns.edge_count];
    edge_sum_ += edges;
    if (edge_sum_ < edges) [[unlikely]] {
      return Malformed("nodes: the edge_count of node " +
                           std::to_string(index_.node_count) + " is " +
                           std::to_string(edges),
                       in.OffsetOf(at + columns.edge_count));
    }
    if (columns.self_size != kNoColumn) {
      index_.self_sizes =
          AddSaturating(index_.self_sizes, row[columns.self_size]);
    }
    ++index_.node_count;
  }
  CountAbove0(block, columns.self_size, &index_.nodes_with_size);
  CountAbove0(block, columns.trace_node, &index_.nodes_with_trace);
  CountAbove0(block, columns.detachedness, &index_.nodes_with_detachedness);
  return {};
}

// Adds the nodes that do not have 0 in a column.
void Indexer::CountAbove0(std::span<const std::uint64_t> block,
                          std::size_t column, std::uint64_t* nodes) const {
  if (column == kNoColumn) return;
  const std::size_t width = index_.node.width;
  std::uint64_t count = 0;
  for (std::size_t at = column; at < block.size(); at += width)
    count += block[at] != 0 ? 1 : 0;
  *nodes += count;
}

// Takes note of the type of a node; false if meta does not have it.
bool Indexer::NoteKind(std::uint64_t type, std::uint64_t name) {
  if (type >= index_.node_infos.size()) [[unlikely]]
    return false;
  ++index_.nodes_of_type[type];
  index_.class_names.AddIf(index_.node_infos[type].is_named_by_class, name);
  return true;
}

Status Indexer::AddUnknownKind(std::uint64_t type, Kinds* kinds,
                               std::string_view what, std::uint64_t where) {
  std::vector<std::uint64_t>& unknown = kinds->unknown;
  const auto at = std::lower_bound(unknown.begin(), unknown.end(), type);
  if (at == unknown.end() || *at != type) {
    if (unknown.size() >= kMaxKinds) {
      return {Code::kLimit,
              std::string(what) + ": more than " + std::to_string(kMaxKinds) +
                  " types that meta does not have",
              Where::Byte(where)};
    }
    unknown.insert(at, type);
  }
  return context_.Warn("heapsnapshot.type.unknown", Where::Byte(where), [&] {
    return std::string(what) + ": the type is " + std::to_string(type) +
           ", but meta has " + std::to_string(kinds->names.size());
  });
}

Status Indexer::CheckRecords(const NumberCursor& in) const {
  return CheckRecordCount(context_.limits,
                          index_.node_count + index_.edge_count,
                          Where::Byte(in.OffsetOf(0)));
}

Status Indexer::CheckIds() {
  index_.id_limit =
      index_.node_count == 0 ? 0 : std::max(max_id_, index_.node_count) + 1;
  if (ids_.is_exact()) return {};
  const Section& section = *index_.sections.Find(SectionKind::kNodes);
  const std::size_t width = index_.node.width;
  SortedIds ids;
  HEAPGLOT_RETURN_IF_ERROR(
      blocks_.ForEach(section, width, [&](const NumberCursor& in) -> Status {
        for (std::size_t at = 0; at < in.block().size(); at += width)
          ids.Add(in.block()[at + index_.node.id]);
        return {};
      }));
  const std::optional<std::uint64_t> twice = ids.FindDuplicate();
  return twice ? FindSecond(*twice) : Status();
}

Status Indexer::FindSecond(std::uint64_t id) {
  const Section& section = *index_.sections.Find(SectionKind::kNodes);
  const std::size_t width = index_.node.width;
  bool seen = false;
  return blocks_.ForEach(section, width, [&](const NumberCursor& in) -> Status {
    for (std::size_t at = index_.node.id; at < in.block().size(); at += width) {
      if (in.block()[at] != id) continue;
      if (seen) {
        return Malformed("nodes: the id " + std::to_string(id) + " comes twice",
                         in.OffsetOf(at));
      }
      seen = true;
    }
    return {};
  });
}

void Indexer::FinishKinds() {
  for (std::size_t type = 0; type < index_.node_infos.size(); ++type)
    index_.node_infos[type].is_used = index_.nodes_of_type[type] > 0;
  NodeKindInfo unknown;
  unknown.is_used = true;
  index_.node_infos.resize(index_.node_kinds.size(), unknown);
  index_.edges_named_by_number.resize(index_.edge_kinds.size(), false);
  index_.class_names.BuildRanks();
}

// ---------------------------------------------------------------------- edges

Status Indexer::CheckEdges() {
  const Section& section = *index_.sections.Find(SectionKind::kEdges);
  // The index of an element may be negative: Dart's AOT profile has such.
  std::vector<std::size_t> signed_columns = index_.edge.extra;
  DescribeEdgeTypes();
  return blocks_.ForEach(
      section, index_.edge.width, [&](const NumberCursor& in) -> Status {
        signed_columns.resize(index_.edge.extra.size());
        if (!in.negative().empty()) signed_columns.push_back(index_.edge.name);
        HEAPGLOT_RETURN_IF_ERROR(
            blocks_.Check(in, section, index_.edge.width, signed_columns));
        HEAPGLOT_RETURN_IF_ERROR(CheckEdgeBlock(in));
        return CheckRecords(in);
      });
}

void Indexer::DescribeEdgeTypes() {
  for (std::size_t type = 0; type < index_.meta.edge_types.size(); ++type) {
    const pb::EdgeKind kind = DescribeEdgeKind(index_.meta.edge_types[type]);
    const bool by_number = index_.edges_named_by_number[type];
    const bool is_weak = kind == pb::EDGE_WEAK;
    const bool is_kind = !is_weak && kind != pb::EDGE_OTHER;
    edge_types_.push_back(
        {.name_limit = by_number ? kMaxSigned + 1 : index_.string_count(),
         .counted = std::uint64_t{by_number} |
                    std::uint64_t{is_weak} << kCountBits |
                    std::uint64_t{is_kind} << (2 * kCountBits)});
  }
}

// Those of a block, or a part of it.
void Indexer::AddEdgeCounts(std::uint64_t counted) {
  constexpr std::uint64_t kMask = (std::uint64_t{1} << kCountBits) - 1;
  index_.edges_by_number += counted & kMask;
  index_.weak_edges += counted >> kCountBits & kMask;
  index_.edges_of_kind += counted >> (2 * kCountBits);
}

Status Indexer::CheckEdgeBlock(const NumberCursor& in) {
  const EdgeColumns& columns = index_.edge;
  const std::span<const std::uint64_t> block = in.block();
  const std::span<const EdgeType> types = edge_types_;
  const std::uint64_t first = index_.edge_count;
  const RowDivider node_rows = index_.node_rows;
  const std::uint64_t nodes = index_.node_count;
  std::uint64_t counted = 0;
  for (std::size_t at = 0; at < block.size(); at += columns.width) {
    const std::uint64_t* const row = &block[at];
    const std::uint64_t type = row[columns.type];
    if (type < types.size()) [[likely]]
      counted += types[type].counted;
    if (type >= types.size() || row[columns.name] >= types[type].name_limit)
        [[unlikely]] {
      index_.edge_count = first + at / columns.width;
      HEAPGLOT_RETURN_IF_ERROR(CheckOddEdge(in, at));
    }
    std::uint64_t target = 0;
    if (!node_rows.Divide(row[columns.to], nodes, &target)) [[unlikely]]
      HEAPGLOT_RETURN_IF_ERROR(CheckDangling(in, at + columns.to));
  }
  AddEdgeCounts(counted);
  index_.edge_count = first + block.size() / columns.width;
  return {};
}

// `at`: where the row of the edge is in the block.
Status Indexer::CheckOddEdge(const NumberCursor& in, std::size_t at) {
  const EdgeColumns& columns = index_.edge;
  const std::uint64_t type = in.block()[at + columns.type];
  const std::uint64_t name = in.block()[at + columns.name];
  const std::size_t known = index_.edges_named_by_number.size();
  if (type >= known) {
    HEAPGLOT_RETURN_IF_ERROR(AddUnknownKind(type, &index_.edge_kinds, "edges",
                                            in.OffsetOf(at + columns.type)));
  }
  const bool by_number = type < known && index_.edges_named_by_number[type];
  if (by_number && name > kMaxSigned && !in.IsNegative(at + columns.name)) {
    return Malformed("edges: the index of edge " +
                         std::to_string(index_.edge_count) + " is " +
                         std::to_string(name) + ", more than 63 bits",
                     in.OffsetOf(at + columns.name));
  }
  if (!by_number && name >= index_.string_count()) {
    return Malformed("edges: the name of edge " +
                         std::to_string(index_.edge_count) + " is string " +
                         (in.IsNegative(at + columns.name)
                              ? std::to_string(static_cast<std::int64_t>(name))
                              : std::to_string(name)) +
                         " of " + std::to_string(index_.string_count()),
                     in.OffsetOf(at + columns.name));
  }
  return {};
}

Status Indexer::CheckDangling(const NumberCursor& in, std::size_t at) {
  ++index_.dangling;
  return context_.Warn(
      "heapsnapshot.edge.dangling", Where::Byte(in.OffsetOf(at)), [&] {
        return "edges: to_node is " + std::to_string(in.block()[at]) +
               ", where no node begins";
      });
}

Status Indexer::CheckEdgeSum() {
  if (edge_sum_ == index_.edge_count) return {};
  const Section& edges = *index_.sections.Find(SectionKind::kEdges);
  if (edge_sum_ < index_.edge_count) {
    return Malformed(std::to_string(index_.edge_count - edge_sum_) +
                         " of the " + std::to_string(index_.edge_count) +
                         " edges belong to no node",
                     edges.value.begin);
  }
  const Section& section = *index_.sections.Find(SectionKind::kNodes);
  const std::size_t width = index_.node.width;
  std::uint64_t node = 0;
  std::uint64_t sum = 0;
  return blocks_.ForEach(section, width, [&](const NumberCursor& in) -> Status {
    for (std::size_t at = index_.node.edge_count; at < in.block().size();
         at += width, ++node) {
      sum += in.block()[at];
      if (sum <= index_.edge_count) continue;
      return Malformed("the edges of node " + std::to_string(node) +
                           " end at edge " + std::to_string(sum) +
                           ", but there are " +
                           std::to_string(index_.edge_count),
                       in.OffsetOf(at));
    }
    return {};
  });
}

// The stated counts are claims. 0 is what Hermes says of any heap.
Status Indexer::CheckCounts() {
  const Section& snapshot = *index_.sections.Find(SectionKind::kSnapshot);
  const auto check = [&](std::string_view name,
                         std::optional<std::uint64_t> stated,
                         std::uint64_t real) -> Status {
    if (stated.value_or(0) == 0 || *stated == real) return {};
    return context_.Warn("heapsnapshot.count",
                         std::string(name) + " is " + std::to_string(*stated) +
                             ", but there are " + std::to_string(real),
                         Where::Byte(snapshot.value.begin));
  };
  HEAPGLOT_RETURN_IF_ERROR(
      check("node_count", index_.meta.node_count, index_.node_count));
  return check("edge_count", index_.meta.edge_count, index_.edge_count);
}

}  // namespace

Status BuildIndex(const ByteSource& source, Context& context, Index* index) {
  return Indexer(source, context, index).Run();
}

}  // namespace heapglot::heapsnapshot
