#include "readers/heapsnapshot/heapsnapshot_index.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "core/bytes/trail.h"
#include "core/id_bitmap.h"
#include "core/record_limit.h"
#include "core/saturating.h"
#include "core/text/utf.h"
#include "readers/heapsnapshot/heapsnapshot_blocks.h"
#include "readers/heapsnapshot/heapsnapshot_classes.h"
#include "readers/heapsnapshot/heapsnapshot_index_tables.h"
#include "readers/heapsnapshot/heapsnapshot_node_sums.h"
#include "readers/heapsnapshot/heapsnapshot_numbers.h"
#include "readers/heapsnapshot/heapsnapshot_strings.h"
#include "readers/heapsnapshot/heapsnapshot_tables.h"

namespace heapglot::heapsnapshot {
namespace {

// Bits of a counter of the edges of a block; three counters are in one number.
constexpr unsigned kCountBits = 21;
static_assert(BlockChecker::kNumbers < std::size_t{1} << kCountBits);

// A "]" within this many bytes of the end of a file shows that there is one
// after everything before them.
constexpr std::size_t kTail = std::size_t{64} << 10;

// How many strings names may refer to while the number of strings is not known
// yet: the first number to begin with, more if there are such names, up to a
// number that costs little or is in proportion to the nodes.
constexpr std::uint64_t kFirstNames = std::uint64_t{1} << 16;
constexpr std::uint64_t kManyNames = std::uint64_t{1} << 26;
constexpr std::uint64_t kNamesPerNode = 4;

// A block of numbers below kMaxAdded can be added to a sum below kMaxSum.
constexpr std::uint64_t kMaxAdded = std::uint64_t{1} << 31;
constexpr std::uint64_t kMaxSum = std::uint64_t{1} << 63;
static_assert(kMaxAdded * BlockChecker::kNumbers <= kMaxSum);

// Nodes and edges are checked on the way to what follows them, as if all were
// well (CheckEarly): looking for their ends first would be one more pass over
// nearly all of the file. If anything is odd, the results are dropped, and all
// is checked again when everything has its place, because errors are reported
// in that order.
class Indexer {
 public:
  Indexer(const ByteSource& source, Context& context, Index* index)
      : source_(source),
        bytes_(source.bytes()),
        context_(context),
        blocks_(source, context),
        index_(*index),
        ids_(bytes_.size()) {}

  Status Run();

 private:
  Status FindParts();
  Status RequireParts() const;
  Status ReadMeta();
  Status WarnOfFile();
  void FindColumns();
  Status CheckCounts();
  Status CheckRoot();

  enum class Early : std::uint8_t { kNothing, kNodes, kAll, kOdd };
  std::uint64_t CheckEarly(const Section& section);
  Status CheckEarlyNodes(const Section& nodes, std::uint64_t* end);
  bool IsEarlyRight() const;
  void ForgetEarly();
  // Returned while checking early if something is wrong, or may be. Nobody gets
  // to see this.
  static Status Odd() { return {Code::kInternal, "odd"}; }
  bool is_early() const { return early_limit_ != 0; }

  Status CheckNodes(const Section& section, std::uint64_t* end = nullptr);
  Status CheckNodeRows(const NumberCursor& in, const Section& section);
  Status CheckNodeBlock(const NumberCursor& in);
  bool CountNodes(std::span<const std::uint64_t> block);
  void NoteKinds(std::span<const std::uint64_t> block);
  Status CountTexts();
  Status CountPlaceholders(std::uint64_t* count);
  Status CheckOddNodeBlock(const NumberCursor& in);
  static Status SecondId(const NumberCursor& in, std::size_t at);
  Status AddUnknownKind(const NumberCursor& in, std::size_t at, Kinds* kinds,
                        std::string_view what);
  Status CheckNodeName(const NumberCursor& in, std::size_t at);
  Status CheckRecords(const NumberCursor& in) const;
  Status CheckIds();
  Status FindSecond(std::uint64_t id);
  void FinishKinds();
  Status FindTypes();
  Status ReadTypeNames();

  Status CheckEdges(const Section& section, std::uint64_t* end = nullptr);
  void DescribeEdges();
  void AddEdgeCounts(std::uint64_t counted);
  Status CheckEdgeRowsOf(const NumberCursor& in, const Section& section,
                         const std::vector<std::size_t>& signed_columns);
  Status CheckEdgeBlock(const NumberCursor& in);
  Status CheckOddEdgeBlock(const NumberCursor& in);
  Status CheckEdge(const NumberCursor& in, std::size_t at);
  Status CheckDangling(const NumberCursor& in, std::size_t at);
  Status CheckEdgeSum();

