#include "writers/heapsnapshot/heapsnapshot_writer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/bytes/buffered_out.h"
#include "core/column.h"
#include "core/ir/node_id.h"
#include "core/ir/word_count.h"
#include "core/text/base64.h"
#include "core/text/format_uint.h"
#include "core/text/string_store.h"
#include "core/text/text_budget.h"
#include "readers/heapsnapshot/heapsnapshot_wire.h"
#include "writers/heapsnapshot/heapsnapshot_edge_forms.h"
#include "writers/heapsnapshot/heapsnapshot_layout.h"
#include "writers/heapsnapshot/heapsnapshot_losses.h"
#include "writers/heapsnapshot/heapsnapshot_names.h"
#include "writers/heapsnapshot/heapsnapshot_native_rows.h"
#include "writers/heapsnapshot/heapsnapshot_native_writer.h"
#include "writers/heapsnapshot/heapsnapshot_other_tables.h"
#include "writers/heapsnapshot/heapsnapshot_text.h"
#include "writers/heapsnapshot/heapsnapshot_waiting.h"
#include "writers/heapsnapshot/heapsnapshot_wire.h"

namespace heapglot {
namespace {

using heapsnapshot::EdgeForm;
using heapsnapshot::EdgeFormOf;
using heapsnapshot::EdgeLosses;
using heapsnapshot::EdgeType;
using heapsnapshot::Externals;
using heapsnapshot::kMaxShownIndex;
using heapsnapshot::Layout;
using heapsnapshot::Lose;
using heapsnapshot::NodeColumns;
using heapsnapshot::NodeLosses;
using heapsnapshot::NodeName;
using heapsnapshot::NodeNames;
using heapsnapshot::NodeType;
using heapsnapshot::OtherTables;
using heapsnapshot::Replaced;
using heapsnapshot::StringNumbers;
using heapsnapshot::WaitingText;

// Numbers of the rows that are formatted together: 16 KiB.
constexpr std::size_t kRowBlock = 2048;

// Passes: a survey of what the tables need to know beforehand, then nodes, edges
// and the other tables straight through. Strings come along with the nodes that have them,
// and wait until the others are written: less work than a pass of their own.
enum Pass { kSurvey, kNodes, kEdges, kOthers };

// The node behind those of the chunk.
std::uint64_t EndNode(const pb::Edges& edges) {
  return edges.first_node() +
         static_cast<unsigned>(edges.edges_per_node_size());
}

// Whether a node may have a value that is not its name. None has where nodes have
// no values, or where these are their names, as in dumps of V8's.
bool HasOtherValues(const pb::Nodes& nodes) {
  const std::span names = SpanOf(nodes.name());
  const std::span values = SpanOf(nodes.value());
  const std::span forms = SpanOf(nodes.value_form());
  if (forms.empty()) return false;
  if (names.empty() || values.empty()) return true;
  unsigned has = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool is_name =
        heapsnapshot::IsText(forms[i]) && values[i] == names[i];
    has |= unsigned{forms[i] != pb::V_NONE} &
           (unsigned{!is_name} | unsigned{names[i] == 0});
  }
  return has != 0;
}

// Whether all nodes have names.
bool AreNamed(const pb::Nodes& nodes) {
  bool has_none = nodes.name().empty();
  for (const std::uint64_t name : nodes.name()) has_none |= name == 0;
  return !has_none;
}

class HeapsnapshotWriter : public Writer {
 public:
  HeapsnapshotWriter(ByteSink& sink, Leftovers* leftovers, Context& context)
      : out_(sink), leftovers_(leftovers), context_(context), names_(numbers_) {
    external_edge_ = numbers_.Fixed("external");
    element_edge_ = numbers_.Fixed("element");
  }

  ChunkSet Wanted(int pass) override;
  Status Accept(const pb::Chunk& chunk) override;
  Status Finish() override;

 private:
  Status WriteLeftovers();
  // Between passes.
  void FinishSurvey();
  void BeginNodes();
  void EndNodes();
  void BeginEdges();
  void EndEdges();

