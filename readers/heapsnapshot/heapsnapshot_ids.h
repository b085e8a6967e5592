// Whether an id comes twice.
#ifndef HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_IDS_H_
#define HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_IDS_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace heapglot::heapsnapshot {

// A set of ids, exact as long as nearly all are small: V8 counts them up, so that
// a bitmap is one or two bits a node, and gives others to what is not of its heap.
// Addresses (Julia) are too far apart; for them SortedIds is to be used when all
// are known. Memory: up to 8.5 MiB.
class IdBitmap {
 public:
  // False if `id` is in the set already.
  bool Add(std::uint64_t id) {
    is_increasing_ = is_increasing_ && (is_empty_ || id > last_);
    is_empty_ = false;
    last_ = id;
    if (id >= kMaxIds) [[unlikely]] {
      AddFar(id);
      return true;
    }
    const std::size_t word = id / 64;
    if (word >= words_.size())
      words_.resize(std::min<std::size_t>(word * 2 + 64, kMaxIds / 64));
    const std::uint64_t bit = std::uint64_t{1} << (id % 64);
    const bool is_new = (words_[word] & bit) == 0;
    words_[word] |= bit;
    return is_new;
  }
  // Whether Add() has seen all duplicates that there were.
  bool is_exact() const {
    return is_increasing_ || (is_complete_ && !HasFarDuplicate());
  }

 private:
  static constexpr std::uint64_t kMaxIds = std::uint64_t{1} << 26;
  static constexpr std::size_t kMaxFar = std::size_t{1} << 16;

  void AddFar(std::uint64_t id) {
    if (far_.size() < kMaxFar)
      far_.push_back(id);
    else
      is_complete_ = false;
  }
  bool HasFarDuplicate() const {
    std::vector<std::uint64_t> sorted = far_;
    std::sort(sorted.begin(), sorted.end());
    return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
  }

  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> far_;  // those that are not small
  bool is_complete_ = true;
  bool is_increasing_ = true;
  bool is_empty_ = true;
  std::uint64_t last_ = 0;
};

// Finds an id that comes twice among any ids. Memory: 16 bytes an id.
class SortedIds {
 public:
  void Add(std::uint64_t id) {
    ids_.push_back(id);
    greatest_ = std::max(greatest_, id);
  }
  // The least one.
  std::optional<std::uint64_t> FindDuplicate() {
    // What is V8's own: a bit for each takes a tenth of the time.
    if (greatest_ / 64 < ids_.size() && !HasDuplicate()) return std::nullopt;
    std::sort(ids_.begin(), ids_.end());
    const auto twice = std::adjacent_find(ids_.begin(), ids_.end());
    return twice == ids_.end() ? std::nullopt : std::optional(*twice);
  }

 private:
  bool HasDuplicate() const {
    std::vector<std::uint64_t> bits(greatest_ / 64 + 1);
    for (const std::uint64_t id : ids_) {
      std::uint64_t& word = bits[id / 64];
      const std::uint64_t bit = std::uint64_t{1} << (id % 64);
      if ((word & bit) != 0) return true;
      word |= bit;
    }
    return false;
  }

  std::vector<std::uint64_t> ids_;
  std::uint64_t greatest_ = 0;
};

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_IDS_H_