  const ByteSource& source_;
  std::string_view bytes_;
  Context& context_;
  BlockChecker blocks_;
  Index& index_;
  Early early_ = Early::kNothing;
  // While checking early: more strings than there can be. 0: the number of
  // strings is known.
  std::uint64_t early_limit_ = 0;
  // Names from this one on are looked at closely.
  std::uint64_t name_limit_ = 0;
  std::uint64_t max_name_ = 0;
  std::vector<std::uint8_t> has_class_name_;     // by type of node, 0 or 1
  std::vector<std::uint8_t> is_made_of_others_;  // the same
  std::vector<std::uint64_t> last_name_of_type_;
  // How often a node of a type that is made of others has another name than the
  // previous one: once per type if all have the same name, as V8's have.
  std::uint64_t name_changes_ = 0;
  std::vector<std::uint64_t> more_nodes_of_type_;
  IdBitmap ids_;
  std::uint64_t max_id_ = 0;
  std::uint64_t edge_sum_ = 0;
  // Of strings that come after the nodes, those that name classes.
  TypeNames type_names_;
};

Status Indexer::Run() {
  HEAPGLOT_RETURN_IF_ERROR(FindParts());
  HEAPGLOT_RETURN_IF_ERROR(RequireParts());
  const bool is_checked = IsEarlyRight();
  if (!is_checked) {
    ForgetEarly();
    HEAPGLOT_RETURN_IF_ERROR(ReadMeta());
  }
  name_limit_ = index_.string_count();
  index_.class_names.Resize(name_limit_);
  HEAPGLOT_RETURN_IF_ERROR(WarnOfFile());
  const Sections& sections = index_.sections;
  if (!is_checked) {
    HEAPGLOT_RETURN_IF_ERROR(CheckNodes(*sections.Find(SectionKind::kNodes)));
  }
  HEAPGLOT_RETURN_IF_ERROR(CheckIds());
  if (!is_checked) {
    HEAPGLOT_RETURN_IF_ERROR(CheckEdges(*sections.Find(SectionKind::kEdges)));
  }
  HEAPGLOT_RETURN_IF_ERROR(CheckEdgeSum());
  HEAPGLOT_RETURN_IF_ERROR(CheckCounts());
  HEAPGLOT_RETURN_IF_ERROR(CheckRoot());
  FinishKinds();
  HEAPGLOT_RETURN_IF_ERROR(FindTypes());
  HEAPGLOT_RETURN_IF_ERROR(CountTexts());
  return IndexTables(blocks_, &index_);
}

Status Indexer::FindParts() {
  Trail trail(source_);
  return FindSections(
      bytes_, context_.limits,
      [&](std::uint64_t offset) {
        trail.Advance(offset);
        return blocks_.Proceed(offset);
      },
      &index_.sections,
      [this](const Section& section) { return CheckEarly(section); },
      {.wanted = &index_.class_names,
       .note = [this](const StringToken& token) { type_names_.Add(token); }});
}

Status Indexer::ReadMeta() {
  const Section& snapshot = *index_.sections.Find(SectionKind::kSnapshot);
  const auto warn_twice = [this](std::uint64_t offset) -> Status {
    if (is_early()) return Odd();
    return blocks_.Warn("heapsnapshot.key.twice",
                        "a key occurs twice in the snapshot object", offset);
  };
  HEAPGLOT_RETURN_IF_ERROR(
      ParseMeta(bytes_, snapshot.value, warn_twice, &index_.meta));
  FindColumns();
  return {};
}

// ---------------------------------------------------------------------- early

// The end of an array if it is right as far as can be known by now, or 0.
std::uint64_t Indexer::CheckEarly(const Section& section) {
  const bool is_next =
      (section.kind == SectionKind::kNodes && early_ == Early::kNothing &&
       index_.sections.Find(SectionKind::kSnapshot) != nullptr) ||
      (section.kind == SectionKind::kEdges && early_ == Early::kNodes);
  if (!is_next) return 0;
  const std::size_t tail = bytes_.size() - std::min(bytes_.size(), kTail);
  const std::size_t bracket = bytes_.substr(tail).rfind(']');
  if (bracket == std::string_view::npos ||
      tail + bracket <= section.value.begin)
    return 0;
  Section open = section;
  open.value.end = tail + bracket + 1;
  // A string has two quotes, and nearly always a comma.
  early_limit_ = bytes_.size() / 2;
  std::uint64_t end = 0;
  const bool is_nodes = section.kind == SectionKind::kNodes;
  const Status status =
      is_nodes ? CheckEarlyNodes(open, &end) : CheckEdges(open, &end);
  early_limit_ = 0;
  early_ = !status.ok() ? Early::kOdd : is_nodes ? Early::kNodes : Early::kAll;
  return status.ok() ? end : 0;
}

Status Indexer::CheckEarlyNodes(const Section& nodes, std::uint64_t* end) {
  HEAPGLOT_RETURN_IF_ERROR(ReadMeta());
  name_limit_ = std::min(early_limit_, kFirstNames);
  index_.class_names.Resize(name_limit_);
  return CheckNodes(nodes, end);
}

bool Indexer::IsEarlyRight() const {
  return early_ == Early::kAll && max_name_ < index_.string_count();
}

void Indexer::ForgetEarly() {
  Sections sections = std::move(index_.sections);
  index_ = Index();
  index_.sections = std::move(sections);
  max_name_ = 0;
  type_names_ = TypeNames();
  ids_ = IdBitmap(bytes_.size());
  max_id_ = 0;
  edge_sum_ = 0;
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
    HEAPGLOT_RETURN_IF_ERROR(
        blocks_.Warn("heapsnapshot.bom", "the file begins with a BOM", 0));
  }
  if (sections.trailing_zeros > 0) {
    HEAPGLOT_RETURN_IF_ERROR(blocks_.Warn(
        "heapsnapshot.trailing_zeros",
        std::to_string(sections.trailing_zeros) + " NUL bytes after the end",
        bytes_.size() - sections.trailing_zeros));
  }
  for (std::uint64_t i = 0; i < sections.bad_strings; ++i) {
    HEAPGLOT_RETURN_IF_ERROR(blocks_.Warn(
        "heapsnapshot.string.bytes", [&] { return sections.first_bad_string; },
        [] { return std::string("a string is not UTF-8"); }));
  }
  return {};
}

// Finds the column of each field: the one of its name, or one of the extra
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
  more_nodes_of_type_.assign(index_.node_infos.size(), 0);
  last_name_of_type_.assign(index_.node_infos.size(), kNoString);
  name_changes_ = 0;
  has_class_name_.clear();
  is_made_of_others_.clear();
  for (const NodeKindInfo& info : index_.node_infos) {
    has_class_name_.push_back(info.is_named_by_class ? 1 : 0);
    is_made_of_others_.push_back(info.is_made_of_others ? 1 : 0);
  }
}

