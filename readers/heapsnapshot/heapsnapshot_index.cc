#include "readers/heapsnapshot/heapsnapshot_index.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/bytes/trail.h"
#include "readers/heapsnapshot/heapsnapshot_ids.h"
#include "readers/heapsnapshot/heapsnapshot_json.h"
#include "readers/heapsnapshot/heapsnapshot_numbers.h"
#include "readers/heapsnapshot/heapsnapshot_trace_tree.h"

namespace heapglot::heapsnapshot {
namespace {

// Numbers in a block: they and their text stay in the second-level cache.
constexpr std::size_t kBlock = 16'384;

constexpr std::size_t kMaxTraceNodes =
    std::numeric_limits<std::uint32_t>::max();

constexpr std::uint64_t kMaxSigned = std::numeric_limits<std::int64_t>::max();

std::uint64_t AddSaturating(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t sum = a + b;
  return sum < a ? std::numeric_limits<std::uint64_t>::max() : sum;
}

std::string Text(std::uint64_t number) { return std::to_string(number); }

class Indexer {
 public:
  Indexer(const ByteSource& source, Context& context, Index* index)
      : source_(source),
        bytes_(source.bytes()),
        context_(context),
        index_(*index) {}

  Status Run();

 private:
  // What is wrong at a number of a block.
  struct Trouble {
    std::size_t position;
    std::string message;
  };

  Status FindParts();
  Status RequireParts() const;
  Status WarnOfFile();
  void FindColumns();
  Status CheckCounts();

  Status CheckNodes();
  Status CheckNodeBlock(const NumberCursor& in);
  Status AddUnknownKind(std::uint64_t type, Kinds* kinds, std::string_view what,
                        std::uint64_t where);
  Status CheckIds();
  Status FindSecond(std::uint64_t id);
  void FinishKinds();

  Status CheckEdges();
  Status CheckEdgeBlock(const NumberCursor& in);
  Status CheckDangling(const NumberCursor& in, std::size_t at);
  Status CheckEdgeSum();

  Status CheckTables();
  Status CheckTable(Section* section);
  Status CheckTableBlock(const NumberCursor& in, const Section& section,
                         const std::vector<MetaField>& fields);
  Status CheckTraceTree(Section* section);

  // Reads the rows of a section and gives each block to `check`.
  template <typename Check>
  Status ForEachBlock(const Section& section, std::size_t width, Check check);
  // What holds for each block: whole rows, signs where they may be.
  Status CheckBlock(const NumberCursor& in, const Section& section,
                    std::size_t width,
                    const std::vector<std::size_t>& signed_columns);

  Status Malformed(std::string message, std::uint64_t where) const {
    return {Code::kMalformed, std::move(message), Where::Byte(where)};
  }
  void Progress(std::uint64_t offset) {
    if (context_.progress) context_.progress("checking", offset, bytes_.size());
  }

