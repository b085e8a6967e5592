#include "readers/heapsnapshot/heapsnapshot_reader.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/bytes/trail.h"
#include "core/chunk_builder.h"
#include "core/text/utf.h"
#include "readers/heapsnapshot/heapsnapshot_blocks.h"
#include "readers/heapsnapshot/heapsnapshot_dialect.h"
#include "readers/heapsnapshot/heapsnapshot_index.h"
#include "readers/heapsnapshot/heapsnapshot_json.h"
#include "readers/heapsnapshot/heapsnapshot_leftovers.h"
#include "readers/heapsnapshot/heapsnapshot_node_types.h"
#include "readers/heapsnapshot/heapsnapshot_numbers.h"
#include "readers/heapsnapshot/heapsnapshot_place.h"
#include "readers/heapsnapshot/heapsnapshot_split_rows.h"
#include "readers/heapsnapshot/heapsnapshot_strings.h"
#include "readers/heapsnapshot/heapsnapshot_tables.h"
#include "readers/heapsnapshot/heapsnapshot_validate.h"

namespace heapglot {
namespace {

using heapsnapshot::AddExtraFills;
using heapsnapshot::BlockChecker;
using heapsnapshot::ClassOfKind;
using heapsnapshot::ColumnFill;
using heapsnapshot::EdgeRowColumns;
using heapsnapshot::HasOneType;
using heapsnapshot::Index;
using heapsnapshot::InputChanged;
using heapsnapshot::KindRows;
using heapsnapshot::kNoColumn;
using heapsnapshot::MetaField;
using heapsnapshot::NodeColumns;
using heapsnapshot::NodeKindInfo;
using heapsnapshot::NodeTypeRule;
using heapsnapshot::NumberCursor;
using heapsnapshot::ResolveReferences;
using heapsnapshot::Section;
using heapsnapshot::SectionKind;
using heapsnapshot::Sections;
using heapsnapshot::SetNodeTypes;
using heapsnapshot::SplitRows;
using heapsnapshot::StringCursor;
using heapsnapshot::TablePass;

// Chunks of nodes and of edges have about the same size: nodes have more
// columns.
constexpr std::uint64_t kEdgeRows = 2 * std::uint64_t{kChunkRows};

// Strings between two calls of Context::Proceed().
constexpr std::uint64_t kProgressStrings = 1 << 16;

// Sends one pass of the stream.
//
// Indices of strings: the names come first (types of nodes, types of edges,
// classes of whole types, classes named by nodes), then the strings of the
// file.
class Pass {
 public:
  Pass(const ByteSource& source, const Index& index, Context& context,
       ChunkSet wanted, ChunkSink& out);

  Status Run();

 private:
  bool Wants(pb::Chunk::BodyCase kind) const { return wanted_.Has(kind); }

  Status SendHeader();
  Status SendGraph();
  Status SendNames();
  Status SendVocabularies();
  Status SendTypes();
  Status SendNodesAndEdges();
  // Reads `rows` rows of `width` numbers each, and passes them to fill(block,
  // row), as many at a time as stay in the second-level cache.
  template <typename Fill>
  Status ForEachRows(NumberCursor& in, std::size_t width, std::uint64_t rows,
                     Fill fill) const;
  Status ReadNodes(NumberCursor& in, std::uint64_t first, std::uint64_t count);
  Status ReadNodeRows(NumberCursor& in, std::uint64_t count);
  void SetKinds(pb::Nodes* nodes) const;
  void SetTypesAndValues(pb::Nodes* nodes) const;
  bool DropCopiesOfNoText(pb::Nodes* nodes) const;
  Status SendEdges(std::uint64_t first_node, NumberCursor& in, Trail& trail);
  Status ReadEdges(NumberCursor& in, pb::Edges* edges);
  void SplitOddEdges(std::span<const std::uint64_t> block,
                     const EdgeRowColumns& columns, int row,
                     pb::Edges* edges) const;
  Status SendStrings();
  Status SendEnds();

  Status Proceed(std::uint64_t offset) const {
    return context_.Proceed("converting", offset, bytes_.size());
  }

