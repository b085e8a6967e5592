// Hashes of a few numbers, which a graph takes by the million: inlined, XXH3 takes
// half the time for so little. To be included by .cc files of core/canonical only,
// which are compiled by themselves: xxhash.h inline does not go with others.
#ifndef HEAPGLOT_CORE_CANONICAL_HASH_NUMBERS_H_
#define HEAPGLOT_CORE_CANONICAL_HASH_NUMBERS_H_

#include "core/ir/checksum.h"

// Behind that: it renames what is declared there.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <bit>
#include <cstdint>

namespace heapglot {

// The hash of numbers: their bytes, 8 each, little-endian, end to end.
template <typename... Numbers>
Hash128 HashNumbers(Numbers... numbers) {
  static_assert(std::endian::native == std::endian::little);
  const std::uint64_t words[] = {static_cast<std::uint64_t>(numbers)...};
  const XXH128_hash_t hash = XXH3_128bits(words, sizeof words);
  return {hash.low64, hash.high64};
}

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_CANONICAL_HASH_NUMBERS_H_
