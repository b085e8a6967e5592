#include "core/process_random.h"

#include <sys/auxv.h>

#include <cstring>

namespace heapglot {

// The kernel gives these 16 bytes to each process. Unlike a system call, this
// need not be allowed by a sandbox.
std::array<std::uint64_t, 2> ProcessRandom() {
  std::array<std::uint64_t, 2> random = {0x9e3779b97f4a7c15,
                                         0xbf58476d1ce4e5b9};
  const auto* const bytes =
      // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel says it so
      reinterpret_cast<const unsigned char*>(::getauxval(AT_RANDOM));
  if (bytes != nullptr) std::memcpy(random.data(), bytes, sizeof random);
  return random;
}

}  // namespace heapglot