  const ByteSource& source_;
  std::string_view bytes_;
  const Index& index_;
  Context& context_;
  ChunkSet wanted_;
  ChunkSink& out_;
  StringBuilder strings_;
  std::uint64_t first_string_ = 1;  // of the file
  std::vector<NodeTypeRule> kinds_;
  std::vector<std::uint64_t> first_names_;  // added to names, by kind of edge
  std::uint64_t kind_types_ = 0;
  std::uint64_t first_edge_ = 0;

  // Reused from chunk to chunk. edge_counts_ and node_types_ are of the nodes
  // that were read last; node_columns_ is where the numbers of the next ones
  // go, by column.
  std::vector<std::uint64_t> edge_counts_;
  std::vector<std::uint64_t> node_types_;
  std::vector<std::uint64_t*> node_columns_;
  pb::Chunk nodes_chunk_;
  pb::Chunk edges_chunk_;
  pb::Chunk other_chunk_;
};

Pass::Pass(const ByteSource& source, const Index& index, Context& context,
           ChunkSet wanted, ChunkSink& out)
    : source_(source),
      bytes_(source.bytes()),
      index_(index),
      context_(context),
      wanted_(wanted),
      out_(out),
      strings_(out),
      kinds_(index.node_infos.size()) {
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind)
    if (HasOneType(index.node_infos[kind]))
      kinds_[kind].type_ref = ++kind_types_;
  first_string_ += index.node_kinds.names.size() +
                   index.edge_kinds.names.size() + kind_types_ +
                   index.class_names.members();
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    const NodeKindInfo& info = index.node_infos[kind];
    if (info.is_named_by_class)
      kinds_[kind] = {.type_ref = kind_types_ + 1, .is_ranked = true};
    kinds_[kind].has_text = info.is_text;
    kinds_[kind].no_text = info.no_text;
  }
  for (const bool by_number : index.edges_named_by_number)
    first_names_.push_back(by_number ? 0 : first_string_);
}

Status Pass::Run() {
  TablePass tables(source_, index_, wanted_, out_, first_string_);
  HEAPGLOT_RETURN_IF_ERROR(SendHeader());
  HEAPGLOT_RETURN_IF_ERROR(SendGraph());
  HEAPGLOT_RETURN_IF_ERROR(SendNames());
  HEAPGLOT_RETURN_IF_ERROR(SendVocabularies());
  HEAPGLOT_RETURN_IF_ERROR(SendTypes());
  HEAPGLOT_RETURN_IF_ERROR(tables.SendSnapshotObject());
  HEAPGLOT_RETURN_IF_ERROR(SendNodesAndEdges());
  HEAPGLOT_RETURN_IF_ERROR(tables.SendTables());
  HEAPGLOT_RETURN_IF_ERROR(SendStrings());
  return SendEnds();
}

Status Pass::SendHeader() {
  if (!Wants(pb::Chunk::kHeader)) return {};
  pb::Header& header = *other_chunk_.mutable_header();
  header.set_format("heapsnapshot");
  header.set_dialect(std::string(heapsnapshot::DialectOf(bytes_, index_)));
  header.set_source_size(bytes_.size());
  return out_.Accept(other_chunk_);
}

Status Pass::SendGraph() {
  if (!Wants(pb::Chunk::kGraph)) return {};
  pb::Graph& graph = *other_chunk_.mutable_graph();
  graph.set_id_space(pb::Graph::OPAQUE);
  graph.set_edges_grouped(true);
  const heapsnapshot::Meta& meta = index_.meta;
  std::uint64_t root = 0;
  const bool has_root =
      meta.root_index &&
      index_.node_rows.Divide(*meta.root_index, index_.node_count, &root);
  if (index_.node_count > 0) graph.set_root_ref(has_root ? root + 1 : 1);
  if (meta.node_count) graph.set_node_count(*meta.node_count);
  if (meta.edge_count) graph.set_edge_count(*meta.edge_count);
  if (meta.trace_function_count)
    graph.set_trace_function_count(*meta.trace_function_count);
  if (meta.extra_native_bytes)
    graph.set_extra_native_bytes(*meta.extra_native_bytes);
  const auto add = [](const std::vector<MetaField>& fields, auto* schema) {
    for (const MetaField& field : fields) {
      pb::Graph::Field& added = *schema->Add();
      added.set_name(field.name);
      added.set_type(field.type);
    }
  };
  add(meta.node_fields, graph.mutable_node_schema());
  add(meta.edge_fields, graph.mutable_edge_schema());
  add(meta.location_fields, graph.mutable_location_schema());
  add(meta.sample_fields, graph.mutable_sample_schema());
  add(meta.trace_function_fields, graph.mutable_trace_function_schema());
  add(meta.trace_node_fields, graph.mutable_trace_node_schema());
  return out_.Accept(other_chunk_);
}

