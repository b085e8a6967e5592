#include "core/transforms/subset.h"

#include <string>
#include <utility>

#include "core/column.h"
#include "core/transforms/subset_sink.h"

namespace heapglot {
namespace {

using Body = pb::Chunk::BodyCase;

// The totals of all graphs.
class TotalsSink : public ChunkSink {
 public:
  explicit TotalsSink(SubsetPlan& plan) : plan_(plan) {}
  Status Accept(const pb::Chunk& chunk) override {
    if (chunk.has_graph_end()) {
      plan_.graphs.emplace_back().before = chunk.graph_end();
    }
    if (chunk.has_footer()) {
      plan_.strings = RankBitmap(chunk.footer().strings());
    }
    return {};
  }

 private:
  SubsetPlan& plan_;
};

// Which edges and roots are left when the nodes are chosen.
class IncidenceSink : public ChunkSink {
 public:
  explicit IncidenceSink(SubsetPlan& plan) : plan_(plan) {}

  Status Accept(const pb::Chunk& chunk) override {
    if (chunk.has_graph()) {
      graph_ = &plan_.graphs[next_graph_++];
      edges_ = RankBitmap(graph_->before.edges());
      roots_ = RankBitmap(graph_->before.roots());
    }
    if (graph_ == nullptr) return {};
    if (chunk.has_edges()) AddEdges(chunk.edges());
    if (chunk.has_roots()) AddRoots(chunk.roots());
    if (chunk.has_graph_end()) {
      graph_->keep.edges = std::move(edges_);
      graph_->keep.roots = std::move(roots_);
    }
    return {};
  }

 private:
  bool KeepsNode(std::uint64_t node) const {
    return !graph_->keep.nodes || graph_->keep.nodes->Has(node);
  }
  template <typename Table>
  bool KeepsTarget(const Table& table, int row) const {
    return At(table.to_form(), row) != pb::TO_NODE ||
           KeepsNode(At(table.to(), row));
  }
  static bool IsWanted(const KeptRows& rows, std::uint64_t row) {
    return !rows || rows->Has(row);
  }

  void AddEdge(const pb::Edges& edges, int row, std::uint64_t from) {
    const std::uint64_t edge = edges.first() + static_cast<std::uint64_t>(row);
    if (KeepsNode(from) && KeepsTarget(edges, row) &&
        IsWanted(graph_->keep.edges, edge)) {
      edges_.Add(edge);
    }
  }

  void AddEdges(const pb::Edges& edges) {
    if (edges.edges_per_node().empty()) {
      for (int i = 0; i < static_cast<int>(edges.count()); ++i) {
        AddEdge(edges, i, At(edges.from(), i));
      }
      return;
    }
    int row = 0;
    std::uint64_t node = edges.first_node();
    for (const std::uint32_t count : edges.edges_per_node()) {
      for (const int end = row + static_cast<int>(count); row < end; ++row) {
        AddEdge(edges, row, node);
      }
      ++node;
    }
  }

  void AddRoots(const pb::Roots& roots) {
    for (int i = 0; i < static_cast<int>(roots.count()); ++i) {
      const std::uint64_t root = roots.first() + static_cast<std::uint64_t>(i);
      if (KeepsTarget(roots, i) && IsWanted(graph_->keep.roots, root)) {
        roots_.Add(root);
      }
    }
  }

  SubsetPlan& plan_;
  std::size_t next_graph_ = 0;
  SubsetGraphPlan* graph_ = nullptr;
  RankBitmap edges_;
  RankBitmap roots_;
};

bool KeepsAllRows(const Subset& subset) {
  for (const Subset::Graph& graph : subset.graphs) {
    for (const KeptRows* const rows :
         {&graph.nodes, &graph.edges, &graph.types, &graph.roots, &graph.values,
          &graph.externals, &graph.locations, &graph.samples}) {
      if (*rows) return false;
    }
  }
  return subset.dropped.empty();
}

bool IsWhole(const Subset& subset) {
  return KeepsAllRows(subset) && !subset.strings &&
         subset.max_text == ~std::uint64_t{0} && subset.whole == nullptr;
}

// Leaves out the image of the source only.
class WithoutImage : public ChunkSink {
 public:
  explicit WithoutImage(ChunkSink& out) : out_(out) {}
  Status Accept(const pb::Chunk& chunk) override {
    return chunk.has_source_image() ? Status() : out_.Accept(chunk);
  }

