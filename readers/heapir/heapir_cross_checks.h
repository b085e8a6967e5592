// Checks between nodes, edges and strings, for passes with only some of them.
#ifndef HEAPGLOT_READERS_HEAPIR_HEAPIR_CROSS_CHECKS_H_
#define HEAPGLOT_READERS_HEAPIR_HEAPIR_CROSS_CHECKS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "heapglot/ir/v1/chunk.pb.h"
#include "heapglot/stream.h"

namespace heapglot::heapir {

// Where rows are in a file, and where they must be, by frame number.
// Memory: 16 bytes for each run of frames with rows, and 24 for each with
// claims, up to 65,536 of either.
class RowOrder {
 public:
  // Up to and including this frame, there are `rows` rows. Frames must ascend.
  void HasRows(std::uint64_t frame, std::uint64_t rows);
  // Before this frame, there must be at least `least` and at most `most` rows.
  // Frames must not descend.
  void Claim(std::uint64_t frame, std::uint64_t least, std::uint64_t most);
  void ForgetRows() { rows_.clear(); }
  void ForgetClaims() { claims_.clear(); }

  // Also true if that is not known.
  bool AllClaimsHold() const;
  // Whether there was too much to keep, so that the answer is not known.
  bool is_full() const { return is_full_; }

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 16;

  struct Rows {
    std::uint64_t frame;
    std::uint64_t rows;
  };
  struct Bounds {
    std::uint64_t frame;
    std::uint64_t least;
    std::uint64_t most;
  };

  std::vector<Rows> rows_;
  std::vector<Bounds> claims_;
  bool is_full_ = false;
};

// Looks at chunks of some kinds, one kind after another, where CheckSink sees
// too little: a look with nodes and one with edges together check as much as
// one with both, and so do those with nodes and with strings. Covers rule 3 of
// chunk.proto, and what rule 2 says about V_NAME.
class CrossChecks {
 public:
  // Begins a look at chunks of these kinds, and of others.
  void Begin(ChunkSet kinds);
  // A chunk that CheckSink has accepted, and the number of its frame.
  void Add(std::uint64_t frame, const pb::Chunk& chunk);
  // Ends the look. `mark` is CheckSink::MarkOfEdgeCounts().
  void End(std::uint64_t mark);

  // False if chunks of different looks contradict each other.
  bool Agree() const;
  // Whether there was too much to keep, so that the answer is not known.
  bool is_full() const { return node_order_.is_full() || names_.is_full(); }

 private:
  void AddNodes(std::uint64_t frame, const pb::Nodes& nodes);
  void AddNames(std::uint64_t frame, const pb::Nodes& nodes);

  // In the current look: kinds without what they are checked against.
  bool nodes_alone_ = false;
  bool edges_alone_ = false;
  bool strings_alone_ = false;
  bool nameless_nodes_ = false;
  std::uint64_t first_node_ = 0;             // of this graph, in the file
  std::optional<std::uint64_t> last_nodes_;  // the frame with them

  // What nodes have and edges need; what strings have and nodes need.
  RowOrder node_order_;
  RowOrder names_;
  std::optional<std::uint64_t> nodes_mark_;
  std::optional<std::uint64_t> edges_mark_;
  bool has_strings_ = false;
  bool has_names_ = false;
};

}  // namespace heapglot::heapir

#endif  // HEAPGLOT_READERS_HEAPIR_HEAPIR_CROSS_CHECKS_H_