  Status Survey(const pb::Chunk& chunk);
  Status BeginGraph(const pb::Graph& graph);
  void AddVocabulary(const pb::Vocabulary& vocabulary);
  void AddNodes(const pb::Nodes& chunk);
  void CountValues(const NodeColumns& nodes, int rows);
  void AddEdges(const pb::Edges& edges);
  int AddPlainEdges(const pb::Edges& edges);
  // Whether a node before that has edges, still to come, that the source has not:
  // to external memory that it holds, or those that are added to the root.
  bool HasMoreEdges(std::uint64_t before_node) const;
  void SkipEdges(const pb::Edges& edges);
  void AddEdge(const pb::Edges& edges, int row);
  void AddStrings(const pb::Strings& strings);
  void AddMadeString(const NodeColumns& nodes, int row);
  void AddMadeInteger(std::uint32_t form, std::uint64_t value);
  Status WriteStrings();

  void WriteNode(NodeType type, std::uint64_t name, std::uint64_t id,
                 std::uint64_t size, std::uint64_t edges,
                 std::uint64_t trace_node = 0, std::uint64_t detachedness = 0);
  void WriteGroupNodes(const std::vector<Layout::Group>& groups,
                       std::uint64_t first_ordinal);
  // `before`: how many its node has before them.
  void WriteGroupEdges(const Layout::Group& group, std::uint64_t before);
  void WriteEdge(EdgeType type, std::uint64_t name, std::uint64_t ordinal);
  // Writes those of all nodes before `node`.
  void WriteMoreEdges(std::uint64_t before_node);
  std::uint64_t TakeMoreEdges(std::uint64_t node);
  void StartMoreEdges();

  // How ids are made for nodes: out of those of the stream, or their numbers.
  struct NodeIds {
    std::uint64_t column_mask;  // all if the stream's are taken
    std::uint64_t factor;
    std::uint64_t shift;

    std::uint64_t Of(std::uint64_t id, std::uint64_t index) const {
      const std::uint64_t made = index + 1;
      return ((id & column_mask) | (made & ~column_mask)) * factor + shift;
    }
  };
  NodeIds IdsOf(const NodeColumns& nodes) const;
  // Nodes refer to traces if these are written.
  std::uint64_t TraceMask() const {
    return others_.has_traces() ? ~std::uint64_t{0} : 0;
  }
  void AddNamedNodes(const NodeColumns& nodes, const NodeIds& ids, int rows);
  void AddAnyNodes(const NodeColumns& nodes, const NodeIds& ids, int rows,
                   bool may_hide);

  // An array of rows, from "[" to "]".
  void BeginRows(const std::vector<bool>& is_signed);
  template <typename... Fields>
  void AddRow(Fields... fields);
  void FlushRows();
  void EndRows();

  // Counts what is known of the losses after the survey, and what is made.
  void CountSurveyed();
  void CountSynthesized();

  BufferedOut out_;
  Leftovers* const leftovers_;
  Context& context_;
  int pass_ = kSurvey;
  StringNumbers numbers_;
  NodeNames names_;
  Layout layout_;
  std::uint64_t external_edge_ = 0;
  std::uint64_t element_edge_ = 0;
  struct EdgeKind {
    std::uint32_t known = pb::EDGE_OTHER;
    std::uint32_t name_form = pb::NAME_NONE;
  };
  EdgeKind KindOf(const pb::Edges& edges, int row) const {
    const std::uint32_t kind = At(edges.kind(), row);
    return kind < edge_kinds_.size() ? edge_kinds_[kind] : EdgeKind();
  }
  // Whether an edge says for itself what its name is, and not what its kind says.
  bool HasOwnNameForm(const pb::Edges& edges, int row) const {
    return !edges.name_form().empty() &&
           edges.name_form(row) != KindOf(edges, row).name_form;
  }
  bool HaveOwnNameForms(const pb::Edges& edges) const;
  EdgeForm FormOf(const pb::Edges& edges, int row);

  std::vector<EdgeKind> edge_kinds_;
  std::vector<EdgeForm> edge_forms_;  // of these
  heapsnapshot::PlainEdges plain_edges_;
  pb::Graph graph_;
  pb::GraphEnd totals_;
  std::uint64_t graphs_ = 0;
  std::uint64_t footer_strings_ = 0;

  // As V8 has it: a line a row.
  const heapsnapshot::ArrayLayout array_layout_ = {
      .first = "", .column = {}, .row = {"\n", ""}, .last = "\n", .empty = ""};
  const std::vector<bool> node_signs_ =
      std::vector<bool>(heapsnapshot::kNodeFields, false);
  const std::vector<bool> edge_signs_ =
      std::vector<bool>(heapsnapshot::kEdgeFields, false);
  std::optional<heapsnapshot::RowWriter> rows_;
  // Rows that are formatted together, in the fastest way.
  std::array<std::uint64_t, kRowBlock> block_ = {};
  std::size_t block_used_ = 0;