// ---------------------------------------------------------------------- nodes

Status Indexer::CheckNodes(const Section& section, std::uint64_t* end) {
  return blocks_.ForEach(
      section, index_.node.width,
      [&](const NumberCursor& in) { return CheckNodeRows(in, section); }, end);
}

Status Indexer::CheckNodeRows(const NumberCursor& in, const Section& section) {
  if (is_early() && !in.odd().empty()) return Odd();
  HEAPGLOT_RETURN_IF_ERROR(
      blocks_.Check(in, section, index_.node.width, index_.node.extra));
  HEAPGLOT_RETURN_IF_ERROR(CheckNodeBlock(in));
  return CheckRecords(in);
}

Status Indexer::CheckNodeBlock(const NumberCursor& in) {
  const NodeColumns& columns = index_.node;
  if (!CountNodes(in.block())) return CheckOddNodeBlock(in);
  const std::size_t rows = in.block().size() / columns.width;
  const std::size_t added =
      ids_.AddColumn(in.block().data() + columns.id, columns.width, rows);
  if (added == rows) return {};
  return SecondId(in, added * columns.width + columns.id);
}

// False: something must be looked at closely, and nothing was counted. Of ids,
// only notes the highest.
bool Indexer::CountNodes(std::span<const std::uint64_t> block) {
  const NodeRowSums sums = SumNodeRows(index_.node, block);
  const bool is_plain = sums.max_name < name_limit_ &&
                        sums.max_type < index_.node_infos.size() &&
                        sums.bits < kMaxAdded && edge_sum_ < kMaxSum;
  if (!is_plain) return false;
  NoteKinds(block);
  max_name_ = std::max(max_name_, sums.max_name);
  max_id_ = std::max(max_id_, sums.max_id);
  edge_sum_ += sums.edges;
  index_.self_sizes = AddSaturating(index_.self_sizes, sums.sizes);
  index_.nodes_with_size += sums.with_size;
  index_.nodes_with_trace += sums.with_trace;
  index_.nodes_with_detachedness += sums.with_detachedness;
  index_.node_count += block.size() / index_.node.width;
  return true;
}

