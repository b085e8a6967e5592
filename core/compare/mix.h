// Hashes of numbers, without a seed, so that equal dumps have equal hashes in
// every run.
//
// Strong enough that different things never look equal by chance (one in 2^64
// each time); no protection against whoever makes such things on purpose.
#ifndef HEAPGLOT_CORE_COMPARE_MIX_H_
#define HEAPGLOT_CORE_COMPARE_MIX_H_

#include <cstdint>

namespace heapglot {

// The finalizer of SplitMix64: one to one, and each bit depends on every bit.
inline std::uint64_t Mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

// Mix(a, b) and Mix(b, a) are different.
inline std::uint64_t Mix(std::uint64_t a, std::uint64_t b) {
  return Mix(Mix(a) + b);
}
inline std::uint64_t Mix(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  return Mix(Mix(a, b) + c);
}

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_COMPARE_MIX_H_
