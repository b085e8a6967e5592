#include "writers/netcf/netcf_writer.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <string>

#include "core/column.h"
#include "readers/netcf/netcf_wire.h"
#include "writers/netcf/netcf_layout.h"
#include "writers/netcf/netcf_losses.h"
#include "writers/netcf/netcf_names.h"
#include "writers/netcf/netcf_records.h"
#include "writers/netcf/netcf_survey.h"

namespace heapglot {
namespace {

using netcf::Loss;
using netcf::Plan;
using netcf::Records;
using netcf::Survey;

// The kind of root of a log that is nearest to a portable kind.
struct RootForm {
  std::uint64_t kind = netcf::kRootInternal;
  std::uint64_t flags = 0;  // in addition to its own
  bool is_exact = false;
};
RootForm FormOf(std::uint32_t known) {
  switch (known) {
    case pb::ROOT_VM:
      return {netcf::kRootInternal, 0, true};
    case pb::ROOT_LOCAL:
      return {netcf::kRootLocal, 0, true};
    case pb::ROOT_FINALIZER:
      return {netcf::kRootFinalizer, 0, true};
    case pb::ROOT_HANDLE:
      return {netcf::kRootHandle, 0, true};
    case pb::ROOT_STATIC:
      return {netcf::kRootStatic, 0, true};
    case pb::ROOT_INTERNED:
      return {netcf::kRootInterned, 0, true};
    case pb::ROOT_WEAK:
      return {netcf::kRootHandle, netcf::kFlagWeak, true};
    case pb::ROOT_JNI_GLOBAL:
      return {netcf::kRootHandle};
    case pb::ROOT_JNI_LOCAL:
    case pb::ROOT_THREAD:
    case pb::ROOT_NATIVE_STACK:
    case pb::ROOT_CONSERVATIVE:
      return {netcf::kRootLocal};
    case pb::ROOT_REF_CLEANUP:
      return {netcf::kRootFinalizer};
    case pb::ROOT_CLASS:
      return {netcf::kRootInterned};
    default:
      return {netcf::kRootInternal};
  }
}

// Two passes: a survey, and the log.
class NetcfWriter : public Writer {
 public:
  NetcfWriter(ByteSink& sink, const WriterOptions& options, Context& context)
      : native_(options.native),
        context_(context),
        records_(sink, native_ ? netcf::FromProfile(options.profile)
                               : netcf::Layout()),
        survey_(native_, losses_) {}

  ChunkSet Wanted(int pass) override;
  Status Accept(const pb::Chunk& chunk) override;
  Status Finish() override;
  bool HasPutBack() const override { return native_; }

 private:
  // An object some of whose references have not come yet.
  struct Node {
    std::uint64_t id;
    std::uint64_t type;
    std::uint64_t size;
    std::uint64_t edges;
    bool is_left_out;  // it is not of the source
  };

  void BeginGraph();
  void EndGraph();
  void WriteDomain(char letter, std::string_view name,
                   std::string_view timestamp);
  // The name of the domain, in a log that comes from a log.
  std::string NativeName() const;
  void WriteEnd();
  void AddNodes(const pb::Nodes& nodes);
  void AddEdges(const pb::Edges& edges);
  void AddEdge(const pb::Edges& edges, int row);
  void BeginNode();
  void EndNode();
  void EndNodesWithoutEdges();

  // Records other than objects, up to the next object or the end.
  void WriteUpToNode(bool is_end);
  void WriteRows(std::uint32_t body, std::uint64_t rows);
  void WriteType(std::uint64_t number);
  void WriteRoot(const Plan::Root& root);
  void WriteRootNode();
  void WriteLines();
  // Whether only the end of the file keeps line `number` from being a record.
  bool WouldBeRecord(std::size_t number) const;
  std::uint64_t TypeOf(const pb::Nodes& nodes, int row) const;
  // The id to write for a target; a dangling one that cannot be kept is counted
  // as `changed`.
  std::uint64_t TargetOf(std::uint32_t form, std::uint64_t to,
                         Loss changed = Loss::kEdgeDangling);
  // An id that no object has.
  std::uint64_t UndefinedId() const;

  const Plan& plan() const { return survey_.plans()[graph_]; }

