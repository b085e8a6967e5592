// Hash tables whose keys are texts chosen by a file.
#ifndef HEAPGLOT_CORE_TEXT_TABLE_H_
#define HEAPGLOT_CORE_TEXT_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "core/id_table.h"

namespace heapglot {

// Differs from process to process, like IdHash, so nobody can predict which
// texts share a bucket. Not noexcept, so that libstdc++ stores the hash of each
// text; otherwise it would rehash long texts whenever it passes them in a
// bucket.
class TextHash {
 public:
  using is_transparent = void;

  std::size_t operator()(std::string_view text) const {
    const IdHash mix;
    std::uint64_t hash = mix(text.size());
    std::uint64_t part = 0;
    for (; text.size() > sizeof part; text.remove_prefix(sizeof part)) {
      std::memcpy(&part, text.data(), sizeof part);
      hash = mix(hash ^ part);
    }
    part = 0;
    if (!text.empty()) std::memcpy(&part, text.data(), text.size());
    return mix(hash ^ part);
  }
};

// The keys refer to texts that must stay where they are.
template <typename Value>
using TextTable = std::unordered_map<std::string_view, Value, TextHash>;
using TextSet = std::unordered_set<std::string_view, TextHash>;

// The tables own their texts.
template <typename Value>
using OwnTextTable =
    std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;
using OwnTextSet = std::unordered_set<std::string, TextHash, std::equal_to<>>;

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TEXT_TABLE_H_
