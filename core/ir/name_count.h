// How many strings of a stream are names.
#ifndef HEAPGLOT_CORE_IR_NAME_COUNT_H_
#define HEAPGLOT_CORE_IR_NAME_COUNT_H_

#include <algorithm>
#include <cstdint>

#include "heapglot/stream.h"

namespace heapglot {

// Counts strings that are marked as names: of kinds, classes, roots and
// external memory. The others are those that the source has for nodes and
// edges.
class NameCount {
 public:
  void Add(const pb::Strings& strings) {
    const int rows = strings.length_size();
    if (!strings.names() || rows == 0) return;
    // The pieces of a string count as one.
    count_ += static_cast<std::uint64_t>(rows) - (continues_ ? 1 : 0);
    continues_ = strings.continued();
  }
  // The number of other strings in a stream with `strings` indices in use
  // (Footer), which include that of the empty string.
  std::uint64_t Others(std::uint64_t strings) const {
    return strings - std::min(strings, count_ + 1);
  }

 private:
  std::uint64_t count_ = 0;
  bool continues_ = false;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_IR_NAME_COUNT_H_
