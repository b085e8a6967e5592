// Hashes of many rows of a few numbers each. Every row is hashed as by
// HashNumbers(), eight rows at a time if the processor has the vectors for it.
#ifndef HEAPGLOT_CORE_CANONICAL_HASH_ROWS_H_
#define HEAPGLOT_CORE_CANONICAL_HASH_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "core/ir/checksum.h"

namespace heapglot {

// One number of each row: that of row i is first[i * step].
struct NumberColumn {
  const std::uint64_t* first = nullptr;
  std::size_t step = 1;  // 0: all rows have the same; 2: halves of hashes
};

inline NumberColumn Numbers(const std::uint64_t* first) { return {first, 1}; }
inline NumberColumn SameNumber(const std::uint64_t& number) {
  return {&number, 0};
}
inline NumberColumn LowHalves(const Hash128* hashes) {
  return {&hashes->low, 2};
}
inline NumberColumn HighHalves(const Hash128* hashes) {
  return {&hashes->high, 2};
}

// hashes[i] is the hash of row i: of its numbers, 8 bytes each, little-endian,
// end to end. Takes as many columns as one of XXH3's short cuts does: 3 to 16.
// Hashes may overwrite a column.
using HashRowsFunction = void(std::span<const NumberColumn> columns,
                              std::size_t rows, Hash128* hashes);
HashRowsFunction HashRows;

// The same for rows of a number and the hash hashes_of[places[i]], which need
// not be put into rows before. `hashes` must not overlap the input.
using HashPlacesFunction = void(std::span<const std::uint64_t> numbers,
                                const std::uint32_t* places,
                                const Hash128* hashes_of, Hash128* hashes);
HashPlacesFunction HashPlaces;

// The implementations that this processor can run; the last one is used.
struct HashRowsVariant {
  std::string_view name;
  HashRowsFunction* hash;
  HashPlacesFunction* hash_places;
};
std::span<const HashRowsVariant> HashRowsVariants();

namespace internal {

inline constexpr std::size_t kMinColumns = 3;
inline constexpr std::size_t kMaxColumns = 16;

HashRowsFunction HashRowsPlain;
HashRowsFunction HashRowsAvx512;
HashPlacesFunction HashPlacesPlain;
HashPlacesFunction HashPlacesAvx512;

// Calls use.operator()<columns>(): hashing takes little code if the size is
// known.
template <typename Use>
void WithColumns(std::size_t columns, Use use) {
  const auto with = [&]<std::size_t... kMore>(std::index_sequence<kMore...>) {
    ((columns == kMinColumns + kMore
          ? use.template operator()<kMinColumns + kMore>()
          : void()),
     ...);
  };
  with(std::make_index_sequence<kMaxColumns + 1 - kMinColumns>());
}

}  // namespace internal
}  // namespace heapglot

#endif  // HEAPGLOT_CORE_CANONICAL_HASH_ROWS_H_