  const ByteSource& source_;
  std::string_view bytes_;
  Context& context_;
  Index& index_;
  IdBitmap ids_;
  std::uint64_t max_id_ = 0;
  std::uint64_t edge_sum_ = 0;
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
  return CheckTables();
}

Status Indexer::FindParts() {
  Trail trail(source_);
  return FindSections(
      bytes_, context_.limits,
      [&](std::uint64_t offset) {
        trail.Advance(offset);
        Progress(offset);
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
        Text(sections.trailing_zeros) + " NUL bytes behind the end",
        Where::Byte(bytes_.size() - sections.trailing_zeros)));
  }
  for (std::uint64_t i = 0; i < sections.bad_strings; ++i) {
    HEAPGLOT_RETURN_IF_ERROR(context_.Warn(
        "heapsnapshot.string.bytes", Where::Byte(sections.first_bad_string),
        [] { return std::string("a string is not UTF-8"); }));
  }
  return {};
}

void Indexer::FindColumns() {
  const std::vector<MetaField>& fields = index_.meta.node_fields;
  NodeColumns& node = index_.node;
  node.width = fields.size();
  const std::pair<std::string_view, std::size_t*> node_columns[] = {
      {kType, &node.type},
      {kName, &node.name},
      {kId, &node.id},
      {kEdgeCount, &node.edge_count},
      {kSelfSize, &node.self_size},
      {kTraceNodeId, &node.trace_node},
      {kDetachedness, &node.detachedness}};
  const auto place = [](const auto& columns, const MetaField& field,
                        std::size_t position, std::vector<std::size_t>* extra) {
    for (const auto& [name, column] : columns) {
      if (name == field.name) {
        *column = position;
        return;
      }
    }
    extra->push_back(position);
  };
  for (std::size_t i = 0; i < fields.size(); ++i)
    place(node_columns, fields[i], i, &node.extra);

  EdgeColumns& edge = index_.edge;
  edge.width = index_.meta.edge_fields.size();
  const std::pair<std::string_view, std::size_t*> edge_columns[] = {
      {kType, &edge.type}, {kNameOrIndex, &edge.name}, {kToNode, &edge.to}};
  for (std::size_t i = 0; i < edge.width; ++i)
    place(edge_columns, index_.meta.edge_fields[i], i, &edge.extra);

  index_.node_rows = RowDivider(node.width);
  index_.node_kinds.names = index_.meta.node_types;
  index_.edge_kinds.names = index_.meta.edge_types;
  for (const std::string& type : index_.meta.node_types)
    index_.node_infos.push_back(DescribeNodeKind(type));
  for (const std::string& type : index_.meta.edge_types)
    index_.edges_named_by_number.push_back(IsNamedByNumber(type));
  index_.class_names = RankBitmap(index_.string_count());
}

// --------------------------------------------------------------------- blocks

template <typename Check>
Status Indexer::ForEachBlock(const Section& section, std::size_t width,
                             Check check) {
  NumberCursor in(bytes_, TextOf(bytes_, section.value), section.name);
  Trail trail(source_, section.value.begin);
  const std::size_t rows = std::max<std::size_t>(kBlock / width, 1);
  for (;;) {
    HEAPGLOT_RETURN_IF_ERROR(in.Read(rows * width));
    if (in.block().empty()) return {};
    HEAPGLOT_RETURN_IF_ERROR(check(in));
    trail.Advance(in.offset());
    Progress(in.offset());
  }
}

Status Indexer::CheckBlock(const NumberCursor& in, const Section& section,
                           std::size_t width,
                           const std::vector<std::size_t>& signed_columns) {
  const std::size_t size = in.block().size();
  if (size % width != 0) {
    const std::size_t row = size - size % width;
    return Malformed("the last row of " + section.name + " has " +
                         Text(size % width) + " numbers instead of " +
                         Text(width),
                     in.OffsetOf(row));
  }
  for (const std::size_t column : signed_columns) {
    for (std::size_t at = column; at < size; at += width) {
      if (in.block()[at] <= kMaxSigned || in.IsNegative(at)) continue;
      return Malformed(
          section.name + ": " + Text(in.block()[at]) + " is more than 63 bits",
          in.OffsetOf(at));
    }
  }
  for (const std::uint32_t at : in.negative()) {
    const bool may_be = std::find(signed_columns.begin(), signed_columns.end(),
                                  at % width) != signed_columns.end();
    if (may_be) continue;
    return Malformed(section.name + ": found a negative number",
                     in.OffsetOf(at));
  }
  for (const std::uint32_t at : in.odd()) {
    HEAPGLOT_RETURN_IF_ERROR(context_.Warn(
        "heapsnapshot.number.form", Where::Byte(in.OffsetOf(at)),
        [] { return std::string("an integer is not written like one"); }));
  }
  return {};
}

// ---------------------------------------------------------------------- nodes

Status Indexer::CheckNodes() {
  const Section& section = *index_.sections.Find(SectionKind::kNodes);
  return ForEachBlock(
      section, index_.node.width, [&](const NumberCursor& in) -> Status {
        HEAPGLOT_RETURN_IF_ERROR(
            CheckBlock(in, section, index_.node.width, index_.node.extra));
        return CheckNodeBlock(in);
      });
}

Status Indexer::CheckNodeBlock(const NumberCursor& in) {
  const NodeColumns& columns = index_.node;
  const std::span<const std::uint64_t> block = in.block();
  for (std::size_t at = 0; at < block.size(); at += columns.width) {
    const std::uint64_t* const row = &block[at];
    const std::uint64_t name = row[columns.name];
    if (name >= index_.string_count()) [[unlikely]] {
      return Malformed("nodes: the name of node " + Text(index_.node_count) +
                           " is string " + Text(name) + " of " +
                           Text(index_.string_count()),
                       in.OffsetOf(at + columns.name));
    }
    const std::uint64_t type = row[columns.type];
    if (type < index_.node_infos.size()) [[likely]] {
      NodeKindInfo& info = index_.node_infos[type];
      info.is_used = true;
      if (info.is_named_by_class) index_.class_names.Add(name);
    } else {
      HEAPGLOT_RETURN_IF_ERROR(AddUnknownKind(type, &index_.node_kinds, "nodes",
                                              in.OffsetOf(at + columns.type)));
    }
    const std::uint64_t id = row[columns.id];
    if (!ids_.Add(id)) [[unlikely]] {
      return Malformed("nodes: the id " + Text(id) + " comes twice",
                       in.OffsetOf(at + columns.id));
    }
    max_id_ = std::max(max_id_, id);
    const std::uint64_t edges = row[columns.edge_count];
    edge_sum_ += edges;
    if (edge_sum_ < edges) [[unlikely]] {
      return Malformed("nodes: the edge_count of node " +
                           Text(index_.node_count) + " is " + Text(edges),
                       in.OffsetOf(at + columns.edge_count));
    }
    if (columns.self_size != kNoColumn) {
      index_.self_sizes =
          AddSaturating(index_.self_sizes, row[columns.self_size]);
    }
    ++index_.node_count;
  }
  return {};
}

Status Indexer::AddUnknownKind(std::uint64_t type, Kinds* kinds,
                               std::string_view what, std::uint64_t where) {
  std::vector<std::uint64_t>& unknown = kinds->unknown;
  const auto at = std::lower_bound(unknown.begin(), unknown.end(), type);
  if (at == unknown.end() || *at != type) {
    if (unknown.size() >= kMaxKinds) {
      return {Code::kLimit,
              std::string(what) + ": more than " + Text(kMaxKinds) +
                  " types that meta does not have",
              Where::Byte(where)};
    }
    unknown.insert(at, type);
  }
  return context_.Warn("heapsnapshot.type.unknown", Where::Byte(where), [&] {
    return std::string(what) + ": the type is " + Text(type) +
           ", but meta has " + Text(kinds->names.size());
  });
}

Status Indexer::CheckIds() {
  index_.id_limit =
      index_.node_count == 0 ? 0 : std::max(max_id_, index_.node_count) + 1;
  if (ids_.is_exact()) return {};
  const Section& section = *index_.sections.Find(SectionKind::kNodes);
  const std::size_t width = index_.node.width;
  SortedIds ids;
  HEAPGLOT_RETURN_IF_ERROR(
      ForEachBlock(section, width, [&](const NumberCursor& in) -> Status {
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
  return ForEachBlock(section, width, [&](const NumberCursor& in) -> Status {
    for (std::size_t at = index_.node.id; at < in.block().size(); at += width) {
      if (in.block()[at] != id) continue;
      if (seen) {
        return Malformed("nodes: the id " + Text(id) + " comes twice",
                         in.OffsetOf(at));
      }
      seen = true;
    }
    return {};
  });
}

void Indexer::FinishKinds() {
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
  return ForEachBlock(
      section, index_.edge.width, [&](const NumberCursor& in) -> Status {
        signed_columns.resize(index_.edge.extra.size());
        if (!in.negative().empty()) signed_columns.push_back(index_.edge.name);
        HEAPGLOT_RETURN_IF_ERROR(
            CheckBlock(in, section, index_.edge.width, signed_columns));
        return CheckEdgeBlock(in);
      });
}

Status Indexer::CheckEdgeBlock(const NumberCursor& in) {
  const EdgeColumns& columns = index_.edge;
  const std::span<const std::uint64_t> block = in.block();
  const std::size_t known = index_.edges_named_by_number.size();
  for (std::size_t at = 0; at < block.size(); at += columns.width) {
    const std::uint64_t* const row = &block[at];
    const std::uint64_t type = row[columns.type];
    if (type >= known) [[unlikely]] {
      HEAPGLOT_RETURN_IF_ERROR(AddUnknownKind(type, &index_.edge_kinds, "edges",
                                              in.OffsetOf(at + columns.type)));
    }
    const bool by_number = type < known && index_.edges_named_by_number[type];
    const std::uint64_t name = row[columns.name];
    if (by_number && name > kMaxSigned && !in.IsNegative(at + columns.name))
        [[unlikely]] {
      return Malformed("edges: the index of edge " + Text(index_.edge_count) +
                           " is " + Text(name) + ", more than 63 bits",
                       in.OffsetOf(at + columns.name));
    }
    if (!by_number && name >= index_.string_count()) [[unlikely]] {
      return Malformed(
          "edges: the name of edge " + Text(index_.edge_count) + " is string " +
              (in.IsNegative(at + columns.name)
                   ? std::to_string(static_cast<std::int64_t>(name))
                   : Text(name)) +
              " of " + Text(index_.string_count()),
          in.OffsetOf(at + columns.name));
    }
    std::uint64_t target = 0;
    if (!index_.node_rows.Divide(row[columns.to], index_.node_count, &target))
        [[unlikely]]
      HEAPGLOT_RETURN_IF_ERROR(CheckDangling(in, at + columns.to));
    ++index_.edge_count;
  }
  return {};
}

Status Indexer::CheckDangling(const NumberCursor& in, std::size_t at) {
  ++index_.dangling;
  return context_.Warn("heapsnapshot.edge.dangling",
                       Where::Byte(in.OffsetOf(at)), [&] {
                         return "edges: to_node is " + Text(in.block()[at]) +
                                ", where no node begins";
                       });
}

Status Indexer::CheckEdgeSum() {
  if (edge_sum_ == index_.edge_count) return {};
  const Section& edges = *index_.sections.Find(SectionKind::kEdges);
  if (edge_sum_ < index_.edge_count) {
    return Malformed(Text(index_.edge_count - edge_sum_) + " of the " +
                         Text(index_.edge_count) + " edges belong to no node",
                     edges.value.begin);
  }
  const Section& section = *index_.sections.Find(SectionKind::kNodes);
  const std::size_t width = index_.node.width;
  std::uint64_t node = 0;
  std::uint64_t sum = 0;
  return ForEachBlock(section, width, [&](const NumberCursor& in) -> Status {
    for (std::size_t at = index_.node.edge_count; at < in.block().size();
         at += width, ++node) {
      sum += in.block()[at];
      if (sum <= index_.edge_count) continue;
      return Malformed("the edges of node " + Text(node) + " end at edge " +
                           Text(sum) + ", but there are " +
                           Text(index_.edge_count),
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
                         std::string(name) + " is " + Text(*stated) +
                             ", but there are " + Text(real),
                         Where::Byte(snapshot.value.begin));
  };
  HEAPGLOT_RETURN_IF_ERROR(
      check("node_count", index_.meta.node_count, index_.node_count));
  return check("edge_count", index_.meta.edge_count, index_.edge_count);
}

// --------------------------------------------------------------- other tables

Status Indexer::CheckTables() {
  for (Section& section : index_.sections.list) {
    switch (section.kind) {
      case SectionKind::kTraceFunctions:
      case SectionKind::kSamples:
      case SectionKind::kLocations:
        HEAPGLOT_RETURN_IF_ERROR(CheckTable(&section));
        break;
      default:
        break;
    }
  }
  // It refers to the functions, which may stand behind it.
  for (Section& section : index_.sections.list) {
    if (section.kind == SectionKind::kTraceTree)
      HEAPGLOT_RETURN_IF_ERROR(CheckTraceTree(&section));
  }
  return {};
}

Status Indexer::CheckTable(Section* section) {
  const bool is_location = section->kind == SectionKind::kLocations;
  const bool is_function = section->kind == SectionKind::kTraceFunctions;
  const std::vector<MetaField>& fields =
      is_location   ? index_.meta.location_fields
      : is_function ? index_.meta.trace_function_fields
                    : index_.meta.sample_fields;
  std::uint64_t& rows = is_location   ? index_.location_count
                        : is_function ? index_.trace_function_count
                                      : index_.sample_count;
  const bool is_empty =
      JsonItems(TextOf(bytes_, section->value)).Next() == false;
  if (is_empty) return {};
  if (fields.empty() || (is_location && !FindField(fields, kObjectIndex))) {
    section->kind = SectionKind::kTable;
    HEAPGLOT_RETURN_IF_ERROR(context_.Warn(
        "heapsnapshot.table.fields",
        "meta does not say what the numbers of " + section->name + " are",
        Where::Byte(section->key.begin)));
    return ForEachBlock(*section, 1, [&](const NumberCursor& in) {
      return CheckBlock(in, *section, 1, {0});
    });
  }
  return ForEachBlock(
      *section, fields.size(), [&](const NumberCursor& in) -> Status {
        HEAPGLOT_RETURN_IF_ERROR(CheckTableBlock(in, *section, fields));
        rows += in.block().size() / fields.size();
        return {};
      });
}

Status Indexer::CheckTableBlock(const NumberCursor& in, const Section& section,
                                const std::vector<MetaField>& fields) {
  std::vector<std::size_t> signed_columns;
  for (std::size_t i = 0; i < fields.size(); ++i) signed_columns.push_back(i);
  HEAPGLOT_RETURN_IF_ERROR(
      CheckBlock(in, section, fields.size(), signed_columns));
  const auto column = [&](SectionKind kind, std::string_view name) {
    return section.kind == kind ? FindField(fields, name) : std::nullopt;
  };
  for (const std::string_view name : {kName, kScriptName}) {
    const auto at = column(SectionKind::kTraceFunctions, name);
    for (std::size_t i = at.value_or(in.block().size()); i < in.block().size();
         i += fields.size()) {
      if (in.block()[i] < index_.string_count()) continue;
      return Malformed(section.name + ": " + std::string(name) + " is string " +
                           Text(in.block()[i]) + " of " +
                           Text(index_.string_count()),
                       in.OffsetOf(i));
    }
  }
  const auto at = column(SectionKind::kLocations, kObjectIndex);
  for (std::size_t i = at.value_or(in.block().size()); i < in.block().size();
       i += fields.size()) {
    std::uint64_t node = 0;
    if (index_.node_rows.Divide(in.block()[i], index_.node_count, &node))
      continue;
    HEAPGLOT_RETURN_IF_ERROR(context_.Warn(
        "heapsnapshot.location.dangling", Where::Byte(in.OffsetOf(i)), [] {
          return std::string("locations: no node begins at object_index");
        }));
  }
  return {};
}

// A tree that is not as meta says, or refers to functions that are not there, is
// kept as JSON.
Status Indexer::CheckTraceTree(Section* section) {
  const std::string_view text = TextOf(bytes_, section->value);
  TraceTreeCursor in(text, index_.meta.trace_node_fields);
  std::vector<std::uint32_t> open;  // nodes whose children come
  std::vector<std::uint32_t>& children = index_.trace_children;
  const auto function =
      FindField(index_.meta.trace_node_fields, kFunctionInfoIndex);
  TraceTreeCursor::Event event = in.Next();
  for (; event < TraceTreeCursor::Event::kEnd; event = in.Next()) {
    if (event == TraceTreeCursor::Event::kClose) {
      open.pop_back();
      continue;
    }
    const bool is_known =
        !function || in.row()[*function].value < index_.trace_function_count;
    if (!is_known || children.size() == kMaxTraceNodes) break;
    if (!open.empty()) ++children[open.back()];
    open.push_back(static_cast<std::uint32_t>(children.size()));
    children.push_back(0);
  }
  if (event == TraceTreeCursor::Event::kEnd) return {};
  children.clear();
  children.shrink_to_fit();
  section->kind = SectionKind::kJson;
  return context_.Warn("heapsnapshot.trace_tree",
                       "trace_tree is not as meta describes it",
                       Where::Byte(section->value.begin + in.offset()));
}

}  // namespace

std::uint32_t Kinds::RowOfUnknown(std::uint64_t type) const {
  const auto at = std::lower_bound(unknown.begin(), unknown.end(), type);
  const auto row = static_cast<std::size_t>(at - unknown.begin());
  return static_cast<std::uint32_t>(
      names.size() + std::min(row, unknown.empty() ? 0 : unknown.size() - 1));
}

NodeKindInfo DescribeNodeKind(std::string_view type) {
  static constexpr std::pair<std::string_view, pb::NodeKind> kKnown[] = {
      {"hidden", pb::NODE_HIDDEN},
      {"array", pb::NODE_ARRAY},
      {"string", pb::NODE_STRING},
      {"object", pb::NODE_OBJECT},
      {"code", pb::NODE_CODE},
      {"closure", pb::NODE_CLOSURE},
      {"regexp", pb::NODE_REGEXP},
      {"number", pb::NODE_NUMBER},
      {"native", pb::NODE_NATIVE},
      {"synthetic", pb::NODE_SYNTHETIC},
      {"concatenated string", pb::NODE_CONS_STRING},
      {"sliced string", pb::NODE_SLICED_STRING},
      {"symbol", pb::NODE_SYMBOL},
      {"bigint", pb::NODE_BIGINT},
      {"object shape", pb::NODE_SHAPE},
      {"wasm object", pb::NODE_WASM},
  };
  NodeKindInfo info;
  for (const auto& [name, known] : kKnown) {
    if (name == type) info.known = known;
  }
  info.is_named_by_class =
      info.known == pb::NODE_OBJECT || info.known == pb::NODE_NATIVE;
  info.is_text = info.known == pb::NODE_STRING ||
                 info.known == pb::NODE_CONS_STRING ||
                 info.known == pb::NODE_SLICED_STRING;
  return info;
}

pb::EdgeKind DescribeEdgeKind(std::string_view type) {
  static constexpr std::pair<std::string_view, pb::EdgeKind> kKnown[] = {
      {"context", pb::EDGE_CONTEXT},   {"element", pb::EDGE_ELEMENT},
      {"property", pb::EDGE_PROPERTY}, {"internal", pb::EDGE_INTERNAL},
      {"hidden", pb::EDGE_HIDDEN},     {"shortcut", pb::EDGE_SHORTCUT},
      {"weak", pb::EDGE_WEAK},
  };
  for (const auto& [name, known] : kKnown) {
    if (name == type) return known;
  }
  return pb::EDGE_OTHER;
}

Status BuildIndex(const ByteSource& source, Context& context, Index* index) {
  return Indexer(source, context, index).Run();
}

}  // namespace heapglot::heapsnapshot
