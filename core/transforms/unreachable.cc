#include "core/transforms/unreachable.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/column.h"
#include "core/ir/columns.h"
#include "core/ir/edge_totals.h"
#include "core/ir/index_columns.h"
#include "core/ir/unknown_json.h"
#include "core/saturating.h"
#include "core/transforms/keep_rows.h"
#include "core/transforms/reachability.h"
#include "core/transforms/subset.h"
#include "core/transforms/work_set.h"

namespace heapglot {
namespace {

using google::protobuf::Message;
using Body = pb::Chunk::BodyCase;

constexpr FidelityRow kLostNode = {
    Feature::kNode, "unreachable.node", LossClass::kDropped,
    "objects that no root reaches are left out, if that is asked for"};
constexpr FidelityRow kLostEdge = {
    Feature::kEdge, "unreachable.edge", LossClass::kDropped,
    "weak references to objects that are left out: without a target where "
    "references are known by their position, or not there"};
constexpr FidelityRow kLostReference = {
    Feature::kExtra, "unreachable.reference", LossClass::kDropped,
    "references of tables, classes, values and weak roots to objects that are "
    "left out: they are none"};
constexpr FidelityRow kLostTable = {
    Feature::kExtra, "unreachable.extra_table", LossClass::kDropped,
    "rows of tables that may refer to objects, but nobody says how, if objects "
    "are left out"};
constexpr FidelityRow kStaleNumber = {
    Feature::kExtra, "unreachable.extra", LossClass::kApproximated,
    "numbers of which nobody says what they are stay as they are, if objects "
    "are left out"};
constexpr SynthesizedRow kMadeRoot = {"unreachable.root",
                                      "roots for entry points into garbage"};

// ----------------------------------------------------------- roots instead

// Adds the roots of the plans to a stream.
class RootSink : public ChunkSink {
 public:
  RootSink(const std::vector<GraphPlan>& plans, ChunkSet wanted, ChunkSink& out)
      : plans_(plans), wanted_(wanted), out_(out) {}

  Status Accept(const pb::Chunk& chunk) override {
    // Of a stream without these roots.
    if (chunk.body_case() == Body::kSourceImage) return {};
    if (chunk.body_case() == Body::kGraph) {
      plan_ = &plans_[next_plan_++];
      kind_sent_ = plan_->entries.members() == 0;
    }
    if (plan_ == nullptr || plan_->entries.members() == 0) return Pass(chunk);
    if (!kind_sent_ && EndsVocabulary(chunk)) {
      HEAPGLOT_RETURN_IF_ERROR(SendKind());
    }
    switch (chunk.body_case()) {
      case Body::kRecordOrder:
        return {};  // as the image
      case Body::kGraphEnd:
        HEAPGLOT_RETURN_IF_ERROR(SendRoots());
        return SendEnd(chunk);
      default:
        return Pass(chunk);
    }
  }
  Status AcceptOwned(pb::Chunk& chunk) override {
    const bool goes_on = kind_sent_ && (chunk.has_nodes() || chunk.has_edges());
    if (!goes_on) return Accept(chunk);
    return wanted_.Includes(chunk) ? out_.AcceptOwned(chunk) : Status();
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
    const RankBitmap& entries = plan_->entries;
    BeginRoots(0);
    for (std::uint64_t word = 0; word < entries.words(); ++word) {
      for (std::uint64_t bits = entries.word(word); bits != 0;
           bits &= bits - 1) {
        AddRoot(word * 64 + WorkSet::Lowest(bits));
      }
      const pb::Roots& roots = own_.roots();
      if (roots.count() < kChunkRows) continue;
      const std::uint64_t sent = roots.first() + roots.count() - plan_->roots;
      HEAPGLOT_RETURN_IF_ERROR(Pass(own_));
      BeginRoots(sent);
    }
    return own_.roots().count() > 0 ? Pass(own_) : Status();
  }

  void BeginRoots(std::uint64_t sent) {
    own_.Clear();
    own_.mutable_roots()->set_first(plan_->roots + sent);
  }

