#include "core/transforms/unreachable.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/reflection.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/column.h"
#include "core/transforms/rank_bitmap.h"

namespace heapglot {
namespace {

using Body = pb::Chunk::BodyCase;

// ------------------------------------------------------------ reachability

// What we know about a graph once all of it was seen.
struct GraphPlan {
  RankBitmap kept_nodes;               // those that a root reaches
  RankBitmap kept_edges;               // those that leave them (kDrop)
  std::vector<std::uint32_t> entries;  // into the others, in order (kRoot)
  std::uint32_t entry_distance = 0;    // for Roots.distance
  std::uint64_t roots = 0;
  std::uint64_t root_kinds = 0;  // in the vocabulary
  pb::GraphEnd end;              // with the totals of what is left (kDrop)

  bool all_reached() const { return kept_nodes.members() == kept_nodes.size(); }
};

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
      if (At(roots.to_form(), i) == pb::TO_NODE) {
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
};

// ----------------------------------------------------------- roots instead

// Adds the roots of the plans to a stream.
class RootSink : public ChunkSink {
 public:
  RootSink(const std::vector<GraphPlan>& plans, ChunkSet wanted, ChunkSink& out)
      : plans_(plans), wanted_(wanted), out_(out) {}

  Status Accept(const pb::Chunk& chunk) override {
    if (chunk.body_case() == Body::kGraph) {
      plan_ = &plans_[next_plan_++];
      kind_sent_ = plan_->entries.empty();
    }
    if (plan_ == nullptr || plan_->entries.empty()) return Pass(chunk);
    if (!kind_sent_ && EndsVocabulary(chunk)) {
      HEAPGLOT_RETURN_IF_ERROR(SendKind());
    }
    switch (chunk.body_case()) {
      case Body::kRecordOrder:
      case Body::kSourceImage:
        return {};  // of a stream without these roots
      case Body::kGraphEnd:
        HEAPGLOT_RETURN_IF_ERROR(SendRoots());
        return SendEnd(chunk);
      default:
        return Pass(chunk);
    }
  }

 private:
  static bool EndsVocabulary(const pb::Chunk& chunk) {
    return chunk.body_case() != Body::kGraph &&
           chunk.body_case() != Body::kVocabulary &&
           !(chunk.body_case() == Body::kStrings && chunk.strings().names());
  }

  Status Pass(const pb::Chunk& chunk) {
    return wanted_.Includes(chunk) ? out_.Accept(chunk) : Status();
  }

  Status SendKind() {
    kind_sent_ = true;
    own_.Clear();
    pb::Vocabulary& vocabulary = *own_.mutable_vocabulary();
    vocabulary.set_space(pb::Vocabulary::ROOT_KIND);
    // Roots of a graph without kinds are of kind 0, which must stay what it is.
    if (plan_->root_kinds == 0) vocabulary.add_known(pb::ROOT_OTHER);
    vocabulary.add_known(pb::ROOT_UNREACHABLE);
    return Pass(own_);
  }

  Status SendRoots() {
    const auto kind = static_cast<std::uint32_t>(
        std::max<std::uint64_t>(plan_->root_kinds, 1));
    const std::vector<std::uint32_t>& entries = plan_->entries;
    for (std::size_t sent = 0; sent < entries.size();) {
      const std::size_t end =
          std::min<std::size_t>(entries.size(), sent + kChunkRows);
      own_.Clear();
      pb::Roots& roots = *own_.mutable_roots();
      roots.set_first(plan_->roots + sent);
      roots.set_count(static_cast<std::uint32_t>(end - sent));
      for (; sent < end; ++sent) {
        roots.add_to(entries[sent]);
        roots.add_kind(kind);
        roots.add_distance(plan_->entry_distance);
      }
      HEAPGLOT_RETURN_IF_ERROR(Pass(own_));
    }
    return {};
  }

