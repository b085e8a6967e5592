#include "core/ir/greatest.h"

#include <algorithm>

#include "core/text/vector_cpu.h"

namespace heapglot {
namespace {

// Written so that compilers vectorize it, if the processor it is compiled for
// can compare as many bits.
template <typename T>
[[gnu::always_inline]] inline T Greatest(std::span<const T> numbers) {
  T most = 0;
  for (const T number : numbers) most = std::max(most, number);
  return most;
}

template <typename T>
T GreatestPlain(std::span<const T> numbers) {
  return Greatest(numbers);
}

#ifdef HEAPGLOT_X86_KERNELS
template <typename T>
HEAPGLOT_AVX2 T GreatestAvx2(std::span<const T> numbers) {
  return Greatest(numbers);
}

template <typename T>
HEAPGLOT_AVX512 T GreatestAvx512(std::span<const T> numbers) {
  return Greatest(numbers);
}
#endif

std::span<const GreatestVariant> FindGreatestVariants() {
  static constexpr GreatestVariant kAll[] = {
      {"plain", GreatestPlain, GreatestPlain},
#ifdef HEAPGLOT_X86_KERNELS
      {"avx2", GreatestAvx2, GreatestAvx2},
      {"avx512", GreatestAvx512, GreatestAvx512},
#endif
  };
  return internal::UsableWays(kAll);
}

}  // namespace

std::span<const GreatestVariant> GreatestVariants() {
  static const std::span<const GreatestVariant> variants =
      FindGreatestVariants();
  return variants;
}

std::uint32_t GreatestOf(std::span<const std::uint32_t> numbers) {
  static const auto of = GreatestVariants().back().of32;
  return of(numbers);
}

std::uint64_t GreatestOf(std::span<const std::uint64_t> numbers) {
  static const auto of = GreatestVariants().back().of64;
  return of(numbers);
}

}  // namespace heapglot