// ---------------------------------------------------------------------- names

Status Pass::SendNames() {
  strings_.BeginNames(wanted_.HasUserOfNames() || Wants(pb::Chunk::kStrings));
  if (!strings_.wanted()) {
    strings_.SkipTo(first_string_);
    return {};
  }
  for (const auto* names :
       {&index_.node_kinds.names, &index_.edge_kinds.names}) {
    for (const std::string& name : *names)
      HEAPGLOT_RETURN_IF_ERROR(strings_.Add(name, ClassifyUtf8(name)));
  }
  for (std::size_t kind = 0; kind < index_.node_infos.size(); ++kind) {
    if (!HasOneType(index_.node_infos[kind])) continue;
    const std::string name = ClassOfKind(index_, kind);
    HEAPGLOT_RETURN_IF_ERROR(strings_.Add(name, ClassifyUtf8(name)));
  }
  StringCursor in(bytes_, index_.sections);
  Trail trail(source_, in.offset());
  for (std::uint64_t i = 0; i < index_.string_count(); ++i) {
    if (!index_.class_names.Has(i)) continue;
    if (!in.Seek(i)) return InputChanged();
    HEAPGLOT_RETURN_IF_ERROR(SendString(in.token(), strings_));
    trail.Advance(in.offset());
  }
  return strings_.Flush();
}

Status Pass::SendVocabularies() {
  if (!Wants(pb::Chunk::kVocabulary)) return {};
  pb::Vocabulary& nodes = *other_chunk_.mutable_vocabulary();
  const auto add_codes = [](const heapsnapshot::Kinds& kinds,
                            pb::Vocabulary* vocabulary) {
    if (kinds.unknown.empty()) return;
    for (std::size_t row = 0; row < kinds.names.size(); ++row)
      vocabulary->add_source_code(static_cast<std::int64_t>(row));
    for (const std::uint64_t code : kinds.unknown)
      vocabulary->add_source_code(static_cast<std::int64_t>(code));
  };
  std::uint64_t name = 1;
  nodes.set_space(pb::Vocabulary::NODE_KIND);
  for (std::size_t row = 0; row < index_.node_infos.size(); ++row) {
    const bool is_named = row < index_.node_kinds.names.size();
    nodes.add_name(is_named ? name++ : 0);
    nodes.add_known(index_.node_infos[row].known);
  }
  add_codes(index_.node_kinds, &nodes);
  HEAPGLOT_RETURN_IF_ERROR(out_.Accept(other_chunk_));

  pb::Vocabulary& edges = nodes;
  edges.Clear();
  edges.set_space(pb::Vocabulary::EDGE_KIND);
  for (std::size_t row = 0; row < index_.edge_kinds.size(); ++row) {
    const bool is_named = row < index_.edge_kinds.names.size();
    edges.add_name(is_named ? name++ : 0);
    edges.add_known(
        is_named ? heapsnapshot::DescribeEdgeKind(index_.edge_kinds.names[row])
                 : pb::EDGE_OTHER);
    edges.add_name_form(index_.edges_named_by_number[row] ? pb::NAME_NUMBER
                                                          : pb::NAME_STRING);
  }
  add_codes(index_.edge_kinds, &edges);
  return out_.Accept(other_chunk_);
}

