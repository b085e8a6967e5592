#include "core/text/vector_cpu.h"

#ifdef HEAPGLOT_X86_KERNELS
#include <cpuid.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace heapglot::internal {
namespace {

// Clang 14 has no __builtin_cpu_supports() for this.
bool HasLzcnt() {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid(0x8000'0001, &eax, &ebx, &ecx, &edx) != 0 &&
         (ecx & bit_LZCNT) != 0;
}

enum class Vectors { kPlain, kAvx2, kAvx512 };

Vectors OfProcessor() {
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi") ||
      !__builtin_cpu_supports("bmi2") || !HasLzcnt())
    return Vectors::kPlain;
  const bool has_all = __builtin_cpu_supports("avx512f") &&
                       __builtin_cpu_supports("avx512bw") &&
                       __builtin_cpu_supports("avx512dq") &&
                       __builtin_cpu_supports("avx512vbmi") &&
                       __builtin_cpu_supports("avx512vbmi2");
  return has_all ? Vectors::kAvx512 : Vectors::kAvx2;
}

Vectors Allowed() {
  const char* const value = secure_getenv("HEAPGLOT_VECTORS");
  const std::string_view most = value == nullptr ? "" : value;
  if (most == "plain") return Vectors::kPlain;
  return most == "avx2" ? Vectors::kAvx2 : Vectors::kAvx512;
}

Vectors Usable() {
  static const Vectors usable = std::min(OfProcessor(), Allowed());
  return usable;
}

}  // namespace

bool HasAvx2() { return Usable() >= Vectors::kAvx2; }

bool HasAvx512() { return Usable() >= Vectors::kAvx512; }

}  // namespace heapglot::internal
#endif
