// Encodes edges of a heap by comparing them with predictions. PredictedEdges
// (frame.proto) is what is stored; docs/heapir.md describes the predictions.
#ifndef HEAPGLOT_CORE_IR_EDGE_PREDICTION_H_
#define HEAPGLOT_CORE_IR_EDGE_PREDICTION_H_

#include <google/protobuf/repeated_field.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/column.h"
#include "heapglot/stream.h"

namespace heapglot {

// Converts a chunk of edges to its prediction, and back.
// Memory: 768 KiB once it is used; for the largest chunk, 18 bytes per edge
// when encoding, and 8 bytes per target that was not predicted when decoding.
class EdgePrediction {
 public:
  // Predicts all of `edges`. False if that is not possible: edges_per_node must
  // account for all rows, and each row must have a kind up to 254, a name and a
  // target.
  bool Encode(const pb::Edges& edges);

  // The result of Encode(): PredictedEdges.labels and targets, and the columns
  // `name` and `to` that go with them.
  std::string_view labels() const { return View(labels_); }
  std::string_view targets() const { return View(targets_); }
  std::span<const std::uint64_t> missed_names() const {
    return SpanOf(missed_names_);
  }
  std::span<const std::uint64_t> missed_targets() const {
    return SpanOf(missed_targets_);
  }

  // Restores kind, name and to of `*edges`, which holds the columns that a
  // Content has beside the prediction. Returns what is wrong with them, or
  // nothing. `labels` may have as many bytes as a chunk may have rows.
  std::string Decode(std::string_view labels, std::string_view targets,
                     pb::Edges* edges);

 private:
  static constexpr unsigned kContextBits = 14;
  static constexpr std::size_t kContexts = std::size_t{1} << kContextBits;
  // Predictions per target.
  static constexpr std::size_t kGuesses = 6;

  // The last edge in a context; zeros if there is none in this chunk. Its
  // values are stored here, not its row, because the next read depends on them,
  // and edges of one context are spread all over a chunk.
  struct LastLabel {
    std::uint64_t label;  // LabelOf(): all that the next context depends on
    std::uint64_t name;   // does not fit into label as a whole
  };
  struct LastEdge {
    std::uint64_t to;
    std::uint64_t step;     // to - that of the edge before, in any context
    std::uint64_t ahead;    // to - its source, as a row of edges_per_node
    std::uint64_t earlier;  // `to` of the last edge but one in the context
  };
  using Guesses = std::array<std::uint64_t, kGuesses + 1>;

  static std::string_view View(const std::vector<std::uint8_t>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  template <typename LabelAt, typename TargetAt>
  static void ForEachEdge(std::span<const std::uint32_t> edges_per_node,
                          LabelAt label_at, TargetAt target_at);
  template <typename Last>
  Last* Empty(std::vector<Last>* lasts) const;
  void Forget(const pb::Edges& edges);

  // By context. On the heap, because the owner of this may be on a stack.
  std::vector<LastLabel> last_labels_;
  std::vector<LastEdge> last_edges_;
  bool has_lasts_ = false;  // of the previous chunk

  // The result of Encode(). Decode() also keeps the missed targets here.
  std::vector<std::uint8_t> labels_;
  std::vector<std::uint8_t> targets_;
  google::protobuf::RepeatedField<std::uint64_t> missed_names_;
  google::protobuf::RepeatedField<std::uint64_t> missed_targets_;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_IR_EDGE_PREDICTION_H_
