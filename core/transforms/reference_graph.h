// Which nodes refer to which, and what that tells about roots.
#ifndef HEAPGLOT_CORE_TRANSFORMS_REFERENCE_GRAPH_H_
#define HEAPGLOT_CORE_TRANSFORMS_REFERENCE_GRAPH_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/bytes/spill_buffer.h"
#include "core/rank_bitmap.h"
#include "core/transforms/work_set.h"
#include "heapglot/status.h"

namespace heapglot {

// A graph that is filled node by node, and then examined as often as needed.
//
// The edges are in a SpillBuffer, in blocks of 64 nodes. If a node is known to
// be reached when it is filled, what it reaches is marked right away: most
// heaps are in an order that leaves little to do afterwards. Nodes that wait to
// be processed are in a bitmap, and are taken from it in order: so the edges
// are read forward, over and over, and a list or tree of any shape takes the
// same memory.
//
// Memory: while it is filled, 3 bits per node and the buffer's 12 MiB;
// afterwards 5 bits per node, if that is more; in EntryPoints() 9 bits per
// node, including the set that it is given, and a byte for each node in
// `reached` that others refer to. On disk, if that is too little: 1 to 4 bytes
// per edge, depending on the number of nodes, and 1 byte per node.
// Errors: those of SpillBuffer, reported by status().
class ReferenceGraph {
 public:
  // The number of nodes must be less than this.
  static constexpr std::uint64_t kMaxNodes =
      std::numeric_limits<std::uint32_t>::max();

  ReferenceGraph();

  // Sets the node that stands for all roots; must be below kMaxNodes. This node
  // and the roots are best added before any edges, but need not be.
  void SetTop(std::uint64_t node);
  // Adds a node that a root holds.
  void AddRoot(std::uint64_t node);
  // Adds edges of the nodes from `first` on, `counts` of each; the first node
  // may be the last one of the previous call. read(row, rows, to) writes `rows`
  // of the edges, from number `row` on, as target + 1, or 0 for an edge that
  // holds nothing. Nodes must come in order.
  template <typename Read>
  void AddNodes(std::uint64_t first, std::span<const std::uint32_t> counts,
                Read&& read);
  // Ends the filling. Errors: kInternal if anything points past `nodes`.
  Status Finish(std::uint64_t nodes);

  // Everything below is only valid after Finish().

  std::uint64_t edges() const { return edges_; }
  // The status of the buffer; if it is not ok, no result is valid.
  const Status& status() const { return edge_data_.status(); }

  // The nodes that roots reach. May be called only once.
  RankBitmap Reached();
  // The edges that leave `nodes`.
  RankBitmap EdgesOf(const RankBitmap& nodes);

  // Nodes from which everything is reached that the roots do not reach.
  struct Entries {
    // The first node of each group of nodes that reach each other and that no
    // other unreached node reaches.
    RankBitmap nodes;
    // The distance from the root of all roots at which these nodes do not bring
    // any reached node nearer to that root than it already is.
    std::uint32_t distance = 1;
  };
  // `reached` comes from Reached(); the roots are at `root_distance`.
  Entries EntryPoints(const RankBitmap& reached, std::uint32_t root_distance);

 private:
  // As many nodes as a word of a bitmap has bits.
  static constexpr std::uint64_t kBlockNodes = 64;
  // A block begins with a byte: the size of its edges (node + 1, or 0;
  // little-endian) in bytes. If no node has more than kMaxCount edges, the
  // number of edges of each node follows, a byte each, and then all edges.
  static constexpr std::size_t kMaxCount = 255;
  static constexpr std::size_t kShortHead = 1 + kBlockNodes;
  static constexpr std::size_t kMaxEdges = kBlockNodes * kMaxCount;
  // Otherwise kIsLong is added to that byte, edges have the maximum size, and
  // those of a node come in pieces, each with a head: 2 * its number of edges,
  // plus 1 if another piece follows.
  static constexpr unsigned kIsLong = 8;
  static constexpr std::size_t kMaxPiece = 8192;
  static constexpr std::size_t kEdgeBytes = 4;
  // Edges are read as four bytes, whatever their size.
  static constexpr std::size_t kSlack = kEdgeBytes - 1;
  // Greater distances count as this one.
  static constexpr std::uint8_t kFarthest = 64;
  static constexpr std::uint64_t kNoBlock = ~std::uint64_t{0};

  using Bits = std::vector<std::uint64_t>;  // by the word

  struct Piece {
    const char* edges = nullptr;
    std::uint32_t count = 0;
    std::uint64_t end = 0;  // offset of the next one
    bool is_last = true;
  };

  // All nodes of a block, a bit each.
  std::uint64_t NodesOf(std::uint64_t block) const {
    const std::uint64_t rest = nodes_ - block * kBlockNodes;
    return ~std::uint64_t{0} >> (rest < kBlockNodes ? kBlockNodes - rest : 0);
  }

