// Places of objects, to seek by.
#ifndef HEAPGLOT_READERS_DARTHEAP_DARTHEAP_CHECKPOINTS_H_
#define HEAPGLOT_READERS_DARTHEAP_DARTHEAP_CHECKPOINTS_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "core/packed_numbers.h"

namespace heapglot::dartheap {

// A place from which objects can be read without starting at the first one.
struct Checkpoint {
  std::uint64_t object = 0;  // 0-based
  std::uint64_t offset = 0;
};

// The places of some objects: of every so many-th one, 4 unless there are very
// many objects, and of others so that there are never much more than 4 KiB
// between two, unless there are very many bytes or one object is that large.
// Memory: two or three bytes a place of the former, of which there are up to two
// million; 16 of the latter, up to 64 Ki.
class Checkpoints {
 public:
  static constexpr std::uint64_t kMaxPlaces = std::uint64_t{1} << 21;

  Checkpoints() = default;
  // For `objects` that take no more than `bytes`. A power of two of `max_places`.
  Checkpoints(std::uint64_t objects, std::uint64_t bytes,
              std::uint64_t max_places = kMaxPlaces)
      : step_(std::bit_ceil(
            std::max(kLeastObjects, (objects + max_places - 1) / max_places))),
        far_(std::max(kLeastBytes, bytes / kMaxFarPlaces)) {}

  // To be called for each object, in their order.
  void Note(std::uint64_t object, std::uint64_t offset) {
    const bool is_regular = (object & (step_ - 1)) == 0;
    if (!is_regular && offset - last_offset_ < far_) [[likely]]
      return;
    if (is_regular)
      offsets_.Add(offset);
    else
      far_places_.push_back({object, offset});
    last_offset_ = offset;
  }

  // The last one that is not behind `object`, which must have been noted.
  Checkpoint Before(std::uint64_t object) const {
    const std::uint64_t place = object / step_;
    const std::uint64_t regular = place * step_;
    const auto after =
        std::upper_bound(far_places_.begin(), far_places_.end(), object,
                         [](std::uint64_t wanted, const Checkpoint& far) {
                           return wanted < far.object;
                         });
    if (after != far_places_.begin() && (after - 1)->object > regular)
      return *(after - 1);
    return {regular, offsets_[place]};
  }

  std::uint64_t size() const { return offsets_.size() + far_places_.size(); }

 private:
  static constexpr std::uint64_t kLeastObjects = 4;
  static constexpr std::uint64_t kLeastBytes = 4096;
  static constexpr std::uint64_t kMaxFarPlaces = std::uint64_t{1} << 16;

  std::uint64_t step_ = kLeastObjects;
  std::uint64_t far_ = kLeastBytes;
  std::uint64_t last_offset_ = 0;  // of what was noted last
  PackedNumbers offsets_;          // of objects 0, step_, 2 * step_, ...
  std::vector<Checkpoint> far_places_;
};

}  // namespace heapglot::dartheap

#endif  // HEAPGLOT_READERS_DARTHEAP_DARTHEAP_CHECKPOINTS_H_