  Status SendEnd(const pb::Chunk& chunk) {
    own_ = chunk;
    own_.mutable_graph_end()->set_roots(plan_->roots + plan_->entries.size());
    return Pass(own_);
  }

  const std::vector<GraphPlan>& plans_;
  ChunkSet wanted_;
  ChunkSink& out_;
  std::size_t next_plan_ = 0;
  const GraphPlan* plan_ = nullptr;  // of the graph that we are in
  bool kind_sent_ = true;
  pb::Chunk own_;
};

// ------------------------------------------------------------------- drop

// Keeps the rows of `column` whose numbers are in `rows`.
template <typename T>
void KeepRows(const std::vector<int>& rows,
              google::protobuf::RepeatedField<T>* column) {
  if (column->empty()) return;
  int kept = 0;
  for (const int row : rows) column->Set(kept++, column->Get(row));
  column->Truncate(kept);
}

// The same for a column that is known at run time only.
template <typename T>
void KeepFieldRows(const std::vector<int>& rows,
                   const google::protobuf::FieldDescriptor* field,
                   google::protobuf::Message* table) {
  const auto column =
      table->GetReflection()->GetMutableRepeatedFieldRef<T>(table, field);
  if (column.empty()) return;
  int kept = 0;
  for (const int row : rows) column.Set(kept++, column.Get(row));
  while (column.size() > kept) column.RemoveLast();
}

// The same for all columns of a table, so that none is forgotten, except for
// the one with number `other_column`, which is no column. Sets `count`.
template <typename Table>
void KeepTableRows(const std::vector<int>& rows, Table* table,
                   int other_column = 0) {
  using google::protobuf::FieldDescriptor;
  const google::protobuf::Descriptor& fields = *table->GetDescriptor();
  const bool all = rows.size() == table->count();
  for (int i = 0; i < fields.field_count() && !all; ++i) {
    const FieldDescriptor* field = fields.field(i);
    if (!field->is_repeated() || field->number() == other_column) continue;
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_UINT32:
        KeepFieldRows<std::uint32_t>(rows, field, table);
        break;
      case FieldDescriptor::CPPTYPE_UINT64:
        KeepFieldRows<std::uint64_t>(rows, field, table);
        break;
      case FieldDescriptor::CPPTYPE_INT64:
        KeepFieldRows<std::int64_t>(rows, field, table);
        break;
      default:
        break;  // `extra`, the one column of messages
    }
  }
  if constexpr (requires { table->mutable_extra(); }) {
    for (pb::ExtraColumn& extra : *table->mutable_extra()) {
      KeepRows(rows, extra.mutable_ints());
      KeepRows(rows, extra.mutable_strings());
      KeepRows(rows, extra.mutable_bits());
    }
  }
  table->set_count(static_cast<std::uint32_t>(rows.size()));
}

// Sets entry `row` of a column that may be left out as long as all is 0.
template <typename T>
void SetAt(google::protobuf::RepeatedField<T>* column, int rows, int row,
           T value) {
  if (column->empty()) column->Resize(rows, 0);
  column->Set(row, value);
}

std::uint64_t AddSaturating(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t sum = a + b;
  return sum < a ? std::numeric_limits<std::uint64_t>::max() : sum;
}

// Leaves out what the plans do not keep.
class DropSink : public ChunkSink {
 public:
  // With `count`, which needs all of kCounted, the totals are counted and kept
  // in the plans; otherwise they are taken from there.
  DropSink(std::vector<GraphPlan>& plans, bool count, ChunkSet wanted,
           ChunkSink* out)
      : plans_(plans), count_(count), wanted_(wanted), out_(out) {}

  static constexpr ChunkSet kCounted = {
      Body::kGraph,  Body::kNodes,     Body::kEdges,     Body::kRoots,
      Body::kValues, Body::kExternals, Body::kLocations, Body::kGraphEnd};