// For blocks with only types that meta has and names that exist.
void Indexer::NoteKinds(std::span<const std::uint64_t> block) {
  const NodeColumns& columns = index_.node;
  const std::uint8_t* const has_class_name = has_class_name_.data();
  const std::uint8_t* const is_made_of_others = is_made_of_others_.data();
  std::uint64_t* const last_names = last_name_of_type_.data();
  std::uint64_t changes = 0;
  // Two counters per type, used in turn: the last increment may not be done yet
  // when the next node has the same type.
  std::uint64_t* counts = index_.nodes_of_type.data();
  std::uint64_t* next_counts = more_nodes_of_type_.data();
  for (std::size_t at = 0; at < block.size(); at += columns.width) {
    const std::uint64_t type = block[at + columns.type];
    ++counts[type];
    std::swap(counts, next_counts);
    const std::uint64_t name = block[at + columns.name];
    index_.class_names.AddIf(has_class_name[type] != 0, name);
    changes += (last_names[type] != name ? 1 : 0) & is_made_of_others[type];
    last_names[type] = name;
  }
  name_changes_ += changes;
}

// Checks a block in which not all is plain, row by row, to find out why.
Status Indexer::CheckOddNodeBlock(const NumberCursor& in) {
  const NodeColumns& columns = index_.node;
  for (std::size_t at = 0; at < in.block().size(); at += columns.width) {
    const std::uint64_t* const row = &in.block()[at];
    const std::uint64_t name = row[columns.name];
    if (name >= name_limit_)
      HEAPGLOT_RETURN_IF_ERROR(CheckNodeName(in, at + columns.name));
    max_name_ = std::max(max_name_, name);
    const std::uint64_t type = row[columns.type];
    if (type < index_.node_infos.size())
      NoteKinds(in.block().subspan(at, columns.width));
    else
      HEAPGLOT_RETURN_IF_ERROR(
          AddUnknownKind(in, at + columns.type, &index_.node_kinds, "nodes"));
    const std::uint64_t id = row[columns.id];
    if (!ids_.Add(id)) return SecondId(in, at + columns.id);
    max_id_ = std::max(max_id_, id);
    const std::uint64_t edges = row[columns.edge_count];
    edge_sum_ += edges;
    if (edge_sum_ < edges) {
      return Malformed("nodes: the edge_count of node " +
                           std::to_string(index_.node_count) + " is " +
                           std::to_string(edges),
                       in.OffsetOf(at + columns.edge_count));
    }
    // For one row, setting up vectors takes longer than adding.
    const NodeRowSums sums = internal::SumNodeRowsPlain(
        columns, in.block().subspan(at, columns.width), {});
    index_.self_sizes = AddSaturating(index_.self_sizes, sums.sizes);
    index_.nodes_with_size += sums.with_size;
    index_.nodes_with_trace += sums.with_trace;
    index_.nodes_with_detachedness += sums.with_detachedness;
    ++index_.node_count;
  }
  return {};
}

// The error for an id of the block that an earlier node has.
Status Indexer::SecondId(const NumberCursor& in, std::size_t at) {
  return Malformed(
      "nodes: the id " + std::to_string(in.block()[at]) + " comes twice",
      in.OffsetOf(at));
}

// Checks a name that is not below name_limit_.
Status Indexer::CheckNodeName(const NumberCursor& in, std::size_t at) {
  const std::uint64_t name = in.block()[at];
  if (is_early()) {
    const std::uint64_t most = std::min(
        early_limit_, std::max(kManyNames, index_.node_count * kNamesPerNode));
    if (name >= most) return Odd();
    name_limit_ = std::min(most, std::max(2 * name_limit_, name + 1));
    index_.class_names.Resize(name_limit_);
    return {};
  }
  return Malformed("nodes: the name of node " +
                       std::to_string(index_.node_count) + " is string " +
                       std::to_string(name) + " of " +
                       std::to_string(index_.string_count()),
                   in.OffsetOf(at));
}

