#include "core/transforms/reference_graph.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace heapglot {
namespace {

constexpr std::size_t kMaxEdgeMemory = std::size_t{8} << 20;

unsigned Highest(std::uint64_t bits) {
  return 63 - static_cast<unsigned>(std::countl_zero(bits));
}

// Little-endian groups of 7 bits; what we have written ourselves.
std::uint64_t ReadNumber(const char** at) {
  std::uint64_t number = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(*(*at)++);
    number |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return number;
  }
}

char* WriteNumber(std::uint64_t number, char* to) {
  for (; number >= 0x80; number >>= 7) *to++ = static_cast<char>(number | 0x80);
  *to++ = static_cast<char>(number);
  return to;
}

}  // namespace

ReferenceGraph::ReferenceGraph() : edge_data_(kMaxEdgeMemory) {}

// ------------------------------------------------------------------ filling

void ReferenceGraph::AddRoot(std::uint64_t node) {
  node = std::min(node, kMaxNodes);
  nodes_needed_ = std::max(nodes_needed_, node + 1);
  if (node == kMaxNodes) return;  // Finish() will say so
  if (node / 64 >= roots_.size()) roots_.resize(node / 64 + 1);
  roots_[node / 64] |= std::uint64_t{1} << (node % 64);
}

void ReferenceGraph::StartNode() {
  if (next_node_ > 0) EndPiece(true);
  if (next_node_ % kBlockNodes == 0)
    block_offsets_.push_back(edge_data_.size());
  ++next_node_;
}

void ReferenceGraph::AddNumber(std::uint64_t number) {
  if (piece_size_ >= kMaxPiece) EndPiece(false);
  char* const begin = piece_.data();
  const char* const end = WriteNumber(number, begin + piece_size_);
  piece_size_ = static_cast<std::size_t>(end - begin);
  ++edges_;
}

void ReferenceGraph::EndPiece(bool is_last) {
  char* to = edge_data_.Reserve(kMaxPieceHead);
  to = WriteNumber(piece_size_ << 1 | (is_last ? 0 : 1), to);
  edge_data_.Commit(to);
  edge_data_.Write({piece_.data(), piece_size_});
  piece_size_ = 0;
}

Status ReferenceGraph::Finish(std::uint64_t nodes) {
  if (top_) nodes_needed_ = std::max(nodes_needed_, *top_ + 1);
  if (next_node_ > nodes || nodes_needed_ > nodes) {
    return {Code::kInternal, "an edge or root points past the last node"};
  }
  BeginNode(nodes);
  roots_.resize((nodes + 63) / 64);
  waiting_ = WorkSet(nodes);
  nodes_ = nodes;
  return status();
}

// ------------------------------------------------------------------ reading

ReferenceGraph::Piece ReferenceGraph::PieceAt(std::uint64_t offset) {
  const std::uint64_t rest = edge_data_.size() - offset;
  const std::string_view bytes = edge_data_.View(
      offset,
      std::min<std::uint64_t>(rest, kMaxPieceHead + kMaxPiece + kMaxEdge));
  if (bytes.empty()) return {{}, offset, true};  // status() says why
  const char* at = bytes.data();
  const std::uint64_t head = ReadNumber(&at);
  const auto head_size = static_cast<std::size_t>(at - bytes.data());
  const auto size = static_cast<std::size_t>(head >> 1);
  return {{at, size}, offset + head_size + size, (head & 1) == 0};
}

void ReferenceGraph::LoadBlock(std::uint64_t block) {
  if (block == block_) return;
  block_ = block;
  std::uint64_t offset = block_offsets_[block];
  for (std::uint64_t& node_offset : node_offsets_) {
    node_offset = offset;
    bool is_last = offset >= edge_data_.size();
    while (!is_last) {
      const Piece piece = PieceAt(offset);
      offset = piece.end;
      is_last = piece.is_last;
    }
  }
}

// Calls visit(target + 1), and visit(0) for edges that hold nothing.
template <typename Visit>
void ReferenceGraph::ForEachEdge(std::uint64_t node, Visit&& visit) {
  LoadBlock(node / kBlockNodes);
  std::uint64_t offset = node_offsets_[node % kBlockNodes];
  for (bool is_last = false; !is_last;) {
    const Piece piece = PieceAt(offset);
    const char* at = piece.edges.data();
    const char* const end = at + piece.edges.size();
    while (at < end) {
      const std::uint64_t number = ReadNumber(&at);
      const std::uint64_t distance = (number - 1) >> 1;
      if (number == kNoTarget)
        visit(0);
      else
        visit((number & 1) != 0 ? node - distance + 1 : node + distance + 2);
    }
    offset = piece.end;
    is_last = piece.is_last;
  }
}

template <typename Visit>
void ReferenceGraph::ForEachTarget(std::uint64_t node, Visit&& visit) {
  ForEachEdge(node, [&visit](std::uint64_t target_ref) {
    if (target_ref != 0) visit(target_ref - 1);
  });
}

// Calls visit(node) for all that are there or are added meanwhile; those from
// `first` on have the first turn.
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

