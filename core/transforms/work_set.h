// A set of numbers to process, where processing one adds others.
#ifndef HEAPGLOT_CORE_TRANSFORMS_WORK_SET_H_
#define HEAPGLOT_CORE_TRANSFORMS_WORK_SET_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace heapglot {

// A subset of 0 ... size - 1. Words of 64 members are found through summaries,
// which have a bit for each word with members, and have summaries themselves:
// so the time for adding and finding does not grow with the numbers, wherever
// the members are. Memory: 1.02 bits per number.
class WorkSet {
 public:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  explicit WorkSet(std::uint64_t size = 0)
      : WorkSet(std::vector<std::uint64_t>((size + 63) / 64)) {}
  // With members: a bit for each, the lowest one first.
  explicit WorkSet(std::vector<std::uint64_t> words) {
    levels_.push_back(std::move(words));
    do {
      const std::vector<std::uint64_t>& below = levels_.back();
      std::vector<std::uint64_t> summary((below.size() + 63) / 64);
      for (std::size_t i = 0; i < below.size(); ++i)
        summary[i / 64] |= std::uint64_t{below[i] != 0} << (i % 64);
      levels_.push_back(std::move(summary));
    } while (levels_.back().size() > 1);
    if (levels_.back().empty()) levels_.back().resize(1);
  }

  void Add(std::uint64_t i) {
    for (std::vector<std::uint64_t>& level : levels_) {
      std::uint64_t& word = level[i / 64];
      const bool is_known = word != 0;
      word |= std::uint64_t{1} << (i % 64);
      if (is_known) return;
      i /= 64;
    }
  }

  // The first word from `word` on that has members, which begin at 64 times
  // that word; kNone if there is none.
  std::uint64_t NextWord(std::uint64_t word) const {
    for (std::size_t level = 1; level < levels_.size(); ++level) {
      if (word / 64 >= levels_[level].size()) return kNone;
      const std::uint64_t bits = levels_[level][word / 64] & ~std::uint64_t{0}
                                                                 << (word % 64);
      if (bits != 0) return Descend(level, word / 64 * 64 + Lowest(bits));
      word = word / 64 + 1;
    }
    return kNone;
  }

  // Removes all members of `word`, and returns them: a bit for each, the lowest
  // one first.
  std::uint64_t Take(std::uint64_t word) {
    const std::uint64_t bits = levels_[0][word];
    levels_[0][word] = 0;
    for (std::size_t level = 1; level < levels_.size(); ++level) {
      std::uint64_t& summary = levels_[level][word / 64];
      summary &= ~(std::uint64_t{1} << (word % 64));
      if (summary != 0) break;
      word /= 64;
    }
    return bits;
  }

  // The index of the lowest bit.
  static unsigned Lowest(std::uint64_t bits) {
    return static_cast<unsigned>(std::countr_zero(bits));
  }

 private:
  std::uint64_t Descend(std::size_t level, std::uint64_t word) const {
    while (--level > 0) word = word * 64 + Lowest(levels_[level][word]);
    return word;
  }

  std::vector<std::vector<std::uint64_t>> levels_;  // members, summaries
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TRANSFORMS_WORK_SET_H_
