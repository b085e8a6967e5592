// Names of external memory: millions of pieces share a handful of names.
#ifndef HEAPGLOT_READERS_DARTHEAP_DARTHEAP_EXTERNAL_NAMES_H_
#define HEAPGLOT_READERS_DARTHEAP_DARTHEAP_EXTERNAL_NAMES_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/text_table.h"

namespace heapglot::dartheap {

// Gives all pieces with the same name one string. The names are views of the
// file.
// Memory: kMaxNames entries; further names get a string for each run of them.
class ExternalNames {
 public:
  // The string index of `name`, which is not empty: `next` unless it is known.
  std::uint64_t IndexOf(std::string_view name, std::uint64_t next) {
    if (name == last_) return last_index_;
    const auto known = indices_.find(name);
    const std::uint64_t index = known != indices_.end() ? known->second : next;
    if (known == indices_.end() && indices_.size() < kMaxNames)
      indices_.emplace(name, next);
    last_ = name;
    return last_index_ = index;
  }

 private:
  static constexpr std::size_t kMaxNames = 4096;

  TextTable<std::uint64_t> indices_;
  std::string_view last_;
  std::uint64_t last_index_ = 0;
};

}  // namespace heapglot::dartheap

#endif  // HEAPGLOT_READERS_DARTHEAP_DARTHEAP_EXTERNAL_NAMES_H_
