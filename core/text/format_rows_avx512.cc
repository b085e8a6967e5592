// Eight numbers at a time: their digits are made side by side, each put behind
// its separator in a slot of sixteen bytes, and what is no text is pressed out.
#include "core/text/format_rows.h"
#include "core/text/vector_cpu.h"

#ifdef HEAPGLOT_X86_KERNELS

#include <bit>

// GCC 12 finds uninitialized what its own intrinsics leave so (bug 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

#include <immintrin.h>

namespace heapglot::internal {
namespace {

// Values of the eight digits of numbers below 10^8, the first one in the lowest
// byte of a lane. Each step parts all fields in two, by multiplications that
// are exact divisions for what a field may hold.
HEAPGLOT_AVX512 inline __m512i EightDigits(__m512i numbers) {
  const __m512i first4 = _mm512_srli_epi64(
      _mm512_mul_epu32(numbers, _mm512_set1_epi64(0xD1B71759)), 45);
  const __m512i last4 = _mm512_sub_epi64(
      numbers, _mm512_mul_epu32(first4, _mm512_set1_epi64(10'000)));
  const __m512i fours = _mm512_or_si512(first4, _mm512_slli_epi64(last4, 32));
  const __m512i first2 =
      _mm512_srli_epi16(_mm512_mulhi_epu16(fours, _mm512_set1_epi16(5243)), 3);
  const __m512i last2 = _mm512_sub_epi16(
      fours, _mm512_mullo_epi16(first2, _mm512_set1_epi16(100)));
  const __m512i pairs = _mm512_or_si512(first2, _mm512_slli_epi32(last2, 16));
  const __m512i first = _mm512_mulhi_epu16(pairs, _mm512_set1_epi16(6554));
  const __m512i last =
      _mm512_sub_epi16(pairs, _mm512_mullo_epi16(first, _mm512_set1_epi16(10)));
  return _mm512_or_si512(first, _mm512_slli_epi16(last, 8));
}

// Writes those bytes of `text` whose `is_used` has the highest bit.
HEAPGLOT_AVX512 inline char* Press(__m512i text, __m512i is_used, char* out) {
  const __mmask64 used = _mm512_movepi8_mask(is_used);
  _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(used, text));
  return out + std::popcount(static_cast<std::uint64_t>(used));
}

}  // namespace

HEAPGLOT_AVX512 char* FormatRowsAvx512(const RowLayout& layout,
                                       const std::uint64_t* numbers,
                                       std::size_t count, std::size_t column,
                                       char* out) {
  const std::size_t width = layout.columns().size();
  if (column >= width) column = 0;
  const std::size_t step = 8 % width;
  const std::uint64_t* const end = numbers + count;
  if (layout.octets().empty())
    return FormatRowsPlain(layout, numbers, count, column, out);
  // So that joining the halves of 128 bits puts them in order: see Octet.
  const __m512i order = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7);
  const __m512i too_many = _mm512_set1_epi64(100'000'000);
  for (; end - numbers >= 8; numbers += 8) {
    const __m512i values =
        _mm512_permutexvar_epi64(order, _mm512_loadu_si512(numbers));
    if (_mm512_cmpge_epu64_mask(values, too_many) != 0) [[unlikely]] {
      out = FormatRowsPlain(layout, numbers, 8, column, out);
    } else {
      const RowLayout::Octet& octet = layout.octets()[column];
      const __m512i separators = _mm512_load_si512(&octet.separators);
      const __m512i separated = _mm512_load_si512(&octet.is_used);
      const __m512i digits = EightDigits(values);
      const __m512i text = _mm512_or_si512(digits, _mm512_set1_epi8('0'));
      // All from the first digit that is not 0, or from the last one: x | -x
      // has all bits from the lowest one of x on.
      const __m512i shown =
          _mm512_or_si512(digits, _mm512_set1_epi64(std::int64_t{1} << 56));
      const __m512i is_shown = _mm512_or_si512(
          shown, _mm512_sub_epi64(_mm512_setzero_si512(), shown));
      out = Press(_mm512_unpacklo_epi64(separators, text),
                  _mm512_unpacklo_epi64(separated, is_shown), out);
      out = Press(_mm512_unpackhi_epi64(separators, text),
                  _mm512_unpackhi_epi64(separated, is_shown), out);
    }
    column += step;
    if (column >= width) column -= width;
  }
  return FormatRowsPlain(layout, numbers,
                         static_cast<std::size_t>(end - numbers), column, out);
}

}  // namespace heapglot::internal

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#endif  // HEAPGLOT_X86_KERNELS
