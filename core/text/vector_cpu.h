// Which vectors this processor has. The program starts on every processor: code
// that needs more than the baseline is compiled for it function by function
// (gnu::target), and called only after asking here. $HEAPGLOT_VECTORS allows
// fewer, so that one machine can test and measure what others would do.
#ifndef HEAPGLOT_CORE_TEXT_VECTOR_CPU_H_
#define HEAPGLOT_CORE_TEXT_VECTOR_CPU_H_

#include <cstddef>
#include <span>

#if defined(__x86_64__)
#define HEAPGLOT_X86_KERNELS 1

#define HEAPGLOT_AVX2 [[gnu::target("avx2,bmi,bmi2,lzcnt")]]
#define HEAPGLOT_AVX512                                   \
  [[gnu::target(                                          \
      "avx512f,avx512bw,avx512dq,avx512vbmi,avx512vbmi2," \
      "bmi,bmi2,lzcnt")]]

namespace heapglot::internal {

// Haswell, Zen, and later, unless $HEAPGLOT_VECTORS is "plain".
bool HasAvx2();

// Ice Lake, Zen 4, and later, unless $HEAPGLOT_VECTORS is "plain" or "avx2".
bool HasAvx512();

// The implementations in `ways` that this processor can run. The first one is
// plain and the last one needs HasAvx512(); one between them needs HasAvx2().
template <typename Way, std::size_t kWays>
std::span<const Way> UsableWays(const Way (&ways)[kWays]) {
  static_assert(kWays == 2 || kWays == 3);
  return {ways, HasAvx512() ? kWays : HasAvx2() ? kWays - 1 : 1};
}

}  // namespace heapglot::internal
#else
namespace heapglot::internal {

template <typename Way>
std::span<const Way> UsableWays(const Way (&ways)[1]) {
  return ways;
}

}  // namespace heapglot::internal
#endif

#endif  // HEAPGLOT_CORE_TEXT_VECTOR_CPU_H_
