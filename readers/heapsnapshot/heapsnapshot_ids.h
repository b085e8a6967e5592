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
  // Adds `rows` ids that are `step` numbers apart, up to the first one that is
  // in the set already. Returns how many it has added.
  std::size_t AddColumn(const std::uint64_t* first, std::size_t step,
                        std::size_t rows) {
    std::uint64_t* words = words_.data();
    std::uint64_t limit = words_.size() * 64;
    std::uint64_t after = after_;
    bool is_increasing = is_increasing_;
    std::size_t row = 0;
    for (; row < rows; ++row, first += step) {
      const std::uint64_t id = *first;
      // Not so behind the highest of all, either.
      is_increasing &= id + 1 > after;
      after = id + 1;
      if (id >= limit) [[unlikely]] {
        if (id >= kMaxIds) {
          AddFar(id);
          continue;
        }
        words_.resize(std::min<std::size_t>(id / 64 * 2 + 64, kMaxIds / 64));
        words = words_.data();
        limit = words_.size() * 64;
      }
      const std::uint64_t bit = std::uint64_t{1} << (id % 64);
      const std::uint64_t before = words[id / 64];
      if ((before & bit) != 0) [[unlikely]]
        break;
      words[id / 64] = before | bit;
    }
    after_ = after;
    is_increasing_ = is_increasing;
    return row;
  }
  // False if `id` is in the set already.
  bool Add(std::uint64_t id) { return AddColumn(&id, 1, 1) == 1; }
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
  std::uint64_t after_ = 0;  // the last one, and 1
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
