#include "readers/ndjson/ndjson_id_map.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace heapglot::ndjson {

namespace {
constexpr std::uint64_t kBlockIds = std::uint64_t{1} << 16;

// Debian 12's library answers with the type of the number.
int BitWidth(std::uint64_t number) {
  return static_cast<int>(std::bit_width(number));
}
}  // namespace

void IdMap::Push(std::uint64_t id) {
  const std::uint64_t slot = size_ % kBlockIds;
  if (slot == 0)
    blocks_.push_back(
        std::make_unique_for_overwrite<std::uint64_t[]>(kBlockIds));
  blocks_.back()[slot] = id;
  ++size_;
}

void IdMap::LeaveProgression() {
  const std::uint64_t count = size_;
  form_ = Form::kSorted;
  size_ = 0;
  for (std::uint64_t i = 0; i < count; ++i) Push(min_ + i * step_);
}

void IdMap::Add(std::uint64_t id) {
  if (size_ == 0) {
    min_ = max_ = last_ = id;
    size_ = 1;
    return;
  }
  if (id <= last_) ascending_ = false;
  if (form_ == Form::kProgression) {
    if (size_ == 1 && ascending_) step_ = id - last_;
    if (!ascending_ || id - last_ != step_) LeaveProgression();
  }
  if (form_ == Form::kProgression)
    ++size_;
  else
    Push(id);
  last_ = id;
  min_ = std::min(min_, id);
  max_ = std::max(max_, id);
}

void IdMap::JoinBlocks() {
  ids_.reserve(size_);
  for (auto& block : blocks_) {
    const std::uint64_t count = std::min(kBlockIds, size_ - ids_.size());
    ids_.insert(ids_.end(), block.get(), block.get() + count);
    block.reset();
  }
  blocks_.clear();
}

std::vector<IdMap::Twin> IdMap::Finish() {
  if (form_ == Form::kProgression) return {};
  JoinBlocks();
  std::vector<Twin> twins;
  if (!ascending_) {
    std::uint64_t differences = 0;
    for (const std::uint64_t id : ids_) differences |= id - min_;
    align_bits_ = differences == 0 ? 0 : std::countr_zero(differences);
    index_bits_ = BitWidth(size_ - 1);
    const int id_bits = BitWidth((max_ - min_) >> align_bits_);
    if (id_bits + index_bits_ <= 64)
      Pack();
    else
      Permute();
    for (std::size_t i = 1, first = 0; i < ids_.size(); ++i) {
      if (KeyAt(i) == KeyAt(first))
        twins.push_back({PositionAt(i), PositionAt(first)});
      else
        first = i;
    }
  }
  BuildBuckets();
  return twins;
}

void IdMap::Pack() {
  form_ = Form::kPacked;
  for (std::size_t i = 0; i < ids_.size(); ++i)
    ids_[i] = (ids_[i] - min_) >> align_bits_ << index_bits_ | i;
  std::sort(ids_.begin(), ids_.end());
}

void IdMap::Permute() {
  form_ = Form::kPermuted;
  order_.resize(ids_.size());
  std::iota(order_.begin(), order_.end(), 0u);
  std::sort(order_.begin(), order_.end(),
            [this](std::uint32_t a, std::uint32_t b) {
              return ids_[a] != ids_[b] ? ids_[a] < ids_[b] : a < b;
            });
}

std::uint64_t IdMap::KeyAt(std::size_t rank) const {
  switch (form_) {
    case Form::kPacked:
      return min_ + (ids_[rank] >> index_bits_ << align_bits_);
    case Form::kPermuted:
      return ids_[order_[rank]];
    default:
      return ids_[rank];
  }
}

std::uint64_t IdMap::PositionAt(std::size_t rank) const {
  switch (form_) {
    case Form::kPacked:
      return ids_[rank] & ((std::uint64_t{1} << index_bits_) - 1);
    case Form::kPermuted:
      return order_[rank];
    default:
      return rank;
  }
}

void IdMap::BuildBuckets() {
  const std::uint64_t spread = max_ - min_;
  const int wanted = std::max(BitWidth(size_ / 8), 1);
  bucket_shift_ = std::max(BitWidth(spread) - wanted, 0);
  buckets_.assign((spread >> bucket_shift_) + 2, 0);
  std::size_t rank = 0;
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    while (rank < ids_.size() && (KeyAt(rank) - min_) >> bucket_shift_ < bucket)
      ++rank;
    buckets_[bucket] = static_cast<std::uint32_t>(rank);
  }
}

std::uint64_t IdMap::Find(std::uint64_t id) const {
  if (size_ == 0 || id < min_ || id > max_) return kNone;
  const std::uint64_t distance = id - min_;
  if (form_ == Form::kProgression) {
    if (step_ == 0) return distance == 0 ? 0 : kNone;
    const std::uint64_t position =
        step_ == 2 ? distance >> 1 : distance / step_;
    return position * step_ == distance ? position : kNone;
  }
  const std::size_t bucket = distance >> bucket_shift_;
  std::size_t low = buckets_[bucket];
  std::size_t high = buckets_[bucket + 1];
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (KeyAt(middle) < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low < ids_.size() && KeyAt(low) == id ? PositionAt(low) : kNone;
}

}  // namespace heapglot::ndjson
