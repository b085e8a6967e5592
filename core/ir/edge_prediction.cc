#include "core/ir/edge_prediction.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "core/chunk_builder.h"
#include "core/column.h"

namespace heapglot {
namespace {

// The greatest kind in a label: kind + 1 must fit into a byte.
constexpr std::uint32_t kMostKind = 254;

// Chunks with fewer edges are removed from the tables one by one.
constexpr std::uint32_t kMany = 8192;

// Kind and name as one number, for computing contexts.
std::uint64_t LabelOf(std::uint32_t kind, std::uint64_t name) {
  return name * 256 + kind;
}

std::uint64_t SumOf(std::span<const std::uint32_t> counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

// How often `byte` occurs in `bytes`. The count of a block fits into a byte, so
// that the compiler can add 16 at once.
std::size_t CountOf(std::string_view bytes, char byte) {
  std::size_t count = 0;
  while (!bytes.empty()) {
    const std::string_view block = bytes.substr(0, 255);
    std::uint8_t of_block = 0;
    for (const char one : block)
      of_block = static_cast<std::uint8_t>(of_block + (one == byte ? 1 : 0));
    count += of_block;
    bytes.remove_prefix(block.size());
  }
  return count;
}

std::uint8_t MostOf(std::string_view bytes) {
  std::uint8_t most = 0;
  for (const char byte : bytes)
    most = std::max(most, static_cast<std::uint8_t>(byte));
  return most;
}

}  // namespace

// For each edge, calls label_at(row, context), which returns its label, and
// then target_at(row, place). `place` is the row of its source in
// `edges_per_node`, above its context of kContextBits. A context is the upper
// bits of a sum of products with primes (those of XXH64): of the labels of the
// two preceding edges, 0 if these are not of the same node, and of the node's
// number of edges. For the target, the first of the two edges is the edge
// itself; the next label has the same context.
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
    std::uint64_t of_before = of_node;
    std::size_t context = context_of(of_node);
    for (const std::uint32_t end = row + edges_per_node[node]; row != end;
         ++row) {
      const std::uint64_t label = label_at(row, context);
      context = context_of(label * kLabel + of_before);
      of_before = label * kBefore + of_node;
      target_at(row, std::uint64_t{node} << kContextBits | context);
    }
  }
}

// Returns an empty table. Call this right before the table is used: what was
// just cleared is in the cache, and need not be fetched bit by bit.
template <typename Last>
Last* EdgePrediction::Empty(std::vector<Last>* lasts) const {
  lasts->resize(kContexts);
  if (has_lasts_) std::memset(lasts->data(), 0, kContexts * sizeof(Last));
  return lasts->data();
}

