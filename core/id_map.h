// Maps the ids that a file gives its records to their positions.
#ifndef HEAPGLOT_CORE_ID_MAP_H_
#define HEAPGLOT_CORE_ID_MAP_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "core/rank_bitmap.h"

namespace heapglot {

// A summary of ids that lets HasAll() tell whether all of them were added.
struct IdRange {
  std::uint64_t least = ~std::uint64_t{0};
  std::uint64_t greatest = 0;
  std::uint64_t bits_of_any = 0;
  std::uint64_t bits_of_all = ~std::uint64_t{0};

  void Add(std::uint64_t id) {
    least = std::min(least, id);
    greatest = std::max(greatest, id);
    bits_of_any |= id;
    bits_of_all &= id;
  }
  bool empty() const { return least > greatest; }
};

// Built once: Add() every id in order, Finish(), then Find() as often as
// needed. Nothing is hashed, so no choice of ids makes it slow: it takes at
// most n log n to build and log n to find.
//
// Of two records with the same id, the first counts. Numbering says whether the
// others take up an index.
//
// Memory while building: nothing as long as the ids are an arithmetic
// progression (as those of a program that counts its records), otherwise 8
// bytes an id. Afterwards:
//   - an arithmetic progression: nothing
//   - ids that ascend without wide gaps: 1.1 bits for each step from the least
//     to the greatest, at most 4.5 bytes an id
//   - at most a million ids, on at least half of the steps between them:
//     8 bytes an id
//   - others that ascend, or whose count of steps leaves room for the index in
//     64 bits (addresses of a process do): 8.5 bytes an id
//   - any others: 12.5 bytes an id
// A step is the greatest power of two that divides all distances.
class IdMap {
 public:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  // The most ids that it takes.
  static constexpr std::uint64_t kMaxIds = ~std::uint32_t{0};

  enum class Numbering : std::uint8_t {
    kDistinct,  // an index is the number of distinct ids added before
    kAll,       // an index is the number of ids added before
  };

  // An id that was added before.
  struct Duplicate {
    std::uint32_t ordinal;      // number of Add() calls before this one
    std::uint32_t first_index;  // of the one that counts
  };

  explicit IdMap(Numbering numbering = Numbering::kDistinct)
      : numbering_(numbering) {}

  // At most kMaxIds times, and not after Finish(). Throws std::bad_alloc.
  void Add(std::uint64_t id) {
    if (stored_ == capacity_) [[unlikely]] {
      AddSlowly(id);
      return;
    }
    entries_.get()[stored_++] = id;
  }
  std::uint64_t added() const { return is_progression_ ? count_ : stored_; }

  void Finish();

  // Valid after Finish().

  // Distinct ids.
  std::uint64_t size() const { return size_; }
  // By ordinal.
  const std::vector<Duplicate>& duplicates() const { return duplicates_; }
  // The index of `id`; kNone if it was not added.
  [[gnu::always_inline]] std::uint64_t Find(std::uint64_t id) const {
    const std::uint64_t distance = id - base_;
    const std::uint64_t key = distance >> shift_;
    if (key > max_key_ || key << shift_ != distance) return kNone;
    if (form_ == Form::kCount) [[likely]]
      return key;
    return FindKey(key);
  }
  // Prefetches the memory that Find(id) reads first.
  void Prefetch(std::uint64_t id) const {
    const std::uint64_t key = (id - base_) >> shift_;
    if (key > max_key_) return;
    if (form_ == Form::kBitmap) {
      bitmap_.Prefetch(key);
    } else if (!buckets_.empty()) {
      __builtin_prefetch(
          &buckets_[form_ == Form::kTable ? key : key >> bucket_shift_]);
    }
  }
  // Whether all ids summarized by `ids` were added. False may also mean that
  // this cannot be told without looking up each of them.
  bool HasAll(const IdRange& ids) const;

 private:
  enum class Form : std::uint8_t {
    kEmpty,
    kCount,     // the key is the index
    kSteps,     // the key is `odd_step_` times the index
    kTable,     // buckets_ has indices by key
    kBitmap,    // the index is the number of keys below
    kSorted,    // entries_ are the keys, which ascend: the rank is the ordinal
    kPacked,    // the same, with the ordinal in the lower bits
    kPermuted,  // entries_ are keys by ordinal, order_ ordinals by rank
  };
  static constexpr std::uint32_t kNothing = ~std::uint32_t{0};
  struct Free {
    void operator()(std::uint64_t* memory) const { std::free(memory); }
  };

  void AddSlowly(std::uint64_t id);
  bool GoesOn(std::uint64_t id) const;
  void LeaveProgression();
  void Grow();
  void FinishProgression();
  void MakeKeys();
  void Sort();
  void Pack(int index_bits);
  void Permute();
  void TakeOutDuplicates();
  bool MakeBitmap();
  bool MakeTable();
  void MakeBuckets();
  std::uint64_t KeyAt(std::uint64_t rank) const;
  std::uint64_t OrdinalAt(std::uint64_t rank) const;
  std::uint64_t IndexOf(std::uint64_t ordinal) const;
  std::uint64_t FindKey(std::uint64_t key) const {
    if (form_ == Form::kBitmap)
      return bitmap_.Has(key) ? bitmap_.Rank(key) : kNone;
    if (form_ == Form::kTable) {
      const std::uint32_t index = buckets_[key];
      return index == kNothing ? kNone : index;
    }
    return form_ == Form::kSteps ? FindStep(key) : FindEntry(key);
  }
  std::uint64_t FindStep(std::uint64_t key) const;
  std::uint64_t FindEntry(std::uint64_t key) const;

  Numbering numbering_;
  Form form_ = Form::kEmpty;

  // While the ids are a progression, which has no entries: how many there are,
  // the last one, and the distance between two.
  bool is_progression_ = true;
  std::uint64_t count_ = 0;
  std::uint64_t last_ = 0;
  std::uint64_t step_ = 0;

  // Ids; after Finish(), what `form_` says. Grown by realloc(), which moves
  // pages instead of copying; growing a vector would take twice the memory.
  std::unique_ptr<std::uint64_t, Free> entries_;
  std::size_t capacity_ = 0;
  std::size_t stored_ = 0;

  std::uint64_t size_ = 0;
  // The key of an id is (id - base_) >> shift_. Only `form_` tells that there
  // are no keys.
  std::uint64_t base_ = 0;
  unsigned shift_ = 0;
  std::uint64_t max_key_ = 0;
  std::uint64_t odd_step_ = 1;
  std::vector<Duplicate> duplicates_;

  RankBitmap bitmap_;
  int index_bits_ = 0;
  std::vector<std::uint32_t> order_;
  // The rank of the first key with these upper bits. In a table, the index.
  std::vector<std::uint32_t> buckets_;
  unsigned bucket_shift_ = 0;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_ID_MAP_H_