  Status Accept(const pb::Chunk& chunk) override {
    if (chunk.body_case() == Body::kGraph) {
      plan_ = &plans_[next_plan_++];
      end_.Clear();
    }
    if (plan_ == nullptr || plan_->all_reached()) return Pass(chunk);
    switch (chunk.body_case()) {
      case Body::kRecordOrder:
      case Body::kSourceImage:
      case Body::kExtraTable:
        return {};  // they refer to what was
      default:
        break;
    }
    own_ = chunk;
    return Edit() ? Pass(own_) : Status();
  }

 private:
  Status Pass(const pb::Chunk& chunk) {
    if (out_ == nullptr || !wanted_.Includes(chunk)) return {};
    return out_->Accept(chunk);
  }

  // Makes own_ what it shall be; false if nothing of it is left.
  bool Edit() {
    switch (own_.body_case()) {
      case Body::kGraph:
        EditGraph(own_.mutable_graph());
        return true;
      case Body::kGraphEnd:
        EditGraphEnd(own_.mutable_graph_end());
        return true;
      case Body::kTypes:
        EditTypes(own_.mutable_types());
        return true;
      case Body::kThreads:
        for (auto& ref : *own_.mutable_threads()->mutable_node_ref()) {
          ref = NewRef(ref);
        }
        return true;
      case Body::kRoots:
        EditRoots(own_.mutable_roots());
        return true;
      case Body::kNodes:
        return EditNodes(own_.mutable_nodes());
      case Body::kEdges:
        return EditEdges(own_.mutable_edges());
      case Body::kValues:
        return EditValues(own_.mutable_values());
      case Body::kExternals:
        return EditExternals(own_.mutable_externals());
      case Body::kLocations:
        return EditLocations(own_.mutable_locations());
      default:
        return true;
    }
  }

  bool Keeps(std::uint64_t node) const { return plan_->kept_nodes.Has(node); }
  std::uint64_t NewIndex(std::uint64_t node) const {
    return plan_->kept_nodes.Rank(node);
  }
  std::uint64_t NewRef(std::uint64_t ref) const {
    return ref != 0 && Keeps(ref - 1) ? NewIndex(ref - 1) + 1 : 0;
  }
  bool KeepsTarget(std::uint32_t form, std::uint64_t to) const {
    return form != pb::TO_NODE || Keeps(to);
  }

  void EditGraph(pb::Graph* graph) const {
    graph->set_root_ref(NewRef(graph->root_ref()));
    // The ids are a column now.
    if (graph->id_space() == pb::Graph::IMPLICIT) {
      graph->set_id_space(pb::Graph::UNSTABLE);
    }
    graph->clear_self_size_total();
    graph->clear_external_size_total();
    graph->clear_edge_count();
    graph->clear_node_count();
  }

  void EditGraphEnd(pb::GraphEnd* end) {
    if (count_) {
      end_.set_nodes(plan_->kept_nodes.members());
      end_.set_edges(plan_->kept_edges.members());
      plan_->end = end_;
    }
    const pb::GraphEnd& totals = plan_->end;
    end->set_nodes(totals.nodes());
    end->set_edges(totals.edges());
    end->set_values(totals.values());
    end->set_externals(totals.externals());
    end->set_locations(totals.locations());
    end->set_self_size_total(totals.self_size_total());
    end->set_external_size_total(totals.external_size_total());
    end->set_edges_omitted(totals.edges_omitted());
    end->set_edges_dangling(totals.edges_dangling());
    end->set_edges_immediate(totals.edges_immediate());
  }

  void EditTypes(pb::Types* types) const {
    for (auto& ref : *types->mutable_loader_ref()) ref = NewRef(ref);
    for (auto& ref : *types->mutable_class_node_ref()) ref = NewRef(ref);
    for (auto& nodes : *types->mutable_source_position()) {
      nodes = NewIndex(nodes);
    }
  }

  // All that roots refer to is kept.
  void EditRoots(pb::Roots* roots) const {
    for (int i = 0; i < roots->to_size(); ++i) {
      if (At(roots->to_form(), i) != pb::TO_NODE) continue;
      roots->set_to(i, NewIndex(roots->to(i)));
    }
  }

