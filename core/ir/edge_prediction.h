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
// Memory: 256 KiB once it is used, and 18 bytes an edge of the largest chunk.
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

  // The last two edges in a context: their rows + 1, 0 where there was none, and
  // the source of the last one as the place in edges_per_node.
  struct LastEdges {
    std::uint32_t row = 0;
    std::uint32_t node = 0;
    std::uint32_t row_before = 0;
  };
  using Guesses = std::array<std::uint64_t, kGuesses + 1>;

  static std::string_view View(const std::vector<std::uint8_t>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  static std::size_t Context(std::uint64_t label, std::uint64_t before,
                             std::uint64_t edges);
  // Fills all but the last one.
  static void Guess(const std::uint64_t* targets, std::uint32_t row,
                    std::uint32_t node, std::uint64_t first_node,
                    const LastEdges& last, Guesses* guesses);
  void Forget();

  // By context. Not within this, for what has one may be on a stack.
  std::vector<std::uint32_t> last_labels_;  // row + 1, or 0
  std::vector<LastEdges> last_targets_;

  // What Encode() made. Decode() has the missed ones here, too.
  std::vector<std::uint8_t> labels_;
  std::vector<std::uint8_t> targets_;
  std::vector<std::uint64_t> missed_names_;
  std::vector<std::uint64_t> missed_targets_;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_IR_EDGE_PREDICTION_H_
