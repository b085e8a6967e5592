#include "core/canonical/hash_rows.h"

#include <array>

#include "core/canonical/hash_numbers.h"
#include "core/text/vector_cpu.h"

namespace heapglot {
namespace {

template <std::size_t kColumns>
void HashRowsOf(std::span<const NumberColumn> columns, std::size_t rows,
                Hash128* hashes) {
  std::array<std::uint64_t, kColumns> row;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < kColumns; ++k)
      row[k] = columns[k].first[i * columns[k].step];
    const XXH128_hash_t hash = XXH3_128bits(row.data(), sizeof row);
    hashes[i] = {hash.low64, hash.high64};
  }
}

std::span<const HashRowsVariant> FindVariants() {
  static constexpr HashRowsVariant kAll[] = {
      {"plain", internal::HashRowsPlain, internal::HashPlacesPlain},
#ifdef HEAPGLOT_X86_KERNELS
      {"avx512", internal::HashRowsAvx512, internal::HashPlacesAvx512},
#endif
  };
  return internal::UsableWays(kAll);
}

}  // namespace

void internal::HashRowsPlain(std::span<const NumberColumn> columns,
                             std::size_t rows, Hash128* hashes) {
  WithColumns(columns.size(), [&]<std::size_t kColumns>() {
    HashRowsOf<kColumns>(columns, rows, hashes);
  });
}

void internal::HashPlacesPlain(std::span<const std::uint64_t> numbers,
                               const std::uint32_t* places,
                               const Hash128* hashes_of, Hash128* hashes) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const Hash128& of = hashes_of[places[i]];
    hashes[i] = HashNumbers(numbers[i], of.low, of.high);
  }
}

std::span<const HashRowsVariant> HashRowsVariants() {
  static const std::span<const HashRowsVariant> variants = FindVariants();
  return variants;
}

void HashRows(std::span<const NumberColumn> columns, std::size_t rows,
              Hash128* hashes) {
  static HashRowsFunction* const hash = HashRowsVariants().back().hash;
  hash(columns, rows, hashes);
}

void HashPlaces(std::span<const std::uint64_t> numbers,
                const std::uint32_t* places, const Hash128* hashes_of,
                Hash128* hashes) {
  static HashPlacesFunction* const hash = HashRowsVariants().back().hash_places;
  hash(numbers, places, hashes_of, hashes);
}

}  // namespace heapglot