// Adds the type at a place of the block, which meta does not have.
Status Indexer::AddUnknownKind(const NumberCursor& in, std::size_t at,
                               Kinds* kinds, std::string_view what) {
  if (is_early()) return Odd();
  const std::uint64_t type = in.block()[at];
  const auto where = [&] { return in.OffsetOf(at); };
  std::vector<std::uint64_t>& unknown = kinds->unknown;
  const auto known = std::lower_bound(unknown.begin(), unknown.end(), type);
  if (known == unknown.end() || *known != type) {
    if (unknown.size() >= kMaxKinds) {
      return {Code::kLimit,
              std::string(what) + ": more than " + std::to_string(kMaxKinds) +
                  " types that meta does not have",
              Where::Byte(where())};
    }
    unknown.insert(known, type);
  }
  return blocks_.Warn("heapsnapshot.type.unknown", where, [&] {
    return std::string(what) + ": the type is " + std::to_string(type) +
           ", but meta has " + std::to_string(kinds->names.size());
  });
}

Status Indexer::CheckRecords(const NumberCursor& in) const {
  return CheckRecordCount(context_.limits,
                          index_.node_count + index_.edge_count,
                          [&] { return Where::Byte(in.OffsetOf(0)); });
}

Status Indexer::CheckIds() {
  index_.id_limit =
      index_.node_count == 0 ? 0 : std::max(max_id_, index_.node_count) + 1;
  if (ids_.is_exact()) return {};
  const Section& section = *index_.sections.Find(SectionKind::kNodes);
  const std::size_t width = index_.node.width;
  SortedIds ids(index_.node_count);
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
        return SecondId(in, at);
      }
      seen = true;
    }
    return {};
  });
}

void Indexer::FinishKinds() {
  for (std::size_t type = 0; type < more_nodes_of_type_.size(); ++type)
    index_.nodes_of_type[type] += more_nodes_of_type_[type];
  for (std::size_t type = 0; type < index_.node_infos.size(); ++type)
    index_.node_infos[type].is_used = index_.nodes_of_type[type] > 0;
  NodeKindInfo unknown;
  unknown.is_used = true;
  index_.node_infos.resize(index_.node_kinds.size(), unknown);
  index_.edges_named_by_number.resize(index_.edge_kinds.size(), false);
  index_.class_names.BuildRanks();
}

Status Indexer::FindTypes() {
  if (type_names_.size() != index_.class_names.members())
    HEAPGLOT_RETURN_IF_ERROR(ReadTypeNames());
  TypeNames of_kinds;
  for (std::size_t kind = 0; kind < index_.node_infos.size(); ++kind) {
    if (!HasOneType(index_.node_infos[kind])) continue;
    const std::string name = ClassOfKind(index_, kind);
    of_kinds.Add(name, ClassifyUtf8(name));
  }
  type_names_.PutFirst(of_kinds);
  index_.type_of_name = type_names_.Numbers();
  const std::vector<std::uint64_t>& types = index_.type_of_name;
  index_.type_count = types.empty()
                          ? type_names_.size()
                          : *std::max_element(types.begin(), types.end()) + 1;
  type_names_ = TypeNames();
  return {};
}

// The names of classes were not known yet when the strings were looked at.
Status Indexer::ReadTypeNames() {
  type_names_ = TypeNames();
  StringCursor in(bytes_, index_.sections);
  Trail trail(source_, in.offset());
  for (std::uint64_t i = 0; i < index_.string_count(); ++i) {
    if (!index_.class_names.Has(i)) continue;
    if (!in.Seek(i)) return InputChanged();
    type_names_.Add(in.token());
    trail.Advance(in.offset());
    HEAPGLOT_RETURN_IF_ERROR(blocks_.Proceed(in.offset()));
  }
  return {};
}

// Which string nodes have a text is known only after all strings.
Status Indexer::CountTexts() {
  std::uint64_t placeholders = 0;
  std::uint64_t names = 0;  // name_changes_ if each type has one name
  bool has_placeholders = false;
  for (std::size_t type = 0; type < index_.nodes_of_type.size(); ++type) {
    NodeKindInfo& info = index_.node_infos[type];
    if (!info.is_text || !info.is_used) continue;
    index_.nodes_with_text += index_.nodes_of_type[type];
    if (is_made_of_others_[type] == 0) continue;
    ++names;
    const Copies& those = index_.NoTextsOf(info);
    info.no_text = those.first();
    has_placeholders = has_placeholders || info.no_text != kNoString;
    if (those.Has(last_name_of_type_[type]))
      placeholders += index_.nodes_of_type[type];
  }
  if (has_placeholders && name_changes_ != names)
    HEAPGLOT_RETURN_IF_ERROR(CountPlaceholders(&placeholders));
  index_.nodes_with_text -= placeholders;
  return {};
}

