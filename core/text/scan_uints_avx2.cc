// A bitmap of 64 bytes leads from number to number: the bytes up to the end of
// each go to a lane of a register, where digits are converted side by side.
#include "core/text/scan_uints_block.h"
#include "core/text/vector_intrinsics.h"

#ifdef HEAPGLOT_X86_KERNELS

#include <array>
#include <cstring>

namespace heapglot::internal {
namespace {

// Bytes before the end of a number that are read with it.
constexpr std::size_t kWindow = 16;

HEAPGLOT_AVX2 inline std::uint64_t Bits(__m256i low, __m256i high) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(low)) |
         std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(high))}
             << 32;
}

// The table has each white space character at its low half, and elsewhere a
// byte with a different low half.
HEAPGLOT_AVX2 inline __m256i Spaces(__m256i text) {
  const __m256i by_low_half = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', 0, 0, '\r', 0, 0));
  return _mm256_cmpeq_epi8(text, _mm256_shuffle_epi8(by_low_half, text));
}

HEAPGLOT_AVX2 inline __m256i Digits(__m256i text) {
  const __m256i values = _mm256_sub_epi8(text, _mm256_set1_epi8('0'));
  return _mm256_cmpeq_epi8(_mm256_min_epu8(values, _mm256_set1_epi8(9)),
                           values);
}

HEAPGLOT_AVX2 inline std::uint64_t BytesThatAre(__m256i low, __m256i high,
                                                char byte) {
  const __m256i wanted = _mm256_set1_epi8(byte);
  return Bits(_mm256_cmpeq_epi8(low, wanted), _mm256_cmpeq_epi8(high, wanted));
}

HEAPGLOT_AVX2 inline ScanBitmaps Classify(const char* p) {
  __m256i low;
  __m256i high;
  std::memcpy(&low, p, sizeof low);
  std::memcpy(&high, p + sizeof low, sizeof high);
  return {
      .digits = Bits(Digits(low), Digits(high)),
      .zeros = BytesThatAre(low, high, '0'),
      .commas = BytesThatAre(low, high, ','),
      .spaces = Bits(Spaces(low), Spaces(high)),
  };
}

HEAPGLOT_AVX2 inline LineBitmaps ClassifyLines(const char* p) {
  __m256i low;
  __m256i high;
  std::memcpy(&low, p, sizeof low);
  std::memcpy(&high, p + sizeof low, sizeof high);
  return {
      .digits = Bits(Digits(low), Digits(high)),
      .zeros = BytesThatAre(low, high, '0'),
      .commas = BytesThatAre(low, high, ','),
      .opens = BytesThatAre(low, high, '['),
      .closes = BytesThatAre(low, high, ']'),
      .feeds = BytesThatAre(low, high, '\n'),
      .blanks = BytesThatAre(low, high, ' '),
  };
}

// For eight bytes up to the end of a number, in reverse: the values of its
// digits, and 0 for other bytes. The subtraction sets all bits below the first
// byte that is not a digit; `*others` marks bytes that are not digits.
HEAPGLOT_AVX2 inline __m256i DigitsOf(__m256i bytes, __m256i* others) {
  const __m256i values = _mm256_xor_si256(bytes, _mm256_set1_epi8('0'));
  *others = _mm256_cmpgt_epi8(values, _mm256_set1_epi8(9));
  const __m256i before = _mm256_sub_epi64(*others, _mm256_set1_epi64x(1));
  return _mm256_andnot_si256(*others, _mm256_and_si256(values, before));
}

// Converts the eight digits in each lane, the last one first, to a number.
HEAPGLOT_AVX2 inline __m256i EightDigitValues(__m256i digits) {
  const __m256i pairs =
      _mm256_maddubs_epi16(digits, _mm256_set1_epi16(0x0A01));  // 1, 10
  const __m256i halves =
      _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x00640001));  // 1, 100
  // As 16 bits each; both halves of a register are the same then.
  const __m256i narrow = _mm256_packus_epi32(halves, halves);
  const __m256i values =
      _mm256_madd_epi16(narrow, _mm256_set1_epi32(0x27100001));  // 1, 10'000
  return _mm256_unpacklo_epi32(values, _mm256_setzero_si256());
}

// Takes the lowest bit from `*bits`; 64 if there is none.
HEAPGLOT_AVX2 inline std::size_t TakeBit(std::uint64_t* bits) {
  const auto bit = static_cast<std::size_t>(_tzcnt_u64(*bits));
  *bits = _blsr_u64(*bits);
  return bit;
}

// The eight bytes before each of the next two ends.
HEAPGLOT_AVX2 inline __m128i LoadTwo(const char* block, std::uint64_t* ends) {
  const char* const first = block + TakeBit(ends) - 8;
  const char* const second = block + TakeBit(ends) - 8;
  std::int64_t text = 0;
  std::memcpy(&text, second, sizeof text);
  return _mm_insert_epi64(
      _mm_loadl_epi64(reinterpret_cast<const __m128i*>(first)), text, 1);
}

// The 16 bytes before the next end.
HEAPGLOT_AVX2 inline __m128i LoadOne(const char* block, std::uint64_t* ends) {
  const char* const text = block + TakeBit(ends) - kWindow;
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(text));
}

HEAPGLOT_AVX2 inline void ConvertUpTo8(const char* block, std::uint64_t ends,
                                       std::uint64_t* out) {
  const __m256i reverse = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8));
  do {
    const __m128i two = LoadTwo(block, &ends);
    const __m256i text = _mm256_set_m128i(LoadTwo(block, &ends), two);
    __m256i others;
    const __m256i digits =
        DigitsOf(_mm256_shuffle_epi8(text, reverse), &others);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out),
                        EightDigitValues(digits));
    out += 4;
  } while (ends != 0);
}

