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

// Calls visit(row, node, edges, before, earlier) for each of so many edges: its
// source as a place in `edges_per_node`, how many edges that has there, and the
// labels of the two edges before it, 0 where they are not of that node. It answers
// with the label of the edge.
template <typename Visit>
void ForEachEdge(std::span<const std::uint32_t> edges_per_node, Visit visit) {
  std::uint32_t row = 0;
  for (std::uint32_t node = 0; node < edges_per_node.size(); ++node) {
    const std::uint32_t edges = edges_per_node[node];
    std::uint64_t before = 0;
    std::uint64_t earlier = 0;
    for (const std::uint32_t end = row + edges; row != end; ++row) {
      const std::uint64_t label = visit(row, node, edges, before, earlier);
      earlier = before;
      before = label;
    }
  }
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

// The upper bits of a sum of products by primes (those of XXH64).
inline std::size_t EdgePrediction::Context(std::uint64_t label,
                                           std::uint64_t before,
                                           std::uint64_t edges) {
  const std::uint64_t mixed = label * 0x9E37'79B1'85EB'CA87 +
                              before * 0xC2B2'AE3D'27D4'EB4F +
                              edges * 0x1656'67B1'9E37'79F9;
  return static_cast<std::size_t>(mixed >> (64 - kContextBits));
}

inline void EdgePrediction::Guess(const std::uint64_t* targets,
                                  std::uint32_t row, std::uint32_t node,
                                  std::uint64_t first_node,
                                  const LastEdges& last, Guesses* guesses) {
  const std::uint64_t before = row > 0 ? targets[row - 1] : 0;
  const std::uint64_t target = last.row > 0 ? targets[last.row - 1] : 0;
  const std::uint64_t before_it = last.row > 1 ? targets[last.row - 2] : 0;
  (*guesses)[0] = target;
  (*guesses)[1] = before + (target - before_it);
  (*guesses)[2] = target + (std::uint64_t{node} - last.node);
  (*guesses)[3] = before + 1;
  (*guesses)[4] = first_node + node + 1;
  (*guesses)[5] = last.row_before > 0 ? targets[last.row_before - 1] : 0;
}

void EdgePrediction::Forget() {
  last_labels_.assign(kContexts, 0);
  last_targets_.assign(kContexts, {});
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
  const auto visit = [&](std::uint32_t row, std::uint32_t node,
                         std::uint32_t count, std::uint64_t before,
                         std::uint64_t earlier) {
    const std::uint32_t kind = kinds[row];
    const std::uint64_t name = names[row];
    std::uint32_t& last_label = last_labels_[Context(before, earlier, count)];
    const bool is_foreseen = last_label > 0 ? kinds[last_label - 1] == kind &&
                                                  names[last_label - 1] == name
                                            : kind == 0 && name == 0;
    last_label = row + 1;
    labels_[row] = static_cast<std::uint8_t>(is_foreseen ? 0 : kind + 1);
    *missed_name = name;
    missed_name += is_foreseen ? 0 : 1;

    const std::uint64_t label = LabelOf(kind, name);
    LastEdges& last = last_targets_[Context(label, before, count)];
    Guesses guesses;
    Guess(to.data(), row, node, first_node, last, &guesses);
    last = {row + 1, node, last.row};
    guesses[kGuesses] = to[row];
    std::size_t right = 0;
    while (guesses[right] != to[row]) ++right;
    targets_[row] = static_cast<std::uint8_t>(right);
    *missed_target = to[row];
    missed_target += right == kGuesses ? 1 : 0;
    return label;
  };
  ForEachEdge(SpanOf(edges.edges_per_node()), visit);
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
  const auto visit = [&](std::uint32_t row, std::uint32_t node,
                         std::uint32_t count, std::uint64_t before,
                         std::uint64_t earlier) {
    std::uint32_t& last_label = last_labels_[Context(before, earlier, count)];
    std::uint32_t kind = 0;
    std::uint64_t name = 0;
    if (const auto stored = static_cast<std::uint8_t>(labels[row]);
        stored != 0) {
      kind = stored - 1u;
      name = *missed_name++;
    } else if (last_label > 0) {
      kind = kinds[last_label - 1];
      name = names[last_label - 1];
    }
    last_label = row + 1;
    kinds[row] = kind;
    names[row] = name;

    const std::uint64_t label = LabelOf(kind, name);
    LastEdges& last = last_targets_[Context(label, before, count)];
    Guesses guesses;
    Guess(to, row, node, first_node, last, &guesses);
    last = {row + 1, node, last.row};
    // Without a branch, for nobody foresees which of them it is.
    guesses[kGuesses] = *missed_target;
    const auto right = static_cast<std::uint8_t>(targets[row]);
    to[row] = guesses[right];
    missed_target += right == kGuesses ? 1 : 0;
    return label;
  };
  ForEachEdge(SpanOf(edges->edges_per_node()), visit);
  return {};
}

}  // namespace heapglot
