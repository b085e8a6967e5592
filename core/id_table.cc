#include "core/id_table.h"

#include <sys/auxv.h>

#include <cstring>

namespace heapglot {
namespace {

// 16 bytes that the kernel gives to each process; no call of it, which a
// sandbox would have to allow.
std::uint64_t BytesOfTheKernel() {
  std::uint64_t seed = 0;
  const auto* const bytes =
      reinterpret_cast<const unsigned char*>(::getauxval(AT_RANDOM));
  if (bytes != nullptr) std::memcpy(&seed, bytes, sizeof seed);
  return seed;
}

}  // namespace

std::uint64_t IdHash::Seed() {
  static const std::uint64_t seed = BytesOfTheKernel();
  return seed;
}

}  // namespace heapglot
