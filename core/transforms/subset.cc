#include "core/transforms/subset.h"

#include <algorithm>
#include <utility>

#include "core/column.h"
#include "core/transforms/subset_sink.h"

namespace heapglot {
namespace {

using Body = pb::Chunk::BodyCase;

// Collects the totals of all graphs.
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

// Finds out which edges and roots are left once the nodes are chosen.
class IncidenceSink : public ChunkSink {
 public:
  IncidenceSink(SubsetPlan& plan, bool omits_targets)
      : plan_(plan), omits_targets_(omits_targets) {}

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
    return omits_targets_ || At(table.to_form(), row) != pb::TO_NODE ||
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
  const bool omits_targets_;
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
         subset.max_text == ~std::uint64_t{0};
}

// Whether it is already known which edges and roots go along with nodes.
bool HasIncidence(const Subset& subset) {
  return KeepsAllRows(subset) ||
         (subset.omits_targets &&
          std::all_of(subset.graphs.begin(), subset.graphs.end(),
                      [](const Subset::Graph& graph) {
                        return !graph.nodes || graph.edges;
                      }));
}

// Passes chunks on to two sinks.
class BothSinks : public ChunkSink {
 public:
  BothSinks(ChunkSink& first, ChunkSink& second)
      : first_(first), second_(second) {}
  Status Accept(const pb::Chunk& chunk) override {
    HEAPGLOT_RETURN_IF_ERROR(first_.Accept(chunk));
    return second_.Accept(chunk);
  }

 private:
  ChunkSink& first_;
  ChunkSink& second_;
};

// Leaves out only the image of the source.
class WithoutImage : public ChunkSink {
 public:
  explicit WithoutImage(ChunkSink& out) : out_(out) {}
  Status Accept(const pb::Chunk& chunk) override {
    return chunk.has_source_image() ? Status() : out_.Accept(chunk);
  }

 private:
  ChunkSink& out_;
};

class PlannedSubset : public SubsetReader {
 public:
  PlannedSubset(Reader& upstream, Subset subset)
      : upstream_(upstream),
        subset_(std::move(subset)),
        is_whole_(IsWhole(subset_)),
        has_incidence_(HasIncidence(subset_)) {}

  Status Plan() override {
    if (!is_whole_ && !is_planned_) HEAPGLOT_RETURN_IF_ERROR(MakePlan());
    is_planned_ = true;
    return {};
  }
  const SubsetLosses& losses() const override { return plan_.losses; }

  Status Read(ChunkSet wanted, ChunkSink& out) override {
    if (is_whole_) {
      WithoutImage sink(out);
      return upstream_.Read(wanted, sink);
    }
    HEAPGLOT_RETURN_IF_ERROR(Plan());
    SubsetSink sink(plan_, wanted, out);
    return upstream_.Read(SubsetSink::Needed(wanted), sink);
  }

 private:
  Status MakePlan() {
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
    plan_.makes_ids = subset_.makes_ids;
    plan_.keeps_claims = subset_.keeps_claims;
    if (subset_.strings) plan_.texts = *std::move(subset_.strings);
    if (!has_incidence_) HEAPGLOT_RETURN_IF_ERROR(FindIncidence());
    BuildRanks();
    HEAPGLOT_RETURN_IF_ERROR(Count());
    if (plan_.strings.size() != 0) plan_.strings.Add(0);
    plan_.strings.BuildRanks();
    return {};
  }

  Status Count() {
    SubsetSink counter(plan_, subset_.find);
    if (!subset_.keeps_unused_strings)
      return upstream_.Read(ChunkSet::All(), counter);
    SubsetPlan whole;
    whole.strings = RankBitmap(plan_.strings.size());
    for (const SubsetGraphPlan& graph : plan_.graphs)
      whole.graphs.emplace_back().before = graph.before;
    SubsetSink whole_counter(whole, nullptr);
    BothSinks both(counter, whole_counter);
    HEAPGLOT_RETURN_IF_ERROR(upstream_.Read(ChunkSet::All(), both));
    for (std::uint64_t i = 0; i < whole.strings.size(); ++i)
      if (!whole.strings.Has(i)) plan_.strings.Add(i);
    return {};
  }

  Status FindIncidence() {
    IncidenceSink incidence(plan_, subset_.omits_targets);
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
  const bool has_incidence_;
  bool is_planned_ = false;
  SubsetPlan plan_;
};

}  // namespace

std::unique_ptr<SubsetReader> MakeSubset(Reader& upstream, Subset subset) {
  return std::make_unique<PlannedSubset>(upstream, std::move(subset));
}

}  // namespace heapglot
