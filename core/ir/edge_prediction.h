// Edges of a heap by what was to be expected of them. PredictedEdges (frame.proto)
// is what is stored; docs/heapir.md says what is expected.
#ifndef HEAPGLOT_CORE_IR_EDGE_PREDICTION_H_
#define HEAPGLOT_CORE_IR_EDGE_PREDICTION_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heapglot/stream.h"

namespace heapglot {

// From a chunk of edges to their prediction, and back.
// Memory: 768 KiB once it is used, and 18 bytes an edge of the largest chunk.
class EdgePrediction {
 public:
  // Predicts all of `edges`. False if that cannot be done: unless edges_per_node
  // accounts for all rows, which have a kind up to 254, a name and a target.
  bool Encode(const pb::Edges& edges);

  // What Encode() made: PredictedEdges.labels and targets, and the columns `name`
  // and `to` that go with them.
  std::string_view labels() const { return View(labels_); }
  std::string_view targets() const { return View(targets_); }
  std::span<const std::uint64_t> missed_names() const { return missed_names_; }
  std::span<const std::uint64_t> missed_targets() const {
    return missed_targets_;
  }

  // Puts kind, name and to of `*edges`, which has what is beside them in a
  // Content, back to what they were. What is wrong with them; empty: nothing.
  // `labels` may have as many bytes as a chunk may have rows.
  std::string Decode(std::string_view labels, std::string_view targets,
                     pb::Edges* edges);

 private:
  static constexpr unsigned kContextBits = 14;
  static constexpr std::size_t kContexts = std::size_t{1} << kContextBits;
  // Places that are foreseen.
  static constexpr std::size_t kGuesses = 6;

  // Of the last edge in a context. All of it stands here, not its row: what is
  // read next depends on it, and edges of one context are all over a chunk.
  struct LastLabel {
    std::uint64_t name = 0;
    std::uint32_t kind = 0;
    std::uint32_t chunk = 0;  // chunk_, or the context has none in this one
  };
  struct LastEdge {
    std::uint64_t to = 0;
    std::uint64_t to_before = 0;  // of the edge before it, whatever its context
    std::uint64_t to_earlier = 0;  // of the last edge but one in the context
    std::uint32_t node = 0;        // its source as the place in edges_per_node
    std::uint32_t chunk = 0;       // as in LastLabel
  };
  using Guesses = std::array<std::uint64_t, kGuesses + 1>;

  static std::string_view View(const std::vector<std::uint8_t>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  template <typename LabelAt, typename TargetAt>
  static void ForEachEdge(std::span<const std::uint32_t> edges_per_node,
                          LabelAt label_at, TargetAt target_at);
  // What was in a context of this chunk last; if nothing was: zeros. No copy: one
  // of 16 bytes at a time would wait for the smaller ones that were just written.
  template <typename Last>
  const Last& Recall(const Last& last) const {
    static constexpr Last kNone;
    return last.chunk == chunk_ ? last : kNone;
  }
  // Fills all but the last one. `before`: the target of the edge before.
  static void Guess(std::uint64_t before, std::uint32_t node,
                    std::uint64_t first_node, const LastEdge& last,
                    Guesses* guesses);
  void Forget();

  // By context. Not within this, for what has one may be on a stack.
  std::vector<LastLabel> last_labels_;
  std::vector<LastEdge> last_edges_;
  std::uint32_t chunk_ = 0;  // counts them, from 1 on

  // What Encode() made. Decode() has the missed ones here, too.
  std::vector<std::uint8_t> labels_;
  std::vector<std::uint8_t> targets_;
  std::vector<std::uint64_t> missed_names_;
  std::vector<std::uint64_t> missed_targets_;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_IR_EDGE_PREDICTION_H_
