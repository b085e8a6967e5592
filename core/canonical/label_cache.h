// Labels that were already hashed: most references of a graph have one of a
// few.
#ifndef HEAPGLOT_CORE_CANONICAL_LABEL_CACHE_H_
#define HEAPGLOT_CORE_CANONICAL_LABEL_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heapglot {

// Each key has one place, which holds the last label that was put there. 64
// KiB.
class LabelCache {
 public:
  using Key = std::uint64_t;

  // A key for what a label is made of; kNoKey, which is never found, if that is
  // too large.
  static Key KeyOf(std::uint64_t kind, std::uint64_t form, std::uint64_t name) {
    const bool fits = kind >> kKindBits == 0 && form >> kFormBits == 0 &&
                      name >> kNameBits == 0;
    return fits ? (name << kFormBits | form) << kKindBits | kind : kNoKey;
  }

  // Whether the label is there. If not, `label` becomes some other one.
  bool Find(Key key, std::uint64_t* label) const {
    const Entry& entry = entries_[PlaceOf(key)];
    *label = entry.label;
    return entry.key == key && key != kNoKey;
  }
  void Add(Key key, std::uint64_t label) {
    entries_[PlaceOf(key)] = {key, label};
  }
  void Clear() { entries_.assign(kPlaces, {}); }

 private:
  static constexpr int kKindBits = 12;
  static constexpr int kFormBits = 4;
  static constexpr int kNameBits = 40;
  static constexpr Key kNoKey = ~Key{0};
  static constexpr int kPlaceBits = 12;
  static constexpr std::size_t kPlaces = std::size_t{1} << kPlaceBits;

  struct Entry {
    Key key = kNoKey;
    std::uint64_t label = 0;
  };

  static std::size_t PlaceOf(Key key) {
    constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15;
    return key * kFactor >> (64 - kPlaceBits);
  }

  std::vector<Entry> entries_ = std::vector<Entry>(kPlaces);
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_CANONICAL_LABEL_CACHE_H_