Status Pass::SendTypes() {
  if (!Wants(pb::Chunk::kTypes)) return {};
  const std::uint64_t names = kind_types_ + index_.class_names.members();
  const std::uint64_t first_name = first_string_ - names;
  pb::Types& types = *other_chunk_.mutable_types();
  types.Clear();
  std::uint64_t next = 0;
  for (std::uint64_t i = 0; i < names; ++i) {
    const bool is_new =
        index_.type_of_name.empty() || index_.type_of_name[i] == next;
    if (!is_new) continue;
    types.add_name(first_name + i);
    const auto count = static_cast<std::uint64_t>(types.name_size());
    if (++next < index_.type_count && count < kChunkRows) continue;
    types.set_first(next - count);
    types.set_count(static_cast<std::uint32_t>(count));
    HEAPGLOT_RETURN_IF_ERROR(out_.Accept(other_chunk_));
    types.Clear();
  }
  return {};
}

// ------------------------------------------------------------ nodes and edges

Status Pass::SendNodesAndEdges() {
  const bool wants_edges = Wants(pb::Chunk::kEdges);
  if (!Wants(pb::Chunk::kNodes) && !wants_edges) return {};
  const Section& nodes = *index_.sections.Find(SectionKind::kNodes);
  const Section& edges = *index_.sections.Find(SectionKind::kEdges);
  // Both are read side by side.
  NumberCursor node_in(bytes_, TextOf(bytes_, nodes.value), nodes.name);
  NumberCursor edge_in(bytes_, TextOf(bytes_, edges.value), edges.name);
  Trail node_trail(source_, nodes.value.begin);
  Trail edge_trail(source_, edges.value.begin);
  for (std::uint64_t first = 0; first < index_.node_count;) {
    const std::uint64_t count =
        std::min<std::uint64_t>(kChunkRows, index_.node_count - first);
    HEAPGLOT_RETURN_IF_ERROR(ReadNodes(node_in, first, count));
    if (Wants(pb::Chunk::kNodes))
      HEAPGLOT_RETURN_IF_ERROR(out_.AcceptOwned(nodes_chunk_));
    if (wants_edges)
      HEAPGLOT_RETURN_IF_ERROR(SendEdges(first, edge_in, edge_trail));
    first += count;
    node_trail.Advance(node_in.offset());
    HEAPGLOT_RETURN_IF_ERROR(
        Proceed(wants_edges ? edge_in.offset() : node_in.offset()));
  }
  return {};
}

template <typename Fill>
Status Pass::ForEachRows(NumberCursor& in, std::size_t width,
                         std::uint64_t rows, Fill fill) const {
  const std::uint64_t most =
      std::max<std::uint64_t>(BlockChecker::kNumbers / width, 1);
  for (std::uint64_t row = 0; row < rows;) {
    const std::uint64_t now = std::min(most, rows - row);
    const bool ok = in.Read(now * width).ok();
    if (!ok || in.block().size() != now * width) return InputChanged();
    fill(in.block(), static_cast<int>(row));
    row += now;
  }
  return {};
}

// Reads nodes into a chunk, if they are wanted, and their edge counts.
Status Pass::ReadNodes(NumberCursor& in, std::uint64_t first,
                       std::uint64_t count) {
  const NodeColumns& columns = index_.node;
  node_columns_.assign(columns.width, nullptr);
  edge_counts_.resize(count);
  if (!Wants(pb::Chunk::kNodes)) {
    node_columns_[columns.edge_count] = edge_counts_.data();
    return ReadNodeRows(in, count);
  }
  const auto rows = static_cast<int>(count);
  pb::Nodes& nodes = *nodes_chunk_.mutable_nodes();
  nodes.Clear();
  nodes.set_first(first);
  nodes.set_count(static_cast<std::uint32_t>(count));
  const auto add = [&](std::size_t at, auto* column) {
    if (at != kNoColumn) node_columns_[at] = AddRows(column, rows);
  };
  add(columns.id, nodes.mutable_id());
  add(columns.name, nodes.mutable_name());
  add(columns.self_size, nodes.mutable_self_size());
  add(columns.edge_count, nodes.mutable_edge_count());
  add(columns.trace_node, nodes.mutable_trace_node());
  add(columns.detachedness, nodes.mutable_detachedness());
  node_types_.resize(count);
  node_columns_[columns.type] = node_types_.data();
  for (const std::size_t at : columns.extra) {
    pb::ExtraColumn& column = *nodes.add_extra();
    column.set_name(index_.meta.node_fields[at].name);
    column.set_type(index_.meta.node_fields[at].type);
    // Signed and unsigned integers may alias each other.
    node_columns_[at] =
        reinterpret_cast<std::uint64_t*>(AddRows(column.mutable_ints(), rows));
  }
  HEAPGLOT_RETURN_IF_ERROR(ReadNodeRows(in, count));
  SetKinds(&nodes);
  SetTypesAndValues(&nodes);
  for (std::uint64_t& name : *nodes.mutable_name()) name += first_string_;
  std::copy(nodes.edge_count().begin(), nodes.edge_count().end(),
            edge_counts_.begin());
  // Not ids: 0 is an id, and an absent column stands for other ids.
  ClearIfZero(nodes.mutable_self_size());
  ClearIfZero(nodes.mutable_edge_count());
  ClearIfZero(nodes.mutable_trace_node());
  ClearIfZero(nodes.mutable_detachedness());
  ClearIfZero(nodes.mutable_kind());
  for (pb::ExtraColumn& column : *nodes.mutable_extra()) {
    ClearIfZero(column.mutable_ints());
    ResolveReferences(index_, first_string_, count, &column);
  }
  return {};
}

