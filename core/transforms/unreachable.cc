#include "core/transforms/unreachable.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/transforms/reachability.h"
#include "core/transforms/subset.h"
#include "core/transforms/work_set.h"

namespace heapglot {
namespace {

using Body = pb::Chunk::BodyCase;

constexpr FidelityRow kLostNode = {
    Feature::kNode, "unreachable.node", LossClass::kDropped,
    "unreachable objects are left out on request"};
constexpr FidelityRow kLostEdge = {
    Feature::kEdge, "unreachable.edge", LossClass::kDropped,
    "weak references to objects that are left out: they lose their target, or "
    "are left out where positions do not count"};
constexpr FidelityRow kLostReference = {
    Feature::kExtra, "unreachable.reference", LossClass::kDropped,
    "references of tables, classes, values and weak roots to objects that are "
    "left out become none"};
constexpr FidelityRow kLostTable = {Feature::kExtra, "unreachable.extra_table",
                                    LossClass::kDropped,
                                    "rows of tables that may refer to objects "
                                    "in unknown ways, if objects are left out"};
constexpr FidelityRow kStaleNumber = {
    Feature::kExtra, "unreachable.extra", LossClass::kApproximated,
    "numbers of unknown meaning stay as they are, if objects are left out"};
constexpr SynthesizedRow kMadeRoot = {"unreachable.root",
                                      "roots for entry points into garbage"};

// ----------------------------------------------------------- roots instead

// Adds the roots of the plans to a stream.
class RootSink : public ChunkSink {
 public:
  RootSink(const std::vector<GraphPlan>& plans, ChunkSet wanted, ChunkSink& out)
      : plans_(plans), wanted_(wanted), out_(out) {}

  Status Accept(const pb::Chunk& chunk) override {
    // It describes a stream without these roots.
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
        return {};  // like the image
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
    // Roots of a graph without kinds have kind 0, which must keep its meaning.
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
  const GraphPlan* plan_ = nullptr;  // of the current graph
  bool kind_sent_ = true;
  pb::Chunk own_;
};

// ----------------------------------------------------------------- reader

constexpr FidelityRow kUnreachableRows[] = {
    kLostNode, kLostEdge, kLostReference, kLostTable, kStaleNumber};

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
    return part_->Read(wanted, out);
  }

 private:
  Status Plan() {
    if (planned_) return {};
    HEAPGLOT_RETURN_IF_ERROR(
        PlanGraphs(upstream_, mode_, context_.limits.max_threads, &plans_));
    planned_ = true;
    Report();
    return mode_ == Unreachable::kDrop ? PlanPart() : Status();
  }

  Status PlanPart() {
    Subset subset;
    for (GraphPlan& plan : plans_) {
      Subset::Graph& graph = subset.graphs.emplace_back();
      if (plan.all_reached) continue;
      graph.nodes = std::move(plan.kept_nodes);
      graph.edges = std::move(plan.kept_edges);
    }
    subset.omits_targets = options_.omits_targets;
    subset.makes_ids = true;
    subset.keeps_claims = false;
    // Strings that only dropped rows use must not be in the output, either.
    subset.keeps_unused_strings = true;
    subset.find = options_.find;
    part_ = MakeSubset(upstream_, std::move(subset));
    HEAPGLOT_RETURN_IF_ERROR(part_->Plan());
    const SubsetLosses& losses = part_->losses();
    Lose(kLostEdge, losses.edges);
    Lose(kLostReference, losses.references);
    Lose(kLostTable, losses.table_rows);
    Lose(kStaleNumber, losses.unknown_numbers);
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
  std::unique_ptr<SubsetReader> part_;  // kDrop
};

}  // namespace

constinit const std::span<const SynthesizedRow> kUnreachableSynthesized{
    &kMadeRoot, 1};
constinit const std::span<const FidelityRow> kUnreachableFidelity =
    kUnreachableRows;

std::unique_ptr<Reader> MakeUnreachableFilter(
    Reader& upstream, Unreachable mode, Context& context,
    const UnreachableOptions& options) {
  return std::make_unique<UnreachableFilter>(upstream, mode, context, options);
}

}  // namespace heapglot
