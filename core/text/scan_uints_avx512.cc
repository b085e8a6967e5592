// A block of 64 bytes is a register: one permutation moves the digits of eight
// numbers to slots of eight bytes, where they are converted side by side.
#include "core/text/scan_uints_block.h"
#include "core/text/vector_intrinsics.h"

#ifdef HEAPGLOT_X86_KERNELS

#include <algorithm>
#include <array>

namespace heapglot::internal {
namespace {

using Table = std::array<std::uint8_t, kScanBlock>;

template <typename Entry>
constexpr Table MakeTable(Entry entry) {
  Table table = {};
  for (unsigned i = 0; i < table.size(); ++i)
    table[i] = static_cast<std::uint8_t>(entry(i));
  return table;
}

alignas(64) constexpr Table kPositions = MakeTable([](unsigned i) {
  return i;
});
// Has each white space character at its low half, and elsewhere a byte with a
// different low half.
alignas(64) constexpr Table kSpaceByLowHalf = MakeTable([](unsigned i) {
  switch (i % 16) {
    case 0:
      return ' ';
    case 9:
      return '\t';
    case 10:
      return '\n';
    case 13:
      return '\r';
    default:
      return '\0';
  }
});
// The position of a byte relative to the end of its slot, and the index of the
// slot.
template <unsigned kSlot>
alignas(64) constexpr Table kFromEnd = MakeTable([](unsigned i) {
  return i % kSlot - kSlot;
});
template <unsigned kSlot>
alignas(64) constexpr Table kSlotOf = MakeTable([](unsigned i) {
  return i / kSlot;
});

HEAPGLOT_AVX512 inline __m512i Load(const Table& table) {
  return _mm512_load_si512(table.data());
}

// A block, and the positions where its numbers begin and end, a byte each.
struct Numbers {
  __m512i digits;  // their values
  __m512i starts;
  __m512i ends;
};

// The digits of the numbers from `first` on, at the ends of slots of kSlot
// bytes with leading zeros; all zeros after the last number.
template <unsigned kSlot>
HEAPGLOT_AVX512 inline __m512i Slots(const Numbers& numbers,
                                     std::size_t first) {
  const __m512i which = _mm512_add_epi8(
      Load(kSlotOf<kSlot>), _mm512_set1_epi8(static_cast<char>(first)));
  const __m512i ends = _mm512_permutexvar_epi8(which, numbers.ends);
  const __m512i starts = _mm512_permutexvar_epi8(which, numbers.starts);
  const __m512i from = _mm512_add_epi8(ends, Load(kFromEnd<kSlot>));
  return _mm512_maskz_permutexvar_epi8(_mm512_cmpge_epi8_mask(from, starts),
                                       from, numbers.digits);
}

// The values of each four digits.
HEAPGLOT_AVX512 inline __m512i FourDigitValues(__m512i digits) {
  const __m512i pairs =
      _mm512_maddubs_epi16(digits, _mm512_set1_epi16(0x010A));     // 10, 1
  return _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x00010064));  // 100, 1
}

// In each lane, the first 32-bit half times `factor`, plus the second one.
HEAPGLOT_AVX512 inline __m512i JoinHalves(__m512i halves,
                                          std::uint32_t factor) {
  return _mm512_add_epi64(_mm512_mul_epu32(halves, _mm512_set1_epi64(factor)),
                          _mm512_srli_epi64(halves, 32));
}