// Removes `edges` from the tables if they are few; clearing these takes longer.
void EdgePrediction::Forget(const pb::Edges& edges) {
  has_lasts_ = edges.count() >= kMany;
  if (has_lasts_) return;
  ForEachEdge(
      SpanOf(edges.edges_per_node()),
      [&](std::uint32_t row, std::size_t context) {
        last_labels_[context] = {};
        return LabelOf(edges.kind().data()[row], edges.name().data()[row]);
      },
      [&](std::uint32_t, std::uint64_t place) {
        last_edges_[place % kContexts] = {};
      });
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
  labels_.resize(rows);
  targets_.resize(rows);
  // With room for one more: a value is stored before it is known to be missed.
  missed_names_.Clear();
  missed_targets_.Clear();
  std::uint64_t* missed_name =
      AddRows(&missed_names_, static_cast<int>(rows) + 1);
  std::uint64_t* missed_target =
      AddRows(&missed_targets_, static_cast<int>(rows) + 1);
  std::uint64_t* const places = missed_target;

  const auto label_at = [&, labels = labels_.data(),
                         lasts = Empty(&last_labels_)](std::uint32_t row,
                                                       std::size_t context) {
    const std::uint32_t kind = kinds[row];
    const std::uint64_t name = names[row];
    const std::uint64_t label = LabelOf(kind, name);
    LastLabel& last = lasts[context];
    const bool is_foreseen = ((last.label ^ label) | (last.name ^ name)) == 0;
    last = {label, name};
    labels[row] = static_cast<std::uint8_t>(is_foreseen ? 0 : kind + 1);
    *missed_name = name;
    missed_name += is_foreseen ? 0 : 1;
    return label;
  };
  ForEachEdge(
      SpanOf(edges.edges_per_node()), label_at,
      [&](std::uint32_t row, std::uint64_t place) { places[row] = place; });

  std::uint8_t* const right = targets_.data();
  LastEdge* const lasts = Empty(&last_edges_);
  const std::uint64_t after_first = edges.first_node() + 1;
  std::uint64_t before = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::uint64_t node = places[row] >> kContextBits;
    LastEdge& last = lasts[places[row] % kContexts];
    const std::uint64_t target = to[row];
    const std::uint64_t step = target - before;
    const std::uint64_t ahead = target - node;
    // Without a branch, because which of them is right is unpredictable.
    const bool are_right[] = {target == last.to,    step == last.step,
                              ahead == last.ahead,  step == 1,
                              ahead == after_first, target == last.earlier};
    unsigned all = 1u << kGuesses;
    for (std::size_t i = 0; i < kGuesses; ++i)
      all |= unsigned{are_right[i]} << i;
    const auto first = static_cast<std::size_t>(std::countr_zero(all));
    last = {target, step, ahead, last.to};
    right[row] = static_cast<std::uint8_t>(first);
    before = *missed_target = target;
    missed_target += first == kGuesses ? 1 : 0;
  }
  missed_names_.Truncate(static_cast<int>(missed_name - missed_names_.data()));
  missed_targets_.Truncate(
      static_cast<int>(missed_target - missed_targets_.data()));
  Forget(edges);
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
  const auto there = static_cast<std::size_t>(edges->name_size());
  if (there + CountOf(labels, '\0') != rows)
    return "as many names are needed as labels are not 0";
  if (static_cast<std::size_t>(edges->to_size()) !=
      CountOf(targets, static_cast<char>(kGuesses)))
    return "as many `to` are needed as targets are 6";
  if (MostOf(targets) > kGuesses) return "a target is above 6";

  std::uint32_t* const kinds =
      AddRows(edges->mutable_kind(), static_cast<int>(rows));
  // Move the given names to the end: each is read before its slot is
  // overwritten.
  edges->mutable_name()->Reserve(static_cast<int>(rows));
  edges->mutable_name()->AddNAlreadyReserved(static_cast<int>(rows - there));
  std::uint64_t* const names = edges->mutable_name()->mutable_data();
  const std::uint64_t* missed_name =
      std::copy_backward(names, names + there, names + rows);
  missed_targets_.CopyFrom(edges->to());
  missed_targets_.Add(0);  // read when all others are used up
  const std::uint64_t* missed_target = missed_targets_.data();
  edges->clear_to();
  // First holds the places. Labels depend on labels, and targets on targets:
  // with two loops, neither waits for both.
  std::uint64_t* const to =
      AddRows(edges->mutable_to(), static_cast<int>(rows));

  const auto label_at = [&, lasts = Empty(&last_labels_)](std::uint32_t row,
                                                          std::size_t context) {
    auto [label, name] = lasts[context];
    if (const auto stored = static_cast<std::uint8_t>(labels[row]);
        stored != 0) {
      name = *missed_name++;
      label = LabelOf(stored - 1u, name);
      lasts[context] = {label, name};
    }
    kinds[row] = static_cast<std::uint8_t>(label);
    names[row] = name;
    return label;
  };
  ForEachEdge(SpanOf(edges->edges_per_node()), label_at,
              [&](std::uint32_t row, std::uint64_t place) { to[row] = place; });

  LastEdge* const lasts = Empty(&last_edges_);
  const std::uint64_t after_first = edges->first_node() + 1;
  std::uint64_t before = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::uint64_t node = to[row] >> kContextBits;
    LastEdge& last = lasts[to[row] % kContexts];
    const Guesses guesses = {
        last.to,       before + last.step, node + last.ahead,
        before + 1,    node + after_first, last.earlier,
        *missed_target};
    // Without a branch, because which of them is right is unpredictable.
    const auto right = static_cast<std::uint8_t>(targets[row]);
    const std::uint64_t target = guesses[right];
    last = {target, target - before, target - node, last.to};
    before = to[row] = target;
    missed_target += right == kGuesses ? 1 : 0;
  }
  Forget(*edges);
  return {};
}

}  // namespace heapglot