  void StartNode();
  template <typename Read>
  void AddRefs(std::uint64_t row, std::uint64_t count, Read&& read);
  void EndNode();
  void EndBlock();
  void MakeRoom();
  void MarkBlock(std::uint32_t highest);
  void MakeBits(std::uint64_t nodes);
  void WriteShortBlock(std::uint32_t highest);
  void BeginLongBlock();
  void WriteLongNodes(std::size_t nodes);
  void WritePiece(const std::uint32_t* refs, std::size_t count, bool is_last);
  Piece PieceAt(std::uint64_t offset);
  void LoadBlock(std::uint64_t block);
  void LoadLongBlock(std::uint64_t offset);
  template <typename Visit>
  void ForEachLongEdge(std::uint64_t node, Visit&& visit);
  template <typename Visit>
  void ForEachEdge(std::uint64_t node, Visit&& visit);
  template <typename Visit>
  void ForEachTarget(std::uint64_t node, Visit&& visit);
  template <typename Visit>
  void TakeAll(WorkSet* nodes, std::uint64_t first, Visit&& visit);

  std::uint64_t Sweep(Bits* seen, Bits* done);
  Bits Spread(Bits seen, Bits done);
  void MarkTargets(std::uint64_t block, std::uint64_t nodes, Bits* marked);
  void ReachWaiting(std::uint64_t first, WorkSet* waiting, Bits* seen);
  void Reach(std::uint64_t from, WorkSet* waiting, Bits* seen);
  bool GoOn(Bits* level, Bits* seen, Bits* targets);
  Bits TargetsOfOthers(const RankBitmap& reached);
  void AddGroups(Bits seen, RankBitmap* entries);
  std::uint32_t EntryDistance(const RankBitmap& reached, const RankBitmap& held,
                              const RankBitmap& entries,
                              std::uint32_t root_distance);
  std::vector<std::uint8_t> DistancesOf(const RankBitmap& nodes,
                                        std::uint32_t root_distance);

  SpillBuffer edge_data_;
  std::vector<std::uint64_t> block_offsets_;  // in edge_data_
  std::uint64_t edges_ = 0;
  std::uint64_t next_node_ = 0;     // the one being filled, plus 1
  std::uint64_t nodes_needed_ = 0;  // for all targets and roots
  std::uint64_t nodes_ = 0;

  // Of the block being filled: the edges that are not written yet, where those
  // of its last node begin among them, and the number of edges of the other
  // nodes.
  std::vector<std::uint32_t> refs_;
  std::size_t pending_ = 0;
  std::size_t pending_limit_ = 0;
  std::size_t node_begin_ = 0;
  bool is_long_ = false;
  std::array<std::uint32_t, kBlockNodes> counts_{};

  std::optional<std::uint64_t> top_;
  // A bit per node: nodes that roots hold, nodes that are known to be reached,
  // and those of them whose targets are known to be reached.
  Bits roots_;
  Bits seen_;
  Bits done_;

  // The loaded block: the number of edges of each node, and the edges; for a
  // long block, the offsets of the nodes' first pieces.
  std::uint64_t block_ = kNoBlock;
  bool block_is_long_ = false;
  const char* block_counts_ = nullptr;
  const char* block_edges_ = nullptr;
  unsigned edge_size_ = 1;
  std::uint32_t edge_mask_ = 0;
  std::array<std::uint64_t, kBlockNodes> node_offsets_{};
};

template <typename Read>
void ReferenceGraph::AddNodes(std::uint64_t first,
                              std::span<const std::uint32_t> counts,
                              Read&& read) {
  std::uint64_t row = 0;
  while (!counts.empty()) {
    while (next_node_ <= first) StartNode();
    // All of them that are in this block, unless they have many edges.
    const std::uint64_t place = first % kBlockNodes;
    std::size_t nodes =
        std::min<std::size_t>(counts.size(), kBlockNodes - place);
    std::uint64_t rows = 0;
    for (const std::uint32_t count : counts.first(nodes)) rows += count;
    if (is_long_ || rows > pending_limit_ - pending_) [[unlikely]] {
      nodes = 1;
      rows = counts[0];
      AddRefs(row, rows, read);
    } else {
      read(row, static_cast<std::size_t>(rows), refs_.data() + pending_);
      std::size_t end = pending_ + counts[0];
      for (std::size_t i = 1; i < nodes; ++i) {
        counts_[place + i - 1] = static_cast<std::uint32_t>(end - node_begin_);
        node_begin_ = end;
        end += counts[i];
      }
      pending_ = end;
      edges_ += rows;
    }
    next_node_ = first + nodes;
    row += rows;
    first += nodes;
    counts = counts.subspan(nodes);
  }
}

// Adds edges of the node being filled.
template <typename Read>
void ReferenceGraph::AddRefs(std::uint64_t row, std::uint64_t count,
                             Read&& read) {
  edges_ += count;
  while (count > 0) {
    if (pending_ == pending_limit_) MakeRoom();
    const auto rows = static_cast<std::size_t>(
        std::min<std::uint64_t>(count, pending_limit_ - pending_));
    read(row, rows, refs_.data() + pending_);
    pending_ += rows;
    row += rows;
    count -= rows;
  }
}

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TRANSFORMS_REFERENCE_GRAPH_H_
