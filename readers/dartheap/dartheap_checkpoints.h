// Places of objects, to seek by.
#ifndef HEAPGLOT_READERS_DARTHEAP_DARTHEAP_CHECKPOINTS_H_
#define HEAPGLOT_READERS_DARTHEAP_DARTHEAP_CHECKPOINTS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace heapglot::dartheap {

// A place from which objects can be read without starting at the first one.
struct Checkpoint {
  std::uint64_t object = 0;  // 0-based
  std::uint64_t offset = 0;
};

// The places of some objects: one at least every 16 objects, and every 1024
// bytes where objects are not larger; of both twice as many whenever there would
// be more than `max` places.
// Memory: 16 bytes a place.
class Checkpoints {
 public:
  explicit Checkpoints(std::size_t max = std::size_t{1} << 18) : max_(max) {}

  // To be called for each object, in their order.
  void Note(std::uint64_t object, std::uint64_t offset) {
    const Checkpoint next = {object, offset};
    if (!places_.empty() && !IsFar(places_.back(), next)) [[likely]]
      return;
    while (places_.size() >= max_) Thin(next);
    places_.push_back(next);
  }

  // The last one that is not behind `object`. There must have been a Note().
  const Checkpoint& Before(std::uint64_t object) const {
    const auto after =
        std::upper_bound(places_.begin(), places_.end(), object,
                         [](std::uint64_t wanted, const Checkpoint& place) {
                           return wanted < place.object;
                         });
    return *(after - 1);
  }

  std::size_t size() const { return places_.size(); }

 private:
  // Whether there has to be a place between.
  bool IsFar(const Checkpoint& from, const Checkpoint& to) const {
    return to.object - from.object >= objects_ ||
           to.offset - from.offset >= bytes_;
  }

  void Thin(const Checkpoint& next) {
    objects_ *= 2;
    bytes_ *= 2;
    std::size_t kept = 1;
    for (std::size_t i = 1; i < places_.size(); ++i) {
      const bool is_last = i + 1 == places_.size();
      if (IsFar(places_[kept - 1], is_last ? next : places_[i + 1]))
        places_[kept++] = places_[i];
    }
    places_.resize(kept);
  }

  std::size_t max_;
  std::uint64_t objects_ = 16;
  std::uint64_t bytes_ = 1024;
  std::vector<Checkpoint> places_;
};

}  // namespace heapglot::dartheap

#endif  // HEAPGLOT_READERS_DARTHEAP_DARTHEAP_CHECKPOINTS_H_
