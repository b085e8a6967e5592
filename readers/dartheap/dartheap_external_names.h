// Names of external memory: millions of pieces have a handful of them.
#ifndef HEAPGLOT_READERS_DARTHEAP_DARTHEAP_EXTERNAL_NAMES_H_
#define HEAPGLOT_READERS_DARTHEAP_DARTHEAP_EXTERNAL_NAMES_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/text_table.h"

namespace heapglot::dartheap {

// Gives one string to all that are called the same. The names are views of the
// file.
// Memory: that of kMaxNames entries; those that come when there are as many get a
// string for each time.
class ExternalNames {
 public:
  // The string of `name`, which is not empty: `next`, unless it was there before.
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
