#include "core/transforms/reference_graph.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace heapglot {
namespace {

constexpr std::size_t kMaxEdgeMemory = std::size_t{8} << 20;

unsigned Highest(std::uint64_t bits) {
  return 63 - static_cast<unsigned>(std::countl_zero(bits));
}

std::uint32_t ReadRef(const char* at) {
  std::uint32_t ref;
  std::memcpy(&ref, at, sizeof ref);
  return ref;
}

// The sum of the first `count` of 64 one-byte numbers.
std::uint32_t SumOfFirst(unsigned count, const char* numbers) {
  constexpr std::uint64_t kBytes = 0x00ff00ff00ff00ff;
  std::uint64_t sums = 0;  // four sums, each with room for all 64 numbers
  const auto add = [&sums](std::uint64_t eight) {
    sums += (eight & kBytes) + (eight >> 8 & kBytes);
  };
  std::uint64_t eight;
  for (; count >= 8; count -= 8, numbers += 8) {
    std::memcpy(&eight, numbers, sizeof eight);
    add(eight);
  }
  if (count > 0) {
    std::memcpy(&eight, numbers, sizeof eight);
    add(eight & ~(~std::uint64_t{0} << (8 * count)));
  }
  constexpr std::uint64_t kOnes = 0x0001000100010001;
  return static_cast<std::uint32_t>(sums * kOnes >> 48);
}

// Writes all four bytes.
void WriteRef(std::uint32_t ref, char* to) {
  std::memcpy(to, &ref, sizeof ref);
}

// Writes `size` bytes of each, and up to four more after the last one.
template <unsigned size>
char* WriteRefs(const std::uint32_t* refs, std::size_t count, char* to) {
  for (std::size_t i = 0; i < count; ++i, to += size) WriteRef(refs[i], to);
  return to;
}

char* WriteRefs(unsigned size, const std::uint32_t* refs, std::size_t count,
                char* to) {
  switch (size) {
    case 1:
      return WriteRefs<1>(refs, count, to);
    case 2:
      return WriteRefs<2>(refs, count, to);
    case 3:
      return WriteRefs<3>(refs, count, to);
    default:
      return WriteRefs<4>(refs, count, to);
  }
}

// Compilers vectorize this loop.
std::uint32_t HighestOf(const std::uint32_t* numbers, std::size_t count) {
  std::uint32_t highest = 0;
  for (std::size_t i = 0; i < count; ++i)
    highest = std::max(highest, numbers[i]);
  return highest;
}

// Marks a node, given as node + 1; 0 marks nothing. Without a branch, because
// it is unpredictable which nodes are new.
void Mark(std::uint32_t ref, std::uint64_t* bits) {
  const std::uint32_t is_one = ref != 0 ? 1 : 0;
  const std::uint32_t node = ref - is_one;
  bits[node / 64] |= std::uint64_t{is_one} << (node % 64);
}

void Add(std::uint64_t node, std::vector<std::uint64_t>* bits) {
  if (node / 64 >= bits->size()) bits->resize(node / 64 + 1);
  (*bits)[node / 64] |= std::uint64_t{1} << (node % 64);
}

bool Has(std::uint64_t node, const std::vector<std::uint64_t>& bits) {
  return (bits[node / 64] >> (node % 64) & 1) != 0;
}

// The lower bytes must come first.
static_assert(std::endian::native == std::endian::little);

}  // namespace

ReferenceGraph::ReferenceGraph()
    : edge_data_(kMaxEdgeMemory), refs_(kMaxEdges), pending_limit_(kMaxEdges) {}

// ------------------------------------------------------------------ filling

void ReferenceGraph::SetTop(std::uint64_t node) {
  top_ = node;
  nodes_needed_ = std::max(nodes_needed_, node + 1);
  Add(node, &seen_);
}

void ReferenceGraph::AddRoot(std::uint64_t node) {
  node = std::min(node, kMaxNodes);
  nodes_needed_ = std::max(nodes_needed_, node + 1);
  if (node == kMaxNodes) return;  // Finish() reports it
  Add(node, &roots_);
  Add(node, &seen_);
}

void ReferenceGraph::StartNode() {
  if (next_node_ > 0) EndNode();
  if (next_node_ % kBlockNodes == 0) {
    if (next_node_ > 0) EndBlock();
    block_offsets_.push_back(edge_data_.size());
  }
  ++next_node_;
}