// Counts node by node: some nodes of a type have a text, others may not.
Status Indexer::CountPlaceholders(std::uint64_t* count) {
  const NodeColumns& columns = index_.node;
  const Section& section = *index_.sections.Find(SectionKind::kNodes);
  const KindRows rows_of(index_.node_kinds);
  *count = 0;
  return blocks_.ForEach(
      section, columns.width, [&](const NumberCursor& in) -> Status {
        for (std::size_t at = 0; at < in.block().size(); at += columns.width) {
          const std::uint64_t* const row = &in.block()[at];
          const NodeKindInfo& kind =
              index_.node_infos[rows_of.Of(row[columns.type])];
          const bool has_none = kind.is_made_of_others &&
                                index_.NoTextsOf(kind).Has(row[columns.name]);
          *count += has_none ? 1 : 0;
        }
        return {};
      });
}

// ---------------------------------------------------------------------- edges

Status Indexer::CheckEdges(const Section& section, std::uint64_t* end) {
  // The index of an element may be negative: Dart's AOT profile has such
  // indices, and V8 writes those from 2^31 on like that.
  std::vector<std::size_t> signed_columns = index_.edge.extra;
  DescribeEdges();
  return blocks_.ForEach(
      section, index_.edge.width,
      [&](const NumberCursor& in) {
        signed_columns.resize(index_.edge.extra.size());
        if (!in.negative().empty()) signed_columns.push_back(index_.edge.name);
        return CheckEdgeRowsOf(in, section, signed_columns);
      },
      end);
}

Status Indexer::CheckEdgeRowsOf(
    const NumberCursor& in, const Section& section,
    const std::vector<std::size_t>& signed_columns) {
  if (is_early() && !in.odd().empty()) return Odd();
  HEAPGLOT_RETURN_IF_ERROR(
      blocks_.Check(in, section, index_.edge.width, signed_columns));
  HEAPGLOT_RETURN_IF_ERROR(CheckEdgeBlock(in));
  return CheckRecords(in);
}

void Indexer::DescribeEdges() {
  index_.edge_rules.columns = index_.edge;
  index_.edge_rules.node_rows = index_.node_rows;
  index_.edge_rules.nodes = index_.node_count;
  index_.edge_rules.types.clear();
  // As FeatureTally does: an unknown type is information if there are others.
  const auto kinds = std::ranges::count_if(
      index_.meta.edge_types, [](const std::string& type) {
        return DescribeEdgeKind(type) != pb::EDGE_WEAK;
      });
  for (std::size_t type = 0; type < index_.meta.edge_types.size(); ++type) {
    const pb::EdgeKind kind = DescribeEdgeKind(index_.meta.edge_types[type]);
    const bool by_number = index_.edges_named_by_number[type];
    const bool is_weak = kind == pb::EDGE_WEAK;
    const bool is_kind = !is_weak && (kind != pb::EDGE_OTHER || kinds > 1);
    index_.edge_rules.types.push_back(
        {.name_mask = by_number ? 0 : ~std::uint64_t{0},
         .counted = std::uint64_t{by_number} |
                    std::uint64_t{is_weak} << kCountBits |
                    std::uint64_t{is_kind} << (2 * kCountBits)});
  }
}

// Adds the counts of a block, or of a part of it.
void Indexer::AddEdgeCounts(std::uint64_t counted) {
  constexpr std::uint64_t kMask = (std::uint64_t{1} << kCountBits) - 1;
  index_.edges_by_number += counted & kMask;
  index_.weak_edges += counted >> kCountBits & kMask;
  index_.edges_of_kind += counted >> (2 * kCountBits);
}

Status Indexer::CheckEdgeBlock(const NumberCursor& in) {
  EdgeRowSums sums;
  const bool is_plain = CheckEdgeRows(index_.edge_rules, in.block(), &sums) &&
                        (is_early() || sums.max_name < name_limit_);
  if (!is_plain) return CheckOddEdgeBlock(in);
  max_name_ = std::max(max_name_, sums.max_name);
  AddEdgeCounts(sums.counted);
  index_.edge_count += in.block().size() / index_.edge.width;
  return {};
}

