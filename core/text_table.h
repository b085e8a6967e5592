// A hash table by texts that a file chooses.
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

// Differs from process to process, as IdHash does: nobody can tell which texts
// share a bucket. Not noexcept, so that libstdc++ keeps what a text's hash is: it
// would hash long ones over and over, which stand beside what is looked for.
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

// Of texts that stay where they are.
template <typename Value>
using TextTable = std::unordered_map<std::string_view, Value, TextHash>;
using TextSet = std::unordered_set<std::string_view, TextHash>;

// Of texts that it has itself.
template <typename Value>
using OwnTextTable =
    std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;
using OwnTextSet = std::unordered_set<std::string, TextHash, std::equal_to<>>;

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TEXT_TABLE_H_
