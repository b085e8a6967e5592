#include "core/id_map.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <new>
#include <numeric>
#include <utility>

namespace heapglot {
namespace {

// Widest average gap for a bitmap, in steps: 32 * 1.125 bits are 4.5 bytes.
constexpr std::uint64_t kMaxGap = 32;
// Average number of entries in a bucket.
constexpr std::uint64_t kPerBucket = 8;

// While a table is made, it takes memory in addition to the entries, so it is
// only for few of them. At least half of a table is in use.
constexpr std::uint64_t kMaxTable = 1 << 20;
constexpr std::uint64_t kMaxTableGap = 2;

// In Debian 12's library, bit_width() returns the type of its argument.
int BitWidth(std::uint64_t number) {
  return static_cast<int>(std::bit_width(number));
}

}  // namespace

// ----------------------------------------------------------------- building

bool IdMap::GoesOn(std::uint64_t id) const {
  if (count_ == 0) return true;
  return id > last_ && (count_ == 1 || id - last_ == step_);
}

void IdMap::AddSlowly(std::uint64_t id) {
  if (is_progression_ && GoesOn(id)) {
    if (count_ == 0) base_ = id;
    if (count_ == 1) step_ = id - base_;
    last_ = id;
    ++count_;
    return;
  }
  if (is_progression_) LeaveProgression();
  if (stored_ == capacity_) Grow();
  entries_.get()[stored_++] = id;
}

void IdMap::LeaveProgression() {
  is_progression_ = false;
  while (capacity_ <= count_) Grow();
  for (; stored_ < count_; ++stored_)
    entries_.get()[stored_] = base_ + stored_ * step_;
}

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
  size_ = added();
  if (size_ == 0) return;
  if (is_progression_) {
    FinishProgression();
    return;
  }
  MakeKeys();
  Sort();
  if (!MakeTable() && !MakeBitmap()) MakeBuckets();
}

bool IdMap::HasAll(const IdRange& ids) const {
  if (ids.empty()) return true;
  // Every step has an id. So it is enough that the bits below a step are the
  // same in all ids, and that the least and the greatest are found.
  const std::uint64_t below = (std::uint64_t{1} << shift_) - 1;
  return form_ == Form::kCount &&
         ((ids.bits_of_any ^ ids.bits_of_all) & below) == 0 &&
         Find(ids.least) != kNone && Find(ids.greatest) != kNone;
}

void IdMap::FinishProgression() {
  shift_ = step_ == 0 ? 0 : static_cast<unsigned>(std::countr_zero(step_));
  max_key_ = (last_ - base_) >> shift_;
  odd_step_ = std::max<std::uint64_t>(step_ >> shift_, 1);
  form_ = odd_step_ == 1 ? Form::kCount : Form::kSteps;
}

void IdMap::MakeKeys() {
  std::uint64_t* const ids = entries_.get();
  const auto [least, greatest] = std::minmax_element(ids, ids + stored_);
  base_ = *least;
  const std::uint64_t range = *greatest - base_;
  std::uint64_t distances = 0;
  for (std::size_t i = 0; i < stored_; ++i) distances |= ids[i] - base_;
  shift_ =
      distances == 0 ? 0 : static_cast<unsigned>(std::countr_zero(distances));
  max_key_ = range >> shift_;
  for (std::size_t i = 0; i < stored_; ++i) ids[i] = (ids[i] - base_) >> shift_;
}

void IdMap::Sort() {
  std::uint64_t* const keys = entries_.get();
  const bool ascends =
      std::adjacent_find(keys, keys + stored_, std::greater_equal<>()) ==
      keys + stored_;
  if (ascends) {
    form_ = Form::kSorted;
    return;
  }
  const int index_bits = BitWidth(stored_ - 1);
  if (BitWidth(max_key_) + index_bits <= 64)
    Pack(index_bits);
  else
    Permute();
  TakeOutDuplicates();
}

void IdMap::Pack(int index_bits) {
  form_ = Form::kPacked;
  index_bits_ = index_bits;
  std::uint64_t* const entries = entries_.get();
  for (std::size_t i = 0; i < stored_; ++i)
    entries[i] = entries[i] << index_bits_ | i;
  std::sort(entries, entries + stored_);
}

void IdMap::Permute() {
  form_ = Form::kPermuted;
  order_.resize(stored_);
  std::iota(order_.begin(), order_.end(), 0u);
  const std::uint64_t* const keys = entries_.get();
  std::sort(order_.begin(), order_.end(),
            [keys](std::uint32_t a, std::uint32_t b) {
              return keys[a] != keys[b] ? keys[a] < keys[b] : a < b;
            });
}