// Checks a block in which not all is plain, row by row, to find out why.
Status Indexer::CheckOddEdgeBlock(const NumberCursor& in) {
  const EdgeColumns& columns = index_.edge;
  const std::span<const std::uint64_t> block = in.block();
  const std::span<const EdgeTypeRule> types = index_.edge_rules.types;
  const std::uint64_t first = index_.edge_count;
  const RowDivider node_rows = index_.node_rows;
  const std::uint64_t nodes = index_.node_count;
  std::uint64_t counted = 0;
  for (std::size_t at = 0; at < block.size(); at += columns.width) {
    const std::uint64_t* const row = &block[at];
    const std::uint64_t type = row[columns.type];
    if (type < types.size()) counted += types[type].counted;
    index_.edge_count = first + at / columns.width;
    HEAPGLOT_RETURN_IF_ERROR(CheckEdge(in, at));
    std::uint64_t target = 0;
    if (!node_rows.Divide(row[columns.to], nodes, &target)) [[unlikely]]
      HEAPGLOT_RETURN_IF_ERROR(CheckDangling(in, at + columns.to));
  }
  AddEdgeCounts(counted);
  index_.edge_count = first + block.size() / columns.width;
  return {};
}

// `at` is the place of the edge's row in the block.
Status Indexer::CheckEdge(const NumberCursor& in, std::size_t at) {
  const EdgeColumns& columns = index_.edge;
  const std::uint64_t type = in.block()[at + columns.type];
  const std::uint64_t name = in.block()[at + columns.name];
  const std::size_t known = index_.edges_named_by_number.size();
  if (type >= known) {
    HEAPGLOT_RETURN_IF_ERROR(
        AddUnknownKind(in, at + columns.type, &index_.edge_kinds, "edges"));
  }
  const bool by_number = type < known && index_.edges_named_by_number[type];
  if (by_number && name > kMaxSigned && !in.IsNegative(at + columns.name)) {
    return Malformed("edges: the index of edge " +
                         std::to_string(index_.edge_count) + " is " +
                         std::to_string(name) + ", more than 63 bits",
                     in.OffsetOf(at + columns.name));
  }
  if (by_number) return {};
  max_name_ = std::max(max_name_, name);
  if (name >= (is_early() ? early_limit_ : name_limit_)) {
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
  if (is_early()) return Odd();
  ++index_.dangling;
  return blocks_.Warn(
      "heapsnapshot.edge.dangling", [&] { return in.OffsetOf(at); },
      [&] {
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

// The stated counts are claims. Hermes writes 0 for any heap.
Status Indexer::CheckCounts() {
  const Section& snapshot = *index_.sections.Find(SectionKind::kSnapshot);
  const auto check = [&](std::string_view name,
                         std::optional<std::uint64_t> stated,
                         std::uint64_t real) -> Status {
    if (stated.value_or(0) == 0 || *stated == real) return {};
    return blocks_.Warn("heapsnapshot.count",
                        std::string(name) + " is " + std::to_string(*stated) +
                            ", but there are " + std::to_string(real),
                        snapshot.value.begin);
  };
  HEAPGLOT_RETURN_IF_ERROR(
      check("node_count", index_.meta.node_count, index_.node_count));
  return check("edge_count", index_.meta.edge_count, index_.edge_count);
}

// A root_index that is not a node's is taken for that of the first node.
Status Indexer::CheckRoot() {
  const Span& value = index_.meta.root_index_value;
  const std::optional<std::uint64_t> root = index_.meta.root_index;
  std::uint64_t node = 0;
  const bool is_node =
      root && index_.node_rows.Divide(*root, index_.node_count, &node);
  if (value.end == 0 || index_.node_count == 0 || is_node) return {};
  constexpr std::size_t kMostShown = 40;
  return blocks_.Warn(
      "heapsnapshot.root.none",
      "root_index is " +
          std::string(TextOf(bytes_, value).substr(0, kMostShown)) +
          ", where no node begins",
      value.begin);
}

}  // namespace

Status BuildIndex(const ByteSource& source, Context& context, Index* index) {
  return Indexer(source, context, index).Run();
}

}  // namespace heapglot::heapsnapshot
