#include "core/transforms/reachability.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "core/column.h"
#include "core/ir/word_count.h"
#include "core/read_ahead.h"
#include "core/transforms/reference_graph.h"

namespace heapglot {
namespace {

using Body = pb::Chunk::BodyCase;

// Reads what a ReferenceGraph needs of the edges of a chunk.
class RefReader {
 public:
  // Both must outlive this. `weak`: the kinds of edges that hold nothing.
  RefReader(const pb::Edges& edges, const std::vector<std::uint32_t>& weak)
      : edges_(edges), weak_(weak) {}

  // Compilers vectorize these loops.
  void operator()(std::uint64_t row, std::size_t rows, std::uint32_t* refs) {
    ReadTargets(row, rows, refs);
    // With many kinds, comparing each would take the product of two sizes of
    // the file.
    constexpr std::size_t kFew = 4;
    if (weak_.size() > kFew && !edges_.kind().empty())
      return DropWeak(edges_.kind().data() + row, rows, refs);
    for (const std::uint32_t weak : weak_) {
      if (edges_.kind().empty()) {
        if (weak == 0) std::fill_n(refs, rows, 0);
        continue;
      }
      const std::uint32_t* const kinds = edges_.kind().data() + row;
      for (std::size_t i = 0; i < rows; ++i)
        refs[i] = kinds[i] == weak ? 0 : refs[i];
    }
  }

  // `weak_` is ascending.
  void DropWeak(const std::uint32_t* kinds, std::size_t rows,
                std::uint32_t* refs) const {
    for (std::size_t i = 0; i < rows; ++i) {
      if (std::binary_search(weak_.begin(), weak_.end(), kinds[i])) refs[i] = 0;
    }
  }

  // The bitwise or of all indices of nodes, and of these plus 1.
  std::uint64_t all() const { return all_; }

 private:
  void ReadTargets(std::uint64_t row, std::size_t rows, std::uint32_t* refs) {
    const bool are_nodes = edges_.to_form().empty();
    // A column that is absent is all 0.
    if (edges_.to().empty()) {
      for (std::size_t i = 0; i < rows; ++i) {
        const bool is_node =
            are_nodes || edges_.to_form().data()[row + i] == pb::TO_NODE;
        refs[i] = is_node ? 1 : 0;
      }
      return;
    }
    const std::uint64_t* const targets = edges_.to().data() + row;
    if (are_nodes)
      return ReadTargets(targets, rows, refs, [](std::size_t) { return true; });
    const std::uint32_t* const forms = edges_.to_form().data() + row;
    ReadTargets(targets, rows, refs,
                [forms](std::size_t i) { return forms[i] == pb::TO_NODE; });
  }

  template <typename IsNode>
  void ReadTargets(const std::uint64_t* targets, std::size_t rows,
                   std::uint32_t* refs, IsNode&& is_node) {
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      const std::uint64_t mask = std::uint64_t{0} - (is_node(i) ? 1 : 0);
      const std::uint64_t target = targets[i];
      all |= (target | (target + 1)) & mask;
      refs[i] = static_cast<std::uint32_t>((target + 1) & mask);
    }
    all_ |= all;
  }

  const pb::Edges& edges_;
  const std::vector<std::uint32_t>& weak_;
  std::uint64_t all_ = 0;
};

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
    edge_kinds_ = 0;
    weak_.clear();
    weak_roots_.clear();
    plans_->emplace_back();
    if (!graph.edges_grouped()) {
      return {Code::kUnsupported,
              "unreachable nodes can be looked for only in a dump that has "
              "the edges of each node together"};
    }
    // Other roots are in groups, which hang from a node that is created if the
    // source has none.
    root_distance_ = graph.root_ref() != 0 ? 2 : 3;
    if (graph.root_ref() != 0) graph_->SetTop(graph.root_ref() - 1);
    return {};
  }

  void AddVocabulary(const pb::Vocabulary& vocabulary) {
    const int rows = WordCount(vocabulary);
    if (vocabulary.space() == pb::Vocabulary::ROOT_KIND) {
      plans_->back().root_kinds += rows;
      for (int i = 0; i < rows; ++i) {
        weak_roots_.push_back(At(vocabulary.known(), i) == pb::ROOT_WEAK);
      }
    }
    if (vocabulary.space() != pb::Vocabulary::EDGE_KIND) return;
    for (int i = 0; i < rows; ++i) {
      if (At(vocabulary.known(), i) == pb::EDGE_WEAK)
        weak_.push_back(edge_kinds_);
      ++edge_kinds_;
    }
  }

  Status AddEdges(const pb::Edges& edges) {
    const auto nodes = static_cast<std::uint64_t>(edges.edges_per_node_size());
    if (edges.first_node() >= ReferenceGraph::kMaxNodes ||
        nodes > ReferenceGraph::kMaxNodes - edges.first_node())
      return TooMany();
    const std::span<const std::uint32_t> counts(edges.edges_per_node().data(),
                                                nodes);
    RefReader read(edges, weak_);
    graph_->AddNodes(edges.first_node(), counts, read);
    return read.all() > ReferenceGraph::kMaxNodes ? TooMany() : Status();
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
      ReferenceGraph::Entries entries =
          graph_->EntryPoints(reached, root_distance_);
      plan.entries = std::move(entries.nodes);
      plan.entry_distance = entries.distance;
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
  std::optional<ReferenceGraph> graph_;  // the current one
  std::uint32_t root_distance_ = 0;      // of nodes that Roots hold
  std::uint32_t edge_kinds_ = 0;         // in the vocabulary
  std::vector<std::uint32_t> weak_;      // the weak ones of these
  std::vector<bool> weak_roots_;         // by kind of root
};

}  // namespace

Status PlanGraphs(Reader& reader, Unreachable mode, unsigned threads,
                  std::vector<GraphPlan>* plans) {
  ReachPlanSink sink(mode, plans);
  return ReadAhead(reader, ReachPlanSink::kWanted, sink, threads);
}

}  // namespace heapglot
