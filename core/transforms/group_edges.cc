#include "core/transforms/group_edges.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/chunk_builder.h"
#include "core/column.h"
#include "core/ir/word_count.h"
#include "core/transforms/edge_sorter.h"

namespace heapglot {
namespace {

using Body = pb::Chunk::BodyCase;

constexpr FidelityRow kFidelity[] = {
    {Feature::kValueNamed, "group_edges.value", LossClass::kDropped,
     "values of edges are lost when edges are sorted"},
    {Feature::kEdgeExtra, "group_edges.extra", LossClass::kDropped,
     "fields of edges specific to the source's format are lost when edges are "
     "sorted"},
};
constexpr const FidelityRow& kLostValue = kFidelity[0];
constexpr const FidelityRow& kLostExtra = kFidelity[1];

// What the passes in advance found out about a graph.
struct GroupPlan {
  bool grouped = false;
  std::uint64_t nodes = 0;
  std::uint64_t edge_values = 0;  // that are left out
};

bool IsOfEdge(const pb::Chunk& chunk) {
  return chunk.values().owner_space() == pb::Values::OF_EDGE;
}

// Entries of the extra columns that are not the default.
std::uint64_t ExtraEntries(const pb::Edges& edges) {
  const auto is_set = [](const auto& entry) { return entry != 0; };
  std::uint64_t entries = 0;
  for (const pb::ExtraColumn& extra : edges.extra()) {
    const auto add = [&](const auto& column) {
      entries += std::count_if(column.begin(), column.end(), is_set);
    };
    add(extra.ints());
    add(extra.strings());
    add(extra.bits());
    add(extra.node_refs());
  }
  return entries;
}

// ----------------------------------------------------- passes of its own

class GroupPlanSink : public ChunkSink {
 public:
  static constexpr ChunkSet kWanted = {Body::kGraph, Body::kGraphEnd};

  Status Accept(const pb::Chunk& chunk) override {
    if (chunk.has_graph()) plans_.push_back({chunk.graph().edges_grouped(), 0});
    if (chunk.has_graph_end()) plans_.back().nodes = chunk.graph_end().nodes();
    return {};
  }
  std::vector<GroupPlan>& plans() { return plans_; }

 private:
  std::vector<GroupPlan> plans_;
};

// The position of a pass in the stream.
class GraphCursor {
 public:
  explicit GraphCursor(std::span<GroupPlan> plans) : plans_(plans) {}

  // Must be called for each Graph.
  void Advance() {
    if (plan_ != nullptr && !plan_->grouped) first_source_ += plan_->nodes;
    plan_ = &plans_[next_++];
  }
  // Before the first graph, everything counts as grouped.
  bool grouped() const { return plan_ == nullptr || plan_->grouped; }
  GroupPlan& plan() const { return *plan_; }
  // Nodes of ungrouped graphs before this one.
  std::uint64_t first_source() const { return first_source_; }

 private:
  std::span<GroupPlan> plans_;
  std::size_t next_ = 0;
  GroupPlan* plan_ = nullptr;
  std::uint64_t first_source_ = 0;
};

// The forms that kinds of edges give to the names of their edges.
class NameForms {
 public:
  void Clear() { forms_.clear(); }
  void Add(const pb::Vocabulary& vocabulary) {
    if (vocabulary.space() != pb::Vocabulary::EDGE_KIND) return;
    const int rows = WordCount(vocabulary);
    for (int i = 0; i < rows; ++i) {
      forms_.push_back(
          static_cast<std::uint8_t>(At(vocabulary.name_form(), i)));
    }
  }
  std::uint8_t Of(std::uint32_t kind) const {
    return kind < forms_.size() ? forms_[kind] : std::uint8_t{pb::NAME_NONE};
  }

 private:
  std::vector<std::uint8_t> forms_;
};

// Counts the edges of ungrouped graphs, and what they will lose.
class CountSink : public ChunkSink {
 public:
  static constexpr ChunkSet kWanted = {Body::kGraph, Body::kEdges,
                                       Body::kValues};

  CountSink(std::span<GroupPlan> plans, EdgeSorter& sorter)
      : cursor_(plans), sorter_(sorter) {}

