// Who refers to whom, and what can be told from that about the roots.
#ifndef HEAPGLOT_CORE_TRANSFORMS_REFERENCE_GRAPH_H_
#define HEAPGLOT_CORE_TRANSFORMS_REFERENCE_GRAPH_H_

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "core/bytes/spill_buffer.h"
#include "core/transforms/rank_bitmap.h"
#include "core/transforms/work_set.h"
#include "heapglot/status.h"

namespace heapglot {

// A graph that is filled node by node and then looked at as often as it takes.
//
// The edges stand in a SpillBuffer, as differences to their source. Nodes that
// wait to be gone through are a bitmap, from which they are taken in their
// order: so what is read of the edges goes forward, over and over, and a list
// or tree of any shape takes the same memory.
//
// Memory: 5 bits a node and the buffer's 12 MiB at most; 1 byte and 3 bits a
// node more in EntryDistance(). On disk, once that is too little: about 2.5
// bytes an edge and 1 byte a node.
// Errors: those of SpillBuffer, told by status().
class ReferenceGraph {
 public:
  // More nodes than it takes.
  static constexpr std::uint64_t kMaxNodes =
      std::numeric_limits<std::uint32_t>::max();

  ReferenceGraph();

  // The node that stands for all roots.
  void SetTop(std::uint64_t node) { top_ = node; }
  // A node that a root holds.
  void AddRoot(std::uint64_t node);
  // What comes now are edges of `node`; nodes must come in order.
  void BeginNode(std::uint64_t node) {
    while (next_node_ <= node) StartNode();
  }
  void AddEdge(std::uint64_t target) {
    if (target >= nodes_needed_) nodes_needed_ = target + 1;
    const std::uint64_t source = next_node_ - 1;
    const std::uint64_t distance = target > source
                                       ? (target - source - 1) << 1 | 1
                                       : (source - target) << 1;
    AddNumber(distance + 1);
  }
  // An edge that holds nothing.
  void AddOtherEdge() { AddNumber(kNoTarget); }
  // All is there. Errors: kInternal if something points past `nodes`.
  Status Finish(std::uint64_t nodes);

  // The rest is valid after Finish().

  std::uint64_t edges() const { return edges_; }
  // What happened to the buffer; if it is not ok nothing here is of use.
  const Status& status() const { return edge_data_.status(); }

  // The nodes that roots reach, and the edges that leave them.
  RankBitmap Reached();
  RankBitmap EdgesOf(const RankBitmap& nodes);

  // One node of each group of nodes that reach each other and that no other
  // node outside `reached` reaches: the first of the group.
  RankBitmap EntryPoints(const RankBitmap& reached);

  // How far from the root of all roots `entries` have to stand so that no node
  // in `reached` is nearer by way of them than it is without, if the roots are
  // at `root_distance`.
  std::uint32_t EntryDistance(const RankBitmap& reached,
                              const RankBitmap& entries,
                              std::uint32_t root_distance);

 private:
  // Of the offsets that are kept: as many nodes as a word of a bitmap has.
  static constexpr std::uint64_t kBlockNodes = 64;
  // Edges of a node stand in pieces, each behind its size: 2 * bytes, and 1 if
  // another one follows.
  static constexpr std::size_t kMaxPiece = 4000;
  static constexpr std::size_t kMaxPieceHead = 2;
  static constexpr std::size_t kMaxEdge = 5;  // 33 bits, in groups of 7
  // Numbers in a piece: 0, or the way to the target + 1.
  static constexpr std::uint64_t kNoTarget = 0;
  // Distances that matter: farther is as good as this.
  static constexpr std::uint8_t kFarthest = 64;
  static constexpr std::uint64_t kNoBlock = ~std::uint64_t{0};

  struct Piece {
    std::string_view edges;
    std::uint64_t end;  // where the next one is
    bool is_last;
  };

  void StartNode();
  void AddNumber(std::uint64_t number);
  void EndPiece(bool is_last);
  Piece PieceAt(std::uint64_t offset);
  void LoadBlock(std::uint64_t block);
  template <typename Visit>
  void ForEachEdge(std::uint64_t node, Visit&& visit);
  template <typename Visit>
  void ForEachTarget(std::uint64_t node, Visit&& visit);
  template <typename Visit>
  void TakeAll(WorkSet* nodes, std::uint64_t first, Visit&& visit);

  void Reach(std::uint64_t from, RankBitmap* seen);
  void ReachWaiting(std::uint64_t first, RankBitmap* seen);
  void SetDistances(WorkSet level, std::uint8_t at, const RankBitmap* outside,
                    std::vector<std::uint8_t>* distance);

  SpillBuffer edge_data_;
  std::vector<std::uint64_t> block_offsets_;  // in edge_data_
  std::uint64_t edges_ = 0;
  std::uint64_t next_node_ = 0;     // the one that is filled, and 1
  std::uint64_t nodes_needed_ = 0;  // for all targets and roots
  std::uint64_t nodes_ = 0;
  std::array<char, kMaxPiece + kMaxEdge> piece_;
  std::size_t piece_size_ = 0;

  std::optional<std::uint64_t> top_;
  std::vector<std::uint64_t> roots_;  // a bit a node

  WorkSet waiting_;
  // Where the first pieces of the nodes of a block are.
  std::uint64_t block_ = kNoBlock;
  std::array<std::uint64_t, kBlockNodes> node_offsets_;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TRANSFORMS_REFERENCE_GRAPH_H_
