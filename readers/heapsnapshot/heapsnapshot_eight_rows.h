// Eight rows of up to eight numbers, by columns. For vector code only.
#ifndef HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_EIGHT_ROWS_H_
#define HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_EIGHT_ROWS_H_

#include "core/text/vector_cpu.h"
#include "core/text/vector_intrinsics.h"

#ifdef HEAPGLOT_X86_KERNELS

#include <cstddef>
#include <cstdint>
#include <span>

namespace heapglot::heapsnapshot::internal {

// Rows that are loaded at a time, and the most numbers that a row can have.
inline constexpr std::size_t kEight = 8;

HEAPGLOT_AVX512 inline __m256i LoadHalf(const std::uint64_t* numbers) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(numbers));
}

// Four numbers of a row and, above them, four of the row four rows below.
HEAPGLOT_AVX512 inline __m512i LoadTwoHalves(const std::uint64_t* numbers,
                                             std::size_t width) {
  constexpr std::size_t kApart = kEight / 2;
  return _mm512_inserti64x4(_mm512_castsi256_si512(LoadHalf(numbers)),
                            LoadHalf(numbers + kApart * width), 1);
}

// Four columns of eight rows, the first of which begins at `numbers`.
HEAPGLOT_AVX512 inline void LoadFourColumns(const std::uint64_t* numbers,
                                            std::size_t width,
                                            __m512i* columns) {
  const __m512i row0 = LoadTwoHalves(numbers, width);
  const __m512i row1 = LoadTwoHalves(numbers + width, width);
  const __m512i row2 = LoadTwoHalves(numbers + 2 * width, width);
  const __m512i row3 = LoadTwoHalves(numbers + 3 * width, width);
  // Of the first and third column, and of the other two.
  const __m512i odd01 = _mm512_unpacklo_epi64(row0, row1);
  const __m512i even01 = _mm512_unpackhi_epi64(row0, row1);
  const __m512i odd23 = _mm512_unpacklo_epi64(row2, row3);
  const __m512i even23 = _mm512_unpackhi_epi64(row2, row3);
  const __m512i lower = _mm512_set_epi64(13, 12, 5, 4, 9, 8, 1, 0);
  const __m512i upper = _mm512_set_epi64(15, 14, 7, 6, 11, 10, 3, 2);
  columns[0] = _mm512_permutex2var_epi64(odd01, lower, odd23);
  columns[1] = _mm512_permutex2var_epi64(even01, lower, even23);
  columns[2] = _mm512_permutex2var_epi64(odd01, upper, odd23);
  columns[3] = _mm512_permutex2var_epi64(even01, upper, even23);
}

// All columns of eight rows of `width` numbers, at most eight. Missing columns
// get what follows each row.
HEAPGLOT_AVX512 inline void LoadEightRows(const std::uint64_t* numbers,
                                          std::size_t width, __m512i* columns) {
  LoadFourColumns(numbers, width, columns);
  LoadFourColumns(numbers + kEight / 2, width, columns + kEight / 2);
}

// Whether eight rows from `at` on can be loaded, with what follows the last
// one.
inline bool HasEightRows(std::span<const std::uint64_t> rows, std::size_t width,
                         std::size_t at) {
  return at + (kEight - 1) * width + kEight <= rows.size();
}

}  // namespace heapglot::heapsnapshot::internal

#endif  // HEAPGLOT_X86_KERNELS

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_EIGHT_ROWS_H_
