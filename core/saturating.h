// Sums of numbers that a file states: they stop at the top and never wrap.
#ifndef HEAPGLOT_CORE_SATURATING_H_
#define HEAPGLOT_CORE_SATURATING_H_

#include <cstdint>
#include <limits>

namespace heapglot {

inline std::uint64_t AddSaturating(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t sum = a + b;
  return sum < a ? std::numeric_limits<std::uint64_t>::max() : sum;
}

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_SATURATING_H_
