// A hash table by texts that a file chooses.
#ifndef HEAPGLOT_CORE_TEXT_TABLE_H_
#define HEAPGLOT_CORE_TEXT_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <unordered_map>

#include "core/id_table.h"

namespace heapglot {

// Differs from process to process, as IdHash does: nobody can tell which texts
// share a bucket.
class TextHash {
 public:
  std::size_t operator()(std::string_view text) const noexcept {
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

// Of texts that stay where they are.
template <typename Value>
using TextTable = std::unordered_map<std::string_view, Value, TextHash>;

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TEXT_TABLE_H_
