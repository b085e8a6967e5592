#include "core/transforms/reachability.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/column.h"
#include "core/read_ahead.h"
#include "core/transforms/reference_graph.h"

namespace heapglot {
namespace {

using Body = pb::Chunk::BodyCase;

// Makes the plan of each graph of the stream.
class ReachPlanSink : public ChunkSink {
 public:
  static constexpr ChunkSet kWanted = {Body::kGraph, Body::kVocabulary,
                                       Body::kEdges, Body::kRoots,
                                       Body::kGraphEnd};

  ReachPlanSink(Unreachable mode, std::vector<GraphPlan>* plans)
      : mode_(mode), plans_(plans) {}

  Status Accept(const pb::Chunk& chunk) override {
    switch (chunk.body_case()) {
      case Body::kGraph:
        return Begin(chunk.graph());
      case Body::kVocabulary:
        AddVocabulary(chunk.vocabulary());
        return {};
      case Body::kEdges:
        return AddEdges(chunk.edges());
      case Body::kRoots:
        AddRoots(chunk.roots());
        return {};
      case Body::kGraphEnd:
        return End(chunk.graph_end());
      default:
        return {};
    }
  }

 private:
  Status Begin(const pb::Graph& graph) {
    graph_.emplace();
    weak_.clear();
    weak_roots_.clear();
    plans_->emplace_back();
    if (!graph.edges_grouped()) {
      return {Code::kUnsupported,
              "unreachable nodes can be looked for only in a dump that has "
              "the edges of each node together"};
    }
    // Other roots stand in groups, which hang from a node that is made if the
    // source has none.
    root_distance_ = graph.root_ref() != 0 ? 2 : 3;
    if (graph.root_ref() != 0) graph_->SetTop(graph.root_ref() - 1);
    return {};
  }

  void AddVocabulary(const pb::Vocabulary& vocabulary) {
    const int rows =
        std::max({vocabulary.name_size(), vocabulary.known_size(),
                  vocabulary.source_code_size(), vocabulary.name_form_size(),
                  vocabulary.edge_flags_size()});
    if (vocabulary.space() == pb::Vocabulary::ROOT_KIND) {
      plans_->back().root_kinds += rows;
      for (int i = 0; i < rows; ++i) {
        weak_roots_.push_back(At(vocabulary.known(), i) == pb::ROOT_WEAK);
      }
    }
    if (vocabulary.space() != pb::Vocabulary::EDGE_KIND) return;
    for (int i = 0; i < rows; ++i) {
      weak_.push_back(At(vocabulary.known(), i) == pb::EDGE_WEAK ? 1 : 0);
    }
  }

  Status AddEdges(const pb::Edges& edges) {
    int row = 0;
    for (int i = 0; i < edges.edges_per_node_size(); ++i) {
      const std::uint64_t node = edges.first_node() + i;
      if (node >= ReferenceGraph::kMaxNodes) return TooMany();
      graph_->BeginNode(node);
      const int end = row + static_cast<int>(edges.edges_per_node(i));
      for (; row < end; ++row) HEAPGLOT_RETURN_IF_ERROR(AddEdge(edges, row));
    }
    return {};
  }

  Status AddEdge(const pb::Edges& edges, int row) {
    const std::uint32_t kind = At(edges.kind(), row);
    const bool weak = kind < weak_.size() && weak_[kind] != 0;
    if (weak || At(edges.to_form(), row) != pb::TO_NODE) {
      graph_->AddOtherEdge();
      return {};
    }
    const std::uint64_t target = At(edges.to(), row);
    if (target >= ReferenceGraph::kMaxNodes) return TooMany();
    graph_->AddEdge(target);
    return {};
  }

  void AddRoots(const pb::Roots& roots) {
    for (int i = 0; i < static_cast<int>(roots.count()); ++i) {
      const std::uint32_t kind = At(roots.kind(), i);
      const bool weak = kind < weak_roots_.size() && weak_roots_[kind];
      if (!weak && At(roots.to_form(), i) == pb::TO_NODE) {
        graph_->AddRoot(At(roots.to(), i));
      }
    }
  }

  Status End(const pb::GraphEnd& end) {
    if (end.nodes() >= ReferenceGraph::kMaxNodes) return TooMany();
    HEAPGLOT_RETURN_IF_ERROR(graph_->Finish(end.nodes()));
    GraphPlan& plan = plans_->back();
    plan.roots = end.roots();
    RankBitmap reached = graph_->Reached();
    if (reached.members() == reached.size()) {
      plan.all_reached = true;
    } else if (mode_ == Unreachable::kRoot) {
      plan.entries = graph_->EntryPoints(reached);
      plan.entry_distance =
          graph_->EntryDistance(reached, plan.entries, root_distance_);
    } else {
      plan.kept_edges = graph_->EdgesOf(reached);
      plan.kept_nodes = std::move(reached);
    }
    Status status = graph_->status();
    graph_.reset();
    return status;
  }

  static Status TooMany() {
    return {Code::kLimit,
            "unreachable nodes can be looked for only among less than "
            "4294967295 nodes"};
  }

  Unreachable mode_;
  std::vector<GraphPlan>* plans_;
  std::optional<ReferenceGraph> graph_;  // that we are in
  std::uint32_t root_distance_ = 0;      // of what Roots hold
  std::vector<std::uint8_t> weak_;       // by kind of edge, 0 or 1
  std::vector<bool> weak_roots_;         // by kind of root
};

}  // namespace

Status PlanGraphs(Reader& reader, Unreachable mode, unsigned threads,
                  std::vector<GraphPlan>* plans) {
  ReachPlanSink sink(mode, plans);
  return ReadAhead(reader, ReachPlanSink::kWanted, sink, threads);
}

}  // namespace heapglot
