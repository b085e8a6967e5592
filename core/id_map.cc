#include "core/id_map.h"

#include <algorithm>
#include <bit>
#include <new>

namespace heapglot {
namespace {

// Widest average gap for a bitmap, in steps: 32 * 1.125 bits are 4.5 bytes.
constexpr std::uint64_t kMaxGap = 32;
// Entries for each bucket, on average.
constexpr std::uint64_t kPerBucket = 8;

// Tables take memory beside the entries while they are made: not for many. Of
// their entries half are in use at least.
constexpr std::uint64_t kMaxTable = 1 << 20;
constexpr std::uint64_t kMaxTableGap = 2;

constexpr std::uint64_t kLowerHalf = 0xffff'ffff;

std::uint32_t IndexOf(std::uint64_t entry) {
  return static_cast<std::uint32_t>(entry & kLowerHalf);
}
std::uint64_t KeyOf(std::uint64_t entry) { return entry >> 32; }

}  // namespace

void IdMap::Grow() {
  const std::size_t capacity = std::max<std::size_t>(capacity_ * 2, 64);
  auto* const entries = static_cast<std::uint64_t*>(
      std::realloc(entries_.get(), capacity * sizeof(std::uint64_t)));
  if (entries == nullptr) throw std::bad_alloc();
  // realloc() has freed the old block, or it is the same one.
  (void)entries_.release();
  entries_.reset(entries);
  capacity_ = capacity;
}

void IdMap::Finish() {
  if (added_ == 0) return;
  std::uint64_t* const ids = entries_.get();
  const auto [least, greatest] = std::minmax_element(ids, ids + added_);
  base_ = *least;
  const std::uint64_t range = *greatest - base_;
  std::uint64_t distances = 0;
  for (std::uint64_t i = 0; i < added_; ++i) distances |= ids[i] - base_;
  shift_ =
      distances == 0 ? 0 : static_cast<unsigned>(std::countr_zero(distances));
  max_key_ = range >> shift_;
  if (max_key_ <= kLowerHalf)
    FinishNarrow();
  else
    FinishWide();
}

template <typename Entry, typename KeyOf, typename IndexOf, typename SetIndex>
void IdMap::TakeOutDuplicates(Entry* entries, const KeyOf& key_of,
                              const IndexOf& index_of,
                              const SetIndex& set_index) {
  size_ = 0;
  for (std::uint64_t i = 0; i < added_; ++i) {
    if (i > 0 && key_of(entries[i]) == key_of(entries[size_ - 1])) {
      duplicates_.push_back(
          {index_of(entries[i]), index_of(entries[size_ - 1])});
    } else {
      entries[size_++] = entries[i];
    }
  }
  if (duplicates_.empty()) return;
  std::sort(duplicates_.begin(), duplicates_.end(),
            [](const Duplicate& a, const Duplicate& b) {
              return a.ordinal < b.ordinal;
            });
  // An ordinal less the duplicates before it is an index.
  const auto shifted = [this](std::uint32_t ordinal) {
    const auto before = std::lower_bound(
        duplicates_.begin(), duplicates_.end(), ordinal,
        [](const Duplicate& it, std::uint32_t at) { return it.ordinal < at; });
    return ordinal - static_cast<std::uint32_t>(before - duplicates_.begin());
  };
  for (std::uint64_t i = 0; i < size_; ++i)
    set_index(entries[i], shifted(index_of(entries[i])));
  for (Duplicate& it : duplicates_) it.first_index = shifted(it.first_index);
}

void IdMap::FinishNarrow() {
  std::uint64_t* const entries = entries_.get();
  for (std::uint64_t i = 0; i < added_; ++i)
    entries[i] = (entries[i] - base_) >> shift_ << 32 | i;
  if (!std::is_sorted(entries, entries + added_))
    std::sort(entries, entries + added_);
  TakeOutDuplicates(entries, KeyOf, IndexOf,
                    [](std::uint64_t& entry, std::uint32_t index) {
                      entry = (entry & ~kLowerHalf) | index;
                    });
  if (MakeTable() || MakeBitmap()) return;
  form_ = Form::kSorted;
  MakeBuckets();
}

// Where indices ascend with ids, an index is the number of ids below.
bool IdMap::MakeBitmap() {
  if (max_key_ / kMaxGap >= size_) return false;
  const std::uint64_t* const entries = entries_.get();
  for (std::uint64_t i = 0; i < size_; ++i)
    if (IndexOf(entries[i]) != i) return false;
  form_ = Form::kBitmap;
  bitmap_ = RankBitmap(max_key_ + 1);
  for (std::uint64_t i = 0; i < size_; ++i) bitmap_.Add(KeyOf(entries[i]));
  bitmap_.BuildRanks();
  entries_.reset();
  return true;
}

bool IdMap::MakeTable() {
  if (size_ > kMaxTable || max_key_ / kMaxTableGap >= size_) return false;
  form_ = Form::kTable;
  buckets_.assign(max_key_ + 1, kNothing);
  for (std::uint64_t i = 0; i < size_; ++i)
    buckets_[KeyOf(entries_.get()[i])] = IndexOf(entries_.get()[i]);
  entries_.reset();
  return true;
}

void IdMap::MakeBuckets() {
  const std::uint64_t wanted = size_ / kPerBucket + 1;
  bucket_shift_ = 0;
  while ((max_key_ >> bucket_shift_) >= wanted) ++bucket_shift_;
  buckets_.resize((max_key_ >> bucket_shift_) + 2);
  const std::uint64_t* const entries = entries_.get();
  std::size_t bucket = 0;
  for (std::uint64_t i = 0; i < size_; ++i)
    for (; bucket <= KeyOf(entries[i]) >> bucket_shift_; ++bucket)
      buckets_[bucket] = static_cast<std::uint32_t>(i);
  for (; bucket < buckets_.size(); ++bucket)
    buckets_[bucket] = static_cast<std::uint32_t>(size_);
}

void IdMap::FinishWide() {
  form_ = Form::kWide;
  wide_.resize(added_);
  for (std::uint64_t i = 0; i < added_; ++i) {
    wide_[i] = {(entries_.get()[i] - base_) >> shift_,
                static_cast<std::uint32_t>(i)};
  }
  entries_.reset();
  std::sort(wide_.begin(), wide_.end(),
            [](const WideEntry& a, const WideEntry& b) {
              return a.key != b.key ? a.key < b.key : a.index < b.index;
            });
  TakeOutDuplicates(
      wide_.data(), [](const WideEntry& entry) { return entry.key; },
      [](const WideEntry& entry) { return entry.index; },
      [](WideEntry& entry, std::uint32_t index) { entry.index = index; });
  wide_.resize(size_);
}

std::uint64_t IdMap::FindSorted(std::uint64_t key) const {
  const std::uint64_t* const entries = entries_.get();
  const std::size_t bucket = key >> bucket_shift_;
  const std::uint64_t* const end = entries + buckets_[bucket + 1];
  const std::uint64_t* const found =
      std::lower_bound(entries + buckets_[bucket], end, key << 32);
  return found != end && KeyOf(*found) == key ? IndexOf(*found) : kNone;
}

std::uint64_t IdMap::FindWide(std::uint64_t key) const {
  const auto found = std::lower_bound(
      wide_.begin(), wide_.end(), key,
      [](const WideEntry& entry, std::uint64_t at) { return entry.key < at; });
  return found != wide_.end() && found->key == key ? found->index : kNone;
}

}  // namespace heapglot
