#include "core/ir/put_varints.h"

#include "core/ir/wire.h"
#include "core/text/vector_cpu.h"

namespace heapglot::wire {
namespace {

char* PutEach(const auto& numbers, char* out) {
  for (const auto number : numbers) out = PutVarint(number, out);
  return out;
}

std::span<const PutVarintsVariant> FindPutVariants() {
  static constexpr PutVarintsVariant kAll[] = {
      {"plain", internal::PutVarintsPlain, internal::PutVarintsPlain},
#ifdef HEAPGLOT_X86_KERNELS
      {"avx512", internal::PutVarintsAvx512, internal::PutVarintsAvx512},
#endif
  };
  return heapglot::internal::UsableWays(kAll);
}

}  // namespace

char* internal::PutVarintsPlain(std::span<const std::uint32_t> numbers,
                                char* out) {
  return PutEach(numbers, out);
}

char* internal::PutVarintsPlain(std::span<const std::uint64_t> numbers,
                                char* out) {
  return PutEach(numbers, out);
}

std::span<const PutVarintsVariant> PutVarintsVariants() {
  static const std::span<const PutVarintsVariant> variants = FindPutVariants();
  return variants;
}

char* PutVarints(std::span<const std::uint32_t> numbers, char* out) {
  static const auto put = PutVarintsVariants().back().put32;
  return put(numbers, out);
}

char* PutVarints(std::span<const std::uint64_t> numbers, char* out) {
  static const auto put = PutVarintsVariants().back().put64;
  return put(numbers, out);
}

}  // namespace heapglot::wire
