// Eight rows at a time, each with what stands behind it as a register of eight
// numbers: turned around, a register is a column.
#include "core/text/vector_cpu.h"
#include "core/text/vector_intrinsics.h"
#include "readers/heapsnapshot/heapsnapshot_split_rows.h"

#ifdef HEAPGLOT_X86_KERNELS

#include <algorithm>
#include <array>

namespace heapglot::heapsnapshot::internal {
namespace {

constexpr std::size_t kLanes = 8;
constexpr std::size_t kHalf = kLanes / 2;

HEAPGLOT_AVX512 inline __m256i LoadHalf(const std::uint64_t* numbers) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(numbers));
}

// Four numbers of a row and, above them, four of the row that is four rows below.
HEAPGLOT_AVX512 inline __m512i LoadTwo(const std::uint64_t* numbers,
                                       std::size_t width) {
  return _mm512_inserti64x4(_mm512_castsi256_si512(LoadHalf(numbers)),
                            LoadHalf(numbers + kHalf * width), 1);
}

HEAPGLOT_AVX512 inline void Store(__m512i numbers, std::uint64_t* column,
                                  std::size_t row) {
  if (column != nullptr) _mm512_storeu_si512(column + row, numbers);
}

// Writes four columns of eight rows, the first of which begins at `numbers`, to
// places from `row` on.
HEAPGLOT_AVX512 inline void SplitFour(const std::uint64_t* numbers,
                                      std::size_t width,
                                      std::uint64_t* const* columns,
                                      std::size_t row) {
  const __m512i row0 = LoadTwo(numbers, width);
  const __m512i row1 = LoadTwo(numbers + width, width);
  const __m512i row2 = LoadTwo(numbers + 2 * width, width);
  const __m512i row3 = LoadTwo(numbers + 3 * width, width);
  // Of the first and third column, and of the other two.
  const __m512i odd01 = _mm512_unpacklo_epi64(row0, row1);
  const __m512i even01 = _mm512_unpackhi_epi64(row0, row1);
  const __m512i odd23 = _mm512_unpacklo_epi64(row2, row3);
  const __m512i even23 = _mm512_unpackhi_epi64(row2, row3);
  const __m512i lower = _mm512_set_epi64(13, 12, 5, 4, 9, 8, 1, 0);
  const __m512i upper = _mm512_set_epi64(15, 14, 7, 6, 11, 10, 3, 2);
  Store(_mm512_permutex2var_epi64(odd01, lower, odd23), columns[0], row);
  Store(_mm512_permutex2var_epi64(even01, lower, even23), columns[1], row);
  Store(_mm512_permutex2var_epi64(odd01, upper, odd23), columns[2], row);
  Store(_mm512_permutex2var_epi64(even01, upper, even23), columns[3], row);
}

}  // namespace

HEAPGLOT_AVX512 void SplitRowsAvx512(std::span<const std::uint64_t> rows,
                                     std::size_t width,
                                     std::uint64_t* const* columns) {
  if (width > kLanes) return SplitRowsPlain(rows, width, columns);
  std::array<std::uint64_t*, kLanes> out = {};
  std::copy_n(columns, width, out.begin());
  std::size_t row = 0;
  std::size_t at = 0;
  // A row of fewer numbers is read with what is behind it.
  for (; at + (kLanes - 1) * width + kLanes <= rows.size();
       at += kLanes * width, row += kLanes) {
    SplitFour(&rows[at], width, out.data(), row);
    SplitFour(&rows[at + kHalf], width, out.data() + kHalf, row);
  }
  for (std::uint64_t*& column : out)
    if (column != nullptr) column += row;
  SplitRowsPlain(rows.subspan(at), width, out.data());
}

}  // namespace heapglot::heapsnapshot::internal

#endif  // HEAPGLOT_X86_KERNELS