// Keeps the first of the ranks with the same key.
void IdMap::TakeOutDuplicates() {
  size_ = 0;
  for (std::uint64_t rank = 0; rank < stored_; ++rank) {
    if (size_ > 0 && KeyAt(rank) == KeyAt(size_ - 1)) {
      duplicates_.push_back({static_cast<std::uint32_t>(OrdinalAt(rank)),
                             static_cast<std::uint32_t>(OrdinalAt(size_ - 1))});
      continue;
    }
    if (form_ == Form::kPacked)
      entries_.get()[size_] = entries_.get()[rank];
    else
      order_[size_] = order_[rank];
    ++size_;
  }
  std::sort(duplicates_.begin(), duplicates_.end(),
            [](const Duplicate& a, const Duplicate& b) {
              return a.ordinal < b.ordinal;
            });
  for (Duplicate& it : duplicates_)
    it.first_index = static_cast<std::uint32_t>(IndexOf(it.first_index));
}

// If indices ascend with ids, an index is the number of ids below.
bool IdMap::MakeBitmap() {
  if (max_key_ / kMaxGap >= size_) return false;
  for (std::uint64_t rank = 0; rank < size_; ++rank)
    if (IndexOf(OrdinalAt(rank)) != rank) return false;
  bitmap_ = RankBitmap(max_key_ + 1);
  for (std::uint64_t rank = 0; rank < size_; ++rank) bitmap_.Add(KeyAt(rank));
  bitmap_.BuildRanks();
  form_ = Form::kBitmap;
  entries_.reset();
  return true;
}

bool IdMap::MakeTable() {
  if (size_ > kMaxTable || max_key_ / kMaxTableGap >= size_) return false;
  buckets_.assign(max_key_ + 1, kNothing);
  for (std::uint64_t rank = 0; rank < size_; ++rank) {
    buckets_[KeyAt(rank)] =
        static_cast<std::uint32_t>(IndexOf(OrdinalAt(rank)));
  }
  form_ = Form::kTable;
  entries_.reset();
  return true;
}

void IdMap::MakeBuckets() {
  const int bits = std::max(BitWidth(size_ / kPerBucket), 1);
  bucket_shift_ = static_cast<unsigned>(std::max(BitWidth(max_key_) - bits, 0));
  buckets_.resize((max_key_ >> bucket_shift_) + 2);
  std::size_t bucket = 0;
  for (std::uint64_t rank = 0; rank < size_; ++rank)
    for (; bucket <= KeyAt(rank) >> bucket_shift_; ++bucket)
      buckets_[bucket] = static_cast<std::uint32_t>(rank);
  for (; bucket < buckets_.size(); ++bucket)
    buckets_[bucket] = static_cast<std::uint32_t>(size_);
}

// ------------------------------------------------------------------ finding

std::uint64_t IdMap::KeyAt(std::uint64_t rank) const {
  switch (form_) {
    case Form::kPacked:
      return entries_.get()[rank] >> index_bits_;
    case Form::kPermuted:
      return entries_.get()[order_[rank]];
    default:
      return entries_.get()[rank];
  }
}

std::uint64_t IdMap::OrdinalAt(std::uint64_t rank) const {
  switch (form_) {
    case Form::kPacked:
      return entries_.get()[rank] & ((std::uint64_t{1} << index_bits_) - 1);
    case Form::kPermuted:
      return order_[rank];
    default:
      return rank;
  }
}

// The ordinal, less the duplicates before it if these take no index.
std::uint64_t IdMap::IndexOf(std::uint64_t ordinal) const {
  if (duplicates_.empty() || numbering_ == Numbering::kAll) return ordinal;
  const auto before = std::lower_bound(
      duplicates_.begin(), duplicates_.end(), ordinal,
      [](const Duplicate& it, std::uint64_t at) { return it.ordinal < at; });
  return ordinal - static_cast<std::uint64_t>(before - duplicates_.begin());
}

std::uint64_t IdMap::FindStep(std::uint64_t key) const {
  const std::uint64_t index = key / odd_step_;
  return index * odd_step_ == key ? index : kNone;
}

std::uint64_t IdMap::FindEntry(std::uint64_t key) const {
  if (form_ == Form::kEmpty) return kNone;
  const std::size_t bucket = key >> bucket_shift_;
  std::uint64_t rank = buckets_[bucket];
  std::uint64_t end = buckets_[bucket + 1];
  while (rank < end) {
    const std::uint64_t middle = rank + (end - rank) / 2;
    if (KeyAt(middle) < key)
      rank = middle + 1;
    else
      end = middle;
  }
  const bool found = rank < size_ && KeyAt(rank) == key;
  return found ? IndexOf(OrdinalAt(rank)) : kNone;
}

}  // namespace heapglot