 private:
  ChunkSink& out_;
};

class SubsetReader : public Reader {
 public:
  SubsetReader(Reader& upstream, Subset subset)
      : upstream_(upstream),
        subset_(std::move(subset)),
        is_whole_(IsWhole(subset_)),
        keeps_all_rows_(KeepsAllRows(subset_)) {}

  Status Read(ChunkSet wanted, ChunkSink& out) override {
    if (is_whole_) {
      WithoutImage sink(out);
      return upstream_.Read(wanted, sink);
    }
    if (!is_planned_) HEAPGLOT_RETURN_IF_ERROR(Plan());
    is_planned_ = true;
    SubsetSink sink(plan_, false, wanted, &out);
    return upstream_.Read(SubsetSink::Needed(wanted), sink);
  }

 private:
  Status Plan() {
    TotalsSink totals(plan_);
    HEAPGLOT_RETURN_IF_ERROR(
        upstream_.Read({Body::kGraphEnd, Body::kFooter}, totals));
    const std::size_t chosen =
        std::min(subset_.graphs.size(), plan_.graphs.size());
    for (std::size_t i = 0; i < chosen; ++i) {
      plan_.graphs[i].keep = std::move(subset_.graphs[i]);
    }
    plan_.dropped = subset_.dropped;
    plan_.max_text = subset_.max_text;
    if (subset_.strings) plan_.texts = *std::move(subset_.strings);
    if (!keeps_all_rows_) HEAPGLOT_RETURN_IF_ERROR(FindIncidence());
    BuildRanks();
    if (plan_.strings.size() != 0) plan_.strings.Add(0);
    SubsetSink counter(plan_, true, ChunkSet::All(), nullptr);
    HEAPGLOT_RETURN_IF_ERROR(upstream_.Read(ChunkSet::All(), counter));
    if (subset_.whole != nullptr)
      HEAPGLOT_RETURN_IF_ERROR(KeepUnusedStrings(*subset_.whole));
    plan_.strings.BuildRanks();
    return {};
  }

  // That were so from the start.
  Status KeepUnusedStrings(Reader& whole) {
    SubsetPlan used;
    TotalsSink totals(used);
    HEAPGLOT_RETURN_IF_ERROR(
        whole.Read({Body::kGraphEnd, Body::kFooter}, totals));
    SubsetSink counter(used, true, ChunkSet::All(), nullptr);
    HEAPGLOT_RETURN_IF_ERROR(whole.Read(ChunkSet::All(), counter));
    for (std::uint64_t i = 0; i < used.strings.size(); ++i)
      if (!used.strings.Has(i)) plan_.strings.Add(i);
    return {};
  }

  Status FindIncidence() {
    IncidenceSink incidence(plan_);
    return upstream_.Read(
        {Body::kGraph, Body::kEdges, Body::kRoots, Body::kGraphEnd}, incidence);
  }

  void BuildRanks() {
    for (SubsetGraphPlan& graph : plan_.graphs) {
      for (KeptRows* const rows : {&graph.keep.nodes, &graph.keep.edges,
                                   &graph.keep.types, &graph.keep.roots}) {
        if (*rows) (*rows)->BuildRanks();
      }
    }
  }

  Reader& upstream_;
  Subset subset_;
  const bool is_whole_;
  const bool keeps_all_rows_;
  bool is_planned_ = false;
  SubsetPlan plan_;
};

}  // namespace

std::unique_ptr<Reader> MakeSubset(Reader& upstream, Subset subset) {
  return std::make_unique<SubsetReader>(upstream, std::move(subset));
}

}  // namespace heapglot
