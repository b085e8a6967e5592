// A set of numbers that can say how many of its members are below a number.
#ifndef HEAPGLOT_CORE_TRANSFORMS_RANK_BITMAP_H_
#define HEAPGLOT_CORE_TRANSFORMS_RANK_BITMAP_H_

#include <cstdint>
#include <vector>

namespace heapglot {

// A subset of 0 ... size - 1. Memory: 1.1 bits a number.
class RankBitmap {
 public:
  explicit RankBitmap(std::uint64_t size = 0)
      : size_(size), words_((size + 63) / 64) {}

  std::uint64_t size() const { return size_; }
  bool Has(std::uint64_t i) const {
    return ((words_[i / 64] >> (i % 64)) & 1) != 0;
  }
  void Add(std::uint64_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
  // Adds begin ... end - 1.
  void AddRange(std::uint64_t begin, std::uint64_t end) {
    for (; begin < end && begin % 64 != 0; ++begin) Add(begin);
    for (; begin + 64 <= end; begin += 64) words_[begin / 64] = ~kNone;
    for (; begin < end; ++begin) Add(begin);
  }

  // Members by the word: of 64 times `i` and up, the lowest bit first.
  std::uint64_t words() const { return words_.size(); }
  std::uint64_t word(std::uint64_t i) const { return words_[i]; }

  // To be called between the last Add() and the first Rank().
  void BuildRanks() {
    blocks_.clear();
    members_ = 0;
    for (std::size_t word = 0; word < words_.size(); ++word) {
      if (word % kBlockWords == 0) blocks_.push_back(members_);
      members_ += Count(words_[word]);
    }
  }
  // How many members are below `i`; `i` may be size().
  std::uint64_t Rank(std::uint64_t i) const {
    if (i >= size_) return members_;
    const std::size_t word = i / 64;
    std::size_t from = word / kBlockWords * kBlockWords;
    std::uint64_t rank = blocks_[word / kBlockWords];
    for (; from < word; ++from) rank += Count(words_[from]);
    return rank + Count(words_[word] & ~(~kNone << (i % 64)));
  }
  std::uint64_t members() const { return members_; }

 private:
  static constexpr std::uint64_t kNone = 0;
  static constexpr std::size_t kBlockWords = 8;
  // As std::popcount(), which is a call where the processor's instruction may
  // not be assumed.
  static unsigned Count(std::uint64_t word) {
    constexpr std::uint64_t kOnes = ~kNone;
    word -= word >> 1 & kOnes / 3;
    word = (word & kOnes / 5) + (word >> 2 & kOnes / 5);
    word = (word + (word >> 4)) & kOnes / 17;
    return static_cast<unsigned>(word * (kOnes / 255) >> 56);
  }

  std::uint64_t size_;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> blocks_;  // members before each block
  std::uint64_t members_ = 0;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TRANSFORMS_RANK_BITMAP_H_
