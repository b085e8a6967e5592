// Edges of a heap by what was to be expected of them. PredictedEdges (frame.proto)
// is what is stored; docs/heapir.md says what is expected.
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

// From a chunk of edges to their prediction, and back.
// Memory: 768 KiB once it is used, and of the largest chunk 18 bytes an edge that is
// encoded, 8 for each target that was not foreseen where it is decoded.
class EdgePrediction {
 public:
  // Predicts all of `edges`. False if that cannot be done: unless edges_per_node
  // accounts for all rows, which have a kind up to 254, a name and a target.
  bool Encode(const pb::Edges& edges);

  // What Encode() made: PredictedEdges.labels and targets, and the columns `name`
  // and `to` that go with them.
  std::string_view labels() const { return View(labels_); }
  std::string_view targets() const { return View(targets_); }
  std::span<const std::uint64_t> missed_names() const {
    return SpanOf(missed_names_);
  }
  std::span<const std::uint64_t> missed_targets() const {
    return SpanOf(missed_targets_);
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

  // Of the last edge in a context; zeros: there is none in this chunk. All of it
  // stands here, not its row: what is read next depends on it, and edges of one
  // context are all over a chunk.
  struct LastLabel {
    std::uint64_t label;  // LabelOf(), all that the next context waits for
    std::uint64_t name;   // label has no room for all of it
  };
  struct LastEdge {
    std::uint64_t to;
    std::uint64_t step;   // to - that of the edge before, whatever its context
    std::uint64_t ahead;  // to - its source, as a place in edges_per_node
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

  // By context. Not within this, for what has one may be on a stack.
  std::vector<LastLabel> last_labels_;
  std::vector<LastEdge> last_edges_;
  bool has_lasts_ = false;  // of the chunk before

  // What Encode() made. Decode() has the missed targets here, too.
  std::vector<std::uint8_t> labels_;
  std::vector<std::uint8_t> targets_;
  google::protobuf::RepeatedField<std::uint64_t> missed_names_;
  google::protobuf::RepeatedField<std::uint64_t> missed_targets_;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_IR_EDGE_PREDICTION_H_
