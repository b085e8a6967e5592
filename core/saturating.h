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

// The same; `*overflow` becomes true if the sum stops at the top.
inline std::uint64_t AddSaturating(std::uint64_t a, std::uint64_t b,
                                   bool* overflow) {
  *overflow = *overflow || a + b < a;
  return AddSaturating(a, b);
}

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_SATURATING_H_
