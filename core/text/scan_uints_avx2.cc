// Two bitmaps of 64 bytes lead from number to number: the digits of each go to
// where its value will be, and are converted there, four numbers at a time.
#include "core/text/scan_uints_block.h"
#include "core/text/vector_intrinsics.h"

#ifdef HEAPGLOT_X86_KERNELS

#include <cstring>

namespace heapglot::internal {
namespace {

// Numbers that are gathered before any of them is converted. A load of four
// stores that have not left the processor yet would wait for them.
constexpr std::size_t kBatch = 64;

// Numbers that are gathered without a look at how many there are. 8 and 16 were
// slower, and so was 1, by the branch.
constexpr int kGroup = 4;

HEAPGLOT_AVX2 inline std::uint64_t Bits(__m256i low, __m256i high) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(low)) |
         std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(high))}
             << 32;
}

// At the low half of each white space character that character, and elsewhere
// what no byte with that half is.
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
  };
}

// Puts the digits of the numbers of a block at `p` to `out`, the last one of
// each in the highest byte of an entry, and up to kGroup - 1 entries of
// anything.
HEAPGLOT_AVX2 inline void GatherDigits(const char* p,
                                       const ScanOutline& outline,
                                       std::uint64_t* out) {
  std::uint64_t starts = outline.starts;
  std::uint64_t ends = outline.ends;
  // Not number by number: when the loop ends should be foreseen.
  do {
    for (int i = 0; i < kGroup; ++i) {
      const int start = std::countr_zero(starts);
      const int size = std::countr_zero(ends) - start;
      std::uint64_t text = 0;
      std::memcpy(&text, p + start, sizeof text);
      *out++ = text << (-8 * size & 63);
      starts &= starts - 1;
      ends &= ends - 1;
    }
  } while (starts != 0);
}

// Digits, the last one in the highest byte and less than '0' before the first
// one, to the number they are.
HEAPGLOT_AVX2 inline __m256i ToValues(__m256i text) {
  const __m256i digits = _mm256_subs_epu8(text, _mm256_set1_epi8('0'));
  const __m256i pairs =
      _mm256_maddubs_epi16(digits, _mm256_set1_epi16(0x010A));  // 10, 1
  const __m256i halves =
      _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x00010064));  // 100, 1
  return _mm256_add_epi64(_mm256_mul_epu32(halves, _mm256_set1_epi64x(10'000)),
                          _mm256_srli_epi64(halves, 32));
}

// Converts the digits at [begin, end), and up to three entries behind them.
HEAPGLOT_AVX2 inline void Convert(std::uint64_t* begin,
                                  const std::uint64_t* end) {
  for (; begin < end; begin += 4) {
    auto* const at = reinterpret_cast<__m256i*>(begin);
    _mm256_storeu_si256(at, ToValues(_mm256_loadu_si256(at)));
  }
}

}  // namespace

HEAPGLOT_AVX2 const char* ScanUintsAvx2(const char* p, const char* end,
                                        std::uint64_t* out, std::size_t max,
                                        std::size_t* count) {
  std::size_t n = 0;
  std::size_t converted = 0;
  // The digits of the last number are read as eight bytes, and the last numbers
  // are converted with up to three that are none.
  while (max - n >= kMaxInBlock + 3 &&
         end - p >= static_cast<std::ptrdiff_t>(kScanBlock + 8)) {
    ScanOutline outline = {};
    _mm_prefetch(PrefetchAddress(p, end), _MM_HINT_T0);
    const bool is_usual = Outline(Classify(p), &outline);
    if (!is_usual || outline.has_over_8) [[unlikely]] {
      Convert(out + converted, out + n);
      std::size_t read = 0;
      p = ScanUintsPlain(p, end, out + n, kPlainRun, &read);
      n += read;
      converted = n;
      if (read < kPlainRun) {
        *count = n;
        return p;
      }
      continue;
    }
    GatherDigits(p, outline, out + n);
    n += static_cast<std::size_t>(std::popcount(outline.starts));
    p += outline.size;
    if (n - converted >= kBatch) {
      const std::size_t whole = (n - converted) / 4 * 4;
      Convert(out + converted, out + converted + whole);
      converted += whole;
    }
  }
  Convert(out + converted, out + n);
  std::size_t read = 0;
  p = ScanUintsPlain(p, end, out + n, max - n, &read);
  *count = n + read;
  return p;
}

HEAPGLOT_AVX2 void ScanUintLinesAvx2(std::string_view text, UintLines* out) {
  const char* const end = text.data() + text.size();
  std::size_t converted = 0;
  std::uint64_t* const numbers = out->numbers.data();
  LineSums sums;
  while (sums.HasRoomForBlock()) {
    const char* const p = text.data() + sums.bytes;
    // The digits of the last number are read as eight bytes.
    if (end - p < static_cast<std::ptrdiff_t>(kScanBlock + 8)) [[unlikely]]
      break;
    _mm_prefetch(PrefetchAddress(p, end), _MM_HINT_T0);
    const LineBitmaps bitmaps = ClassifyLines(p);
    ScanOutline outline = {};
    std::uint64_t feeds = 0;
    const bool is_usual = OutlineLines(bitmaps, &outline, &feeds);
    if (!is_usual || outline.has_over_8) [[unlikely]] {
      Convert(numbers + converted, numbers + sums.numbers);
      // One that ends in this block, and is not as usual, is nothing else.
      const bool is_odd = !is_usual && bitmaps.feeds != 0;
      out->count = sums.lines;
      if (is_odd || !ScanUintLine(text, out)) return;
      sums = LineSums(*out);
      converted = sums.numbers;
      continue;
    }
    GatherDigits(p, outline, numbers + sums.numbers);
    AppendLines(outline, feeds, &sums, out);
  }
  out->count = sums.lines;
  Convert(numbers + converted, numbers + sums.numbers);
  while (ScanUintLine(text, out)) {
  }
}

}  // namespace heapglot::internal

#endif  // HEAPGLOT_X86_KERNELS
