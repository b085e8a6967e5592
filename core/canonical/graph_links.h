// References between nodes, by the million, and what nodes get to know by them.
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

// Links with a label each, in any order; those of one node take less when they
// come one after the other.
//
// Memory: 8 bytes a link, 8 for links of one node in a row, and 8 for a label,
// where links that are near each other mostly share a few.
class GraphLinks {
 public:
  // Nodes are less. What is not stands for one that is not there.
  static constexpr std::uint64_t kMaxNodes =
      std::numeric_limits<std::uint32_t>::max();

  static std::uint32_t NodeOf(std::uint64_t index) {
    return static_cast<std::uint32_t>(std::min(index, kMaxNodes));
  }

  // Links that will be added, if that is known: they need not be moved then.
  void Expect(std::uint64_t links);
  // A link in each row: label, and nodes by NodeOf().
  void Add(std::span<const std::uint64_t> labels, const std::uint32_t* from,
           const std::uint32_t* to);
  void Add(std::uint64_t label, std::uint64_t from, std::uint64_t to) {
    const std::uint32_t ends[] = {NodeOf(from), NodeOf(to)};
    Add({&label, 1}, &ends[0], &ends[1]);
  }

  // One more than the greatest node linked, up to kMaxNodes + 1.
  std::uint64_t node_limit() const { return node_limit_; }

  // Drops links to or from nodes that is_left_out(from, to) says.
  template <typename IsLeftOut>
  void DropIf(IsLeftOut is_left_out);

  // Adds to sums[from], for each link, the hash of its label and the signature of
  // `to`. All nodes linked have a signature and a sum.
  void AddHashes(std::span<const Hash128> signatures, Hash128* sums) const;

  // Whether links came in the order of the nodes that they are of.
  bool AreInOrder() const;
  // The same for the links of nodes from `first` up to `end`, if they are. Others
  // may be at work on other nodes.
  void AddHashes(std::uint32_t first, std::uint32_t end,
                 std::span<const Hash128> signatures, Hash128* sums) const;

  void Clear() { blocks_.clear(); }

 private:
  // Links that follow each other: up to `end`, in a block.
  struct Run {
    std::uint32_t from = 0;
    std::uint32_t end = 0;
  };
  // Of many links. Usual pages: the host of a virtual machine has taken back what
  // huge ones are made of, and takes 2 ms a MB to find it again.
  struct Block {
    static constexpr std::size_t kLinks = std::size_t{1} << 19;
    std::size_t size() const { return to.size(); }
    std::size_t room() const { return kLinks - size(); }
    void Reserve(std::size_t links);

    std::vector<std::uint64_t> labels;  // some of them several times
    std::vector<std::uint32_t> label_of;
    std::vector<std::uint32_t> to;
    std::vector<Run> runs;
  };

  // Where labels of a block may be, those that had this place last: by hash,
  // which labels are.
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
  // Those of runs from `first` up to `end`.
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
    // A run that is empty has a node that is there all the same.
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
