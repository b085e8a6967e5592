// xxhash.h again, compiled for AVX2 (CMakeLists.txt), because Debian's static
// library cannot choose at run time. Include nothing else here: its inline
// functions would be compiled for AVX2, and might be linked into other code.
#include "core/ir/checksum.h"

namespace heapglot::internal {

// Named here, because xxhash.h renames it.
using LibraryState = XXH3_state_s;

}  // namespace heapglot::internal

#define XXH_INLINE_ALL
#include <xxhash.h>

#ifdef __AVX2__

namespace heapglot::internal {

std::uint64_t ChecksumAvx2(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

Hash128 Hash128Avx2(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

void AddXxh3Avx2(std::string_view bytes, LibraryState* state) {
  // The library's state and this one differ only in their names.
  XXH3_64bits_update(reinterpret_cast<XXH3_state_t*>(state), bytes.data(),
                     bytes.size());
}

}  // namespace heapglot::internal

#endif  // __AVX2__
