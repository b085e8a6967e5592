#include "core/id_bitmap.h"

namespace heapglot {
namespace {

// Calls visit(word, mask) for the words that hold bits `first` ... `first` +
// `count` - 1, until it returns false. Returns its last result.
template <typename Bitmap, typename Visit>
bool ForEachWord(Bitmap& bitmap, std::uint64_t first, std::uint64_t count,
                 Visit visit) {
  constexpr std::uint64_t kBits = 64;
  while (count > 0) {
    const std::uint64_t bit = first % kBits;
    const std::uint64_t now = std::min(count, kBits - bit);
    const std::uint64_t mask = ~std::uint64_t{0} >> (kBits - now) << bit;
    if (!visit(bitmap[first / kBits], mask)) return false;
    first += now;
    count -= now;
  }
  return true;
}

}  // namespace

bool IdBitmap::AddRun(std::uint64_t id, std::uint64_t count) {
  if (id / kRegion != number_ && !FindRegion(id / kRegion)) return false;
  constexpr std::uint64_t kRunLanes = kLanes / kRunStep;
  static_assert(kLeastRun >= kRunLanes);
  // Calls visit(lane, place, count) for the ids of the run in each lane.
  const auto for_each_lane = [&](auto visit) {
    for (std::uint64_t i = 0; i < kRunLanes; ++i) {
      const std::uint64_t first = id + i * kRunStep;
      const bool goes_on = visit((*region_)[first % kLanes], PlaceOf(first),
                                 (count - i + kRunLanes - 1) / kRunLanes);
      if (!goes_on) return false;
    }
    return true;
  };
  const bool are_new =
      for_each_lane([this](Lane& lane, std::uint64_t place, std::uint64_t ids) {
        if (lane.bitmap == nullptr && (lane.count != 0 || !Open(&lane)))
          return false;
        return ForEachWord(*lane.bitmap, place, ids,
                           [](std::uint64_t word, std::uint64_t mask) {
                             return (word & mask) == 0;
                           });
      });
  if (!are_new) return false;
  for_each_lane([this](Lane& lane, std::uint64_t place, std::uint64_t ids) {
    ForEachWord(*lane.bitmap, place, ids,
                [](std::uint64_t& word, std::uint64_t mask) {
                  word |= mask;
                  return true;
                });
    lane.count += ids;
    if (lane.count == kLaneIds) Close(&lane);
    return true;
  });
  is_increasing_ &= id + 1 > after_;
  after_ = id + (count - 1) * kRunStep + 1;
  return true;
}

bool IdBitmap::FindRegion(std::uint64_t number) {
  const auto known = regions_.find(number);
  if (known == regions_.end() && !HasRoom()) return false;
  region_ = known != regions_.end() ? &known->second : &regions_[number];
  number_ = number;
  return true;
}

// Once there is no room, there never is again. So the ids of a lane are all in
// its bitmap or all far, even if another bitmap is given back later.
bool IdBitmap::HasRoom() {
  is_full_ = is_full_ || bitmaps_left_ == 0;
  return !is_full_;
}

bool IdBitmap::Open(Lane* lane) {
  if (!HasRoom()) return false;
  --bitmaps_left_;
  lane->bitmap = std::make_unique<Bitmap>();
  return true;
}

void IdBitmap::Close(Lane* lane) {
  lane->bitmap.reset();
  ++bitmaps_left_;
}

bool IdBitmap::AddFar(std::uint64_t id) {
  if (far_.size() < kMaxFar)
    far_.push_back(id);
  else
    is_complete_ = false;
  return true;
}

bool IdBitmap::HasFarDuplicate() const {
  std::vector<std::uint64_t> sorted = far_;
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
}

}  // namespace heapglot
