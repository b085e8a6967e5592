#include "core/transforms/reachability.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <utility>

#include "core/column.h"

namespace heapglot {
namespace {

using Body = pb::Chunk::BodyCase;

// Who refers to whom, and who is held by a root.
class ReferenceGraph {
 public:
  // Bounds that fit into 32 bits, with a number left for kNowhere.
  static constexpr std::uint64_t kMaxNodes =
      std::numeric_limits<std::uint32_t>::max();

  // A node that a root holds, `distance` edges from the root of all roots.
  void AddSeed(std::uint64_t node, std::uint8_t distance) {
    seeds_.push_back({node, distance});
  }
  // What comes now are edges of `node`; nodes must come in order.
  void BeginNode(std::uint64_t node) {
    while (first_edge_.size() <= node) first_edge_.push_back(targets_.size());
  }
  void AddEdge(std::uint64_t target) {
    nodes_needed_ = std::max(nodes_needed_, target + 1);
    targets_.push_back(static_cast<std::uint32_t>(target));
  }
  // An edge that holds nothing.
  void AddOtherEdge() { targets_.push_back(kNowhere); }

  // All is there. Errors: kInternal if something points past `nodes`.
  Status Finish(std::uint64_t nodes) {
    bool inside = first_edge_.size() <= nodes && nodes_needed_ <= nodes;
    for (const Seed& seed : seeds_) inside = inside && seed.node < nodes;
    if (!inside) {
      return {Code::kInternal, "an edge or root points past the last node"};
    }
    BeginNode(nodes);
    return {};
  }

  std::uint64_t edges() const { return targets_.size(); }
  // The edges of `node` are first_edge(node) ... first_edge(node + 1) - 1.
  std::uint64_t first_edge(std::uint64_t node) const {
    return first_edge_[node];
  }

  RankBitmap Reached() {
    RankBitmap reached(first_edge_.size() - 1);
    for (const Seed& seed : seeds_) Reach(seed.node, &reached);
    return reached;
  }

  // How far from the root of all roots `entries` have to stand so that no node
  // in `reached` is nearer by way of them than it is without.
  std::uint32_t EntryDistance(const RankBitmap& reached,
                              const std::vector<std::uint32_t>& entries) const {
    std::vector<std::uint8_t> distance(reached.size(), kFarthest);
    for (std::uint8_t at = 1; at <= kFarthestSeed; ++at) {
      std::vector<std::uint32_t> seeds;
      for (const Seed& seed : seeds_) {
        if (seed.distance == at)
          seeds.push_back(static_cast<std::uint32_t>(seed.node));
      }
      SetDistances(std::move(seeds), at, nullptr, &distance);
    }
    // The others are not reached from there, so that both fit into one table.
    SetDistances(entries, 0, &reached, &distance);

    int farthest = 1;
    for (std::uint64_t node = 0; node < reached.size(); ++node) {
      if (reached.Has(node)) continue;
      for (auto i = first_edge_[node]; i < first_edge_[node + 1]; ++i) {
        const std::uint32_t target = targets_[i];
        if (target == kNowhere || !reached.Has(target)) continue;
        farthest = std::max(farthest, distance[target] - distance[node] - 1);
      }
    }
    return static_cast<std::uint32_t>(farthest);
  }

  // One node of each group of nodes that reach each other and that no other
  // node outside `reached` reaches: the first of the group.
  //
  // Going over the nodes in order and taking along all that they reach makes a
  // start of the first node of each such group, for nothing but the group gets
  // there. Other starts are reached by a later start: so going over the starts
  // backwards, taking along again, leaves the ones that we look for.
  std::vector<std::uint32_t> EntryPoints(const RankBitmap& reached) {
    std::vector<std::uint32_t> starts;
    RankBitmap seen = reached;
    for (std::uint64_t node = 0; node < seen.size(); ++node) {
      if (seen.Has(node)) continue;
      starts.push_back(static_cast<std::uint32_t>(node));
      Reach(node, &seen);
    }
    seen = reached;
    std::vector<std::uint32_t> entries;
    for (auto start = starts.rbegin(); start != starts.rend(); ++start) {
      if (seen.Has(*start)) continue;
      entries.push_back(*start);
      Reach(*start, &seen);
    }
    std::reverse(entries.begin(), entries.end());
    return entries;
  }

 private:
  static constexpr std::uint32_t kNowhere = 0xFFFFFFFF;
  // Distances that matter: farther is as good as this.
  static constexpr std::uint8_t kFarthest = 64;
  static constexpr std::uint8_t kFarthestSeed = 3;

  struct Seed {
    std::uint64_t node;
    std::uint8_t distance;
  };

  // Breadth-first from `level`, which is `at` far, but not into `outside`: sets
  // distances that get shorter by that.
  void SetDistances(std::vector<std::uint32_t> level, std::uint8_t at,
                    const RankBitmap* outside,
                    std::vector<std::uint8_t>* distance) const {
    for (const std::uint32_t node : level)
      (*distance)[node] = std::min((*distance)[node], at);
    std::vector<std::uint32_t> next;
    while (!level.empty() && ++at < kFarthest) {
      for (const std::uint32_t node : level) {
        for (auto i = first_edge_[node]; i < first_edge_[node + 1]; ++i) {
          const std::uint32_t target = targets_[i];
          if (target == kNowhere || (*distance)[target] <= at) continue;
          if (outside != nullptr && outside->Has(target)) continue;
          (*distance)[target] = at;
          next.push_back(target);
        }
      }
      level.swap(next);
      next.clear();
    }
  }

