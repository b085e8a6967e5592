#include "heapglot/explain.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <span>

#include "core/loss/feature_tally.h"
#include "core/registry.h"
#include "core/transforms/group_edges.h"
#include "core/transforms/merge_graphs.h"
#include "core/transforms/unreachable.h"

namespace heapglot {
namespace {

using Rows = std::span<const FidelityRow>;

// The rows about a feature, the rule of `to` first.
FeatureFate FateOf(Feature feature, const WriterInfo& to,
                   const std::vector<Rows>& tables) {
  FeatureFate fate{.feature = feature, .rows = {}};
  for (const Rows table : tables) {
    for (const FidelityRow& row : table) {
      if (row.feature != feature) continue;
      const auto at =
          IsRule(row, to.name) ? fate.rows.begin() : fate.rows.end();
      fate.rows.insert(at, row);
    }
  }
  return fate;
}

// The tables of the writer, of the transforms that a stream with these features
// goes through for it, and of what its reader leaves out.
std::vector<Rows> TablesFor(FeatureSet features, const WriterInfo& to,
                            Rows losses) {
  std::vector<Rows> tables = {to.fidelity};
  if (features.Has(Feature::kEdgeScattered) && !to.ungrouped_edges)
    tables.push_back(kGroupEdgesFidelity);
  if (features.Has(Feature::kGraphSeveral) && !to.several_graphs)
    tables.push_back(kMergeGraphsFidelity);
  tables.push_back(losses);
  return tables;
}

// The tables of the transforms that a stream goes through for what is
// unreachable.
std::vector<Rows> UnreachableTables(FeatureSet features, const WriterInfo& to,
                                    Unreachable unreachable) {
  std::vector<Rows> tables;
  if (unreachable == Unreachable::kKeep) return tables;
  if (features.Has(Feature::kEdgeScattered) && to.ungrouped_edges) {
    tables.push_back(kGroupEdgesFidelity);
    tables.emplace_back(&kSortedEdges, 1);
  }
  if (unreachable == Unreachable::kDrop) tables.push_back(kUnreachableFidelity);
  return tables;
}

// Whether nothing changes for a dump that returns to its own format.
bool IsNative(const WriterInfo& to, Unreachable unreachable) {
  if (unreachable == Unreachable::kKeep) return true;
  // Without its layout, or with nodes for these roots, it is written anew.
  return !to.native_needs_layout &&
         (unreachable == Unreachable::kDrop || !to.unreachable_roots);
}

void AddTables(const std::vector<Rows>& tables, PairFidelity* pair) {
  for (FeatureFate& fate : pair->features) {
    for (const Rows table : tables) {
      std::copy_if(
          table.begin(), table.end(), std::back_inserter(fate.rows),
          [&](const FidelityRow& row) { return row.feature == fate.feature; });
    }
  }
}

// `own`: the features that the format has.
void MakeNative(FeatureSet own, PairFidelity* pair) {
  pair->native = true;
  pair->leftovers = LeftoversPlace::kNone;
  pair->synthesized.clear();
  for (FeatureFate& fate : pair->features) {
    fate.rows.resize(1);
    // What a transform adds is not put back.
    const bool is_own = own.Has(fate.feature);
    fate.rows[0].loss_class = is_own ? LossClass::kExact : LossClass::kDropped;
    if (is_own) fate.rows[0].note = kAsItIs;
  }
}

// For what comes from another format.
Unreachable UsualOf(const WriterInfo& to) {
  return to.shows_distance ? Unreachable::kRoot : Unreachable::kKeep;
}

PairFidelity ExplainSet(FeatureSet features, bool adds_edges, Rows losses,
                        const WriterInfo& to, Unreachable unreachable) {
  PairFidelity pair;
  pair.unreachable = unreachable;
  const std::vector<Rows> tables = TablesFor(features, to, losses);
  for (std::size_t i = 0; i < kFeatures; ++i) {
    const auto feature = static_cast<Feature>(i);
    if (features.Has(feature))
      pair.features.push_back(FateOf(feature, to, tables));
  }
  pair.synthesized.assign(to.synthesized.begin(), to.synthesized.end());
  if (adds_edges && !to.keeps_source_image) {
    pair.synthesized.insert(pair.synthesized.end(), kReaderSynthesized.begin(),
                            kReaderSynthesized.end());
  }
  if (unreachable == Unreachable::kRoot && to.unreachable_roots) {
    pair.synthesized.insert(pair.synthesized.end(),
                            kUnreachableSynthesized.begin(),
                            kUnreachableSynthesized.end());
  }
  if (!to.keeps_source_image) {
    pair.leftovers = to.max_leftovers > 0 ? LeftoversPlace::kEmbedded
                                          : LeftoversPlace::kSidecar;
  }
  return pair;
}

}  // namespace

std::string_view ToString(LeftoversPlace place) {
  switch (place) {
    case LeftoversPlace::kEmbedded:
      return "embedded";
    case LeftoversPlace::kSidecar:
      return "sidecar";
    case LeftoversPlace::kNone:
      break;
  }
  return "none";
}

LossClass FeatureFate::worst() const {
  LossClass worst = LossClass::kExact;
  for (const FidelityRow& row : rows) worst = std::max(worst, row.loss_class);
  return worst;
}

PairFidelity Explain(const ReaderInfo& from, const WriterInfo& to,
                     std::optional<Unreachable> unreachable) {
  const bool is_return = from.name == to.name;
  const Unreachable what =
      unreachable.value_or(is_return ? Unreachable::kKeep : UsualOf(to));
  std::vector<FidelityRow> losses(from.losses.begin(), from.losses.end());
  // The output has what makes the bytes of the source again.
  if (to.keeps_source_image && what == Unreachable::kKeep)
    for (FidelityRow& row : losses) row.loss_class = LossClass::kEmbedded;
  FeatureSet features = from.produces;
  // Nodes get the numbers that they had.
  if (what == Unreachable::kDrop) features.Add(Feature::kNodeId);
  const auto complete = std::make_shared<const CompleteWriter>(to);
  PairFidelity pair =
      ExplainSet(features, from.adds_edges, losses, complete->info(), what);
  pair.completed = complete;
  if (is_return && IsNative(to, what)) MakeNative(from.produces, &pair);
  // It returns all the same, only without its layout.
  if (is_return && to.native_needs_layout)
    pair.leftovers = LeftoversPlace::kNone;
  AddTables(UnreachableTables(features, to, what), &pair);
  return pair;
}

PairFidelity Explain(const WriterInfo& to) {
  const auto complete = std::make_shared<const CompleteWriter>(to);
  PairFidelity pair =
      ExplainSet(FeatureSet::All(), true, {}, complete->info(), UsualOf(to));
  pair.completed = complete;
  return pair;
}

}  // namespace heapglot