void ReferenceGraph::EndNode() {
  if (is_long_) {
    WritePiece(refs_.data(), pending_, true);
    pending_ = 0;
    return;
  }
  counts_[(next_node_ - 1) % kBlockNodes] =
      static_cast<std::uint32_t>(pending_ - node_begin_);
  node_begin_ = pending_;
}

void ReferenceGraph::EndBlock() {
  if (is_long_) {
    pending_limit_ = kMaxEdges;
  } else {
    const std::uint32_t highest = HighestOf(refs_.data(), pending_);
    nodes_needed_ = std::max(nodes_needed_, std::uint64_t{highest});
    WriteShortBlock(highest);
    MarkBlock(highest);
  }
  is_long_ = false;
  pending_ = node_begin_ = 0;
}

// The block turns out to be long, or a piece is full.
void ReferenceGraph::MakeRoom() {
  if (!is_long_) BeginLongBlock();
  for (; pending_ >= kMaxPiece; pending_ -= kMaxPiece) {
    WritePiece(refs_.data(), kMaxPiece, false);
    std::copy(refs_.begin() + kMaxPiece,
              refs_.begin() + static_cast<std::ptrdiff_t>(pending_),
              refs_.begin());
  }
}

// Writes all nodes so far except for the last one, whose edges stay.
void ReferenceGraph::BeginLongBlock() {
  is_long_ = true;
  pending_limit_ = kMaxPiece;
  WriteLongNodes((next_node_ - 1) % kBlockNodes);
  pending_ -= node_begin_;
  std::copy(refs_.begin() + static_cast<std::ptrdiff_t>(node_begin_),
            refs_.begin() + static_cast<std::ptrdiff_t>(node_begin_ + pending_),
            refs_.begin());
  node_begin_ = 0;
}

// Begins a long block with the first `nodes` of the block.
void ReferenceGraph::WriteLongNodes(std::size_t nodes) {
  char* const head = edge_data_.Reserve(1);
  *head = static_cast<char>(kEdgeBytes | kIsLong);
  edge_data_.Commit(head + 1);
  const std::uint32_t* refs = refs_.data();
  for (std::size_t node = 0; node < nodes; ++node) {
    std::size_t count = counts_[node];
    for (; count > kMaxPiece; count -= kMaxPiece, refs += kMaxPiece)
      WritePiece(refs, kMaxPiece, false);
    WritePiece(refs, count, true);
    refs += count;
  }
}

void ReferenceGraph::WritePiece(const std::uint32_t* refs, std::size_t count,
                                bool is_last) {
  char* to = edge_data_.Reserve(kEdgeBytes);
  WriteRef(static_cast<std::uint32_t>(count << 1 | (is_last ? 0 : 1)), to);
  nodes_needed_ =
      std::max(nodes_needed_, std::uint64_t{HighestOf(refs, count)});
  edge_data_.Commit(to + kEdgeBytes);
  for (std::size_t i = 0; i < count; ++i) {
    to = edge_data_.Reserve(kEdgeBytes);
    WriteRef(refs[i], to);
    edge_data_.Commit(to + kEdgeBytes);
  }
}

// `highest` is the greatest number in refs_.
void ReferenceGraph::WriteShortBlock(std::uint32_t highest) {
  const std::size_t nodes = (next_node_ - 1) % kBlockNodes + 1;
  std::fill(counts_.begin() + static_cast<std::ptrdiff_t>(nodes), counts_.end(),
            0);
  if (HighestOf(counts_.data(), kBlockNodes) > kMaxCount)
    return WriteLongNodes(kBlockNodes);
  const unsigned size = (Highest(highest | 1) + 8) / 8;
  char* to = edge_data_.Reserve(kShortHead);
  *to++ = static_cast<char>(size);
  for (const std::uint32_t count : counts_) *to++ = static_cast<char>(count);
  edge_data_.Commit(to);
  constexpr std::size_t kBatch = SpillBuffer::kMaxReserve / kEdgeBytes;
  for (std::size_t i = 0; i < pending_; i += kBatch) {
    to = edge_data_.Reserve(SpillBuffer::kMaxReserve);
    edge_data_.Commit(
        WriteRefs(size, refs_.data() + i, std::min(kBatch, pending_ - i), to));
  }
}

