// The places of records of one kind in a file.
#ifndef HEAPGLOT_READERS_DRAFT_DRAFT_PLACES_H_
#define HEAPGLOT_READERS_DRAFT_DRAFT_PLACES_H_

#include <algorithm>
#include <cstdint>
#include <vector>

namespace heapglot::draft {

// Notes every 64th record, and more where they are far apart, so that a record
// can be found by its position from a place nearby: at most 63 records of its
// kind, or 16 KiB and a record, before it.
//
// Memory: 0.13 bytes per record, and at most 16 bytes for each 16 KiB.
class RecordPlaces {
 public:
  struct Place {
    std::uint64_t position = 0;
    std::uint64_t offset = 0;
  };

  // The next record; offsets ascend.
  void Add(std::uint64_t offset) {
    const std::uint64_t position = count_++;
    if (position % kStep == 0)
      steps_.push_back(offset);
    else if (offset - last_ >= kFar)
      far_.push_back({position, offset});
    else
      return;
    last_ = offset;
  }

  // The last place noted up to `position`, which must have been added.
  Place Find(std::uint64_t position) const {
    const std::uint64_t step = position / kStep;
    const auto after =
        std::upper_bound(far_.begin(), far_.end(), position,
                         [](std::uint64_t wanted, const Place& place) {
                           return wanted < place.position;
                         });
    if (after != far_.begin() && (after - 1)->position > step * kStep)
      return *(after - 1);
    return {step * kStep, steps_[step]};
  }

  bool Has(std::uint64_t position) const { return position < count_; }

 private:
  static constexpr std::uint64_t kStep = 64;
  static constexpr std::uint64_t kFar = std::uint64_t{16} << 10;

  std::uint64_t count_ = 0;
  std::uint64_t last_ = 0;            // last noted offset
  std::vector<std::uint64_t> steps_;  // of every kStep-th
  std::vector<Place> far_;            // further ones
};

}  // namespace heapglot::draft

#endif  // HEAPGLOT_READERS_DRAFT_DRAFT_PLACES_H_
