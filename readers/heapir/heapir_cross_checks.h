// What is checked between nodes, edges and strings, of which a pass brought some
// only.
#ifndef HEAPGLOT_READERS_HEAPIR_HEAPIR_CROSS_CHECKS_H_
#define HEAPGLOT_READERS_HEAPIR_HEAPIR_CROSS_CHECKS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "heapglot/ir/v1/chunk.pb.h"
#include "heapglot/stream.h"

namespace heapglot::heapir {

// Where rows are in a file, and where they have to be: by the numbers of frames.
// Memory: 16 bytes for each run of frames with rows, and 24 for each with claims,
// up to 65,536 of either.
class RowOrder {
 public:
  // Up to this frame, and with it, there are so many rows. Frames ascend.
  void HasRows(std::uint64_t frame, std::uint64_t rows);
  // Before this frame there are `least` rows or more, and no more than `most`.
  // Frames do not descend.
  void Claim(std::uint64_t frame, std::uint64_t least, std::uint64_t most);
  void ForgetRows() { rows_.clear(); }
  void ForgetClaims() { claims_.clear(); }

  // Also if that is not known.
  bool AllClaimsHold() const;
  // Whether there was more than it may take, and it is not known.
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

// Looks at chunks of some kinds, one after another, where CheckSink sees too little:
// a look with nodes and one with edges together say as much as one with both, and
// so for nodes and strings. Rule 3 of chunk.proto, and of rule 2 what is said of
// V_NAME.
class CrossChecks {
 public:
  // A look at chunks of these kinds, and of others, begins.
  void Begin(ChunkSet kinds);
  // A chunk that CheckSink has taken, and the number of its frame.
  void Add(std::uint64_t frame, const pb::Chunk& chunk);
  // The look is over. `mark`: CheckSink::MarkOfEdgeCounts().
  void End(std::uint64_t mark);

  // False: something is wrong between chunks of different looks.
  bool Agree() const;
  // Whether nobody knows, for it would have been too much to keep.
  bool is_full() const { return node_order_.is_full() || names_.is_full(); }

 private:
  void AddNodes(std::uint64_t frame, const pb::Nodes& nodes);
  void AddNames(std::uint64_t frame, const pb::Nodes& nodes);

  // Of this look: kinds that it has without what they are checked against.
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
