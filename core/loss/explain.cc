#include "heapglot/explain.h"

#include <algorithm>
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
// goes through, and of what its reader leaves out.
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

void MakeNative(PairFidelity* pair) {
  pair->native = true;
  pair->leftovers = LeftoversPlace::kNone;
  pair->synthesized.clear();
  for (FeatureFate& fate : pair->features) {
    fate.rows.resize(1);
    fate.rows[0].loss_class = LossClass::kExact;
    fate.rows[0].note = kAsItIs;
  }
}

PairFidelity ExplainSet(FeatureSet features, bool adds_edges, Rows losses,
                        const WriterInfo& to) {
  PairFidelity pair;
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
  if (to.shows_distance) {
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

PairFidelity Explain(const ReaderInfo& from, const WriterInfo& to) {
  std::vector<FidelityRow> losses(from.losses.begin(), from.losses.end());
  // The output has what makes the bytes of the source again.
  if (to.keeps_source_image)
    for (FidelityRow& row : losses) row.loss_class = LossClass::kEmbedded;
  const auto complete = std::make_shared<const CompleteWriter>(to);
  PairFidelity pair =
      ExplainSet(from.produces, from.adds_edges, losses, complete->info());
  pair.completed = complete;
  if (from.name == to.name) MakeNative(&pair);
  return pair;
}

PairFidelity Explain(const WriterInfo& to) {
  const auto complete = std::make_shared<const CompleteWriter>(to);
  PairFidelity pair = ExplainSet(FeatureSet::All(), true, {}, complete->info());
  pair.completed = complete;
  return pair;
}

}  // namespace heapglot
