// Eight numbers at a time: computes their digits side by side, puts each number
// after its separator in a slot of sixteen bytes, and compresses out what is
// not text.
#include "core/text/format_rows.h"
#include "core/text/vector_cpu.h"
#include "core/text/vector_intrinsics.h"

#ifdef HEAPGLOT_X86_KERNELS

#include <bit>

namespace heapglot::internal {
namespace {

// The order of the digits of eight numbers, by pairs: see Octet. Each pair is
// followed by a zero byte.
struct alignas(64) PairOrder {
  std::array<std::uint8_t, 64> bytes = {};
  constexpr PairOrder() {
    constexpr std::array<std::uint8_t, 8> kNumbers = {0, 4, 1, 5, 2, 6, 3, 7};
    // Positions of pairs within a number: see EightDigits().
    constexpr std::array<std::uint8_t, 8> kPairs = {5, 2, 4, 2, 1, 2, 0, 2};
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::uint8_t>(8 * kNumbers[i / 8] + kPairs[i % 8]);
  }
};
constexpr PairOrder kPairOrder;

// Hides a constant from the compiler: GCC 12 replaces a multiplication by a
// known constant with five shifts and sums, and loads it again for each one.
HEAPGLOT_AVX512 inline __m512i Unknown(__m512i number) {
  asm("" : "+v"(number));
  return number;
}

// Constants for computing eight digits.
struct DigitFactors {
  __m512i by_10000;  // / 2^45
  __m512i rest_10000;
  __m512i by_100;  // / 2^19
  __m512i rest_100;
  __m512i by_10;  // / 2^16
  __m512i rest_10;
  __m512i order;
};

HEAPGLOT_AVX512 inline DigitFactors MakeDigitFactors() {
  return {
      .by_10000 = Unknown(_mm512_set1_epi64(0xD1B71759)),
      .rest_10000 = Unknown(_mm512_set1_epi64(0x1'0000'0000 - 10'000)),
      .by_100 = Unknown(_mm512_set1_epi16(5243)),
      .rest_100 = Unknown(_mm512_set1_epi16(0x100 - 100)),
      .by_10 = Unknown(_mm512_set1_epi16(6554)),
      .rest_10 = Unknown(_mm512_set1_epi16(1 - 10 * 0x100)),
      .order = _mm512_load_si512(kPairOrder.bytes.data()),
  };
}

// The values of the eight digits of numbers below 10^8, the first one in the
// lowest byte of a lane, in the order of Octet. Each step splits all fields in
// two, by a multiplication that is an exact division for all values of a field.
// Adding the quotient times (2^k - divisor) leaves the remainder in the lower k
// bits and the quotient above them.
HEAPGLOT_AVX512 inline __m512i EightDigits(__m512i numbers,
                                           const DigitFactors& factors) {
  const __m512i first4 =
      _mm512_srli_epi64(_mm512_mul_epu32(numbers, factors.by_10000), 45);
  const __m512i fours =
      _mm512_add_epi64(numbers, _mm512_mul_epu32(first4, factors.rest_10000));
  const __m512i first2 =
      _mm512_srli_epi16(_mm512_mulhi_epu16(fours, factors.by_100), 3);
  const __m512i twos =
      _mm512_add_epi16(fours, _mm512_mullo_epi16(first2, factors.rest_100));
  const __m512i pairs = _mm512_permutexvar_epi8(factors.order, twos);
  // In reverse: the first digit of a pair comes first.
  const __m512i first = _mm512_mulhi_epu16(pairs, factors.by_10);
  return _mm512_add_epi16(_mm512_slli_epi16(pairs, 8),
                          _mm512_mullo_epi16(first, factors.rest_10));
}

// A bit for each of `digits` from the first one of its number that is not 0, or
// from the last one.
HEAPGLOT_AVX512 inline std::uint64_t ShownDigits(__m512i digits) {
  const std::uint64_t is_shown =
      _mm512_test_epi8_mask(digits, digits) | 0x8080'8080'8080'8080;
  // Bits below the lowest one of each byte are not shown.
  return ~((is_shown - 0x0101'0101'0101'0101) & ~is_shown);
}

// Writes those bytes of `text` whose bits are set in `is_used`.
HEAPGLOT_AVX512 inline char* Press(__m512i text, std::uint64_t is_used,
                                   char* out) {
  _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(is_used, text));
  return out + std::popcount(is_used);
}

// FormatWideOctet() takes numbers below this.
constexpr std::uint64_t kWideEnd512 = 1'000'000'000'000'000;

// Sources of the parts that go into three registers, for eight numbers one
// after another: separator (up to 7), first digits (up to 15), and last eight
// digits of each number. The parts of each kind are in the order of Octet.
struct alignas(64) PartOrder {
  static constexpr std::size_t kParts = 3;
  std::array<std::uint8_t, 64> bytes = {};
  constexpr PartOrder() {
    constexpr std::array<std::uint8_t, 8> kPlaces = {0, 2, 4, 6, 1, 3, 5, 7};
    for (std::size_t i = 0; i < kParts * kPlaces.size(); ++i)
      bytes[i] =
          static_cast<std::uint8_t>(8 * (i % kParts) + kPlaces[i / kParts]);
  }
  // A bit for each lane of a register that holds a last part.
  static constexpr std::array<__mmask8, kParts> kIsLast = {
      0b00100100, 0b01001001, 0b10010010};
};
constexpr PartOrder kPartOrder;

struct WideParts {
  __m512i separators;
  __m512i first_digits;
  __m512i last_digits;
};

template <std::size_t kRegister>
HEAPGLOT_AVX512 inline __m512i InOrder(const WideParts& parts) {
  const __m512i lanes =
      _mm512_cvtepu8_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(
          kPartOrder.bytes.data() + 8 * kRegister)));
  return _mm512_mask_permutexvar_epi64(
      _mm512_permutex2var_epi64(parts.separators, lanes, parts.first_digits),
      PartOrder::kIsLast[kRegister], lanes, parts.last_digits);
}

// Writes eight numbers below kWideEnd512. A separate function, so that the loop
// around shorter numbers keeps its registers.
HEAPGLOT_AVX512 char* FormatWideOctet(const RowLayout::Octet& octet,
                                      __m512i values,
                                      const DigitFactors& factors, char* out) {
  // Exact: adding 0.5 keeps it further from a multiple than rounding can move
  // it.
  const __m512d from_middle =
      _mm512_add_pd(_mm512_cvtepu64_pd(values), _mm512_set1_pd(0.5));
  const __m512i firsts =
      _mm512_cvttpd_epu64(_mm512_mul_pd(from_middle, _mm512_set1_pd(1e-8)));
  const __m512i lasts = _mm512_sub_epi64(
      values, _mm512_mul_epu32(firsts, _mm512_set1_epi64(100'000'000)));
  const __m512i first_digits = EightDigits(firsts, factors);
  const __m512i last_digits = EightDigits(lasts, factors);
  const __m512i is_wide =
      _mm512_movm_epi64(_mm512_test_epi64_mask(first_digits, first_digits));
  const std::uint64_t is_first_shown =
      ShownDigits(first_digits) & _mm512_movepi8_mask(is_wide);
  const std::uint64_t is_last_shown =
      ShownDigits(_mm512_or_si512(last_digits, is_wide));
  const std::uint64_t is_separator = octet.is_used[0] | octet.is_used[1] << 8;
  // One byte per lane here.
  const __m256i is_used = _mm512_castsi512_si256(
      _mm512_permutexvar_epi8(_mm512_load_si512(kPartOrder.bytes.data()),
                              _mm512_castsi256_si512(_mm256_set_epi64x(
                                  0, static_cast<long long>(is_last_shown),
                                  static_cast<long long>(is_first_shown),
                                  static_cast<long long>(is_separator)))));

  const __m512i zeros = _mm512_set1_epi8('0');
  const WideParts parts = {.separators = _mm512_load_si512(&octet.separators),
                           .first_digits = _mm512_or_si512(first_digits, zeros),
                           .last_digits = _mm512_or_si512(last_digits, zeros)};
  const auto low = _mm256_castsi256_si128(is_used);
  const auto high = _mm256_extracti128_si256(is_used, 1);
  out = Press(InOrder<0>(parts),
              static_cast<std::uint64_t>(_mm_cvtsi128_si64(low)), out);
  out = Press(InOrder<1>(parts),
              static_cast<std::uint64_t>(_mm_extract_epi64(low, 1)), out);
  return Press(InOrder<2>(parts),
               static_cast<std::uint64_t>(_mm_cvtsi128_si64(high)), out);
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
  const DigitFactors factors = MakeDigitFactors();
  const __m512i too_many = _mm512_set1_epi64(100'000'000);
  const __m512i zeros = Unknown(_mm512_set1_epi8('0'));
  for (; end - numbers >= 8; numbers += 8) {
    const __m512i values = _mm512_loadu_si512(numbers);
    const RowLayout::Octet& octet = layout.octets()[column];
    if (_mm512_cmpge_epu64_mask(values, too_many) != 0) [[unlikely]] {
      const __m512i wide_end = _mm512_set1_epi64(kWideEnd512);
      out = _mm512_cmpge_epu64_mask(values, wide_end) == 0
                ? FormatWideOctet(octet, values, factors, out)
                : FormatRowsPlain(layout, numbers, 8, column, out);
    } else {
      const __m512i separators = _mm512_load_si512(&octet.separators);
      const __m512i digits = EightDigits(values, factors);
      const __m512i text = _mm512_or_si512(digits, zeros);
      // Digits are in the upper halves of slots.
      constexpr std::uint64_t kUpper = 0xff00'ff00'ff00'ff00;
      const std::uint64_t is_shown = ShownDigits(digits);
      out = Press(_mm512_unpacklo_epi64(separators, text),
                  octet.is_used[0] | (is_shown << 8 & kUpper), out);
      out = Press(_mm512_unpackhi_epi64(separators, text),
                  octet.is_used[1] | (is_shown & kUpper), out);
    }
    column += step;
    if (column >= width) column -= width;
  }
  return FormatRowsPlain(layout, numbers,
                         static_cast<std::size_t>(end - numbers), column, out);
}

}  // namespace heapglot::internal

#endif  // HEAPGLOT_X86_KERNELS