  bool EditNodes(pb::Nodes* nodes) {
    const std::uint64_t first = nodes->first();
    rows_.clear();
    for (int i = 0; i < static_cast<int>(nodes->count()); ++i) {
      if (Keeps(first + i)) rows_.push_back(i);
    }
    if (nodes->id().empty()) {
      for (std::uint64_t i = 0; i < nodes->count(); ++i) {
        nodes->add_id(first + i + 1);
      }
    }
    KeepTableRows(rows_, nodes);
    nodes->set_first(NewIndex(first));
    for (int i = 0; i < static_cast<int>(nodes->count()); ++i) {
      EditValue(i, nodes->mutable_value_form(), nodes->mutable_value());
      end_.set_self_size_total(
          AddSaturating(end_.self_size_total(), At(nodes->self_size(), i)));
    }
    return !rows_.empty();
  }

  // A value that is a node.
  void EditValue(int row, google::protobuf::RepeatedField<std::uint32_t>* form,
                 google::protobuf::RepeatedField<std::uint64_t>* value) const {
    if (At(*form, row) != pb::V_NODE) return;
    const std::uint64_t node = At(*value, row);
    if (!Keeps(node)) form->Set(row, pb::V_NONE);
    SetAt(value, form->size(), row, Keeps(node) ? NewIndex(node) : 0);
  }

  bool EditEdges(pb::Edges* edges) {
    const std::uint64_t first_node = edges->first_node();
    rows_.clear();
    int row = 0;
    int nodes = 0;
    for (int i = 0; i < edges->edges_per_node_size(); ++i) {
      const auto count = static_cast<int>(edges->edges_per_node(i));
      if (Keeps(first_node + i)) {
        edges->set_edges_per_node(nodes++, edges->edges_per_node(i));
        for (int k = 0; k < count; ++k) rows_.push_back(row + k);
      }
      row += count;
    }
    edges->mutable_edges_per_node()->Truncate(nodes);
    KeepTableRows(rows_, edges, pb::Edges::kEdgesPerNodeFieldNumber);
    edges->set_first(plan_->kept_edges.Rank(edges->first()));
    edges->set_first_node(NewIndex(first_node));
    for (int i = 0; i < static_cast<int>(rows_.size()); ++i) {
      EditTarget(edges, i);
    }
    return !rows_.empty();
  }

  void EditTarget(pb::Edges* edges, int row) {
    std::uint32_t form = At(edges->to_form(), row);
    const std::uint64_t to = At(edges->to(), row);
    const auto rows = static_cast<int>(edges->count());
    if (form == pb::TO_NODE && !Keeps(to)) {
      form = pb::TO_OMITTED;
      SetAt(edges->mutable_to_form(), rows, row, form);
      SetAt(edges->mutable_to(), rows, row, std::uint64_t{0});
    } else if (form == pb::TO_NODE) {
      SetAt(edges->mutable_to(), rows, row, NewIndex(to));
    }
    if (form == pb::TO_OMITTED) {
      end_.set_edges_omitted(end_.edges_omitted() + 1);
    } else if (form == pb::TO_DANGLING) {
      end_.set_edges_dangling(end_.edges_dangling() + 1);
    } else if (form == pb::TO_IMMEDIATE) {
      end_.set_edges_immediate(end_.edges_immediate() + 1);
    }
  }