HEAPGLOT_AVX2 inline void ConvertUpTo16(const char* block, std::uint64_t ends,
                                        std::uint64_t* out) {
  const __m256i reverse = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
  const __m256i last_eight = _mm256_setr_epi64x(-1, 0, -1, 0);
  const __m256i factors = _mm256_setr_epi64x(1, 100'000'000, 1, 100'000'000);
  do {
    const __m128i one = LoadOne(block, &ends);
    const __m256i text = _mm256_set_m128i(LoadOne(block, &ends), one);
    __m256i others;
    const __m256i digits =
        DigitsOf(_mm256_shuffle_epi8(text, reverse), &others);
    // The eight digits before belong to the number if all of the last eight do.
    const __m256i are_all = _mm256_cmpeq_epi64(others, _mm256_setzero_si256());
    const __m256i used =
        _mm256_or_si256(_mm256_unpacklo_epi64(are_all, are_all), last_eight);
    const __m256i parts = _mm256_mul_epu32(
        EightDigitValues(_mm256_and_si256(digits, used)), factors);
    const __m256i sums =
        _mm256_add_epi64(parts, _mm256_unpackhi_epi64(parts, parts));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(out),
                     _mm256_castsi256_si128(sums));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(out + 1),
                     _mm256_extracti128_si256(sums, 1));
    out += 2;
  } while (ends != 0);
}

// Writes the numbers of a block, which end at `ends`, and up to three arbitrary
// entries after them. Reads kWindow bytes before the block, which must not be
// part of its first number.
HEAPGLOT_AVX2 inline void Convert(const char* block, std::uint64_t ends,
                                  bool has_over_8, std::uint64_t* out) {
  if (has_over_8) [[unlikely]]
    ConvertUpTo16(block, ends, out);
  else
    ConvertUpTo8(block, ends, out);
}

// The same for a block near the beginning, which may be preceded by anything,
// or by no memory.
[[gnu::noinline]] HEAPGLOT_AVX2 void ConvertFirst(const char* block,
                                                  std::uint64_t ends,
                                                  bool has_over_8,
                                                  std::uint64_t* out) {
  std::array<char, kWindow + kScanBlock> copy;
  std::memset(copy.data(), ',', kWindow);
  std::memcpy(copy.data() + kWindow, block, kScanBlock);
  Convert(copy.data() + kWindow, ends, has_over_8, out);
}

}  // namespace

HEAPGLOT_AVX2 const char* ScanUintsAvx2(const char* p, const char* end,
                                        std::uint64_t* out, std::size_t max,
                                        std::size_t* count) {
  const char* const begin = p;
  std::size_t n = 0;
  // Up to three arbitrary entries are written after the last numbers.
  while (max - n >= kMaxInBlock + 3 &&
         end - p >= static_cast<std::ptrdiff_t>(kScanBlock)) {
    ScanOutline outline = {};
    _mm_prefetch(PrefetchAddress(p), _MM_HINT_T0);
    const bool is_usual = Outline(Classify(p), &outline);
    if (!is_usual || outline.has_over_16()) [[unlikely]] {
      std::size_t read = 0;
      p = ScanUintsPlain(p, end, out + n, kPlainRun, &read);
      n += read;
      if (read < kPlainRun) {
        *count = n;
        return p;
      }
      continue;
    }
    if (p - begin < static_cast<std::ptrdiff_t>(kWindow)) [[unlikely]]
      ConvertFirst(p, outline.ends, outline.has_over_8(), out + n);
    else
      Convert(p, outline.ends, outline.has_over_8(), out + n);
    n += static_cast<std::size_t>(std::popcount(outline.starts));
    p += outline.size;
  }
  std::size_t read = 0;
  p = ScanUintsPlain(p, end, out + n, max - n, &read);
  *count = n + read;
  return p;
}

HEAPGLOT_AVX2 void ScanUintLinesAvx2(std::string_view text, UintLines* out) {
  const char* const end = text.data() + text.size();
  std::uint64_t* const numbers = out->numbers.data();
  LineSums sums;
  while (sums.HasRoomForBlock()) {
    const char* const p = text.data() + sums.bytes;
    if (end - p < static_cast<std::ptrdiff_t>(kScanBlock)) [[unlikely]]
      break;
    _mm_prefetch(PrefetchAddress(p), _MM_HINT_T0);
    const LineBitmaps bitmaps = ClassifyLines(p);
    ScanOutline outline = {};
    std::uint64_t feeds = 0;
    const bool is_usual = OutlineLines(bitmaps, &outline, &feeds);
    if (!is_usual || outline.has_over_16()) [[unlikely]] {
      // An irregular line that ends in this block cannot be read otherwise.
      const bool is_odd = !is_usual && bitmaps.feeds != 0;
      out->count = sums.lines;
      if (is_odd || !ScanUintLine(text, out)) return;
      sums = LineSums(*out);
      continue;
    }
    if (sums.bytes < kWindow) [[unlikely]]
      ConvertFirst(p, outline.ends, outline.has_over_8(),
                   numbers + sums.numbers);
    else
      Convert(p, outline.ends, outline.has_over_8(), numbers + sums.numbers);
    AppendLines(outline, feeds, &sums, out);
  }
  out->count = sums.lines;
  while (ScanUintLine(text, out)) {
  }
}

}  // namespace heapglot::internal

#endif  // HEAPGLOT_X86_KERNELS
