// Hashes of a few numbers, of which a graph needs millions: inlined, XXH3 takes
// half the time for so little. To be included only by .cc files of
// core/canonical that are compiled by themselves: xxhash.h, once inlined,
// cannot be included as usual by other code of the same unit.
#ifndef HEAPGLOT_CORE_CANONICAL_HASH_NUMBERS_H_
#define HEAPGLOT_CORE_CANONICAL_HASH_NUMBERS_H_

#include "core/ir/checksum.h"

// After checksum.h: the macro renames what is declared there.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <bit>
#include <cstdint>

namespace heapglot {

// The hash of the bytes of the numbers: 8 each, little-endian, end to end.
template <typename... Numbers>
Hash128 HashNumbers(Numbers... numbers) {
  static_assert(std::endian::native == std::endian::little);
  const std::uint64_t words[] = {static_cast<std::uint64_t>(numbers)...};
  const XXH128_hash_t hash = XXH3_128bits(words, sizeof words);
  return {hash.low64, hash.high64};
}

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_CANONICAL_HASH_NUMBERS_H_