  void AddRoot(std::uint64_t node) {
    pb::Roots& roots = *own_.mutable_roots();
    roots.set_count(roots.count() + 1);
    roots.add_to(node);
    roots.add_kind(static_cast<std::uint32_t>(
        std::max<std::uint64_t>(plan_->root_kinds, 1)));
    roots.add_distance(plan_->entry_distance);
  }

  Status SendEnd(const pb::Chunk& chunk) {
    own_ = chunk;
    own_.mutable_graph_end()->set_roots(plan_->roots +
                                        plan_->entries.members());
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

// Leaves out what the plans do not keep.
class DropSink : public ChunkSink {
 public:
  // With `count`, which needs all of kCounted, the totals are counted and kept
  // in the plans; otherwise they are taken from there.
  DropSink(std::vector<GraphPlan>& plans, bool count, ChunkSet wanted,
           ChunkSink* out, decltype(&FindReader) find)
      : plans_(plans),
        count_(count),
        wanted_(wanted),
        out_(out),
        unknown_json_(find) {}

  static constexpr ChunkSet kCounted = {
      Body::kGraph,      Body::kVocabulary,     Body::kNodes,
      Body::kEdges,      Body::kRoots,          Body::kValues,
      Body::kExternals,  Body::kLocations,      Body::kTypes,
      Body::kSamples,    Body::kTraceFunctions, Body::kTraceNodes,
      Body::kExtraTable, Body::kThreads,        Body::kExtra,
      Body::kGraphEnd};

  // What the pass that counts has found.
  std::uint64_t lost_edges() const { return lost_edges_; }
  std::uint64_t lost_references() const { return lost_references_; }
  std::uint64_t lost_table_rows() const { return lost_table_rows_; }
  std::uint64_t stale_numbers() const { return stale_numbers_; }

  Status Accept(const pb::Chunk& chunk) override {
    if (chunk.body_case() == Body::kSourceImage) return {};  // of what was
    if (chunk.body_case() == Body::kGraph) {
      plan_ = &plans_[next_plan_++];
      end_.Clear();
      edge_totals_ = {};
      edges_seen_ = 0;
    }
    if (plan_ == nullptr || plan_->all_reached) return Pass(chunk);
    if (chunk.body_case() == Body::kRecordOrder) return {};  // of what was
    own_ = chunk;
    if (!Edit()) return {};
    EditExtra();
    return Pass(own_);
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
      case Body::kVocabulary:
        edge_totals_.Add(own_.vocabulary());
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
      case Body::kExtraTable:
        return EditExtraTable(own_.mutable_extra_table());
      default:
        return true;
    }
  }

  // The columns that only one format has, of any table.
  void EditExtra() {
    Message* const body = MutableBody(&own_, own_.body_case());
    ForEachExtraColumn(body, [this](pb::ExtraColumn* column) {
      for (auto& ref : *column->mutable_node_refs()) ref = NewRef(ref);
    });
    stale_numbers_ += UnknownNumbers(*body);
    if (own_.has_extra()) stale_numbers_ += unknown_json_.Add(own_.extra());
  }

  bool EditExtraTable(pb::ExtraTable* table) {
    const std::uint64_t rows = table->count();
    if (!KeepsExtraTable(table)) lost_table_rows_ += rows;
    return table->first() == 0 || table->count() != 0;
  }

  bool Keeps(std::uint64_t node) const { return plan_->kept_nodes.Has(node); }
  std::uint64_t NewIndex(std::uint64_t node) const {
    return plan_->kept_nodes.Rank(node);
  }
  std::uint64_t NewRef(std::uint64_t ref) {
    if (ref == 0) return 0;
    if (Keeps(ref - 1)) return NewIndex(ref - 1) + 1;
    ++lost_references_;
    return 0;
  }
  bool KeepsTarget(std::uint32_t form, std::uint64_t to) const {
    return form != pb::TO_NODE || Keeps(to);
  }

  void EditGraph(pb::Graph* graph) {
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
      edge_totals_.Store(&end_);
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
    end->set_edges_synthesized(totals.edges_synthesized());
  }

  void EditTypes(pb::Types* types) {
    for (auto& ref : *types->mutable_loader_ref()) ref = NewRef(ref);
    for (auto& ref : *types->mutable_class_node_ref()) ref = NewRef(ref);
    for (auto& nodes : *types->mutable_source_position()) {
      nodes = NewIndex(nodes);
    }
  }

  void EditRoots(pb::Roots* roots) {
    for (int i = 0; i < static_cast<int>(roots->count()); ++i) {
      if (At(roots->to_form(), i) == pb::TO_NODE)
        EditTarget(roots, i, &lost_references_);
    }
  }

  // A target that is left out is omitted, and counted: that of something weak.
  template <typename Table>
  void EditTarget(Table* table, int row, std::uint64_t* lost) const {
    const std::uint64_t to = At(table->to(), row);
    const bool keeps = Keeps(to);
    *lost += keeps ? 0 : 1;
    const auto rows = static_cast<int>(table->count());
    if (!keeps) {
      SetAt(table->mutable_to_form(), rows, row,
            static_cast<std::uint32_t>(pb::TO_OMITTED));
    }
    SetAt(table->mutable_to(), rows, row,
          keeps ? NewIndex(to) : std::uint64_t{0});
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
    EditEdgeCounts(nodes->mutable_edge_count());
    KeepTableRows(rows_, nodes);
    nodes->set_first(NewIndex(first));
    for (int i = 0; i < static_cast<int>(nodes->count()); ++i) {
      EditValue(i, nodes->mutable_value_form(), nodes->mutable_value());
      end_.set_self_size_total(
          AddSaturating(end_.self_size_total(), At(nodes->self_size(), i)));
    }
    return !rows_.empty();
  }

  // Of all nodes of a chunk, as they were.
  void EditEdgeCounts(google::protobuf::RepeatedField<std::uint64_t>* counts) {
    for (std::uint64_t& count : *counts) {
      const std::uint64_t before = edges_seen_;
      edges_seen_ += count;
      count =
          plan_->kept_edges.Rank(edges_seen_) - plan_->kept_edges.Rank(before);
    }
  }

  // A value that is a node.
  void EditValue(int row, google::protobuf::RepeatedField<std::uint32_t>* form,
                 google::protobuf::RepeatedField<std::uint64_t>* value) {
    if (At(*form, row) != pb::V_NODE) return;
    const std::uint64_t ref = NewRef(At(*value, row) + 1);
    if (ref == 0) form->Set(row, pb::V_NONE);
    SetAt(value, form->size(), row, ref == 0 ? 0 : ref - 1);
  }

  bool EditEdges(pb::Edges* edges) {
    const std::uint64_t first_node = edges->first_node();
    rows_.clear();
    int row = 0;
    int nodes = 0;
    for (int i = 0; i < edges->edges_per_node_size(); ++i) {
      const int end = row + static_cast<int>(edges->edges_per_node(i));
      const bool keeps = Keeps(first_node + i);
      const std::size_t before = rows_.size();
      for (; row < end; ++row) {
        if (plan_->kept_edges.Has(edges->first() + row))
          rows_.push_back(row);
        else if (keeps)
          ++lost_edges_;
      }
      if (keeps) {
        edges->set_edges_per_node(
            nodes++, static_cast<std::uint32_t>(rows_.size() - before));
      }
    }
    edges->mutable_edges_per_node()->Truncate(nodes);
    KeepTableRows(rows_, edges, pb::Edges::kEdgesPerNodeFieldNumber);
    edges->set_first(plan_->kept_edges.Rank(edges->first()));
    edges->set_first_node(NewIndex(first_node));
    for (int i = 0; i < static_cast<int>(rows_.size()); ++i) {
      if (At(edges->to_form(), i) == pb::TO_NODE)
        EditTarget(edges, i, &lost_edges_);
    }
    edge_totals_.Add(*edges);
    return !rows_.empty();
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
  EdgeTotals edge_totals_;
  std::uint64_t edges_seen_ = 0;  // of the nodes that came so far
  std::uint64_t lost_edges_ = 0;
  std::uint64_t lost_references_ = 0;
  std::uint64_t lost_table_rows_ = 0;
  std::uint64_t stale_numbers_ = 0;
  UnknownJson unknown_json_;
  std::vector<int> rows_;  // of a chunk, to be kept
  pb::Chunk own_;
};

// Shows what the plans keep.
class DropReader : public Reader {
 public:
  DropReader(Reader& upstream, std::vector<GraphPlan>& plans)
      : upstream_(upstream), plans_(plans) {}

  Status Read(ChunkSet wanted, ChunkSink& out) override {
    DropSink sink(plans_, false, wanted, &out, nullptr);
    return upstream_.Read(wanted | ChunkSet{Body::kGraph, Body::kGraphEnd},
                          sink);
  }

 private:
  Reader& upstream_;
  std::vector<GraphPlan>& plans_;
};

// ----------------------------------------------------------------- reader

class UnreachableFilter : public Reader {
 public:
  UnreachableFilter(Reader& upstream, Unreachable mode, Context& context,
                    const UnreachableOptions& options)
      : upstream_(upstream),
        mode_(mode),
        context_(context),
        options_(options) {}

  Status Read(ChunkSet wanted, ChunkSink& out) override {
    if (mode_ == Unreachable::kKeep) return upstream_.Read(wanted, out);
    HEAPGLOT_RETURN_IF_ERROR(Plan());
    if (mode_ == Unreachable::kRoot) {
      RootSink sink(plans_, wanted, out);
      return upstream_.Read(wanted | ChunkSet{Body::kGraph, Body::kGraphEnd},
                            sink);
    }
    return without_texts_ != nullptr ? without_texts_->Read(wanted, out)
                                     : dropped_.Read(wanted, out);
  }

 private:
  Status Plan() {
    if (planned_) return {};
    HEAPGLOT_RETURN_IF_ERROR(
        PlanGraphs(upstream_, mode_, context_.limits.max_threads, &plans_));
    planned_ = true;
    Report();
    if (mode_ != Unreachable::kDrop ||
        std::all_of(plans_.begin(), plans_.end(),
                    [](const GraphPlan& it) { return it.all_reached; })) {
      return {};
    }
    if (!options_.omits_targets) {
      HEAPGLOT_RETURN_IF_ERROR(
          DropEdgesToDropped(upstream_, context_.limits.max_threads, &plans_));
    }
    DropSink count(plans_, true, {}, nullptr, options_.find);
    HEAPGLOT_RETURN_IF_ERROR(upstream_.Read(DropSink::kCounted, count));
    Lose(kLostEdge, count.lost_edges());
    Lose(kLostReference, count.lost_references());
    Lose(kLostTable, count.lost_table_rows());
    Lose(kStaleNumber, count.stale_numbers());
    // The texts of what is gone are not to be found in the output, either.
    Subset part;
    part.whole = &upstream_;
    without_texts_ = MakeSubset(dropped_, std::move(part));
    return {};
  }

  void Lose(const FidelityRow& row, std::uint64_t count) {
    context_.loss.Add(row.code, row.loss_class, count, row.note);
  }

  void Report() {
    std::uint64_t entries = 0;
    std::uint64_t dropped = 0;
    for (const GraphPlan& plan : plans_) {
      entries += plan.entries.members();
      dropped += plan.kept_nodes.size() - plan.kept_nodes.members();
    }
    if (mode_ == Unreachable::kRoot) {
      context_.loss.AddSynthesized(
          kMadeRoot.code, options_.reports_roots ? entries : 0, kMadeRoot.note);
    } else {
      Lose(kLostNode, dropped);
    }
  }

  Reader& upstream_;
  Unreachable mode_;
  Context& context_;
  const UnreachableOptions options_;
  bool planned_ = false;
  std::vector<GraphPlan> plans_;
  DropReader dropped_{upstream_, plans_};
  std::unique_ptr<Reader> without_texts_;  // of that, if anything is left out
};

}  // namespace

constinit const std::span<const SynthesizedRow> kUnreachableSynthesized{
    &kMadeRoot, 1};

std::unique_ptr<Reader> MakeUnreachableFilter(
    Reader& upstream, Unreachable mode, Context& context,
    const UnreachableOptions& options) {
  return std::make_unique<UnreachableFilter>(upstream, mode, context, options);
}

}  // namespace heapglot