// Makes room in the bitmaps for this many nodes.
void ReferenceGraph::MakeBits(std::uint64_t nodes) {
  const std::uint64_t words = (nodes + 63) / 64;
  for (Bits* const bits : {&seen_, &done_}) {
    if (words <= bits->size()) continue;
    // Do not double the capacity: the bitmaps may be large.
    if (words > bits->capacity()) bits->reserve(words + words / 8);
    bits->resize(words);
  }
}

// Marks what is reached by nodes of the block that are known to be reached.
// This may include other nodes of the block, then also what these reach, and so
// on.
void ReferenceGraph::MarkBlock(std::uint32_t highest) {
  MakeBits(std::max(std::uint64_t{highest}, next_node_));
  const std::uint64_t block = (next_node_ - 1) / kBlockNodes;
  std::array<std::uint32_t, kBlockNodes + 1> first_edges;
  std::uint32_t sum = 0;
  for (std::size_t node = 0; node < kBlockNodes; ++node) {
    first_edges[node] = sum;
    sum += counts_[node];
  }
  first_edges[kBlockNodes] = sum;
  // Adjacent nodes at once: often there are many.
  while (const std::uint64_t nodes = seen_[block] & ~done_[block]) {
    const unsigned first = WorkSet::Lowest(nodes);
    const auto run = static_cast<unsigned>(std::countr_one(nodes >> first));
    done_[block] |= ~std::uint64_t{0} >> (kBlockNodes - run) << first;
    const std::uint32_t end = first_edges[first + run];
    for (std::uint32_t i = first_edges[first]; i < end; ++i)
      Mark(refs_[i], seen_.data());
  }
}

Status ReferenceGraph::Finish(std::uint64_t nodes) {
  const auto past_end = [] {
    return Status(Code::kInternal, "an edge or root points past the last node");
  };
  if (next_node_ > nodes || nodes_needed_ > nodes) return past_end();
  while (next_node_ < nodes) StartNode();
  if (next_node_ > 0) {
    EndNode();
    EndBlock();
  }
  if (nodes_needed_ > nodes) return past_end();
  char* const slack = edge_data_.Reserve(kSlack);
  std::fill(slack, slack + kSlack, '\0');
  edge_data_.Commit(slack + kSlack);
  seen_.resize((nodes + 63) / 64);
  done_.resize((nodes + 63) / 64);
  nodes_ = nodes;
  return status();
}

// ------------------------------------------------------------------ reading

ReferenceGraph::Piece ReferenceGraph::PieceAt(std::uint64_t offset) {
  const std::uint64_t rest = edge_data_.size() - offset;
  const std::string_view bytes = edge_data_.View(
      offset, std::min<std::uint64_t>(rest, kEdgeBytes * (kMaxPiece + 1)));
  if (bytes.empty()) return {.end = offset};  // status() says why
  const std::uint32_t head = ReadRef(bytes.data());
  const std::uint32_t count = head >> 1;
  return {bytes.data() + kEdgeBytes, count,
          offset + kEdgeBytes * (std::uint64_t{1} + count), (head & 1) == 0};
}

void ReferenceGraph::LoadBlock(std::uint64_t block) {
  if (block == block_) return;
  static constexpr std::array<char, kBlockNodes> kNone = {};
  block_ = block;
  block_counts_ = kNone.data();
  block_is_long_ = false;
  const std::uint64_t offset = block_offsets_[block];
  const std::uint64_t rest = edge_data_.size() - offset;
  const std::string_view head =
      edge_data_.View(offset, std::min<std::uint64_t>(rest, kShortHead));
  if (head.empty()) return;  // status() says why
  const auto form = static_cast<unsigned char>(head[0]);
  if ((form & kIsLong) != 0) return LoadLongBlock(offset + 1);
  const char* const counts = head.data() + 1;
  edge_size_ = form;
  edge_mask_ = ~std::uint32_t{0} >> (8 * (kEdgeBytes - edge_size_));
  const std::string_view edges = edge_data_.View(
      offset + kShortHead,
      std::size_t{edge_size_} * SumOfFirst(kBlockNodes, counts) + kSlack);
  if (edges.empty()) return;
  block_counts_ = counts;
  block_edges_ = edges.data();
}