// Splits `count` rows into node_columns_.
Status Pass::ReadNodeRows(NumberCursor& in, std::uint64_t count) {
  const std::size_t width = index_.node.width;
  return ForEachRows(in, width, count,
                     [&](std::span<const std::uint64_t> block, int) {
                       SplitRows(block, width, node_columns_.data());
                       const std::size_t rows = block.size() / width;
                       for (std::uint64_t*& column : node_columns_)
                         if (column != nullptr) column += rows;
                     });
}

void Pass::SetKinds(pb::Nodes* nodes) const {
  const std::uint64_t known = index_.node_kinds.names.size();
  std::uint32_t* kinds =
      AddRows(nodes->mutable_kind(), static_cast<int>(node_types_.size()));
  bool all_known = true;
  for (const std::uint64_t type : node_types_) {
    all_known &= type < known;
    *kinds++ = static_cast<std::uint32_t>(type);
  }
  if (all_known) return;
  const KindRows rows_of(index_.node_kinds);
  kinds = nodes->mutable_kind()->mutable_data();
  for (const std::uint64_t type : node_types_) *kinds++ = rows_of.Of(type);
}

// For the nodes of a chunk, which must have their kinds, and names that are
// still those of the file.
void Pass::SetTypesAndValues(pb::Nodes* nodes) const {
  const int rows = nodes->name_size();
  bool has_text =
      SetNodeTypes({kinds_, index_.class_names, first_string_},
                   static_cast<std::size_t>(rows),
                   {.kinds = nodes->kind().data(),
                    .names = nodes->name().data(),
                    .type_refs = AddRows(nodes->mutable_type_ref(), rows),
                    .value_forms = AddRows(nodes->mutable_value_form(), rows),
                    .values = AddRows(nodes->mutable_value(), rows)});
  const std::vector<std::uint64_t>& types = index_.type_of_name;
  if (!types.empty()) {
    // The file may have changed, so any number may be here.
    for (std::uint64_t& ref : *nodes->mutable_type_ref())
      ref = ref - 1 < types.size() ? types[ref - 1] + 1 : 0;
  }
  const Sections& sections = index_.sections;
  if (sections.cons_strings.are_many() || sections.sliced_strings.are_many())
    has_text = DropCopiesOfNoText(nodes);
  if (has_text) return;
  nodes->clear_value_form();
  nodes->clear_value();
}

// NodeTypeRule knows one string that is no text; this is for the others.
// Returns whether any node has a text.
bool Pass::DropCopiesOfNoText(pb::Nodes* nodes) const {
  bool has_text = false;
  for (int row = 0; row < nodes->name_size(); ++row) {
    const NodeKindInfo& kind = index_.node_infos[nodes->kind(row)];
    if (kind.is_made_of_others &&
        index_.NoTextsOf(kind).Has(nodes->name(row))) {
      nodes->set_value_form(row, 0);
      nodes->set_value(row, 0);
    }
    has_text |= nodes->value_form(row) != 0;
  }
  return has_text;
}

