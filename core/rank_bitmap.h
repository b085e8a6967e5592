// A set of numbers that can tell how many of its members are below a number.
#ifndef HEAPGLOT_CORE_RANK_BITMAP_H_
#define HEAPGLOT_CORE_RANK_BITMAP_H_

#include <cstdint>
#include <utility>
#include <vector>

namespace heapglot {

// A subset of 0 ... size - 1. Memory: 1.25 bits a number.
// (Ranks as in S. Vigna, "Broadword implementation of rank/select queries":
// within a block there is no loop, whose end would be unpredictable.)
class RankBitmap {
 public:
  explicit RankBitmap(std::uint64_t size = 0)
      : size_(size), words_((size + 63) / 64) {}
  // With the members in `words`, as word() returns them; none is `size` or
  // more.
  RankBitmap(std::uint64_t size, std::vector<std::uint64_t> words)
      : size_(size), words_(std::move(words)) {}

  std::uint64_t size() const { return size_; }
  // Appends numbers that are not members, or removes the last ones, none of
  // which may be a member.
  void Resize(std::uint64_t size) {
    size_ = size;
    words_.resize((size + 63) / 64);
  }
  bool Has(std::uint64_t i) const {
    return ((words_[i / 64] >> (i % 64)) & 1) != 0;
  }
  void Add(std::uint64_t i) { AddIf(true, i); }
  // Without a branch.
  void AddIf(bool condition, std::uint64_t i) {
    words_[i / 64] |= std::uint64_t{condition} << (i % 64);
  }
  void Remove(std::uint64_t i) {
    words_[i / 64] &= ~(std::uint64_t{1} << (i % 64));
  }
  // Adds begin ... end - 1.
  void AddRange(std::uint64_t begin, std::uint64_t end) {
    for (; begin < end && begin % 64 != 0; ++begin) Add(begin);
    for (; begin + 64 <= end; begin += 64) words_[begin / 64] = ~kNone;
    for (; begin < end; ++begin) Add(begin);
  }

  // The members as words: bit b of word(i) is for the number 64 * i + b.
  std::uint64_t words() const { return words_.size(); }
  std::uint64_t word(std::uint64_t i) const { return words_[i]; }

  // Call this between the last change and the first Rank().
  void BuildRanks() {
    blocks_.assign((words_.size() + kBlockWords - 1) / kBlockWords, {});
    members_ = 0;
    for (std::size_t word = 0; word < words_.size(); ++word) {
      Block& block = blocks_[word / kBlockWords];
      if (word % kBlockWords == 0) block.before = members_;
      block.within |= (members_ - block.before) << ShiftOf(word);
      members_ += Count(words_[word]);
    }
  }
  // How many members are below `i`; `i` may be size().
  std::uint64_t Rank(std::uint64_t i) const {
    if (i >= size_) return members_;
    const std::size_t word = i / 64;
    const Block block = blocks_[word / kBlockWords];
    return block.before + (block.within >> ShiftOf(word) & kWithinMask) +
           Count(words_[word] & ~(~kNone << (i % 64)));
  }
  // How many members there are, as of BuildRanks().
  std::uint64_t members() const { return members_; }
  // For vector code that does what Rank() does. A block is kBlockWords words:
  // `before` is the number of members before it; `within` has, in kWithinBits
  // bits each for the second word and those after it, the members in the block
  // before that word.
  static constexpr unsigned kBlockWords = 8;
  static constexpr unsigned kWithinBits = 9;
  struct Block {
    std::uint64_t before = 0;
    std::uint64_t within = 0;
  };
  const Block* blocks() const { return blocks_.data(); }
  const std::uint64_t* word_data() const { return words_.data(); }

  // Prefetches the memory of Has(i) and Rank(i), i < size().
  void Prefetch(std::uint64_t i) const {
    __builtin_prefetch(&words_[i / 64]);
    __builtin_prefetch(&blocks_[i / 64 / kBlockWords]);
  }

 private:
  static constexpr std::uint64_t kNone = 0;
  static constexpr std::uint64_t kWithinMask = (1 << kWithinBits) - 1;
  // For the first word, this is the top bit, which is 0.
  static unsigned ShiftOf(std::size_t word) {
    return static_cast<unsigned>((word + kBlockWords - 1) % kBlockWords) *
           kWithinBits;
  }
  // Like std::popcount(), which is a function call where the processor's
  // instruction cannot be assumed.
  static unsigned Count(std::uint64_t word) {
    constexpr std::uint64_t kOnes = ~kNone;
    word -= word >> 1 & kOnes / 3;
    word = (word & kOnes / 5) + (word >> 2 & kOnes / 5);
    word = (word + (word >> 4)) & kOnes / 17;
    return static_cast<unsigned>(word * (kOnes / 255) >> 56);
  }

  std::uint64_t size_;
  std::vector<std::uint64_t> words_;
  std::vector<Block> blocks_;
  std::uint64_t members_ = 0;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_RANK_BITMAP_H_
