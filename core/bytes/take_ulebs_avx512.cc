// Takes the numbers of 64 bytes at a time: they end where a byte has no high
// bit, their bytes are put into lanes of four, and their bits are packed.
#include "core/bytes/take_ulebs.h"
#include "core/text/vector_cpu.h"
#include "core/text/vector_intrinsics.h"

#ifdef HEAPGLOT_X86_KERNELS

#include <algorithm>
#include <bit>

namespace heapglot::internal {
namespace {

constexpr std::size_t kUlebBlock = 64;
constexpr std::size_t kUlebLanes = 16;
// The most bytes of a number that fits a lane.
constexpr char kMaxShort = 4;

struct alignas(kUlebBlock) UlebBytes {
  std::array<std::uint8_t, kUlebBlock> bytes = {};
};

// Has of(i) at i.
template <typename Of>
constexpr UlebBytes MakeUlebBytes(Of of) {
  UlebBytes all;
  for (std::size_t i = 0; i < kUlebBlock; ++i)
    all.bytes[i] = static_cast<std::uint8_t>(of(i));
  return all;
}
constexpr UlebBytes kUlebPlaces =
    MakeUlebBytes([](std::size_t i) { return i; });
constexpr UlebBytes kUlebBefore =
    MakeUlebBytes([](std::size_t i) { return i - 1; });
constexpr UlebBytes kUlebLaneOf =
    MakeUlebBytes([](std::size_t i) { return i / 4; });
constexpr UlebBytes kUlebInLane =
    MakeUlebBytes([](std::size_t i) { return i % 4; });

HEAPGLOT_AVX512 inline __m512i LoadUlebBytes(const UlebBytes& bytes) {
  return _mm512_load_si512(bytes.bytes.data());
}

// Properties of the bytes in a block, one bit each.
struct UlebMasks {
  std::uint64_t is_last;
  std::uint64_t is_padding;  // the last byte of several, and 0
  bool has_odd;
};

// The block begins with a number, and has `size` bytes.
HEAPGLOT_AVX512 inline UlebMasks MasksOf(__m512i block, std::size_t size) {
  const std::uint64_t goes_on = _mm512_movepi8_mask(block);
  const std::uint64_t is_zero = _mm512_testn_epi8_mask(block, block);
  std::uint64_t is_last = ~goes_on;
  if (size < kUlebBlock) is_last &= (std::uint64_t{1} << size) - 1;
  const std::uint64_t is_long =
      goes_on & goes_on >> 1 & goes_on >> 2 & goes_on >> 3;
  const std::uint64_t is_padding = is_zero & goes_on << 1;
  return {is_last, is_padding & is_last, (is_long | is_padding) != 0};
}

// Sixteen numbers from number `from` on. Their first and last bytes are at
// `begins` and `lasts`.
HEAPGLOT_AVX512 inline __m512i SixteenUlebs(__m512i block, __m512i begins,
                                            __m512i lasts, std::size_t from) {
  const __m512i lanes = _mm512_add_epi8(
      LoadUlebBytes(kUlebLaneOf), _mm512_set1_epi8(static_cast<char>(from)));
  const __m512i places = _mm512_add_epi8(_mm512_permutexvar_epi8(lanes, begins),
                                         LoadUlebBytes(kUlebInLane));
  const __mmask64 is_there =
      _mm512_cmple_epu8_mask(places, _mm512_permutexvar_epi8(lanes, lasts));
  const __m512i bits =
      _mm512_and_si512(_mm512_maskz_permutexvar_epi8(is_there, places, block),
                       _mm512_set1_epi8(0x7f));
  // Times 1 and 2^7, then times 1 and 2^14.
  const __m512i pairs =
      _mm512_maddubs_epi16(_mm512_set1_epi16(static_cast<short>(0x8001)), bits);
  return _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x4000'0001));
}

// The ends of 32 numbers whose last bytes are at `lasts`.
HEAPGLOT_AVX512 inline __m512i EndsOf(__m256i lasts, std::size_t offset) {
  return _mm512_add_epi16(_mm512_cvtepu8_epi16(lasts),
                          _mm512_set1_epi16(static_cast<short>(offset + 1)));
}

// Adds the numbers of the block at `offset`.
template <bool kHasOdd>
HEAPGLOT_AVX512 inline void AddUlebs(__m512i block, const UlebMasks& masks,
                                     std::size_t offset, UlebRun* run) {
  const std::uint64_t is_last = masks.is_last;
  const auto count = static_cast<std::size_t>(std::popcount(is_last));
  const __m512i lasts =
      _mm512_maskz_compress_epi8(is_last, LoadUlebBytes(kUlebPlaces));
  // Each number begins after the one before.
  const __m512i begins = _mm512_maskz_add_epi8(
      ~std::uint64_t{1},
      _mm512_permutexvar_epi8(LoadUlebBytes(kUlebBefore), lasts),
      _mm512_set1_epi8(1));
  std::uint64_t is_odd = 0;  // by number
  if constexpr (kHasOdd) {
    is_odd = _mm512_cmpgt_epu8_mask(_mm512_sub_epi8(lasts, begins),
                                    _mm512_set1_epi8(kMaxShort - 1)) |
             _pext_u64(masks.is_padding, is_last);
  }
  std::uint32_t* const numbers = run->numbers.data() + run->count;
  for (std::size_t i = 0; i < count; i += kUlebLanes) {
    __m512i sixteen = SixteenUlebs(block, begins, lasts, i);
    if constexpr (kHasOdd) {
      sixteen = _mm512_mask_mov_epi32(
          sixteen, static_cast<__mmask16>(is_odd >> i),
          _mm512_set1_epi32(static_cast<int>(UlebRun::kOdd)));
    }
    _mm512_storeu_si512(numbers + i, sixteen);
  }
  std::uint16_t* const ends = run->ends.data() + run->count;
  _mm512_storeu_si512(ends, EndsOf(_mm512_castsi512_si256(lasts), offset));
  if (count > 32) {
    _mm512_storeu_si512(ends + 32,
                        EndsOf(_mm512_extracti64x4_epi64(lasts, 1), offset));
  }
  run->count += count;
}

}  // namespace

HEAPGLOT_AVX512 void TakeUlebsAvx512(std::string_view bytes, UlebRun* run) {
  run->count = 0;
  // The prefetch distance: pages of a mapped input are far away.
  constexpr std::size_t kAhead = 1024;
  const std::size_t end = std::min(UlebRun::kBytes, bytes.size());
  for (std::size_t offset = 0; offset < end;) {
    const std::size_t size = std::min(kUlebBlock, bytes.size() - offset);
    const char* const at = bytes.data() + offset;
    _mm_prefetch(at + kAhead, _MM_HINT_T0);
    const __m512i block =
        size == kUlebBlock
            ? _mm512_loadu_si512(at)
            : _mm512_maskz_loadu_epi8((std::uint64_t{1} << size) - 1, at);
    const UlebMasks masks = MasksOf(block, size);
    if (masks.is_last == 0) return;
    if (masks.has_odd)
      AddUlebs<true>(block, masks, offset, run);
    else
      AddUlebs<false>(block, masks, offset, run);
    // The next block begins after the last whole number.
    offset +=
        kUlebBlock - static_cast<std::size_t>(std::countl_zero(masks.is_last));
  }
}

}  // namespace heapglot::internal

#endif  // HEAPGLOT_X86_KERNELS