  const bool native_;
  Context& context_;
  netcf::Losses losses_;
  Records records_;
  Survey survey_;
  bool is_survey_ = true;

  // Of the current graph.
  std::size_t graph_ = 0;
  std::deque<Node> nodes_;  // from next_node_ on
  std::uint64_t next_node_ = 0;
  bool is_node_open_ = false;
  std::uint64_t open_edges_ = 0;  // references to come
  // Where we are in the order of records.
  std::size_t next_run_ = 0;
  std::uint64_t run_nodes_ = 0;  // objects to come before anything else
  std::uint64_t next_type_ = 0;
  std::uint64_t next_root_ = 0;
  std::uint64_t position_ = 0;
  std::size_t next_line_ = 0;

  // Of all graphs, for the report.
  std::uint64_t made_type_names_ = 0;
  std::uint64_t made_graph_names_ = 0;
  std::uint64_t cut_lines_ = 0;
};

ChunkSet NetcfWriter::Wanted(int pass) {
  is_survey_ = pass == 0;
  if (is_survey_) return survey_.Wanted();
  if (pass > 1) return {};
  graph_ = 0;
  return {pb::Chunk::kGraph, pb::Chunk::kNodes, pb::Chunk::kEdges,
          pb::Chunk::kGraphEnd};
}

Status NetcfWriter::Accept(const pb::Chunk& chunk) {
  if (is_survey_) return survey_.Add(chunk);
  switch (chunk.body_case()) {
    case pb::Chunk::kGraph:
      BeginGraph();
      break;
    case pb::Chunk::kNodes:
      AddNodes(chunk.nodes());
      break;
    case pb::Chunk::kEdges:
      AddEdges(chunk.edges());
      break;
    case pb::Chunk::kGraphEnd:
      EndGraph();
      break;
    default:
      break;
  }
  if (!records_.status().ok()) return records_.status();
  return survey_.status();
}

Status NetcfWriter::Finish() {
  LossReport& report = context_.loss;
  losses_.Report(report);
  survey_.Report(&report);
  report.Add(netcf::kCutLine.code, netcf::kCutLine.loss_class, cut_lines_,
             netcf::kCutLine.note);
  report.AddSynthesized(netcf::kTypeName.code, made_type_names_,
                        netcf::kTypeName.note);
  report.AddSynthesized(netcf::kGraphName.code, made_graph_names_,
                        netcf::kGraphName.note);
  return records_.Finish();
}

// ----------------------------------------------------------------- domains

void NetcfWriter::WriteDomain(char letter, std::string_view name,
                              std::string_view timestamp) {
  records_.Begin(letter);
  if (letter == netcf::kDomainStart) {
    const pb::Graph& graph = plan().graph;
    // A log without a version stays without one. If the stream says nothing,
    // there is one: nobody would recognize a log by a letter alone.
    const std::string version =
        native_ && graph.has_source_version()
            ? netcf::OnOneLine(graph.source_version().data())
            : std::string(netcf::kVersionText);
    if (!version.empty()) records_.Word(version);
  }
  if (!name.empty()) records_.Word(name);
  if (!timestamp.empty()) records_.LastWord(timestamp);
  records_.End();
}

std::string NetcfWriter::NativeName() const {
  const pb::Graph& graph = plan().graph;
  const bool is_of_log = graph.has_name() || !plan().has_start;
  return is_of_log ? netcf::OnOneLine(graph.name().data())
                   : std::string(netcf::kUnnamed);
}

void NetcfWriter::BeginGraph() {
  nodes_.clear();
  next_node_ = next_run_ = 0;
  run_nodes_ = next_type_ = next_root_ = position_ = 0;
  next_line_ = 0;
  is_node_open_ = false;
  const pb::Graph& graph = plan().graph;
  const std::string& name = graph.name().data();
  const std::string& timestamp = graph.timestamp().data();
  if (native_) {
    if (plan().has_start)
      WriteDomain(netcf::kDomainStart, NativeName(),
                  netcf::OnOneLine(timestamp));
    return;
  }
  const bool has_timestamp = netcf::IsTimestamp(timestamp);
  const std::string shown = netcf::AsDomainName(name, has_timestamp);
  losses_.AddIf(!name.empty() && shown != name, Loss::kGraphName);
  losses_.AddIf(has_timestamp, Loss::kGraphSaid);
  losses_.AddIf(has_timestamp && graph.end_timestamp().data() == timestamp,
                Loss::kGraphSaid);
  losses_.AddIf(graph.source_version().data() == netcf::kVersionText,
                Loss::kGraphSaid);
  made_graph_names_ += name.empty() ? 1 : 0;
  WriteDomain(netcf::kDomainStart, shown,
              has_timestamp ? timestamp : std::string());
}

void NetcfWriter::WriteEnd() {
  const pb::Graph& graph = plan().graph;
  const std::string& name = graph.name().data();
  const std::string& timestamp = graph.timestamp().data();
  if (native_) {
    if (plan().has_end) {
      WriteDomain(netcf::kDomainEnd,
                  graph.has_end_name()
                      ? netcf::OnOneLine(graph.end_name().data())
                      : NativeName(),
                  netcf::OnOneLine(graph.end_timestamp().data()));
      ++position_;
    }
    return;
  }
  const bool has_timestamp = netcf::IsTimestamp(timestamp);
  WriteDomain(netcf::kDomainEnd, netcf::AsDomainName(name, has_timestamp),
              has_timestamp ? timestamp : std::string());
}

void NetcfWriter::EndGraph() {
  while (!nodes_.empty()) EndNode();
  WriteUpToNode(true);
  WriteRootNode();
  // A canonical stream does not say where lines were. After all records, they
  // do not change what those mean.
  if (!survey_.has_layout()) position_ = ~std::uint64_t{0};
  WriteLines();
  WriteEnd();
  // What comes after the end record, or claims to.
  position_ = ~std::uint64_t{0};
  WriteLines();
  ++graph_;
}

// ------------------------------------------------------ objects and edges

std::uint64_t NetcfWriter::TypeOf(const pb::Nodes& nodes, int row) const {
  const std::uint64_t ref = At(nodes.type_ref(), row);
  const bool is_dangling =
      (At(nodes.flags(), row) & pb::NODE_TYPE_DANGLING) != 0;
  if (!is_dangling && ref != 0 && ref - 1 < plan().type_ids.size())
    return plan().type_ids[ref - 1];
  const std::uint64_t kind = At(nodes.kind(), row);
  if (!is_dangling && !native_ && kind < plan().kind_ids.size())
    return plan().kind_ids[kind];
  // An undefined type stays undefined.
  return native_ ? ref : plan().type_slots.size() + 1;
}

void NetcfWriter::AddNodes(const pb::Nodes& nodes) {
  for (int row = 0; row < static_cast<int>(nodes.count()); ++row) {
    const std::uint64_t size = At(nodes.self_size(), row);
    nodes_.push_back(
        {.id = plan().IdOf(nodes.first() + static_cast<std::uint64_t>(row)),
         .type = TypeOf(nodes, row),
         .size = native_ ? size : std::min(size, netcf::kMaxNumber),
         .edges = At(nodes.edge_count(), row),
         .is_left_out =
             native_ && (At(nodes.flags(), row) & pb::NODE_SYNTHESIZED) != 0});
    losses_.AddNode(!native_ && survey_.IsEmpty(At(nodes.name(), row)),
                    Loss::kNodeNameEmpty,
                    nodes.first() + static_cast<std::uint64_t>(row));
  }
  EndNodesWithoutEdges();
}

// Ends the nodes in front that have no edges, since no edges will end them.
void NetcfWriter::EndNodesWithoutEdges() {
  while (!nodes_.empty() && !is_node_open_ && nodes_.front().edges == 0)
    EndNode();
}

void NetcfWriter::BeginNode() {
  const Node& node = nodes_.front();
  is_node_open_ = true;
  open_edges_ = node.edges;
  if (node.is_left_out) return;
  WriteUpToNode(false);
  WriteLines();
  const netcf::Layout& layout = records_.layout();
  records_.Begin(netcf::kObject);
  records_.Number(node.id, layout.object);
  records_.Number(node.type, layout.type);
  records_.Number(node.size, layout.size);
}

void NetcfWriter::EndNode() {
  if (!is_node_open_) BeginNode();
  if (!nodes_.front().is_left_out) {
    records_.End();
    ++position_;
    if (run_nodes_ > 0) --run_nodes_;
  }
  nodes_.pop_front();
  ++next_node_;
  is_node_open_ = false;
}

void NetcfWriter::AddEdges(const pb::Edges& edges) {
  int row = 0;
  std::uint64_t node = edges.first_node();
  for (const std::uint32_t count : edges.edges_per_node()) {
    while (next_node_ < node && !nodes_.empty()) EndNode();
    if (count > 0 && !nodes_.empty()) {
      if (!is_node_open_) BeginNode();
      for (std::uint32_t i = 0; i < count; ++i) AddEdge(edges, row++);
      open_edges_ -= std::min<std::uint64_t>(open_edges_, count);
      if (open_edges_ == 0) EndNode();
    }
    ++node;
  }
  EndNodesWithoutEdges();
}

void NetcfWriter::AddEdge(const pb::Edges& edges, int row) {
  if (nodes_.front().is_left_out ||
      (native_ && plan().synthesized.Has(edges, row)))
    return;
  const std::uint32_t form = At(edges.to_form(), row);
  if (form == pb::TO_IMMEDIATE) return;
  records_.Number(TargetOf(form, At(edges.to(), row)),
                  records_.layout().object);
}

std::uint64_t NetcfWriter::UndefinedId() const {
  const Plan& it = plan();
  if (it.ids.size() == 0) return it.nodes + 1;
  return it.max_id < netcf::kMaxNumber ? it.max_id + 1 : netcf::kNullId;
}

std::uint64_t NetcfWriter::TargetOf(std::uint32_t form, std::uint64_t to,
                                    Loss changed) {
  switch (form) {
    case pb::TO_NODE:
      return plan().IdOf(to);
    case pb::TO_DANGLING:
      break;
    default:
      return netcf::kNullId;
  }
  // Kept ids are in the same space as this one; but not in a V8 snapshot, where
  // it is an offset.
  const bool is_id = plan().graph.id_space() != pb::Graph::OPAQUE;
  const bool is_kept = native_ || (is_id && plan().ids.size() != 0 &&
                                   to <= netcf::kMaxNumber && to != 0);
  if (is_kept) return to;
  if (changed == Loss::kEdgeDangling)
    losses_.AddNode(true, changed, next_node_);
  else
    losses_.Add(changed);
  return UndefinedId();
}

// ---------------------------------------------------------- other records

void NetcfWriter::WriteUpToNode(bool is_end) {
  const Plan& it = plan();
  while (run_nodes_ == 0 && next_run_ < it.order.size) {
    const Plan::Run run = survey_.Run(it, next_run_++);
    if (run.body == pb::Chunk::kNodes)
      run_nodes_ = is_end ? 0 : run.rows;
    else
      WriteRows(run.body, run.rows);
  }
  // Rows that no run mentions: types first, roots last.
  if (it.order.size > 0 && !is_end) return;
  const std::uint64_t types = native_ ? it.types.size() : it.type_slots.size();
  WriteRows(pb::Chunk::kTypes, types - next_type_);
  if (is_end) WriteRows(pb::Chunk::kRoots, it.roots.size - next_root_);
}

void NetcfWriter::WriteRows(std::uint32_t body, std::uint64_t rows) {
  const Plan& it = plan();
  const std::uint64_t types = native_ ? it.types.size() : it.type_slots.size();
  for (; rows > 0; --rows) {
    const bool is_type = body == pb::Chunk::kTypes;
    if (is_type ? next_type_ >= types : next_root_ >= it.roots.size) return;
    WriteLines();
    if (is_type)
      WriteType(next_type_++);
    else
      WriteRoot(survey_.Root(it, next_root_++));
    ++position_;
  }
}

void NetcfWriter::WriteType(std::uint64_t number) {
  const Plan& it = plan();
  const std::uint64_t slot = native_ ? number : it.type_slots[number];
  std::string name;
  if ((slot & Plan::kKindSlot) != 0) {
    const std::uint64_t kind = slot & ~Plan::kKindSlot;
    const std::uint64_t word =
        kind < it.node_kinds.size() ? it.node_kinds[kind].name : 0;
    const std::string text = netcf::AsTypeName(survey_.Text(word));
    name = "(" + (text.empty() ? "object" : text) + ")";
  } else {
    const std::string_view text = slot < it.types.size()
                                      ? survey_.Text(it.types[slot].name)
                                      : std::string_view();
    name = native_ ? netcf::OnOneLine(text) : netcf::AsTypeName(text);
    losses_.AddIf(name != text, Loss::kTypeEscaped);
    if (name.empty() && !native_) {
      name = netcf::kUnnamedType;
      ++made_type_names_;
    }
  }
  records_.Begin(netcf::kType);
  records_.Number(native_ ? it.types[slot].id : number + 1,
                  records_.layout().type);
  if (!name.empty()) records_.Word(name);
  records_.End();
}

void NetcfWriter::WriteRoot(const Plan::Root& root) {
  const Plan& it = plan();
  const netcf::Layout& layout = records_.layout();
  const Plan::RootKind of = root.kind < it.root_kinds.size()
                                ? it.root_kinds[root.kind]
                                : Plan::RootKind{pb::ROOT_OTHER, 0};
  std::uint64_t container =
      root.container_ref != 0 && root.container_ref <= it.type_ids.size()
          ? it.type_ids[root.container_ref - 1]
          : root.container_id;
  RootForm form = FormOf(of.known);
  bool loses_more = root.has_more;
  if (native_) {
    form = {static_cast<std::uint64_t>(of.code), root.flags, true};
  } else {
    // A static must have a container, and nothing else may.
    if (form.kind == netcf::kRootStatic && root.container_ref == 0)
      form = {netcf::kRootInternal};
    if (form.kind != netcf::kRootStatic) {
      loses_more = loses_more || container != 0;
      container = 0;
    }
    form.flags |= root.flags & netcf::kFlags;
    loses_more = loses_more || (root.flags & ~form.flags) != 0;
    if (root.to_form == pb::TO_NODE)
      losses_.AddNode(!form.is_exact, Loss::kRootKind, root.to);
    else
      losses_.AddIf(!form.is_exact, Loss::kRootKind);
    losses_.AddIf(
        root.to_form == pb::TO_IMMEDIATE || root.to_form == pb::TO_OMITTED,
        Loss::kRootDangling);
  }
  losses_.AddIf(loses_more, Loss::kRootDetail);
  records_.Begin(netcf::kRoot);
  records_.Number(TargetOf(root.to_form, root.to, Loss::kRootDangling),
                  layout.object);
  records_.Number(form.kind, layout.kind);
  records_.Number(form.flags, layout.flags);
  if (container != 0) records_.Number(container, layout.type);
  records_.End();
}

// Writes the node that stands for all roots as a root.
void NetcfWriter::WriteRootNode() {
  const std::uint64_t ref = plan().graph.root_ref();
  if (ref == 0 || native_) return;
  const netcf::Layout& layout = records_.layout();
  records_.Begin(netcf::kRoot);
  records_.Number(plan().IdOf(ref - 1), layout.object);
  records_.Number(netcf::kRootInternal, layout.kind);
  records_.Number(0, layout.flags);
  records_.End();
}

// Writes the kept lines up to the current position.
void NetcfWriter::WriteLines() {
  const Plan& it = plan();
  for (; next_line_ < it.lines.size &&
         survey_.PositionOf(it, next_line_) <= position_;
       ++next_line_) {
    if (WouldBeRecord(next_line_)) {
      ++cut_lines_;
      continue;
    }
    records_.Line(netcf::OnOneLine(survey_.LineText(it, next_line_)));
  }
}

bool NetcfWriter::WouldBeRecord(std::size_t number) const {
  const bool has_line_end = records_.layout().has_last_line_end ||
                            graph_ + 1 < survey_.plans().size();
  return plan().is_cut && has_line_end && number + 1 == plan().lines.size;
}

}  // namespace

constinit const WriterInfo kNetcfWriter = {
    .name = "netcf",
    .title = ".NET Compact Framework GC log",
    .extensions = "gclog",
    .several_graphs = true,
    .fidelity = netcf::kFidelity,
    .synthesized = netcf::kSynthesized,
    .profile = [](const ByteSource& source) -> std::string {
      return netcf::ToProfile(netcf::FindLayout(source.bytes()));
    },
    .make = [](ByteSink& sink, const WriterOptions& options,
               Context& context) -> std::unique_ptr<Writer> {
      return std::make_unique<NetcfWriter>(sink, options, context);
    },
};

}  // namespace heapglot