  bool EditValues(pb::Values* values) {
    const pb::Values::Owner space = values->owner_space();
    rows_.clear();
    for (int i = 0; i < static_cast<int>(values->count()); ++i) {
      const std::uint64_t owner = At(values->owner(), i);
      const bool gone =
          (space == pb::Values::OF_NODE && !Keeps(owner)) ||
          (space == pb::Values::OF_EDGE && !plan_->kept_edges.Has(owner));
      if (!gone) rows_.push_back(i);
    }
    KeepTableRows(rows_, values);
    values->set_first(end_.values());
    end_.set_values(end_.values() + rows_.size());
    for (auto& owner : *values->mutable_owner()) {
      if (space == pb::Values::OF_NODE) owner = NewIndex(owner);
      if (space == pb::Values::OF_EDGE) owner = plan_->kept_edges.Rank(owner);
    }
    for (int i = 0; i < static_cast<int>(rows_.size()); ++i) {
      EditValue(i, values->mutable_form(), values->mutable_value());
    }
    return !rows_.empty();
  }

  bool EditExternals(pb::Externals* externals) {
    KeepTargets(externals);
    externals->set_first(end_.externals());
    end_.set_externals(end_.externals() + rows_.size());
    for (const std::uint64_t size : externals->size()) {
      end_.set_external_size_total(
          AddSaturating(end_.external_size_total(), size));
    }
    return !rows_.empty();
  }

  bool EditLocations(pb::Locations* locations) {
    KeepTargets(locations);
    locations->set_first(end_.locations());
    end_.set_locations(end_.locations() + rows_.size());
    return !rows_.empty();
  }

  // For tables whose rows belong to a node.
  template <typename Table>
  void KeepTargets(Table* table) {
    rows_.clear();
    for (int i = 0; i < static_cast<int>(table->count()); ++i) {
      if (KeepsTarget(At(table->to_form(), i), At(table->to(), i))) {
        rows_.push_back(i);
      }
    }
    KeepTableRows(rows_, table);
    for (int i = 0; i < table->to_size(); ++i) {
      if (At(table->to_form(), i) != pb::TO_NODE) continue;
      table->set_to(i, NewIndex(table->to(i)));
    }
  }

  std::vector<GraphPlan>& plans_;
  bool count_;
  ChunkSet wanted_;
  ChunkSink* out_;
  std::size_t next_plan_ = 0;
  GraphPlan* plan_ = nullptr;  // of the graph that we are in
  pb::GraphEnd end_;           // what was sent of it so far
  std::vector<int> rows_;      // of a chunk, to be kept
  pb::Chunk own_;
};

// ----------------------------------------------------------------- reader

class UnreachableFilter : public Reader {
 public:
  UnreachableFilter(Reader& upstream, Unreachable mode)
      : upstream_(upstream), mode_(mode) {}

  Status Read(ChunkSet wanted, ChunkSink& out) override {
    if (mode_ == Unreachable::kKeep) return upstream_.Read(wanted, out);
    HEAPGLOT_RETURN_IF_ERROR(Plan());
    // Both need to know where they are.
    const ChunkSet needed = wanted | ChunkSet{Body::kGraph, Body::kGraphEnd};
    if (mode_ == Unreachable::kRoot) {
      RootSink sink(plans_, wanted, out);
      return upstream_.Read(needed, sink);
    }
    DropSink sink(plans_, false, wanted, &out);
    return upstream_.Read(needed, sink);
  }

 private:
  Status Plan() {
    if (planned_) return {};
    PlanSink plan(mode_, &plans_);
    HEAPGLOT_RETURN_IF_ERROR(upstream_.Read(PlanSink::kWanted, plan));
    planned_ = true;
    if (mode_ != Unreachable::kDrop ||
        std::all_of(plans_.begin(), plans_.end(),
                    [](const GraphPlan& it) { return it.all_reached(); })) {
      return {};
    }
    DropSink count(plans_, true, {}, nullptr);
    return upstream_.Read(DropSink::kCounted, count);
  }

  Reader& upstream_;
  Unreachable mode_;
  bool planned_ = false;
  std::vector<GraphPlan> plans_;
};

}  // namespace

std::unique_ptr<Reader> MakeUnreachableFilter(Reader& upstream,
                                              Unreachable mode) {
  return std::make_unique<UnreachableFilter>(upstream, mode);
}

}  // namespace heapglot