HEAPGLOT_AVX512 inline void Convert8UpTo8(const Numbers& numbers,
                                          std::size_t first,
                                          std::uint64_t* out) {
  const __m512i halves = FourDigitValues(Slots<8>(numbers, first));
  _mm512_storeu_si512(out + first, JoinHalves(halves, 10'000));
}

// `most` is the largest number count of any block so far, including this one.
// That many are converted, because the count of the next block is
// unpredictable, and converting some in vain costs less than a wrong guess.
HEAPGLOT_AVX512 inline void ConvertUpTo8(const Numbers& numbers,
                                         std::size_t most, std::uint64_t* out) {
  Convert8UpTo8(numbers, 0, out);
  Convert8UpTo8(numbers, 8, out);
  if (most <= 16) return;
  Convert8UpTo8(numbers, 16, out);
  if (most <= 24) return;
  Convert8UpTo8(numbers, 24, out);
}

HEAPGLOT_AVX512 inline void ConvertUpTo16(const Numbers& numbers,
                                          std::size_t count,
                                          std::uint64_t* out) {
  for (std::size_t i = 0; i < count; i += 4) {
    const __m512i quarters = FourDigitValues(Slots<16>(numbers, i));
    // Two eight-digit values in each slot, moved together into one lane.
    const __m512i halves = JoinHalves(quarters, 10'000);
    const __m256i lanes = _mm512_cvtepi64_epi32(halves);
    const __m512i values =
        JoinHalves(_mm512_castsi256_si512(lanes), 100'000'000);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i),
                        _mm512_castsi512_si256(values));
  }
}

HEAPGLOT_AVX512 inline void Convert(__m512i digits, const ScanOutline& outline,
                                    std::size_t* most, std::uint64_t* out) {
  const __m512i positions = Load(kPositions);
  const Numbers numbers = {
      .digits = digits,
      .starts = _mm512_maskz_compress_epi8(outline.starts, positions),
      .ends = _mm512_maskz_compress_epi8(outline.ends, positions),
  };
  const auto found = static_cast<std::size_t>(std::popcount(outline.starts));
  *most = std::max(*most, found);
  if (outline.has_over_8()) [[unlikely]]
    ConvertUpTo16(numbers, found, out);
  else
    ConvertUpTo8(numbers, *most, out);
}

HEAPGLOT_AVX512 inline ScanBitmaps Classify(__m512i text, __m512i digits) {
  const __m512i spaces = _mm512_shuffle_epi8(Load(kSpaceByLowHalf), text);
  return {
      .digits = _mm512_cmple_epu8_mask(digits, _mm512_set1_epi8(9)),
      .zeros = _mm512_testn_epi8_mask(digits, digits),
      .commas = _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8(',')),
      // For bytes from 0x80 on the shuffle gives 0, so they do not match.
      .spaces = _mm512_cmpeq_epi8_mask(text, spaces),
  };
}

HEAPGLOT_AVX512 inline std::uint64_t BytesThatAre(__m512i text, char byte) {
  return _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8(byte));
}

HEAPGLOT_AVX512 inline LineBitmaps ClassifyLines(__m512i text, __m512i digits) {
  return {
      .digits = _mm512_cmple_epu8_mask(digits, _mm512_set1_epi8(9)),
      .zeros = _mm512_testn_epi8_mask(digits, digits),
      .commas = BytesThatAre(text, ','),
      .opens = BytesThatAre(text, '['),
      .closes = BytesThatAre(text, ']'),
      .feeds = BytesThatAre(text, '\n'),
      .blanks = BytesThatAre(text, ' '),
  };
}

}  // namespace

HEAPGLOT_AVX512 const char* ScanUintsAvx512(const char* p, const char* end,
                                            std::uint64_t* out, std::size_t max,
                                            std::size_t* count) {
  std::size_t n = 0;
  std::size_t most = 0;
  while (max - n >= kMaxInBlock &&
         end - p >= static_cast<std::ptrdiff_t>(kScanBlock)) {
    const __m512i text = _mm512_loadu_si512(p);
    _mm_prefetch(PrefetchAddress(p), _MM_HINT_T0);
    const __m512i digits = _mm512_sub_epi8(text, _mm512_set1_epi8('0'));
    ScanOutline outline = {};
    const bool is_usual = Outline(Classify(text, digits), &outline);
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
    Convert(digits, outline, &most, out + n);
    n += static_cast<std::size_t>(std::popcount(outline.starts));
    p += outline.size;
  }
  std::size_t read = 0;
  p = ScanUintsPlain(p, end, out + n, max - n, &read);
  *count = n + read;
  return p;
}

HEAPGLOT_AVX512 void ScanUintLinesAvx512(std::string_view text,
                                         UintLines* out) {
  const char* const end = text.data() + text.size();
  LineSums sums;
  std::size_t most = 0;
  while (sums.HasRoomForBlock()) {
    const char* const p = text.data() + sums.bytes;
    if (end - p < static_cast<std::ptrdiff_t>(kScanBlock)) [[unlikely]]
      break;
    const __m512i block = _mm512_loadu_si512(p);
    _mm_prefetch(PrefetchAddress(p), _MM_HINT_T0);
    const __m512i digits = _mm512_sub_epi8(block, _mm512_set1_epi8('0'));
    const LineBitmaps bitmaps = ClassifyLines(block, digits);
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
    Convert(digits, outline, &most, out->numbers.data() + sums.numbers);
    AppendLines(outline, feeds, &sums, out);
  }
  out->count = sums.lines;
  while (ScanUintLine(text, out)) {
  }
}

}  // namespace heapglot::internal

#endif  // HEAPGLOT_X86_KERNELS
