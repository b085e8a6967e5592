// XXH3-128 of 24 to 128 bytes, of eight rows side by side: a lane each.
#include <array>

#include "core/canonical/hash_numbers.h"
#include "core/canonical/hash_rows.h"
#include "core/ir/wire.h"
#include "core/text/vector_cpu.h"

#ifdef HEAPGLOT_X86_KERNELS

// GCC 12 finds uninitialized what its own intrinsics leave so (bug 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

#include <immintrin.h>

namespace heapglot::internal {
namespace {

constexpr std::size_t kLanes = 8;

struct TwoHalves {
  __m512i low;
  __m512i high;
};

HEAPGLOT_AVX512 inline __m512i Same(std::uint64_t number) {
  return _mm512_set1_epi64(static_cast<long long>(number));
}

// Numbers of eight rows.
HEAPGLOT_AVX512 inline __m512i Load(const NumberColumn& column,
                                    std::size_t row) {
  const std::uint64_t* const first = column.first + row * column.step;
  switch (column.step) {
    case 0:
      return Same(*first);
    case 1:
      return _mm512_loadu_si512(first);
    case 2: {
      // The last number belongs to the last row: nothing is behind it.
      const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 9, 11, 13, 15);
      return _mm512_permutex2var_epi64(_mm512_loadu_si512(first), even,
                                       _mm512_loadu_si512(first + 7));
    }
    default: {
      std::array<std::uint64_t, kLanes> numbers;
      for (std::size_t i = 0; i < kLanes; ++i)
        numbers[i] = first[i * column.step];
      return _mm512_loadu_si512(numbers.data());
    }
  }
}

// The halves of the products of 128 bits, one xor the other.
HEAPGLOT_AVX512 inline __m512i MultiplyFold(__m512i a, __m512i b) {
  const __m512i a_high = _mm512_srli_epi64(a, 32);
  const __m512i b_high = _mm512_srli_epi64(b, 32);
  const __m512i low_low = _mm512_mul_epu32(a, b);
  const __m512i low_high = _mm512_mul_epu32(a, b_high);
  const __m512i high_low = _mm512_mul_epu32(a_high, b);
  const __m512i high_high = _mm512_mul_epu32(a_high, b_high);
  const __m512i low_32 = _mm512_set1_epi64(0xffffffff);
  const __m512i cross =
      _mm512_add_epi64(_mm512_add_epi64(_mm512_srli_epi64(low_low, 32),
                                        _mm512_and_si512(low_high, low_32)),
                       high_low);
  const __m512i high =
      _mm512_add_epi64(_mm512_add_epi64(_mm512_srli_epi64(low_high, 32),
                                        _mm512_srli_epi64(cross, 32)),
                       high_high);
  // low = cross << 32 | low_low & low_32, and xor high
  return _mm512_xor_si512(
      high,
      _mm512_mask_mov_epi32(_mm512_slli_epi64(cross, 32), 0x5555, low_low));
}

HEAPGLOT_AVX512 inline __m512i XorShift(__m512i bits, unsigned shift) {
  return _mm512_xor_si512(bits, _mm512_srli_epi64(bits, shift));
}

HEAPGLOT_AVX512 inline __m512i Avalanche(__m512i bits) {
  constexpr std::uint64_t kFactor = 0x165667919E3779F9;
  return XorShift(_mm512_mullo_epi64(XorShift(bits, 37), Same(kFactor)), 32);
}

// Number `at` of what XXH3 mixes in.
HEAPGLOT_AVX512 inline __m512i Secret(std::size_t at) {
  return Same(XXH_readLE64(XXH3_kSecret + 8 * at));
}

// Two numbers from the front and two from the back of each row, with four of the
// secret from `secret` on.
HEAPGLOT_AVX512 inline void Mix(std::span<const NumberColumn> columns,
                                std::size_t row, std::size_t front,
                                std::size_t back, std::size_t secret,
                                TwoHalves* sum) {
  const __m512i a = Load(columns[front], row);
  const __m512i b = Load(columns[front + 1], row);
  const __m512i c = Load(columns[back], row);
  const __m512i d = Load(columns[back + 1], row);
  const __m512i front_product =
      MultiplyFold(_mm512_xor_si512(a, Secret(secret)),
                   _mm512_xor_si512(b, Secret(secret + 1)));
  const __m512i back_product =
      MultiplyFold(_mm512_xor_si512(c, Secret(secret + 2)),
                   _mm512_xor_si512(d, Secret(secret + 3)));
  sum->low = _mm512_xor_si512(_mm512_add_epi64(sum->low, front_product),
                              _mm512_add_epi64(c, d));
  sum->high = _mm512_xor_si512(_mm512_add_epi64(sum->high, back_product),
                               _mm512_add_epi64(a, b));
}

HEAPGLOT_AVX512 inline void HashEight(std::span<const NumberColumn> columns,
                                      std::size_t row, Hash128* hashes) {
  const std::size_t width = columns.size();
  const std::uint64_t size = 8 * width;
  TwoHalves sum = {Same(size * XXH_PRIME64_1), _mm512_setzero_si512()};
  if (width > 12) Mix(columns, row, 6, width - 8, 12, &sum);
  if (width > 8) Mix(columns, row, 4, width - 6, 8, &sum);
  if (width > 4) Mix(columns, row, 2, width - 4, 4, &sum);
  Mix(columns, row, 0, width - 2, 0, &sum);
  const __m512i low = Avalanche(_mm512_add_epi64(sum.low, sum.high));
  const __m512i high = _mm512_sub_epi64(
      _mm512_setzero_si512(),
      Avalanche(_mm512_add_epi64(
          _mm512_add_epi64(_mm512_mullo_epi64(sum.low, Same(XXH_PRIME64_1)),
                           _mm512_mullo_epi64(sum.high, Same(XXH_PRIME64_4))),
          Same(size * XXH_PRIME64_2))));
  const __m512i first = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
  const __m512i last = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
  _mm512_storeu_si512(hashes, _mm512_permutex2var_epi64(low, first, high));
  _mm512_storeu_si512(hashes + 4, _mm512_permutex2var_epi64(low, last, high));
}

}  // namespace

HEAPGLOT_AVX512 void HashRowsAvx512(std::span<const NumberColumn> columns,
                                    std::size_t rows, Hash128* hashes) {
  std::size_t row = 0;
  for (; row + kLanes <= rows; row += kLanes)
    HashEight(columns, row, hashes + row);
  if (row == rows) return;
  std::array<NumberColumn, 16> rest;
  for (std::size_t k = 0; k < columns.size(); ++k)
    rest[k] = {columns[k].first + row * columns[k].step, columns[k].step};
  HashRowsPlain({rest.data(), columns.size()}, rows - row, hashes + row);
}

}  // namespace heapglot::internal

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#endif  // HEAPGLOT_X86_KERNELS