  // Adds `from` and all that it reaches, but for what is there already, and
  // what only that reaches.
  void Reach(std::uint64_t from, RankBitmap* seen) {
    if (seen->Has(from)) return;
    seen->Add(from);
    todo_.push_back(static_cast<std::uint32_t>(from));
    while (!todo_.empty()) {
      const std::uint64_t node = todo_.back();
      todo_.pop_back();
      for (auto i = first_edge_[node]; i < first_edge_[node + 1]; ++i) {
        const std::uint32_t target = targets_[i];
        if (target == kNowhere || seen->Has(target)) continue;
        seen->Add(target);
        todo_.push_back(target);
      }
    }
  }

  // Deques, as vectors of this size would need three times the memory while
  // they grow.
  std::deque<std::uint64_t> first_edge_;  // of each node, and behind the last
  std::deque<std::uint32_t> targets_;     // of each edge
  std::deque<Seed> seeds_;
  std::uint64_t nodes_needed_ = 0;  // for all targets
  std::vector<std::uint32_t> todo_;
};

// Makes the plan of each graph of the stream.
class PlanSink : public ChunkSink {
 public:
  static constexpr ChunkSet kWanted = {Body::kGraph, Body::kVocabulary,
                                       Body::kEdges, Body::kRoots,
                                       Body::kGraphEnd};

  PlanSink(Unreachable mode, std::vector<GraphPlan>* plans)
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
    graph_ = {};
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
    if (graph.root_ref() != 0) graph_.AddSeed(graph.root_ref() - 1, 1);
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
      weak_.push_back(At(vocabulary.known(), i) == pb::EDGE_WEAK);
    }
  }

  Status AddEdges(const pb::Edges& edges) {
    int row = 0;
    for (int i = 0; i < edges.edges_per_node_size(); ++i) {
      graph_.BeginNode(edges.first_node() + i);
      const int end = row + static_cast<int>(edges.edges_per_node(i));
      for (; row < end; ++row) HEAPGLOT_RETURN_IF_ERROR(AddEdge(edges, row));
    }
    return {};
  }

  Status AddEdge(const pb::Edges& edges, int row) {
    const std::uint32_t kind = At(edges.kind(), row);
    const bool weak = kind < weak_.size() && weak_[kind];
    if (weak || At(edges.to_form(), row) != pb::TO_NODE) {
      graph_.AddOtherEdge();
      return {};
    }
    const std::uint64_t target = At(edges.to(), row);
    if (target >= ReferenceGraph::kMaxNodes) {
      return {Code::kLimit,
              "unreachable nodes can be looked for only among less than "
              "4294967295 nodes"};
    }
    graph_.AddEdge(target);
    return {};
  }

  void AddRoots(const pb::Roots& roots) {
    for (int i = 0; i < static_cast<int>(roots.count()); ++i) {
      const std::uint32_t kind = At(roots.kind(), i);
      const bool weak = kind < weak_roots_.size() && weak_roots_[kind];
      if (!weak && At(roots.to_form(), i) == pb::TO_NODE) {
        graph_.AddSeed(At(roots.to(), i), root_distance_);
      }
    }
  }

  Status End(const pb::GraphEnd& end) {
    if (end.nodes() >= ReferenceGraph::kMaxNodes) {
      return {Code::kLimit,
              "unreachable nodes can be looked for only among less than "
              "4294967295 nodes"};
    }
    HEAPGLOT_RETURN_IF_ERROR(graph_.Finish(end.nodes()));
    GraphPlan& plan = plans_->back();
    plan.roots = end.roots();
    plan.kept_nodes = graph_.Reached();
    plan.kept_nodes.BuildRanks();
    if (plan.all_reached()) {
      // Nothing to do.
    } else if (mode_ == Unreachable::kRoot) {
      plan.entries = graph_.EntryPoints(plan.kept_nodes);
      plan.entry_distance = graph_.EntryDistance(plan.kept_nodes, plan.entries);
    } else {
      KeepEdges(&plan);
    }
    graph_ = {};
    return {};
  }

  void KeepEdges(GraphPlan* plan) {
    plan->kept_edges = RankBitmap(graph_.edges());
    for (std::uint64_t node = 0; node < plan->kept_nodes.size(); ++node) {
      if (!plan->kept_nodes.Has(node)) continue;
      plan->kept_edges.AddRange(graph_.first_edge(node),
                                graph_.first_edge(node + 1));
    }
    plan->kept_edges.BuildRanks();
  }

  Unreachable mode_;
  std::vector<GraphPlan>* plans_;
  ReferenceGraph graph_;
  std::uint8_t root_distance_ = 0;  // of what Roots hold
  std::vector<bool> weak_;          // by kind of edge
  std::vector<bool> weak_roots_;    // by kind of root
};

}  // namespace

Status PlanGraphs(Reader& reader, Unreachable mode,
                  std::vector<GraphPlan>* plans) {
  PlanSink sink(mode, plans);
  return reader.Read(PlanSink::kWanted, sink);
}

}  // namespace heapglot