// Adds all that is waiting to be gone through reaches.
void ReferenceGraph::ReachWaiting(std::uint64_t first, RankBitmap* seen) {
  TakeAll(&waiting_, first, [this, seen](std::uint64_t node) {
    ForEachTarget(node, [this, seen](std::uint64_t target) {
      if (seen->Has(target)) return;
      seen->Add(target);
      waiting_.Add(target);
    });
  });
}

// Adds `from` and all that it reaches, but for what is there already, and what
// only that reaches.
void ReferenceGraph::Reach(std::uint64_t from, RankBitmap* seen) {
  if (seen->Has(from)) return;
  seen->Add(from);
  waiting_.Add(from);
  ReachWaiting(from, seen);
}

RankBitmap ReferenceGraph::Reached() {
  RankBitmap reached(nodes_);
  const auto add = [this, &reached](std::uint64_t node) {
    reached.Add(node);
    waiting_.Add(node);
  };
  if (top_) add(*top_);
  for (std::uint64_t word = 0; word < roots_.size(); ++word) {
    for (std::uint64_t bits = roots_[word]; bits != 0; bits &= bits - 1)
      add(word * 64 + WorkSet::Lowest(bits));
  }
  ReachWaiting(0, &reached);
  reached.BuildRanks();
  return reached;
}

RankBitmap ReferenceGraph::EdgesOf(const RankBitmap& nodes) {
  RankBitmap edges(edges_);
  std::uint64_t edge = 0;
  for (std::uint64_t node = 0; node < nodes_; ++node) {
    const std::uint64_t first = edge;
    ForEachEdge(node, [&edge](std::uint64_t) { ++edge; });
    if (nodes.Has(node)) edges.AddRange(first, edge);
  }
  edges.BuildRanks();
  return edges;
}

// Going over the nodes in order and taking along all that they reach makes a
// start of the first node of each such group, for nothing but the group gets
// there. Other starts are reached by a later start: so going over the starts
// backwards, taking along again, leaves the ones that we look for.
RankBitmap ReferenceGraph::EntryPoints(const RankBitmap& reached) {
  RankBitmap starts(nodes_);
  RankBitmap seen = reached;
  for (std::uint64_t node = 0; node < nodes_; ++node) {
    if (seen.Has(node)) continue;
    starts.Add(node);
    Reach(node, &seen);
  }
  seen = reached;
  RankBitmap entries(nodes_);
  for (std::uint64_t word = starts.words(); word-- > 0;) {
    for (std::uint64_t bits = starts.word(word); bits != 0;) {
      const unsigned bit = Highest(bits);
      bits ^= std::uint64_t{1} << bit;
      const std::uint64_t start = word * 64 + bit;
      if (seen.Has(start)) continue;
      entries.Add(start);
      Reach(start, &seen);
    }
  }
  entries.BuildRanks();
  return entries;
}

// ---------------------------------------------------------------- distances

// Breadth-first from `level`, which is `at` far, but not into `outside`: sets
// distances that get shorter by that.
void ReferenceGraph::SetDistances(WorkSet level, std::uint8_t at,
                                  const RankBitmap* outside,
                                  std::vector<std::uint8_t>* distance) {
  WorkSet next(nodes_);
  while (level.NextWord(0) != WorkSet::kNone && ++at < kFarthest) {
    TakeAll(&level, 0, [&](std::uint64_t node) {
      ForEachTarget(node, [&](std::uint64_t target) {
        if ((*distance)[target] <= at) return;
        if (outside != nullptr && outside->Has(target)) return;
        (*distance)[target] = at;
        next.Add(target);
      });
    });
    std::swap(level, next);
  }
}

std::uint32_t ReferenceGraph::EntryDistance(const RankBitmap& reached,
                                            const RankBitmap& entries,
                                            std::uint32_t root_distance) {
  std::vector<std::uint8_t> distance(nodes_, kFarthest);
  WorkSet level(nodes_);
  const auto start = [&](std::uint64_t word, std::uint64_t bits,
                         std::uint8_t at) {
    for (; bits != 0; bits &= bits - 1) {
      const std::uint64_t node = word * 64 + WorkSet::Lowest(bits);
      if (distance[node] <= at) continue;
      distance[node] = at;
      level.Add(node);
    }
  };
  if (top_) {
    start(*top_ / 64, std::uint64_t{1} << (*top_ % 64), 1);
    SetDistances(std::exchange(level, WorkSet(nodes_)), 1, nullptr, &distance);
  }
  const auto roots_at = static_cast<std::uint8_t>(root_distance);
  for (std::uint64_t word = 0; word < roots_.size(); ++word)
    start(word, roots_[word], roots_at);
  SetDistances(std::exchange(level, WorkSet(nodes_)), roots_at, nullptr,
               &distance);
  // The others are not reached from there, so that both fit into one table.
  for (std::uint64_t word = 0; word < entries.words(); ++word)
    start(word, entries.word(word), 0);
  SetDistances(std::move(level), 0, &reached, &distance);

  int farthest = 1;
  for (std::uint64_t node = 0; node < nodes_; ++node) {
    if (reached.Has(node)) continue;
    ForEachTarget(node, [&](std::uint64_t target) {
      if (reached.Has(target))
        farthest = std::max(farthest, distance[target] - distance[node] - 1);
    });
  }
  return static_cast<std::uint32_t>(farthest);
}

}  // namespace heapglot
