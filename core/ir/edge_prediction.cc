#include "core/ir/edge_prediction.h"

#include <algorithm>
#include <numeric>

#include "core/chunk_builder.h"
#include "core/column.h"

namespace heapglot {
namespace {

// Of labels, so that a kind and 1 is a byte.
constexpr std::uint32_t kMostKind = 254;

// Kind and name as one number, to tell contexts apart by.
std::uint64_t LabelOf(std::uint32_t kind, std::uint64_t name) {
  return name * 256 + kind;
}

std::uint64_t SumOf(std::span<const std::uint32_t> counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

// Takes the entries out of a column, with room for a last one that has no meaning,
// and makes it one of `rows`.
std::uint64_t* TakeOut(google::protobuf::RepeatedField<std::uint64_t>* column,
                       int rows, std::vector<std::uint64_t>* entries) {
  entries->assign(column->begin(), column->end());
  entries->push_back(0);
  column->Clear();
  return AddRows(column, rows);
}

}  // namespace

// Calls label_at(row, context), which answers with the label, and then
// target_at(row, node, context) for each of so many edges: `node` is its source as a
// place in `edges_per_node`. Contexts are the upper bits of a sum of products by
// primes (those of XXH64): of the labels of the two edges before it, 0 where they
// are not of that node, and of how many edges that has; for the target the edge
// itself is the first one of the two. That is the context of the next label, too.
template <typename LabelAt, typename TargetAt>
inline void EdgePrediction::ForEachEdge(
    std::span<const std::uint32_t> edges_per_node, LabelAt label_at,
    TargetAt target_at) {
  constexpr std::uint64_t kLabel = 0x9E37'79B1'85EB'CA87;
  constexpr std::uint64_t kBefore = 0xC2B2'AE3D'27D4'EB4F;
  constexpr std::uint64_t kEdges = 0x1656'67B1'9E37'79F9;
  const auto context_of = [](std::uint64_t sum) {
    return static_cast<std::size_t>(sum >> (64 - kContextBits));
  };
  std::uint32_t row = 0;
  for (std::uint32_t node = 0; node < edges_per_node.size(); ++node) {
    const std::uint64_t of_node = edges_per_node[node] * kEdges;
    std::uint64_t of_before = 0;
    std::size_t context = context_of(of_node);
    for (const std::uint32_t end = row + edges_per_node[node]; row != end;
         ++row) {
      const std::uint64_t label = label_at(row, context);
      context = context_of(label * kLabel + of_before + of_node);
      of_before = label * kBefore;
      target_at(row, node, context);
    }
  }
}

inline void EdgePrediction::Guess(std::uint64_t before, std::uint32_t node,
                                  std::uint64_t first_node,
                                  const LastEdge& last, Guesses* guesses) {
  (*guesses)[0] = last.to;
  (*guesses)[1] = before + (last.to - last.to_before);
  (*guesses)[2] = last.to + (std::uint64_t{node} - last.node);
  (*guesses)[3] = before + 1;
  (*guesses)[4] = first_node + node + 1;
  (*guesses)[5] = last.to_earlier;
}

void EdgePrediction::Forget() {
  if (++chunk_ != 1) return;  // what is there is of another one
  last_labels_.assign(kContexts, {});
  last_edges_.assign(kContexts, {});
}

bool EdgePrediction::Encode(const pb::Edges& edges) {
  const std::size_t rows = edges.count();
  const std::span kinds = SpanOf(edges.kind());
  const std::span names = SpanOf(edges.name());
  const std::span to = SpanOf(edges.to());
  if (kinds.size() != rows || names.size() != rows || to.size() != rows ||
      SumOf(SpanOf(edges.edges_per_node())) != rows ||
      std::any_of(kinds.begin(), kinds.end(),
                  [](std::uint32_t kind) { return kind > kMostKind; }))
    return false;
  Forget();
  labels_.resize(rows);
  targets_.resize(rows);
  // With room for one that turns out not to be missed.
  missed_names_.resize(rows + 1);
  missed_targets_.resize(rows + 1);
  std::uint64_t* missed_name = missed_names_.data();
  std::uint64_t* missed_target = missed_targets_.data();
  const std::uint64_t first_node = edges.first_node();
  std::uint64_t to_before = 0;
  const auto label_at = [&](std::uint32_t row, std::size_t context) {
    const std::uint32_t kind = kinds[row];
    const std::uint64_t name = names[row];
    LastLabel& last_label = last_labels_[context];
    const LastLabel& expected = Recall(last_label);
    const bool is_foreseen = expected.kind == kind && expected.name == name;
    last_label = {name, kind, chunk_};
    labels_[row] = static_cast<std::uint8_t>(is_foreseen ? 0 : kind + 1);
    *missed_name = name;
    missed_name += is_foreseen ? 0 : 1;
    return LabelOf(kind, name);
  };
  const auto target_at = [&](std::uint32_t row, std::uint32_t node,
                             std::size_t context) {
    LastEdge& last_edge = last_edges_[context];
    const LastEdge& last = Recall(last_edge);
    Guesses guesses;
    Guess(to_before, node, first_node, last, &guesses);
    last_edge = {to[row], to_before, last.to, node, chunk_};
    to_before = to[row];
    guesses[kGuesses] = to[row];
    std::size_t right = 0;
    while (guesses[right] != to[row]) ++right;
    targets_[row] = static_cast<std::uint8_t>(right);
    *missed_target = to[row];
    missed_target += right == kGuesses ? 1 : 0;
  };
  ForEachEdge(SpanOf(edges.edges_per_node()), label_at, target_at);
  missed_names_.resize(
      static_cast<std::size_t>(missed_name - missed_names_.data()));
  missed_targets_.resize(
      static_cast<std::size_t>(missed_target - missed_targets_.data()));
  return true;
}

std::string EdgePrediction::Decode(std::string_view labels,
                                   std::string_view targets, pb::Edges* edges) {
  const std::size_t rows = edges->count();
  if (labels.size() != rows || targets.size() != rows ||
      SumOf(SpanOf(edges->edges_per_node())) != rows) {
    return "labels, targets and edges_per_node are not those of " +
           std::to_string(rows) + " edges";
  }
  if (!edges->kind().empty()) return "it has kinds beside those in labels";
  const auto foreseen = std::count(labels.begin(), labels.end(), '\0');
  const auto missed =
      std::count(targets.begin(), targets.end(), static_cast<char>(kGuesses));
  if (static_cast<std::size_t>(edges->name_size() + foreseen) != rows)
    return "as many names are needed as labels are not 0";
  if (edges->to_size() != missed)
    return "as many `to` are needed as targets are 6";
  if (std::any_of(targets.begin(), targets.end(), [](char target) {
        return static_cast<std::uint8_t>(target) > kGuesses;
      }))
    return "a target is above 6";

  Forget();
  std::uint32_t* const kinds =
      AddRows(edges->mutable_kind(), static_cast<int>(rows));
  std::uint64_t* const names =
      TakeOut(edges->mutable_name(), static_cast<int>(rows), &missed_names_);
  std::uint64_t* const to =
      TakeOut(edges->mutable_to(), static_cast<int>(rows), &missed_targets_);
  const std::uint64_t* missed_name = missed_names_.data();
  const std::uint64_t* missed_target = missed_targets_.data();
  const std::uint64_t first_node = edges->first_node();
  std::uint64_t to_before = 0;
  const auto label_at = [&](std::uint32_t row, std::size_t context) {
    LastLabel& last_label = last_labels_[context];
    const LastLabel& expected = Recall(last_label);
    std::uint32_t kind = expected.kind;
    std::uint64_t name = expected.name;
    if (const auto stored = static_cast<std::uint8_t>(labels[row]);
        stored != 0) {
      kind = stored - 1u;
      name = *missed_name++;
    }
    last_label = {name, kind, chunk_};
    kinds[row] = kind;
    names[row] = name;
    return LabelOf(kind, name);
  };
  const auto target_at = [&](std::uint32_t row, std::uint32_t node,
                             std::size_t context) {
    LastEdge& last_edge = last_edges_[context];
    const LastEdge& last = Recall(last_edge);
    Guesses guesses;
    Guess(to_before, node, first_node, last, &guesses);
    // Without a branch, for nobody foresees which of them it is.
    guesses[kGuesses] = *missed_target;
    const auto right = static_cast<std::uint8_t>(targets[row]);
    const std::uint64_t target = guesses[right];
    last_edge = {target, to_before, last.to, node, chunk_};
    to[row] = to_before = target;
    missed_target += right == kGuesses ? 1 : 0;
  };
  ForEachEdge(SpanOf(edges->edges_per_node()), label_at, target_at);
  return {};
}

}  // namespace heapglot
