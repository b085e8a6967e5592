// Millions of references between nodes, and what nodes learn through them.
#ifndef HEAPGLOT_CORE_CANONICAL_GRAPH_LINKS_H_
#define HEAPGLOT_CORE_CANONICAL_GRAPH_LINKS_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/ir/checksum.h"

namespace heapglot {

// Links with one label each, in any order; those of one node take less memory
// when they are consecutive.
//
// Memory: 8 bytes a link, 8 for consecutive links of one node, and 8 for a
// label, if links that are near each other mostly share a few.
class GraphLinks {
 public:
  // Nodes are less than this; any other number is a node that is not there.
  static constexpr std::uint64_t kMaxNodes =
      std::numeric_limits<std::uint32_t>::max();

  static std::uint32_t NodeOf(std::uint64_t index) {
    return static_cast<std::uint32_t>(std::min(index, kMaxNodes));
  }

  // The number of links that will be added, if known; they then need not be
  // moved.
  void Expect(std::uint64_t links);
  // Adds a link in each row: label, and nodes as NodeOf() returns them.
  void Add(std::span<const std::uint64_t> labels, const std::uint32_t* from,
           const std::uint32_t* to);
  void Add(std::uint64_t label, std::uint64_t from, std::uint64_t to) {
    const std::uint32_t ends[] = {NodeOf(from), NodeOf(to)};
    Add({&label, 1}, &ends[0], &ends[1]);
  }

  // One more than the greatest node that has a link, up to kMaxNodes + 1.
  std::uint64_t node_limit() const { return node_limit_; }

  // Drops the links for which is_left_out(from, to) is true.
  template <typename IsLeftOut>
  void DropIf(IsLeftOut is_left_out);

  // For each link, adds to sums[from] the hash of its label and the signature
  // of `to`. All nodes with links must have a signature and a sum.
  void AddHashes(std::span<const Hash128> signatures, Hash128* sums) const;

  // Whether links came in the order of the nodes that they are from.
  bool AreInOrder() const;
  // The same for the links from nodes `first` up to `end`, if links are in
  // order. Other threads may work on other nodes.
  void AddHashes(std::uint32_t first, std::uint32_t end,
                 std::span<const Hash128> signatures, Hash128* sums) const;

  void Clear() { blocks_.clear(); }

 private:
  // Consecutive links of one node, up to `end` in a block.
  struct Run {
    std::uint32_t from = 0;
    std::uint32_t end = 0;
  };
  // Many links, in ordinary pages: the host of a virtual machine may have taken
  // back the memory for huge ones, and takes 2 ms a MB to find it again.
  struct Block {
    static constexpr std::size_t kLinks = std::size_t{1} << 19;
    std::size_t size() const { return to.size(); }
    std::size_t room() const { return kLinks - size(); }
    void Reserve(std::size_t links);

    std::vector<std::uint64_t> labels;  // some several times
    std::vector<std::uint32_t> label_of;
    std::vector<std::uint32_t> to;
    std::vector<Run> runs;
  };

  // For each value of the upper bits of labels, which are hashes: where the
  // last such label may be in a block.
  struct LastLabels {
    static constexpr int kPlaceBits = 12;
    std::uint32_t& At(std::uint64_t label) {
      return indices[label >> (64 - kPlaceBits)];
    }
    std::array<std::uint32_t, std::size_t{1} << kPlaceBits> indices = {};
  };

  void AddToBlock(std::span<const std::uint64_t> labels,
                  const std::uint32_t* from, const std::uint32_t* to,
                  Block* block);
  void AddLabels(std::span<const std::uint64_t> labels, Block* block);
  // Of the runs from `first` up to `end`.
  static void AddHashesOf(const Block& block, std::size_t first,
                          std::size_t end, std::span<const Hash128> signatures,
                          Hash128* sums);

  std::vector<Block> blocks_;
  LastLabels last_labels_;
  std::uint64_t node_limit_ = 0;
};

template <typename IsLeftOut>
void GraphLinks::DropIf(IsLeftOut is_left_out) {
  for (Block& block : blocks_) {
    std::uint32_t kept = 0;
    std::uint32_t at = 0;
    for (Run& run : block.runs) {
      for (; at < run.end; ++at) {
        if (is_left_out(run.from, block.to[at])) continue;
        block.label_of[kept] = block.label_of[at];
        block.to[kept++] = block.to[at];
      }
      run.end = kept;
    }
    block.label_of.resize(kept);
    block.to.resize(kept);
    // An empty run would still have a node.
    std::erase_if(block.runs,
                  [begin = std::uint32_t{0}](const Run& run) mutable {
                    const bool is_empty = run.end == begin;
                    begin = run.end;
                    return is_empty;
                  });
  }
}

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_CANONICAL_GRAPH_LINKS_H_