  Externals::Cursor externals_{layout_.externals()};
  bool adds_to_root_ = false;  // what is added is still to come
  std::uint64_t made_ = 0;     // made strings so far
  WaitingText strings_;
  WaitingText made_strings_;  // they come behind all others
  std::uint64_t position_node_ = Externals::kDangling;
  std::uint64_t position_ = 0;  // of the next edge among those of its node
  bool is_in_string_ = false;   // the last string goes on
  StringStore window_;          // strings since the last chunk of nodes
  std::uint64_t nodes_seen_ = 0;
  std::string made_text_;
  TextBudget made_budget_;
  Replaced replaced_;
  NodeLosses node_losses_;
  EdgeLosses edge_losses_;
  OtherTables others_{layout_, numbers_, out_};
};

ChunkSet HeapsnapshotWriter::Wanted(int pass) {
  pass_ = pass;
  switch (pass) {
    case kSurvey:
      return {pb::Chunk::kGraph, pb::Chunk::kVocabulary, pb::Chunk::kTypes,
              pb::Chunk::kRoots, pb::Chunk::kExternals,  pb::Chunk::kGraphEnd,
              pb::Chunk::kFooter};
    case kNodes:
      FinishSurvey();
      BeginNodes();
      return {pb::Chunk::kNodes, pb::Chunk::kStrings};
    case kEdges:
      EndNodes();
      BeginEdges();
      return {pb::Chunk::kEdges};
    case kOthers:
      EndEdges();
      [[fallthrough]];
    default:
      return others_.Next();
  }
}

Status HeapsnapshotWriter::Accept(const pb::Chunk& chunk) {
  switch (pass_) {
    case kSurvey:
      return Survey(chunk);
    case kNodes:
      if (chunk.has_strings()) {
        AddStrings(chunk.strings());
        // Behind the last node nobody needs them: they may be all of V8's.
        if (nodes_seen_ < totals_.nodes()) window_.Add(chunk.strings());
      } else if (chunk.has_nodes()) {
        AddNodes(chunk.nodes());
        nodes_seen_ += chunk.nodes().count();
        window_.Clear();
      }
      HEAPGLOT_RETURN_IF_ERROR(window_.status());
      HEAPGLOT_RETURN_IF_ERROR(strings_.out().status());
      HEAPGLOT_RETURN_IF_ERROR(made_strings_.out().status());
      break;
    case kEdges:
      if (chunk.has_edges()) AddEdges(chunk.edges());
      break;
    default:
      others_.Add(chunk);
  }
  return out_.status();
}

// ------------------------------------------------------------------- survey

Status HeapsnapshotWriter::BeginGraph(const pb::Graph& graph) {
  if (++graphs_ > 1 || !graph.edges_grouped()) {
    // The pipeline merges and groups (WriterInfo).
    return {Code::kInternal, "heapsnapshot: not one graph, or not grouped"};
  }
  graph_ = graph;
  layout_.AddGraph(graph_);
  return {};
}

void HeapsnapshotWriter::AddVocabulary(const pb::Vocabulary& vocabulary) {
  names_.AddVocabulary(vocabulary);
  layout_.AddVocabulary(vocabulary);
  if (vocabulary.space() != pb::Vocabulary::EDGE_KIND) return;
  for (int i = 0; i < WordCount(vocabulary); ++i) {
    const EdgeKind kind = {At(vocabulary.known(), i),
                           At(vocabulary.name_form(), i)};
    edge_kinds_.push_back(kind);
    edge_forms_.push_back(EdgeFormOf(kind.known, kind.name_form));
  }
}

Status HeapsnapshotWriter::Survey(const pb::Chunk& chunk) {
  switch (chunk.body_case()) {
    case pb::Chunk::kGraph:
      return BeginGraph(chunk.graph());
    case pb::Chunk::kVocabulary:
      AddVocabulary(chunk.vocabulary());
      break;
    case pb::Chunk::kStrings:
      names_.AddNames(chunk.strings());
      break;
    case pb::Chunk::kTypes:
      names_.AddTypes(chunk.types());
      break;
    case pb::Chunk::kRoots:
      return layout_.AddRoots(chunk.roots());
    case pb::Chunk::kExternals:
      return layout_.AddExternals(chunk.externals(), names_, numbers_);
    case pb::Chunk::kGraphEnd:
      totals_ = chunk.graph_end();
      break;
    case pb::Chunk::kFooter:
      // Frozen in FinishSurvey(), when the last fixed string is known.
      footer_strings_ = chunk.footer().strings();
      break;
    default:
      break;
  }
  return {};
}

void HeapsnapshotWriter::FinishSurvey() {
  names_.Finish();
  if (layout_.makes_root()) names_.set_root_ref(graph_.root_ref());
  layout_.Finish(totals_, names_, numbers_);
  numbers_.Freeze(footer_strings_);
  names_.NumberTypes();
  others_.Announce(totals_, layout_.keeps_ids());

  CountSurveyed();
  CountSynthesized();
}

void HeapsnapshotWriter::CountSurveyed() {
  LossReport& loss = context_.loss;
  Lose("heapsnapshot.type.library", names_.types_without_library(), &loss);
  Lose("heapsnapshot.type.library.told", names_.types_with_library(), &loss);
  Lose("heapsnapshot.graph.totals.native",
       graph_.has_extra_native_bytes() ? 1 : 0, &loss);
  const Externals& externals = layout_.externals();
  Lose("heapsnapshot.external.holder",
       externals.HeldByOmitted().size() + externals.HeldByDangling().size(),
       &loss);
}

void HeapsnapshotWriter::CountSynthesized() {
  LossReport& loss = context_.loss;
  const auto make = [&loss](const SynthesizedRow& row, std::uint64_t count) {
    loss.AddSynthesized(row.code, count, row.note);
  };
  make(heapsnapshot::kGroupNode,
       layout_.heads().size() + layout_.tails().size());
  make(heapsnapshot::kExternalNode, layout_.externals().size());
  if (!layout_.keeps_ids()) make(heapsnapshot::kMadeId, totals_.nodes());
}

// --------------------------------------------------------------------- rows

void HeapsnapshotWriter::BeginRows(const std::vector<bool>& is_signed) {
  rows_.emplace(array_layout_, is_signed, out_);
  rows_->Begin();
}

// Each number by itself: the processor waits for those that are written one by one
// and then copied together.
template <typename... Fields>
void HeapsnapshotWriter::AddRow(Fields... fields) {
  static_assert(sizeof...(fields) == heapsnapshot::kNodeFields ||
                sizeof...(fields) == heapsnapshot::kEdgeFields);
  if (block_.size() - block_used_ < sizeof...(fields)) FlushRows();
  std::uint64_t* out = block_.data() + block_used_;
  ((*out++ = fields), ...);
  block_used_ += sizeof...(fields);
}

void HeapsnapshotWriter::FlushRows() {
  rows_->Write({block_.data(), block_used_});
  block_used_ = 0;
}

void HeapsnapshotWriter::EndRows() {
  FlushRows();
  rows_->End();
}

// -------------------------------------------------------------------- nodes

void HeapsnapshotWriter::BeginNodes() {
  out_.Write(heapsnapshot::kMeta);
  out_.WriteUint(layout_.node_count());
  out_.Write(",\"edge_count\":");
  out_.WriteUint(layout_.edge_count());
  out_.Write(",\"trace_function_count\":");
  out_.WriteUint(others_.trace_functions());
  if (graph_.has_extra_native_bytes()) {
    out_.Write(",\"extra_native_bytes\":");
    out_.WriteUint(graph_.extra_native_bytes());
  }
  out_.Write("},\n\"nodes\":");
  BeginRows(node_signs_);
  WriteGroupNodes(layout_.heads(), 0);
  StartMoreEdges();
}

void HeapsnapshotWriter::WriteGroupNodes(
    const std::vector<Layout::Group>& groups, std::uint64_t first_ordinal) {
  std::uint64_t ordinal = first_ordinal;
  for (const Layout::Group& group : groups) {
    WriteNode(NodeType::kSynthetic, group.name,
              layout_.SynthesizedId(ordinal++), 0, group.size());
  }
}

void HeapsnapshotWriter::WriteNode(NodeType type, std::uint64_t name,
                                   std::uint64_t id, std::uint64_t size,
                                   std::uint64_t edges,
                                   std::uint64_t trace_node,
                                   std::uint64_t detachedness) {
  AddRow(static_cast<std::uint64_t>(type), name, id, size, edges, trace_node,
         detachedness);
}

HeapsnapshotWriter::NodeIds HeapsnapshotWriter::IdsOf(
    const NodeColumns& nodes) const {
  const bool keeps = layout_.keeps_ids();
  const bool has_column = keeps && nodes.id.is_there();
  return {.column_mask = has_column ? ~std::uint64_t{0} : 0,
          .factor = keeps ? 1U : 2U,
          .shift = keeps ? 0U : 1U};
}

void HeapsnapshotWriter::AddNodes(const pb::Nodes& chunk) {
  const NodeColumns nodes(chunk);
  const NodeIds ids = IdsOf(nodes);
  const int rows = static_cast<int>(chunk.count());
  const bool has_values = HasOtherValues(chunk);
  const bool may_hide = has_values && !chunk.name().empty();
  const bool is_plain =
      !may_hide && AreNamed(chunk) &&
      !HasMoreEdges(nodes.first + static_cast<unsigned>(rows));
  if (is_plain)
    AddNamedNodes(nodes, ids, rows);
  else
    AddAnyNodes(nodes, ids, rows, may_hide);
  if (has_values) CountValues(nodes, rows);
  if (others_.has_traces()) node_losses_.AddTraces(nodes, rows);
  node_losses_.Add(
      nodes, rows,
      !layout_.keeps_ids() && HasNodeIds(graph_.id_space(), chunk));
}

// Writes nodes one after another. `may_hide`: the text of one may be what it is
// called, and not its name.
void HeapsnapshotWriter::AddAnyNodes(const NodeColumns& nodes,
                                     const NodeIds& ids, int rows,
                                     bool may_hide) {
  const std::uint64_t trace_mask = TraceMask();
  for (int row = 0; row < rows; ++row) {
    const std::uint64_t index = nodes.first + static_cast<std::uint64_t>(row);
    std::uint64_t edges = nodes.edge_count[row];
    if (HasMoreEdges(index + 1)) edges += TakeMoreEdges(index);
    const bool hides = may_hide && names_.HidesName(nodes, row);
    if (hides) [[unlikely]]
      node_losses_.AddName(index);
    const NodeName name =
        hides ? names_.NameOfText(nodes, row) : names_.Name(nodes, row);
    if (name.is_changed) [[unlikely]]
      node_losses_.AddChangedType(index);
    WriteNode(name.type,
              name.is_made() ? numbers_.FirstMade() + made_ : name.number,
              ids.Of(nodes.id[row], index), nodes.self_size[row], edges,
              nodes.trace_node[row] & trace_mask, nodes.detachedness[row]);
    if (name.made == NodeName::Made::kInteger)
      AddMadeInteger(nodes.value_form[row], nodes.value[row]);
    else if (name.is_made())
      AddMadeString(nodes, row);
  }
}

// Writes nodes that have names, which nothing hides, and no edges but those that
// they say, column by column.
void HeapsnapshotWriter::AddNamedNodes(const NodeColumns& nodes,
                                       const NodeIds& ids, int rows) {
  constexpr int kFields = heapsnapshot::kNodeFields;
  constexpr int kRows = kRowBlock / heapsnapshot::kNodeFields;
  for (int row = 0; row < rows;) {
    const int count = std::min(kRows, rows - row);
    const std::size_t numbers = static_cast<unsigned>(count * kFields);
    if (block_.size() - block_used_ < numbers) FlushRows();
    std::uint64_t* const block = &block_[block_used_];
    const auto fill = [&](int field, auto number_of) {
      for (int i = 0; i < count; ++i)
        block[i * kFields + field] = number_of(row + i);
    };
    const std::uint64_t first = nodes.first;
    fill(0, [&](int at) {
      return static_cast<std::uint64_t>(names_.TypeOfNode(nodes, at));
    });
    fill(1, [&, shift = numbers_.OfStream(1) - 1](int at) {
      return shift + nodes.name[at];
    });
    fill(2, [&](int at) {
      return ids.Of(nodes.id[at], first + static_cast<unsigned>(at));
    });
    fill(3, [&](int at) { return nodes.self_size[at]; });
    fill(4, [&](int at) { return nodes.edge_count[at]; });
    fill(5, [&, mask = TraceMask()](int at) {
      return nodes.trace_node[at] & mask;
    });
    fill(6, [&](int at) { return nodes.detachedness[at]; });
    block_used_ += numbers;
    row += count;
  }
}

void HeapsnapshotWriter::CountValues(const NodeColumns& nodes, int rows) {
  for (int row = 0; row < rows; ++row) {
    const std::uint32_t form = nodes.value_form[row];
    if (form == pb::V_NONE) continue;
    const std::uint64_t index = nodes.first + static_cast<std::uint64_t>(row);
    if (names_.ShowsValue(nodes, row)) [[likely]]
      node_losses_.AddShown(form, nodes.value[row], index);
    else
      node_losses_.AddUnshown(form, index);
    if (names_.HidesType(nodes, row)) node_losses_.AddUnshownType(index);
  }
}

void HeapsnapshotWriter::StartMoreEdges() {
  externals_.Start();
  adds_to_root_ = layout_.added_to_root().size() > 0;
}

// Passes over those of a node, and says how many there are.
std::uint64_t HeapsnapshotWriter::TakeMoreEdges(std::uint64_t node) {
  std::uint64_t count = 0;
  if (std::exchange(adds_to_root_, false))
    count += layout_.added_to_root().size();
  for (; externals_.holder() == node; externals_.Advance()) ++count;
  return count;
}

void HeapsnapshotWriter::EndNodes() {
  std::uint64_t ordinal = layout_.ExternalOrdinal(0);
  for (std::uint64_t i = 0; i < layout_.externals().size(); ++i) {
    const Externals::Piece external = layout_.externals().PieceAt(i);
    node_losses_.AddExternal(external.size);
    WriteNode(NodeType::kNative, external.name,
              layout_.SynthesizedId(ordinal++), external.size, 0);
  }
  WriteGroupNodes(layout_.tails(), ordinal);
  EndRows();
  node_losses_.Report(&context_.loss);
}

// -------------------------------------------------------------------- edges

void HeapsnapshotWriter::BeginEdges() {
  out_.Write(",\n\"edges\":");
  BeginRows(edge_signs_);
  StartMoreEdges();
  plain_edges_.Begin(edge_forms_, numbers_, layout_.Ordinal(0));
  for (const Layout::Group& group : layout_.heads()) WriteGroupEdges(group, 0);
}

void HeapsnapshotWriter::WriteGroupEdges(const Layout::Group& group,
                                         std::uint64_t before) {
  // From 1, as V8 numbers the children of its roots.
  std::uint64_t number = before;
  layout_.ForEachTarget(group, [&](std::uint64_t target) {
    if (group.is_weak)
      WriteEdge(EdgeType::kWeak, element_edge_, target);
    else
      WriteEdge(EdgeType::kElement, ++number, target);
  });
}

void HeapsnapshotWriter::WriteEdge(EdgeType type, std::uint64_t name,
                                   std::uint64_t ordinal) {
  AddRow(static_cast<std::uint64_t>(type), name,
         ordinal * heapsnapshot::kNodeFields);
}

void HeapsnapshotWriter::WriteMoreEdges(std::uint64_t before_node) {
  if (adds_to_root_ && before_node > 0) {
    adds_to_root_ = false;
    WriteGroupEdges(layout_.added_to_root(),
                    position_node_ == 0 ? position_ : 0);
  }
  for (; externals_.holder() < before_node; externals_.Advance()) {
    WriteEdge(EdgeType::kInternal, external_edge_,
              layout_.ExternalOrdinal(externals_.piece()));
  }
}

void HeapsnapshotWriter::AddEdges(const pb::Edges& edges) {
  WriteMoreEdges(edges.first_node());
  const int written = AddPlainEdges(edges);
  if (written == static_cast<int>(edges.count()) &&
      !HasMoreEdges(EndNode(edges))) {
    SkipEdges(edges);
    return;
  }
  int row = 0;
  std::uint64_t node = edges.first_node();
  for (const std::uint32_t count : edges.edges_per_node()) {
    WriteMoreEdges(node);
    if (node != position_node_) {
      position_node_ = node;
      position_ = 0;
    }
    const int end = row + static_cast<int>(count);
    const int skipped = std::clamp(written - row, 0, end - row);
    position_ += static_cast<std::uint64_t>(skipped);
    for (row += skipped; row < end; ++row) AddEdge(edges, row);
    ++node;
  }
}

bool HeapsnapshotWriter::HasMoreEdges(std::uint64_t before_node) const {
  return externals_.holder() < before_node ||
         (adds_to_root_ && before_node > 0);
}

// All edges of the chunk are written: what is left to know of it is where the
// edges of its last node go on.
void HeapsnapshotWriter::SkipEdges(const pb::Edges& edges) {
  if (edges.edges_per_node().empty()) return;
  const int last = edges.edges_per_node_size() - 1;
  const std::uint64_t node = edges.first_node() + static_cast<unsigned>(last);
  if (node != position_node_) position_ = 0;
  position_node_ = node;
  position_ += edges.edges_per_node(last);
}

// Writes the edges of a chunk in the quick way, as far as that goes: up to one
// that wants to know its node. Answers how many.
int HeapsnapshotWriter::AddPlainEdges(const pb::Edges& edges) {
  const int rows = static_cast<int>(edges.count());
  if (HasMoreEdges(EndNode(edges)) || !edges.to_form().empty() ||
      edges.kind_size() != rows || edges.name_size() != rows ||
      edges.to_size() != rows || HaveOwnNameForms(edges))
    return 0;
  constexpr int kRows = kRowBlock / heapsnapshot::kEdgeFields;
  for (int row = 0; row < rows;) {
    const int count = std::min(kRows, rows - row);
    const std::size_t numbers =
        static_cast<unsigned>(count) * heapsnapshot::kEdgeFields;
    if (block_.size() - block_used_ < numbers) FlushRows();
    if (!plain_edges_.Fill(edges, row, count, &block_[block_used_])) return row;
    block_used_ += numbers;
    row += count;
  }
  return rows;
}

bool HeapsnapshotWriter::HaveOwnNameForms(const pb::Edges& edges) const {
  for (int row = 0; row < edges.name_form_size(); ++row)
    if (HasOwnNameForm(edges, row)) return true;
  return false;
}

// The type of an edge says what its name is: one whose name is not what that of
// its kind is has another type, and with it another kind.
EdgeForm HeapsnapshotWriter::FormOf(const pb::Edges& edges, int row) {
  static constexpr EdgeForm kUnknown = {EdgeType::kElement,
                                        EdgeForm::Name::kPosition};
  const std::uint32_t kind = At(edges.kind(), row);
  const EdgeForm usual =
      kind < edge_forms_.size() ? edge_forms_[kind] : kUnknown;
  if (!HasOwnNameForm(edges, row)) return usual;
  // Without a name it can stay what it is: others may be called "" as well.
  if (edges.name_form(row) == pb::NAME_NONE &&
      usual.name == EdgeForm::Name::kString)
    return {usual.type, EdgeForm::Name::kEmpty};
  const EdgeForm own =
      EdgeFormOf(KindOf(edges, row).known, edges.name_form(row));
  if (own.type != usual.type) edge_losses_.AddUnusualName(position_node_);
  return own;
}

void HeapsnapshotWriter::AddEdge(const pb::Edges& edges, int row) {
  const EdgeForm form = FormOf(edges, row);
  std::uint64_t name = At(edges.name(), row);
  switch (form.name) {
    case EdgeForm::Name::kString:
      name = numbers_.OfStream(name);
      break;
    case EdgeForm::Name::kNumber:
      if (name > kMaxShownIndex) edge_losses_.AddBigIndex(position_node_);
      name &= kMaxShownIndex;
      break;
    case EdgeForm::Name::kFixed:
      name = element_edge_;
      edge_losses_.AddWeakElement(position_node_);
      break;
    case EdgeForm::Name::kPosition:
      name = position_;
      break;
    case EdgeForm::Name::kEmpty:
      name = numbers_.OfStream(0);
      break;
  }
  ++position_;
  const std::uint32_t to_form = At(edges.to_form(), row);
  const std::uint64_t target =
      to_form == pb::TO_NODE        ? layout_.Ordinal(At(edges.to(), row))
      : to_form == pb::TO_OMITTED   ? layout_.omitted()
      : to_form == pb::TO_IMMEDIATE ? layout_.immediate()
                                    : layout_.dangling();
  WriteEdge(form.type, name, target);
}

void HeapsnapshotWriter::EndEdges() {
  WriteMoreEdges(Externals::kNobody);
  for (const Layout::Group& group : layout_.tails()) WriteGroupEdges(group, 0);
  EndRows();
  edge_losses_.Report(&context_.loss);
}

// ------------------------------------------------------------------ strings

void HeapsnapshotWriter::AddStrings(const pb::Strings& strings) {
  made_budget_.Add(strings.data().size());
  BufferedOut& out = strings_.out();
  std::string_view rest = strings.data();
  for (int row = 0; row < strings.length_size(); ++row) {
    if (!is_in_string_) out.Write(",\n\"");
    heapsnapshot::WriteEscaped(rest.substr(0, strings.length(row)), out,
                               &replaced_);
    rest.remove_prefix(strings.length(row));
    is_in_string_ = strings.continued() && row + 1 == strings.length_size();
    if (!is_in_string_) out.Write('"');
  }
}

void HeapsnapshotWriter::AddMadeString(const NodeColumns& nodes, int row) {
  BufferedOut& out = made_strings_.out();
  // Its parts are strings of the stream, whose losses have been counted.
  Replaced counted;
  made_text_.clear();
  if (names_.AppendMade(nodes, row, window_, made_budget_, &made_text_))
    node_losses_.AddCutName(nodes.first + static_cast<unsigned>(row));
  out.Write(",\n\"");
  heapsnapshot::WriteEscaped(made_text_, out, &counted);
  out.Write('"');
  ++made_;
}

// A third of a heap may be such.
void HeapsnapshotWriter::AddMadeInteger(std::uint32_t form,
                                        std::uint64_t value) {
  constexpr std::string_view kBegin = ",\n\"-";
  BufferedOut& out = made_strings_.out();
  char* at = out.Reserve(kBegin.size() + kMaxUintDigits + 4);
  std::memcpy(at, kBegin.data(), kBegin.size());
  const bool is_negative = form == pb::V_INT && value >> 63 != 0;
  at += kBegin.size() - (is_negative ? 0 : 1);
  at = FormatUint(is_negative ? 0 - value : value, at);
  *at++ = '"';
  out.Commit(at);
  ++made_;
}

Status HeapsnapshotWriter::WriteStrings() {
  out_.Write(",\n\"strings\":[");
  bool is_first = true;
  for (const std::string& text : numbers_.fixed()) {
    out_.Write(is_first ? "\"" : ",\n\"");
    is_first = false;
    heapsnapshot::WriteEscaped(text, out_, &replaced_);
    out_.Write('"');
  }
  HEAPGLOT_RETURN_IF_ERROR(strings_.MoveTo(out_));
  return made_strings_.MoveTo(out_);
}

Status HeapsnapshotWriter::Finish() {
  HEAPGLOT_RETURN_IF_ERROR(layout_.status());
  HEAPGLOT_RETURN_IF_ERROR(WriteStrings());
  out_.Write(']');
  if (leftovers_ != nullptr) HEAPGLOT_RETURN_IF_ERROR(WriteLeftovers());
  out_.Write('}');
  out_.Flush();
  others_.Report(&context_.loss);
  Lose("heapsnapshot.string.surrogate", replaced_.lone_surrogates,
       &context_.loss);
  Lose("heapsnapshot.string.bytes", replaced_.bad_bytes, &context_.loss);
  return out_.status();
}

Status HeapsnapshotWriter::WriteLeftovers() {
  out_.Flush();
  HEAPGLOT_RETURN_IF_ERROR(out_.status());
  out_.Write(",\n\"");
  out_.Write(heapsnapshot::kLeftoversKey);
  out_.Write("\":\"");
  std::string text;
  Status status = leftovers_->Send([&](std::string_view piece) {
    text.clear();
    AppendBase64(piece, &text);
    out_.Write(text);
    return out_.status();
  });
  out_.Write('"');
  return status;
}

}  // namespace

constinit const WriterInfo kHeapsnapshotWriter = {
    .name = "heapsnapshot",
    .title = "V8 heap snapshot (Chrome DevTools)",
    .extensions = "heapsnapshot",
    .shows_distance = true,
    .unreachable_roots = true,
    // DevTools has the strings and what follows them in one string, which V8
    // bounds at 512 MiB.
    .max_leftovers = std::uint64_t{192} << 20,
    .fidelity = heapsnapshot::kFidelity,
    .synthesized = heapsnapshot::kSynthesized,
    .profile = heapsnapshot::ProfileOf,
    .make = [](ByteSink& sink, const WriterOptions& options,
               Context& context) -> std::unique_ptr<Writer> {
      const auto make_usual = [&sink, &context, leftovers = options.leftovers] {
        return std::make_unique<HeapsnapshotWriter>(sink, leftovers, context);
      };
      if (!options.native) return make_usual();
      return heapsnapshot::MakeNativeWriter(sink, options.profile, context,
                                            make_usual);
    },
};

}  // namespace heapglot
