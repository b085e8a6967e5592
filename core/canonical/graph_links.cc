#include "core/canonical/graph_links.h"

#include <algorithm>
#include <array>

#include "core/canonical/hash_rows.h"

namespace heapglot {
namespace {

// Links that are hashed together, so that what they need stays in the cache.
constexpr std::size_t kLinksAtOnce = 128;

// Prefetches the signatures of nodes. They may be anywhere, and arrive while
// others are hashed.
void Prefetch(std::span<const std::uint32_t> nodes, const Hash128* signatures) {
  for (const std::uint32_t node : nodes) __builtin_prefetch(&signatures[node]);
}

}  // namespace

void GraphLinks::Block::Reserve(std::size_t links) {
  label_of.reserve(links);
  to.reserve(links);
  runs.reserve(links);
}

void GraphLinks::Expect(std::uint64_t links) {
  if (!blocks_.empty()) return;
  blocks_.emplace_back().Reserve(std::min<std::uint64_t>(links, Block::kLinks));
}

void GraphLinks::Add(std::span<const std::uint64_t> labels,
                     const std::uint32_t* from, const std::uint32_t* to) {
  while (!labels.empty()) {
    if (blocks_.empty() || blocks_.back().room() == 0) {
      const std::size_t expected = blocks_.empty() ? 0 : Block::kLinks;
      blocks_.emplace_back().Reserve(expected);
    }
    Block& block = blocks_.back();
    const std::size_t rows = std::min(labels.size(), block.room());
    const std::uint32_t last = std::max(*std::max_element(from, from + rows),
                                        *std::max_element(to, to + rows));
    node_limit_ = std::max(node_limit_, std::uint64_t{last} + 1);
    AddToBlock(labels.first(rows), from, to, &block);
    labels = labels.subspan(rows);
    from += rows;
    to += rows;
  }
}

void GraphLinks::AddToBlock(std::span<const std::uint64_t> labels,
                            const std::uint32_t* from, const std::uint32_t* to,
                            Block* block) {
  const std::size_t rows = labels.size();
  const std::size_t first = block->size();
  AddLabels(labels, block);
  block->to.insert(block->to.end(), to, to + rows);
  // Where a run ends is unpredictable, so there is no branch: each link is the
  // last of its run until another one takes its place.
  std::vector<Run>& runs = block->runs;
  const bool goes_on = !runs.empty() && runs.back().from == from[0];
  const std::size_t first_run = runs.size() - (goes_on ? 1 : 0);
  runs.resize(runs.size() + rows);
  Run* run = &runs[first_run];
  for (std::size_t i = 0; i < rows; ++i) {
    run += i != 0 && from[i] != from[i - 1] ? 1 : 0;
    *run = {from[i], static_cast<std::uint32_t>(first + i + 1)};
  }
  runs.resize(static_cast<std::size_t>(run - runs.data()) + 1);
}

void GraphLinks::AddLabels(std::span<const std::uint64_t> labels,
                           Block* block) {
  const std::size_t first = block->label_of.size();
  std::size_t count = block->labels.size();
  block->labels.resize(count + labels.size());
  block->label_of.resize(first + labels.size());
  std::uint64_t* const known = block->labels.data();
  std::uint32_t* const label_of = &block->label_of[first];
  for (std::size_t i = 0; i < labels.size(); ++i) {
    // The index may be one of the block before.
    std::uint32_t& index = last_labels_.At(labels[i]);
    if (index >= count || known[index] != labels[i]) {
      index = static_cast<std::uint32_t>(count);
      known[count++] = labels[i];
    }
    label_of[i] = index;
  }
  block->labels.resize(count);
}

void GraphLinks::AddHashes(std::span<const Hash128> signatures,
                           Hash128* sums) const {
  for (const Block& block : blocks_)
    AddHashesOf(block, 0, block.runs.size(), signatures, sums);
}

bool GraphLinks::AreInOrder() const {
  std::uint32_t last = 0;
  for (const Block& block : blocks_) {
    for (const Run& run : block.runs) {
      if (run.from < last) return false;
      last = run.from;
    }
  }
  return true;
}

void GraphLinks::AddHashes(std::uint32_t first, std::uint32_t end,
                           std::span<const Hash128> signatures,
                           Hash128* sums) const {
  const auto is_before = [](const Run& run, std::uint32_t node) {
    return run.from < node;
  };
  // A node may have links in several blocks.
  for (const Block& block : blocks_) {
    if (block.runs.empty() || block.runs.back().from < first) continue;
    if (block.runs.front().from >= end) break;
    const auto begin = block.runs.begin();
    const auto from =
        std::lower_bound(begin, block.runs.end(), first, is_before);
    const auto to = std::lower_bound(from, block.runs.end(), end, is_before);
    AddHashesOf(block, static_cast<std::size_t>(from - begin),
                static_cast<std::size_t>(to - begin), signatures, sums);
  }
}

void GraphLinks::AddHashesOf(const Block& block, std::size_t first,
                             std::size_t end,
                             std::span<const Hash128> signatures,
                             Hash128* sums) {
  if (first == end) return;
  std::array<Hash128, kLinksAtOnce> hashes;
  std::array<std::uint64_t, kLinksAtOnce> labels;
  // Of all links so far, and of those up to the last run. Adding to the sum of
  // a node link by link would have to wait for each addition.
  Hash128 total;
  Hash128 before;
  const Run* run = &block.runs[first];
  const Run* const last_run = run + (end - first);
  const std::span<const std::uint32_t> to = block.to;
  const std::size_t last = last_run[-1].end;
  for (std::size_t at = first == 0 ? 0 : run[-1].end; at < last;) {
    const std::size_t rows = std::min(kLinksAtOnce, last - at);
    const std::size_t next = at + rows;
    Prefetch(to.subspan(next, std::min(kLinksAtOnce, block.size() - next)),
             signatures.data());
    for (std::size_t i = 0; i < rows; ++i)
      labels[i] = block.labels[block.label_of[at + i]];
    HashPlaces({labels.data(), rows}, &to[at], signatures.data(),
               hashes.data());
    for (std::size_t i = 0; i < rows; ++i) hashes[i] = total += hashes[i];
    for (; run != last_run && run->end <= next; ++run) {
      const Hash128& sum = hashes[run->end - at - 1];
      sums[run->from] += sum - before;
      before = sum;
    }
    at = next;
  }
}

}  // namespace heapglot