  Status Accept(const pb::Chunk& chunk) override {
    if (chunk.has_graph()) cursor_.Advance();
    if (cursor_.grouped()) return {};
    if (chunk.has_edges()) return Count(chunk.edges());
    if (chunk.has_values() && IsOfEdge(chunk)) {
      cursor_.plan().edge_values += chunk.values().count();
    }
    return {};
  }
  std::uint64_t extra_entries() const { return extra_entries_; }

 private:
  Status Count(const pb::Edges& edges) {
    extra_entries_ += ExtraEntries(edges);
    for (int i = 0; i < static_cast<int>(edges.count()); ++i) {
      HEAPGLOT_RETURN_IF_ERROR(
          sorter_.Count(cursor_.first_source() + At(edges.from(), i)));
    }
    return {};
  }

  GraphCursor cursor_;
  EdgeSorter& sorter_;
  std::uint64_t extra_entries_ = 0;
};

// Passes the edges of ungrouped graphs to the sorter.
class SortSink : public ChunkSink {
 public:
  static constexpr ChunkSet kWanted = {Body::kGraph, Body::kVocabulary,
                                       Body::kEdges};

  SortSink(std::span<GroupPlan> plans, EdgeSorter& sorter)
      : cursor_(plans), sorter_(sorter) {}

  Status Accept(const pb::Chunk& chunk) override {
    if (chunk.has_graph()) {
      cursor_.Advance();
      forms_.Clear();
    }
    if (cursor_.grouped()) return {};
    if (chunk.has_vocabulary()) forms_.Add(chunk.vocabulary());
    return chunk.has_edges() ? Add(chunk.edges()) : Status();
  }

 private:
  Status Add(const pb::Edges& edges) {
    for (int i = 0; i < static_cast<int>(edges.count()); ++i) {
      const std::uint32_t kind = At(edges.kind(), i);
      const std::uint32_t name_form =
          edges.name_form().empty() ? forms_.Of(kind) : edges.name_form(i);
      HEAPGLOT_RETURN_IF_ERROR(sorter_.Add(
          cursor_.first_source() + At(edges.from(), i),
          {.name = At(edges.name(), i),
           .to = At(edges.to(), i),
           .kind = kind,
           .flags = At(edges.flags(), i),
           .name_form = static_cast<std::uint8_t>(name_form),
           .to_form = static_cast<std::uint8_t>(At(edges.to_form(), i))}));
    }
    return {};
  }

  GraphCursor cursor_;
  EdgeSorter& sorter_;
  NameForms forms_;
};

// ----------------------------------------------------------------- edges

// Makes chunks of sorted edges.
class EdgeSender {
 public:
  EdgeSender(const EdgeSorter& sorter, ChunkSink& out)
      : sorter_(sorter), out_(out) {}

  void BeginGraph() {
    forms_.Clear();
    sent_ = 0;
  }
  NameForms& forms() { return forms_; }

  // Sends the edges of the sources from `first_source` on, which are the nodes
  // from `first_node` on. All earlier sources must have been sent.
  Status Send(std::uint64_t first_source, std::uint64_t first_node,
              std::uint32_t count) {
    Begin();
    for (std::uint32_t i = 0; i < count; ++i) {
      HEAPGLOT_RETURN_IF_ERROR(
          SendNode(first_node + i, sorter_.counts()[first_source + i]));
    }
    return Flush();
  }

 private:
  Status SendNode(std::uint64_t node, std::uint32_t edges) {
    pb::Edges& chunk = *chunk_.mutable_edges();
    if (edges == 0 && rows_ == 0) return {};  // the chunk may begin later
    do {
      const std::uint32_t taken = std::min(edges, kChunkRows - rows_);
      if (rows_ == 0) chunk.set_first_node(node);
      chunk.add_edges_per_node(taken);
      for (std::uint32_t i = 0; i < taken; ++i) AddRow();
      edges -= taken;
      if (rows_ == kChunkRows ||
          chunk.edges_per_node_size() == static_cast<int>(kChunkRows)) {
        HEAPGLOT_RETURN_IF_ERROR(Flush());
      }
    } while (edges != 0);
    return {};
  }

  void AddRow() {
    const EdgeRow& row = sorter_.rows()[next_row_++];
    pb::Edges& chunk = *chunk_.mutable_edges();
    const auto at = static_cast<int>(rows_++);
    SetSparse(chunk.mutable_kind(), at, row.kind);
    SetSparse(chunk.mutable_name(), at, row.name);
    SetSparse(chunk.mutable_to_form(), at, std::uint32_t{row.to_form});
    SetSparse(chunk.mutable_to(), at, row.to);
    SetSparse(chunk.mutable_flags(), at, row.flags);
    chunk.add_name_form(row.name_form);
    if (row.name_form != forms_.Of(row.kind)) has_own_form_ = true;
  }

