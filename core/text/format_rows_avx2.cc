// Eight numbers at a time: computes their digits side by side, puts each number
// after its separator in a slot of sixteen bytes, and removes what is not text
// from the slot with a shuffle. One store per number: two stores, for separator
// and digits, took a third longer.
#include "core/text/format_rows.h"
#include "core/text/vector_cpu.h"
#include "core/text/vector_intrinsics.h"

#ifdef HEAPGLOT_X86_KERNELS

namespace heapglot::internal {
namespace {

constexpr std::size_t kRowSlot = RowLayout::Slots::kSlot;
constexpr std::size_t kRowDigits = kRowSlot - RowLayout::kMaxSeparator;

// Numbers below this still fit into a slot, with two of their digits next to
// the separator: dumps of a gigabyte are the first that need it.
constexpr std::int64_t kWideEnd = 10'000'000'000;
constexpr std::size_t kMaxFirst = 2;

// What to take from a slot: by the size of the separator, which is at its
// start, and by the number of digits, which are at its end, that are not shown.
struct alignas(64) SlotOrders {
  static constexpr std::size_t kSizes = RowLayout::kMaxSeparator + 1;
  static constexpr std::size_t kBytes = kSizes * kRowDigits * kRowSlot;
  std::array<std::uint8_t, kBytes> bytes = {};
  constexpr SlotOrders() {
    std::size_t at = 0;
    for (std::size_t size = 0; size < kSizes; ++size) {
      for (std::size_t hidden = 0; hidden < kRowDigits; ++hidden) {
        for (std::size_t i = 0; i < kRowSlot; ++i, ++at) {
          const std::size_t digit = kRowDigits + hidden + i - size;
          bytes[at] =
              static_cast<std::uint8_t>(i < size ? i : digit % kRowSlot);
        }
      }
    }
  }
};
constexpr SlotOrders kSlotOrders;

// Hides a constant from the compiler: GCC 12 replaces a multiplication by a
// known constant with shifts and sums, and loads it again for each one.
HEAPGLOT_AVX2 inline __m256i UnknownAvx2(__m256i number) {
  asm("" : "+x"(number));
  return number;
}

// Constants for computing digits, as in format_rows_avx512.cc.
struct Factors {
  __m256i by_10000;  // / 2^45
  __m256i rest_10000;
  __m256i by_100;  // / 2^19
  __m256i times_100;
  __m256i by_10;  // / 2^16
  __m256i rest_10;
  __m256i hidden;
  __m256i zeros;
};

HEAPGLOT_AVX2 inline Factors MakeFactors() {
  return {
      .by_10000 = UnknownAvx2(_mm256_set1_epi64x(0xD1B71759)),
      .rest_10000 = UnknownAvx2(_mm256_set1_epi64x(0x1'0000'0000 - 10'000)),
      .by_100 = UnknownAvx2(_mm256_set1_epi16(5243)),
      .times_100 = UnknownAvx2(_mm256_set1_epi16(100)),
      .by_10 = UnknownAvx2(_mm256_set1_epi16(6554)),
      .rest_10 = UnknownAvx2(_mm256_set1_epi16(1 - 10 * 0x100)),
      .hidden = UnknownAvx2(_mm256_set1_epi64x(0x0010'1010'1010'1010)),
      .zeros = UnknownAvx2(_mm256_set1_epi8('0')),
  };
}

// Splits four numbers below 10^8: the last four digits are in the lower half of
// a lane, the first four in the upper one.
HEAPGLOT_AVX2 inline __m256i Halves(__m256i numbers, const Factors& factors) {
  const __m256i first4 =
      _mm256_srli_epi64(_mm256_mul_epu32(numbers, factors.by_10000), 45);
  return _mm256_add_epi64(numbers,
                          _mm256_mul_epu32(first4, factors.rest_10000));
}

// The values of the digits of numbers below 100, the first one in the lower
// byte.
HEAPGLOT_AVX2 inline __m256i PairDigits(__m256i pairs, const Factors& factors) {
  const __m256i first = _mm256_mulhi_epu16(pairs, factors.by_10);
  return _mm256_add_epi16(_mm256_slli_epi16(pairs, 8),
                          _mm256_mullo_epi16(first, factors.rest_10));
}

// The number of digits before the first one that is not 0, or before the last
// one, times kRowSlot.
HEAPGLOT_AVX2 inline __m256i Hidden(__m256i digits, const Factors& factors) {
  const __m256i none = _mm256_setzero_si256();
  const __m256i is_zero = _mm256_cmpeq_epi8(digits, none);
  // Adding 1 to a lane clears the run of ones at its low end.
  const __m256i next = _mm256_sub_epi64(is_zero, _mm256_set1_epi64x(-1));
  const __m256i is_hidden = _mm256_andnot_si256(next, is_zero);
  return _mm256_sad_epu8(_mm256_and_si256(is_hidden, factors.hidden), none);
}

HEAPGLOT_AVX2 inline __m256i LoadFour(const std::uint64_t* numbers) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(numbers));
}

HEAPGLOT_AVX2 inline char* PutSlot(__m128i slot, std::int64_t order,
                                   std::int64_t size, char* out) {
  const __m128i bytes = _mm_load_si128(
      reinterpret_cast<const __m128i*>(kSlotOrders.bytes.data() + order));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out),
                   _mm_shuffle_epi8(slot, bytes));
  return out + size;
}

// Writes two numbers. Their orders and sizes are extracted from registers one
// by one; going through memory was slower, because a load waited for more than
// it needed.
HEAPGLOT_AVX2 inline char* PutTwoSlots(__m128i even, __m128i odd,
                                       __m128i orders, __m128i sizes,
                                       char* out) {
  out = PutSlot(even, _mm_cvtsi128_si64(orders), _mm_cvtsi128_si64(sizes), out);
  return PutSlot(odd, _mm_extract_epi64(orders, 1), _mm_extract_epi64(sizes, 1),
                 out);
}

// For four numbers: what comes before their digits, the offset of the shuffle
// for all eight digits, and the size with all of them.
struct FourStarts {
  __m256i separators;
  __m256i orders;
  __m256i most;
};

HEAPGLOT_AVX2 inline FourStarts LoadStarts(const RowLayout::Slots& slots,
                                           std::size_t first) {
  return {.separators = _mm256_load_si256(
              reinterpret_cast<const __m256i*>(&slots.separators[first])),
          .orders = LoadFour(&slots.orders[first]),
          .most = LoadFour(&slots.most[first])};
}

// Writes four numbers of eight digits, of which `hidden` are not shown.
HEAPGLOT_AVX2 inline char* PutFourSlots(const FourStarts& starts,
                                        __m256i digits, __m256i hidden,
                                        const Factors& factors, char* out) {
  const __m256i text = _mm256_or_si256(digits, factors.zeros);
  const __m256i even = _mm256_unpacklo_epi64(starts.separators, text);
  const __m256i odd = _mm256_unpackhi_epi64(starts.separators, text);
  const __m256i orders = _mm256_add_epi64(starts.orders, hidden);
  const __m256i sizes =
      _mm256_sub_epi64(starts.most, _mm256_srli_epi64(hidden, 4));
  out = PutTwoSlots(_mm256_castsi256_si128(even), _mm256_castsi256_si128(odd),
                    _mm256_castsi256_si128(orders),
                    _mm256_castsi256_si128(sizes), out);
  return PutTwoSlots(_mm256_extracti128_si256(even, 1),
                     _mm256_extracti128_si256(odd, 1),
                     _mm256_extracti128_si256(orders, 1),
                     _mm256_extracti128_si256(sizes, 1), out);
}

// The digits of eight numbers below 10^8, with leading zeros.
struct EightTexts {
  __m256i a;  // of the first four
  __m256i b;
};
HEAPGLOT_AVX2 inline EightTexts MakeDigits(__m256i a, __m256i b,
                                           const Factors& factors) {
  // In fields of 16 bits: the first and the last two of each four digits.
  const __m256i fours =
      _mm256_packus_epi32(Halves(a, factors), Halves(b, factors));
  const __m256i first2 =
      _mm256_srli_epi16(_mm256_mulhi_epu16(fours, factors.by_100), 3);
  const __m256i last2 =
      _mm256_sub_epi16(fours, _mm256_mullo_epi16(first2, factors.times_100));
  // Swap the halves of a lane: the first digits come first.
  constexpr int kSwapHalves = 0xB1;
  const __m256i pairs_a = _mm256_unpacklo_epi16(first2, last2);
  const __m256i pairs_b = _mm256_unpackhi_epi16(first2, last2);
  return {
      .a = PairDigits(_mm256_shuffle_epi32(pairs_a, kSwapHalves), factors),
      .b = PairDigits(_mm256_shuffle_epi32(pairs_b, kSwapHalves), factors),
  };
}

// Writes eight numbers below 10^8.
HEAPGLOT_AVX2 inline char* FormatEight(const RowLayout::Slots& slots, __m256i a,
                                       __m256i b, const Factors& factors,
                                       char* out) {
  const EightTexts digits = MakeDigits(a, b, factors);
  out = PutFourSlots(LoadStarts(slots, 0), digits.a, Hidden(digits.a, factors),
                     factors, out);
  return PutFourSlots(LoadStarts(slots, 4), digits.b, Hidden(digits.b, factors),
                      factors, out);
}

// The digits of numbers below kWideEnd before their last eight digits.
HEAPGLOT_AVX2 inline __m256i FirstDigits(__m256i numbers) {
  // 10^8 is 2^8 * 390,625; the multiplication divides numbers of up to 26 bits
  // by 390,625.
  const __m256i by_390625 = _mm256_set1_epi64x((1LL << 45) / 390'625 + 1);
  return _mm256_srli_epi64(
      _mm256_mul_epu32(_mm256_srli_epi64(numbers, 8), by_390625), 45);
}

// Writes four numbers, from `first` on, whose leading digits `firsts` go after
// the separator.
HEAPGLOT_AVX2 inline char* PutFourWide(const RowLayout::Slots& slots,
                                       std::size_t first, __m256i firsts,
                                       __m256i digits, const Factors& factors,
                                       char* out) {
  const __m256i none = _mm256_setzero_si256();
  const __m256i is_none = _mm256_cmpeq_epi64(firsts, none);
  const __m256i below_10 = _mm256_cmpgt_epi64(_mm256_set1_epi64x(10), firsts);
  const __m256i count = _mm256_add_epi64(
      _mm256_add_epi64(_mm256_set1_epi64x(kMaxFirst), is_none), below_10);
  const __m256i pairs = _mm256_or_si256(PairDigits(firsts, factors),
                                        _mm256_set1_epi64x('0' << 8 | '0'));
  const __m256i one_less = _mm256_and_si256(below_10, _mm256_set1_epi64x(8));
  const __m256i text =
      _mm256_andnot_si256(is_none, _mm256_srlv_epi64(pairs, one_less));
  FourStarts starts = LoadStarts(slots, first);
  const __m256i bits_before = _mm256_srli_epi64(starts.orders, 4);
  starts.separators =
      _mm256_or_si256(starts.separators, _mm256_sllv_epi64(text, bits_before));
  starts.orders = _mm256_add_epi64(starts.orders, _mm256_slli_epi64(count, 7));
  starts.most = _mm256_add_epi64(starts.most, count);
  return PutFourSlots(starts, digits,
                      _mm256_and_si256(is_none, Hidden(digits, factors)),
                      factors, out);
}

// Writes eight numbers, at least one of which has more than eight digits.
// `column` must be in range.
HEAPGLOT_AVX2 char* FormatWideEight(const RowLayout& layout,
                                    const std::uint64_t* numbers,
                                    std::size_t column, char* out) {
  const __m256i a = LoadFour(numbers);
  const __m256i b = LoadFour(numbers + 4);
  const __m256i most = _mm256_set1_epi64x(kWideEnd - 1);
  // Catches negative numbers, too.
  const __m256i beyond = _mm256_or_si256(
      _mm256_or_si256(a, b), _mm256_or_si256(_mm256_cmpgt_epi64(a, most),
                                             _mm256_cmpgt_epi64(b, most)));
  if (_mm256_movemask_pd(_mm256_castsi256_pd(beyond)) != 0 ||
      layout.longest_separator() + kMaxFirst > RowLayout::kMaxSeparator)
      [[unlikely]]
    return FormatRowsPlain(layout, numbers, 8, column, out);
  const RowLayout::Slots& slots = layout.slots()[column];
  const Factors factors = MakeFactors();
  const __m256i part = _mm256_set1_epi64x(100'000'000);
  const __m256i firsts_a = FirstDigits(a);
  const __m256i firsts_b = FirstDigits(b);
  const EightTexts digits = MakeDigits(
      _mm256_sub_epi64(a, _mm256_mul_epu32(firsts_a, part)),
      _mm256_sub_epi64(b, _mm256_mul_epu32(firsts_b, part)), factors);
  out = PutFourWide(slots, 0, firsts_a, digits.a, factors, out);
  return PutFourWide(slots, 4, firsts_b, digits.b, factors, out);
}

}  // namespace

HEAPGLOT_AVX2 char* FormatRowsAvx2(const RowLayout& layout,
                                   const std::uint64_t* numbers,
                                   std::size_t count, std::size_t column,
                                   char* out) {
  const std::size_t width = layout.columns().size();
  if (column >= width) column = 0;
  const std::size_t step = 8 % width;
  const std::uint64_t* const end = numbers + count;
  if (layout.slots().empty())
    return FormatRowsPlain(layout, numbers, count, column, out);
  const Factors factors = MakeFactors();
  // The maximum of both halves of a lane; the upper one must be 0.
  const __m256i most = _mm256_set1_epi64x(99'999'999);
  for (; end - numbers >= 8; numbers += 8) {
    const __m256i a = LoadFour(numbers);
    const __m256i b = LoadFour(numbers + 4);
    const __m256i greater = _mm256_max_epu32(a, b);
    const __m256i beyond =
        _mm256_xor_si256(greater, _mm256_min_epu32(greater, most));
    if (_mm256_testz_si256(beyond, beyond) == 0) [[unlikely]]
      out = FormatWideEight(layout, numbers, column, out);
    else
      out = FormatEight(layout.slots()[column], a, b, factors, out);
    column += step;
    if (column >= width) column -= width;
  }
  return FormatRowsPlain(layout, numbers,
                         static_cast<std::size_t>(end - numbers), column, out);
}

}  // namespace heapglot::internal

#endif  // HEAPGLOT_X86_KERNELS
