#include "core/id_bitmap.h"

namespace heapglot {

bool IdBitmap::FindRegion(std::uint64_t number) {
  const auto known = regions_.find(number);
  if (known == regions_.end() && !HasRoom()) return false;
  region_ = known != regions_.end() ? &known->second : &regions_[number];
  number_ = number;
  return true;
}

// From the first time that there is none: ids of a lane are all in its bitmap, or
// all far, and a bitmap that is given back later does not change that.
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

void IdBitmap::AddFar(std::uint64_t id) {
  if (far_.size() < kMaxFar)
    far_.push_back(id);
  else
    is_complete_ = false;
}

bool IdBitmap::HasFarDuplicate() const {
  std::vector<std::uint64_t> sorted = far_;
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
}

}  // namespace heapglot