  Status Flush() {
    if (rows_ == 0) return {};
    pb::Edges& chunk = *chunk_.mutable_edges();
    const auto rows = static_cast<int>(rows_);
    FillColumn(chunk.mutable_kind(), rows);
    FillColumn(chunk.mutable_name(), rows);
    FillColumn(chunk.mutable_to_form(), rows);
    FillColumn(chunk.mutable_to(), rows);
    FillColumn(chunk.mutable_flags(), rows);
    if (!has_own_form_) chunk.clear_name_form();
    while (*chunk.edges_per_node().rbegin() == 0) {
      chunk.mutable_edges_per_node()->RemoveLast();
    }
    chunk.set_first(sent_);
    chunk.set_count(rows_);
    sent_ += rows_;
    HEAPGLOT_RETURN_IF_ERROR(out_.Accept(chunk_));
    if (next_row_ - released_ >= EdgeSorter::kBucketRows) {
      sorter_.Release(released_, next_row_);
      released_ = next_row_;
    }
    Begin();
    return {};
  }

  void Begin() {
    chunk_.mutable_edges()->Clear();
    rows_ = 0;
    has_own_form_ = false;
  }

  const EdgeSorter& sorter_;
  ChunkSink& out_;
  NameForms forms_;
  std::uint64_t next_row_ = 0;  // in the sorter
  std::uint64_t released_ = 0;
  std::uint64_t sent_ = 0;  // edges of this graph
  pb::Chunk chunk_;
  std::uint32_t rows_ = 0;  // in chunk_
  bool has_own_form_ = false;
};

// ----------------------------------------------------------------- output

class GroupSink : public ChunkSink {
 public:
  GroupSink(std::span<GroupPlan> plans, const EdgeSorter& sorter,
            ChunkSet wanted, ChunkSink& out)
      : cursor_(plans),
        sorter_(sorter),
        edges_(sorter, out),
        wanted_(wanted),
        out_(out) {}

  Status Accept(const pb::Chunk& chunk) override {
    // It describes a stream in another order.
    if (chunk.has_source_image()) return {};
    if (chunk.has_graph()) {
      cursor_.Advance();
      edges_.BeginGraph();
      dropped_values_ = 0;
    }
    if (cursor_.grouped()) return Pass(chunk);
    switch (chunk.body_case()) {
      case Body::kGraph:
        own_ = chunk;
        own_.mutable_graph()->set_edges_grouped(true);
        return Pass(own_);
      case Body::kVocabulary:
        edges_.forms().Add(chunk.vocabulary());
        return Pass(chunk);
      case Body::kNodes:
        return SendNodes(chunk);
      case Body::kValues:
        return SendValues(chunk);
      case Body::kEdges:        // come from the sorter
      case Body::kRecordOrder:  // of the original order
        return {};
      case Body::kGraphEnd:
        return SendEnd(chunk);
      default:
        return Pass(chunk);
    }
  }

 private:
  Status Pass(const pb::Chunk& chunk) {
    return wanted_.Includes(chunk) ? out_.Accept(chunk) : Status();
  }

  Status SendNodes(const pb::Chunk& chunk) {
    const std::uint64_t first = chunk.nodes().first();
    const std::uint32_t count = chunk.nodes().count();
    const std::uint64_t first_source = cursor_.first_source() + first;
    const std::span<const std::uint32_t> counts = sorter_.counts();
    if (first_source > counts.size() || counts.size() - first_source < count) {
      return {Code::kInternal, "there are more nodes than GraphEnd says"};
    }
    if (wanted_.Has(Body::kNodes)) {
      own_ = chunk;
      auto* const column = own_.mutable_nodes()->mutable_edge_count();
      column->Clear();
      for (int i = 0; i < static_cast<int>(count); ++i) {
        SetSparse(column, i, std::uint64_t{counts[first_source + i]});
      }
      FillColumn(column, static_cast<int>(count));
      HEAPGLOT_RETURN_IF_ERROR(Pass(own_));
    }
    if (!wanted_.Has(Body::kEdges)) return {};
    return edges_.Send(first_source, first, count);
  }

