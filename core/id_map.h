// From the ids that a file gives its records to their positions.
#ifndef HEAPGLOT_CORE_ID_MAP_H_
#define HEAPGLOT_CORE_ID_MAP_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "core/transforms/rank_bitmap.h"

namespace heapglot {

// Built once: Add() every id in order, Finish(), then Find() as often as it
// takes. Nothing is hashed, so no choice of ids makes it slow: time is at most
// n log n to build and log n to find.
//
// The index of an id is the number of distinct ids that were added before it:
// of two records with one id the first counts, and the other takes no index.
//
// Memory while building: 8 bytes an id. Afterwards:
//   - ids that ascend without wide gaps: 1.1 bits for each step from the least
//     to the greatest, at most 4.5 bytes an id
//   - a million at most, half of all numbers between them: 8 bytes an id
//   - any others: 8.5 bytes an id
//   - ids spread over 2^32 steps and more: 16 bytes an id
// A step is the greatest power of two that divides all distances.
class IdMap {
 public:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  // Most ids that it takes.
  static constexpr std::uint64_t kMaxIds = ~std::uint32_t{0};

  // An id that was there before.
  struct Duplicate {
    std::uint32_t ordinal;      // Add() calls before this one
    std::uint32_t first_index;  // of the one that counts
  };

  // Not after Finish(). At most kMaxIds times. Throws std::bad_alloc.
  void Add(std::uint64_t id) {
    if (added_ == capacity_) [[unlikely]]
      Grow();
    entries_.get()[added_++] = id;
  }
  std::uint64_t added() const { return added_; }

  void Finish();

  // Valid after Finish().

  // Distinct ids.
  std::uint64_t size() const { return size_; }
  // By ordinal.
  const std::vector<Duplicate>& duplicates() const { return duplicates_; }
  // The index of `id`; kNone if it was not added.
  std::uint64_t Find(std::uint64_t id) const {
    const std::uint64_t distance = id - base_;
    const std::uint64_t key = distance >> shift_;
    if (key > max_key_ || key << shift_ != distance) return kNone;
    if (form_ == Form::kTable) {
      const std::uint32_t index = buckets_[key];
      return index == kNothing ? kNone : index;
    }
    if (form_ == Form::kBitmap) [[likely]]
      return bitmap_.Has(key) ? bitmap_.Rank(key) : kNone;
    return form_ == Form::kSorted ? FindSorted(key) : FindWide(key);
  }

 private:
  enum class Form { kEmpty, kTable, kBitmap, kSorted, kWide };
  static constexpr std::uint32_t kNothing = ~std::uint32_t{0};
  struct WideEntry {
    std::uint64_t key;
    std::uint32_t index;
  };
  struct Free {
    void operator()(std::uint64_t* memory) const { std::free(memory); }
  };

  void Grow();
  void FinishNarrow();
  void FinishWide();
  // Takes the second and later ones of each key out of sorted entries.
  template <typename Entry, typename KeyOf, typename IndexOf, typename SetIndex>
  void TakeOutDuplicates(Entry* entries, const KeyOf& key_of,
                         const IndexOf& index_of, const SetIndex& set_index);
  bool MakeBitmap();
  bool MakeTable();
  void MakeBuckets();
  std::uint64_t FindSorted(std::uint64_t key) const;
  std::uint64_t FindWide(std::uint64_t key) const;

  // Ids; once finished, keys and indices in the order of keys: the key in the
  // upper half, the index in the lower one. By realloc(), which moves pages
  // instead of copying: growing a vector would take twice the memory.
  std::unique_ptr<std::uint64_t, Free> entries_;
  std::size_t capacity_ = 0;
  std::uint64_t added_ = 0;

  Form form_ = Form::kEmpty;
  std::uint64_t size_ = 0;
  // The key of an id is (id - base_) >> shift_. Nothing is found if max_key_
  // is 0 and form_ says so.
  std::uint64_t base_ = 0;
  unsigned shift_ = 0;
  std::uint64_t max_key_ = 0;
  std::vector<Duplicate> duplicates_;

  RankBitmap bitmap_;
  // Where the entries with these upper bits of the key begin. In a table: the
  // index, by key.
  std::vector<std::uint32_t> buckets_;
  unsigned bucket_shift_ = 0;
  std::vector<WideEntry> wide_;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_ID_MAP_H_
