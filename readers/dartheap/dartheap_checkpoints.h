// Places of objects to seek by.
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

// The places of some objects: of every n-th one, where n is 4 unless there are
// very many objects, and of others so that two places are never much more than
// 4 KiB apart, unless there are very many bytes or a single object is that
// large.
// Memory: two or three bytes for each place of the first kind, of which there
// are up to two million; 16 for each of the second, up to 64 Ki.
class Checkpoints {
 public:
  static constexpr std::uint64_t kMaxPlaces = std::uint64_t{1} << 21;

  Checkpoints() = default;
  // For `objects` objects in at most `bytes` bytes. `max_places`: a power of
  // two.
  Checkpoints(std::uint64_t objects, std::uint64_t bytes,
              std::uint64_t max_places = kMaxPlaces)
      : step_(std::bit_ceil(
            std::max(kLeastObjects, (objects + max_places - 1) / max_places))),
        far_(std::max(kLeastBytes, bytes / kMaxFarPlaces)) {}

  // Must be called for each object, in order.
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

  // The last checkpoint that is not after `object`, which must have been noted.
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
  std::uint64_t last_offset_ = 0;  // of the last noted place
  PackedNumbers offsets_;          // of objects 0, step_, 2 * step_, ...
  std::vector<Checkpoint> far_places_;
};

}  // namespace heapglot::dartheap

#endif  // HEAPGLOT_READERS_DARTHEAP_DARTHEAP_CHECKPOINTS_H_