void ReferenceGraph::LoadLongBlock(std::uint64_t offset) {
  block_is_long_ = true;
  const std::uint64_t end = edge_data_.size() - kSlack;
  for (std::uint64_t& node_offset : node_offsets_) {
    node_offset = offset;
    bool is_last = offset >= end;
    while (!is_last) {
      const Piece piece = PieceAt(offset);
      offset = piece.end;
      is_last = piece.is_last;
    }
  }
}

template <typename Visit>
void ReferenceGraph::ForEachLongEdge(std::uint64_t node, Visit&& visit) {
  std::uint64_t offset = node_offsets_[node % kBlockNodes];
  for (bool is_last = false; !is_last;) {
    const Piece piece = PieceAt(offset);
    for (std::uint32_t i = 0; i < piece.count; ++i)
      visit(ReadRef(piece.edges + kEdgeBytes * i));
    offset = piece.end;
    is_last = piece.is_last;
  }
}

// Calls visit(target + 1), or visit(0) for edges that hold nothing.
template <typename Visit>
void ReferenceGraph::ForEachEdge(std::uint64_t node, Visit&& visit) {
  LoadBlock(node / kBlockNodes);
  if (block_is_long_) [[unlikely]]
    return ForEachLongEdge(node, visit);
  const auto place = static_cast<unsigned>(node % kBlockNodes);
  auto left = static_cast<unsigned char>(block_counts_[place]);
  if (left == 0) return;
  const char* at =
      block_edges_ + std::size_t{edge_size_} * SumOfFirst(place, block_counts_);
  for (; left > 0; --left, at += edge_size_) visit(ReadRef(at) & edge_mask_);
}

template <typename Visit>
void ReferenceGraph::ForEachTarget(std::uint64_t node, Visit&& visit) {
  ForEachEdge(node, [&visit](std::uint32_t ref) {
    if (ref != 0) visit(std::uint64_t{ref} - 1);
  });
}

// Calls visit(node) for all nodes in the set, including those added meanwhile,
// beginning with those from `first` on.
template <typename Visit>
void ReferenceGraph::TakeAll(WorkSet* nodes, std::uint64_t first,
                             Visit&& visit) {
  std::uint64_t word = first / kBlockNodes;
  while (true) {
    std::uint64_t next = nodes->NextWord(word);
    if (next == WorkSet::kNone) next = nodes->NextWord(0);
    if (next == WorkSet::kNone) return;
    while (std::uint64_t bits = nodes->Take(next)) {
      for (; bits != 0; bits &= bits - 1)
        visit(next * kBlockNodes + WorkSet::Lowest(bits));
    }
    word = next + 1;
  }
}

// ------------------------------------------------------------- reachability

// Marks the targets of the block's `nodes`, given as a bit each.
void ReferenceGraph::MarkTargets(std::uint64_t block, std::uint64_t nodes,
                                 Bits* marked) {
  if (nodes == 0) return;
  const std::uint64_t first = block * kBlockNodes;
  LoadBlock(block);
  if (block_is_long_) [[unlikely]] {
    for (; nodes != 0; nodes &= nodes - 1) {
      ForEachLongEdge(
          first + WorkSet::Lowest(nodes),
          [marked](std::uint32_t ref) { Mark(ref, marked->data()); });
    }
    return;
  }
  // Adjacent nodes at once.
  while (nodes != 0) {
    const unsigned begin = WorkSet::Lowest(nodes);
    const unsigned end =
        begin + static_cast<unsigned>(std::countr_one(nodes >> begin));
    nodes &= end < kBlockNodes ? ~std::uint64_t{0} << end : 0;
    const std::uint32_t before = SumOfFirst(begin, block_counts_);
    const char* at = block_edges_ + std::size_t{edge_size_} * before;
    for (std::uint32_t left = SumOfFirst(end, block_counts_) - before; left > 0;
         --left, at += edge_size_)
      Mark(ReadRef(at) & edge_mask_, marked->data());
  }
}

// Goes over all nodes once, and marks what is reached by those that are in
// `*seen` but not in `*done`. Returns how many of these there were.
std::uint64_t ReferenceGraph::Sweep(Bits* seen, Bits* done) {
  std::uint64_t found = 0;
  for (std::uint64_t block = 0; block < seen->size(); ++block) {
    while (const std::uint64_t nodes = (*seen)[block] & ~(*done)[block]) {
      (*done)[block] |= nodes;
      found += static_cast<unsigned>(std::popcount(nodes));
      MarkTargets(block, nodes, seen);
    }
  }
  return found;
}