  Status SendValues(const pb::Chunk& chunk) {
    if (IsOfEdge(chunk)) {
      dropped_values_ += chunk.values().count();
      return {};
    }
    if (dropped_values_ == 0) return Pass(chunk);
    own_ = chunk;
    own_.mutable_values()->set_first(chunk.values().first() - dropped_values_);
    return Pass(own_);
  }

  Status SendEnd(const pb::Chunk& chunk) {
    own_ = chunk;
    own_.mutable_graph_end()->set_values(chunk.graph_end().values() -
                                         cursor_.plan().edge_values);
    return Pass(own_);
  }

  GraphCursor cursor_;
  const EdgeSorter& sorter_;
  EdgeSender edges_;
  ChunkSet wanted_;
  ChunkSink& out_;
  std::uint64_t dropped_values_ = 0;  // of this graph so far
  pb::Chunk own_;
};

// ----------------------------------------------------------------- reader

class EdgeGrouper : public Reader {
 public:
  EdgeGrouper(Reader& upstream, Context& context)
      : upstream_(upstream), context_(context) {}

  Status Read(ChunkSet wanted, ChunkSink& out) override {
    HEAPGLOT_RETURN_IF_ERROR(Prepare());
    if (!some_ungrouped_) return upstream_.Read(wanted, out);
    ReportLoss(wanted);
    ChunkSet needed =
        wanted | ChunkSet{Body::kGraph, Body::kVocabulary, Body::kGraphEnd};
    // The edges are sent after their nodes.
    if (wanted.Has(Body::kEdges)) needed = needed | ChunkSet{Body::kNodes};
    if (!some_grouped_) needed = needed.Without({Body::kEdges});
    GroupSink sink(plans_, sorter_, wanted, out);
    return upstream_.Read(needed, sink);
  }

 private:
  Status Prepare() {
    if (prepared_) return {};
    GroupPlanSink plan;
    HEAPGLOT_RETURN_IF_ERROR(upstream_.Read(GroupPlanSink::kWanted, plan));
    plans_ = std::move(plan.plans());
    std::uint64_t sources = 0;
    for (const GroupPlan& graph : plans_) {
      (graph.grouped ? some_grouped_ : some_ungrouped_) = true;
      if (!graph.grouped) sources += graph.nodes;
    }
    if (some_ungrouped_) HEAPGLOT_RETURN_IF_ERROR(Sort(sources));
    prepared_ = true;
    return {};
  }

  Status Sort(std::uint64_t sources) {
    HEAPGLOT_RETURN_IF_ERROR(sorter_.Begin(sources));
    CountSink count(plans_, sorter_);
    HEAPGLOT_RETURN_IF_ERROR(upstream_.Read(CountSink::kWanted, count));
    extra_entries_ = count.extra_entries();
    HEAPGLOT_RETURN_IF_ERROR(sorter_.BeginRows());
    SortSink sort(plans_, sorter_);
    HEAPGLOT_RETURN_IF_ERROR(upstream_.Read(SortSink::kWanted, sort));
    return sorter_.Finish();
  }

  // Once for each: a pass that does not ask for it does not lose it.
  void ReportLoss(ChunkSet wanted) {
    if (wanted.Has(Body::kValues) && !values_reported_) {
      values_reported_ = true;
      std::uint64_t values = 0;
      for (const GroupPlan& graph : plans_) values += graph.edge_values;
      Lose(kLostValue, values);
    }
    if (wanted.Has(Body::kEdges) && !extra_reported_) {
      extra_reported_ = true;
      Lose(kLostExtra, extra_entries_);
    }
  }

  void Lose(const FidelityRow& row, std::uint64_t count) {
    context_.loss.Add(row.code, row.loss_class, count, row.note);
  }

  Reader& upstream_;
  Context& context_;
  bool prepared_ = false;
  bool some_grouped_ = false;
  bool some_ungrouped_ = false;
  std::vector<GroupPlan> plans_;
  EdgeSorter sorter_;
  std::uint64_t extra_entries_ = 0;
  bool values_reported_ = false;
  bool extra_reported_ = false;
};

}  // namespace

constinit const std::span<const FidelityRow> kGroupEdgesFidelity = kFidelity;

std::unique_ptr<Reader> MakeEdgeGrouper(Reader& upstream, Context& context) {
  return std::make_unique<EdgeGrouper>(upstream, context);
}

}  // namespace heapglot