Status Pass::SendEdges(std::uint64_t first_node, NumberCursor& in,
                       Trail& trail) {
  const std::size_t nodes = edge_counts_.size();
  std::size_t at = 0;      // the current node
  std::uint64_t sent = 0;  // of its edges
  while (at < nodes) {
    pb::Edges& edges = *edges_chunk_.mutable_edges();
    edges.Clear();
    edges.set_first(first_edge_);
    edges.set_first_node(first_node + at);
    auto& per_node = *edges.mutable_edges_per_node();
    std::uint32_t* const begin =
        AddRows(&per_node, static_cast<int>(nodes - at));
    std::uint32_t* count = begin;
    std::uint64_t rows = 0;
    for (; at < nodes; ++at) {
      const std::uint64_t left = edge_counts_[at] - sent;
      const std::uint64_t now = std::min(left, kEdgeRows - rows);
      *count++ = static_cast<std::uint32_t>(now);
      rows += now;
      if (now < left) [[unlikely]] {
        sent += now;
        break;
      }
      sent = 0;
    }
    per_node.Truncate(static_cast<int>(count - begin));
    if (rows == 0) break;
    edges.set_count(static_cast<std::uint32_t>(rows));
    HEAPGLOT_RETURN_IF_ERROR(ReadEdges(in, &edges));
    HEAPGLOT_RETURN_IF_ERROR(out_.AcceptOwned(edges_chunk_));
    first_edge_ += rows;
    // One node may have most of the edges.
    trail.Advance(in.offset());
  }
  return {};
}

Status Pass::ReadEdges(NumberCursor& in, pb::Edges* edges) {
  const auto rows = static_cast<int>(edges->count());
  const EdgeRowColumns columns = {AddRows(edges->mutable_kind(), rows),
                                  AddRows(edges->mutable_name(), rows),
                                  AddRows(edges->mutable_to(), rows)};
  const std::size_t width = index_.edge.width;
  std::vector<ColumnFill<std::int64_t>> extra =
      AddExtraFills(index_.meta.edge_fields, index_.edge.extra, rows, edges);
  HEAPGLOT_RETURN_IF_ERROR(ForEachRows(
      in, width, edges->count(),
      [&](std::span<const std::uint64_t> block, int row) {
        const EdgeRowColumns here = {columns.kinds + row, columns.names + row,
                                     columns.targets + row};
        if (!SplitEdgeRows(index_.edge_rules, first_names_, block, here))
          SplitOddEdges(block, here, row, edges);
        for (auto& fill : extra) fill.Add(block, width);
      }));
  for (auto& fill : extra) fill.Finish();
  for (pb::ExtraColumn& column : *edges->mutable_extra())
    ResolveReferences(index_, first_string_, edges->count(), &column);
  FillColumn(edges->mutable_to_form(), rows);
  return {};
}

// For blocks with types that meta does not have, or with targets where no node
// begins, which are kept as offsets. `row` is that of the first edge in
// `edges`.
void Pass::SplitOddEdges(std::span<const std::uint64_t> block,
                         const EdgeRowColumns& columns, int row,
                         pb::Edges* edges) const {
  const KindRows kind_rows(index_.edge_kinds);
  std::size_t i = 0;
  for (std::size_t at = 0; at < block.size(); at += index_.edge.width, ++i) {
    const std::uint32_t kind = kind_rows.Of(block[at + index_.edge.type]);
    columns.kinds[i] = kind;
    columns.names[i] = first_names_[kind] + block[at + index_.edge.name];
    const std::uint64_t to = block[at + index_.edge.to];
    if (index_.node_rows.Divide(to, index_.node_count, &columns.targets[i]))
      continue;
    SetSparse(edges->mutable_to_form(), row + static_cast<int>(i),
              static_cast<std::uint32_t>(pb::TO_DANGLING));
    columns.targets[i] = to;
  }
}

// -------------------------------------------------------------------- the end