// Returns `seen` and all that it reaches. `seen` must include what the nodes in
// `done` refer to.
//
// Going over all nodes is worthwhile as long as that finds many, whatever the
// order of the heap; the rest is processed one by one.
ReferenceGraph::Bits ReferenceGraph::Spread(Bits seen, Bits done) {
  const std::uint64_t many = nodes_ / kBlockNodes / 4 + 1;
  while (Sweep(&seen, &done) >= many) continue;
  for (std::size_t i = 0; i < done.size(); ++i) done[i] = seen[i] & ~done[i];
  WorkSet waiting(std::move(done));
  ReachWaiting(0, &waiting, &seen);
  return seen;
}

// Adds everything that the waiting nodes reach.
void ReferenceGraph::ReachWaiting(std::uint64_t first, WorkSet* waiting,
                                  Bits* seen) {
  TakeAll(waiting, first, [this, waiting, seen](std::uint64_t node) {
    ForEachTarget(node, [waiting, seen](std::uint64_t target) {
      if (Has(target, *seen)) return;
      Add(target, seen);
      waiting->Add(target);
    });
  });
}

// Adds `from`, which is not in `*seen`, and all that it reaches, except for
// what is already there, and what is only reached through that.
void ReferenceGraph::Reach(std::uint64_t from, WorkSet* waiting, Bits* seen) {
  Add(from, seen);
  bool is_more = false;
  ForEachTarget(from, [waiting, seen, &is_more](std::uint64_t target) {
    if (Has(target, *seen)) return;
    Add(target, seen);
    waiting->Add(target);
    is_more = true;
  });
  if (is_more) ReachWaiting(from, waiting, seen);
}

RankBitmap ReferenceGraph::Reached() {
  RankBitmap reached(nodes_, Spread(std::move(seen_), std::move(done_)));
  reached.BuildRanks();
  return reached;
}

RankBitmap ReferenceGraph::EdgesOf(const RankBitmap& nodes) {
  RankBitmap edges(edges_);
  std::uint64_t edge = 0;
  for (std::uint64_t node = 0; node < nodes_; ++node) {
    const std::uint64_t first = edge;
    ForEachEdge(node, [&edge](std::uint32_t) { ++edge; });
    if (nodes.Has(node)) edges.AddRange(first, edge);
  }
  edges.BuildRanks();
  return edges;
}

// The targets of nodes that are not in `reached`.
ReferenceGraph::Bits ReferenceGraph::TargetsOfOthers(
    const RankBitmap& reached) {
  Bits targets(reached.words());
  for (std::uint64_t word = 0; word < reached.words(); ++word)
    MarkTargets(word, ~reached.word(word) & NodesOf(word), &targets);
  return targets;
}

// Nothing refers to most of these nodes, and most of the others are reached
// from them; what is left is groups that refer to themselves in a circle, and
// what they reach.
ReferenceGraph::Entries ReferenceGraph::EntryPoints(
    const RankBitmap& reached, std::uint32_t root_distance) {
  Bits held = TargetsOfOthers(reached);
  Bits seen(reached.words());
  Bits done(reached.words());
  Bits unheld(reached.words());
  for (std::uint64_t word = 0; word < reached.words(); ++word) {
    const std::uint64_t members = reached.word(word);
    unheld[word] = ~members & ~held[word] & NodesOf(word);
    seen[word] = members | unheld[word];
    done[word] = members;
    held[word] &= members;
  }
  Entries entries = {.nodes = RankBitmap(nodes_, std::move(unheld))};
  AddGroups(Spread(std::move(seen), std::move(done)), &entries.nodes);
  entries.nodes.BuildRanks();
  RankBitmap held_members(nodes_, std::move(held));
  held_members.BuildRanks();
  if (held_members.members() > 0) {
    entries.distance =
        EntryDistance(reached, held_members, entries.nodes, root_distance);
  }
  return entries;
}

// Adds the first node of each group of nodes that are not in `seen`, reach each
// other, and are not reached by any other such node.
//
// Going over the nodes in order and taking along all that they reach makes the
// first node of each such group a start, because only the group itself gets
// there. Other starts are reached by a later start: so going over the starts
// backwards, taking along again, leaves the ones that we look for.
void ReferenceGraph::AddGroups(Bits seen, RankBitmap* entries) {
  Bits starts(seen.size());
  WorkSet waiting(nodes_);
  Bits before = seen;
  for (std::uint64_t word = 0; word < seen.size(); ++word) {
    while (const std::uint64_t bits = ~seen[word] & NodesOf(word)) {
      const std::uint64_t node = word * 64 + WorkSet::Lowest(bits);
      Add(node, &starts);
      Reach(node, &waiting, &seen);
    }
  }
  seen = std::move(before);
  for (std::uint64_t word = starts.size(); word-- > 0;) {
    for (std::uint64_t bits = starts[word]; bits != 0;) {
      const unsigned bit = Highest(bits);
      bits ^= std::uint64_t{1} << bit;
      const std::uint64_t start = word * 64 + bit;
      if (Has(start, seen)) continue;
      entries->Add(start);
      Reach(start, &waiting, &seen);
    }
  }
}

// ---------------------------------------------------------------- distances

// Replaces `*level`, nodes at the same distance, with the next level: their
// targets that are not in `*seen`, to which it adds these. False if there are
// none. `*targets` is scratch space, and must have no members.
bool ReferenceGraph::GoOn(Bits* level, Bits* seen, Bits* targets) {
  for (std::uint64_t word = 0; word < level->size(); ++word)
    MarkTargets(word, (*level)[word], targets);
  std::uint64_t any = 0;
  for (std::uint64_t word = 0; word < level->size(); ++word) {
    const std::uint64_t next = (*targets)[word] & ~(*seen)[word];
    (*targets)[word] = 0;
    (*level)[word] = next;
    (*seen)[word] |= next;
    any |= next;
  }
  return any != 0;
}

// The distance of each of `nodes` from the root of all roots, by rank.
//
// There are so few distances that each of them may cost a pass over all nodes.
std::vector<std::uint8_t> ReferenceGraph::DistancesOf(
    const RankBitmap& nodes, std::uint32_t root_distance) {
  std::vector<std::uint8_t> distances(nodes.members(), kFarthest);
  Bits level(nodes.words());
  if (top_) Add(*top_, &level);
  Bits seen = level;
  Bits targets(nodes.words());
  std::uint64_t left = nodes.members();
  bool is_more = top_.has_value();
  for (std::uint8_t at = 1; at < kFarthest && left > 0; ++at) {
    if (at > 1) is_more = GoOn(&level, &seen, &targets);
    if (at == root_distance) {
      for (std::uint64_t word = 0; word < roots_.size(); ++word) {
        level[word] |= roots_[word] & ~seen[word];
        seen[word] |= roots_[word];
      }
    }
    if (at > root_distance && !is_more) break;
    for (std::uint64_t word = 0; word < level.size(); ++word) {
      for (std::uint64_t bits = level[word] & nodes.word(word); bits != 0;
           bits &= bits - 1) {
        distances[nodes.Rank(word * 64 + WorkSet::Lowest(bits))] = at;
        --left;
      }
    }
  }
  return distances;
}

// `held`: the nodes in `reached` that unreached nodes refer to.
std::uint32_t ReferenceGraph::EntryDistance(const RankBitmap& reached,
                                            const RankBitmap& held,
                                            const RankBitmap& entries,
                                            std::uint32_t root_distance) {
  const std::vector<std::uint8_t> distances = DistancesOf(held, root_distance);
  const int most = *std::max_element(distances.begin(), distances.end());
  Bits level(entries.words());
  for (std::uint64_t word = 0; word < entries.words(); ++word)
    level[word] = entries.word(word);
  Bits seen = level;
  Bits targets(entries.words());
  int farthest = 1;
  // What is reached later adds less: each node counts once, and the search ends
  // when it cannot find more.
  for (int at = 0; farthest < most - at - 1; ++at) {
    if (!GoOn(&level, &seen, &targets)) break;
    for (std::uint64_t word = 0; word < level.size(); ++word) {
      std::uint64_t bits = level[word] & reached.word(word);
      level[word] ^= bits;
      for (; bits != 0; bits &= bits - 1) {
        const std::uint64_t node = word * 64 + WorkSet::Lowest(bits);
        farthest = std::max(farthest, distances[held.Rank(node)] - at - 1);
      }
    }
  }
  return static_cast<std::uint32_t>(farthest);
}

}  // namespace heapglot