Status Pass::SendStrings() {
  strings_.BeginOthers(Wants(pb::Chunk::kStrings));
  if (!strings_.wanted()) {
    strings_.Skip(index_.string_count());
    return {};
  }
  StringCursor in(bytes_, index_.sections);
  Trail trail(source_, in.offset());
  for (std::uint64_t i = 0; i < index_.string_count(); ++i) {
    if (!in.Seek(i)) return InputChanged();
    HEAPGLOT_RETURN_IF_ERROR(SendString(in.token(), strings_));
    trail.Advance(in.offset());
    if (i % kProgressStrings == 0)
      HEAPGLOT_RETURN_IF_ERROR(Proceed(in.offset()));
  }
  return strings_.Flush();
}

Status Pass::SendEnds() {
  if (Wants(pb::Chunk::kGraphEnd)) {
    pb::GraphEnd& end = *other_chunk_.mutable_graph_end();
    end.set_types(index_.type_count);
    end.set_nodes(index_.node_count);
    end.set_edges(index_.edge_count);
    end.set_locations(index_.location_count);
    end.set_trace_functions(index_.trace_function_count);
    end.set_trace_nodes(index_.trace_children.size());
    end.set_samples(index_.sample_count);
    end.set_self_size_total(index_.self_sizes);
    end.set_edges_dangling(index_.dangling);
    end.set_id_limit(index_.id_limit);
    HEAPGLOT_RETURN_IF_ERROR(out_.Accept(other_chunk_));
  }
  if (!Wants(pb::Chunk::kFooter)) return {};
  pb::Footer& footer = *other_chunk_.mutable_footer();
  footer.set_graphs(1);
  footer.set_strings(first_string_ + index_.string_count());
  return out_.Accept(other_chunk_);
}

class HeapsnapshotReader : public Reader {
 public:
  HeapsnapshotReader(const ByteSource& source, Context& context)
      : source_(source), context_(context) {}

  Status Read(ChunkSet wanted, ChunkSink& out) override {
    return heapsnapshot::InFile(ReadAll(wanted, out), source_);
  }
  std::optional<FeatureCounts> CountedRows() const override {
    if (!is_indexed_) return std::nullopt;
    return heapsnapshot::CountRows(index_);
  }

 private:
  Status ReadAll(ChunkSet wanted, ChunkSink& out) {
    if (!is_indexed_) {
      HEAPGLOT_RETURN_IF_ERROR(
          heapsnapshot::BuildIndex(source_, context_, &index_));
      is_indexed_ = true;
    }
    return Pass(source_, index_, context_, wanted, out).Run();
  }

  const ByteSource& source_;
  Context& context_;
  Index index_;
  bool is_indexed_ = false;
};

}  // namespace

constinit const ReaderInfo kHeapsnapshotReader = {
    .name = "heapsnapshot",
    .title = "V8 heap snapshot (Chrome DevTools)",
    .extensions = "heapsnapshot heaptimeline",
    .produces = {Feature::kNode,           Feature::kNodeId,
                 Feature::kNodeKind,       Feature::kNodeName,
                 Feature::kNodeSelfSize,   Feature::kNodeDetachedness,
                 Feature::kNodeTrace,      Feature::kNodeExtra,
                 Feature::kType,           Feature::kValueText,
                 Feature::kStringEncoding, Feature::kEdge,
                 Feature::kEdgeOrder,      Feature::kEdgeName,
                 Feature::kEdgeIndex,      Feature::kEdgeKind,
                 Feature::kEdgeWeak,       Feature::kEdgeDangling,
                 Feature::kEdgeExtra,      Feature::kLocation,
                 Feature::kTrace,          Feature::kGraphRoot,
                 Feature::kGraphTotals,    Feature::kExtra},
    .sniff = heapsnapshot::SniffHeapsnapshot,
    .make = [](const ByteSource& source,
               Context& context) -> std::unique_ptr<Reader> {
      return std::make_unique<HeapsnapshotReader>(source, context);
    },
    .find_leftovers = heapsnapshot::FindLeftovers,
    .unknown_json = heapsnapshot::kSectionExtra,
    .validator = &kHeapsnapshotValidator,
};

}  // namespace heapglot
