// 48 bytes, or 64 characters, at a time: W. Mula, D. Lemire, "Base64 encoding
// and decoding at almost the speed of a memory copy" (2019).
#include "core/text/base64.h"
#include "core/text/vector_cpu.h"
#include "core/text/vector_intrinsics.h"

#ifdef HEAPGLOT_X86_KERNELS

#include <algorithm>
#include <array>
#include <cstdint>

namespace heapglot::internal {
namespace {

struct alignas(64) Base64Tables {
  // Bytes 1 0 2 1 of each 3.
  std::array<std::uint8_t, 64> spread = {};
  // Bytes 2 1 0 of each 4.
  std::array<std::uint8_t, 64> gather = {};
  // Indexed by character; others than base64 have a bit that no six-bit value
  // has.
  std::array<std::uint8_t, 128> values = {};
  char alphabet[65] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

  constexpr Base64Tables() {
    constexpr std::array<std::uint8_t, 4> kSpread = {1, 0, 2, 1};
    for (std::size_t i = 0; i < 64; ++i)
      spread[i] = static_cast<std::uint8_t>(i / 4 * 3 + kSpread[i % 4]);
    for (std::size_t i = 0; i < 48; ++i)
      gather[i] = static_cast<std::uint8_t>(i / 3 * 4 + 2 - i % 3);
    values.fill(0x80);
    for (std::size_t i = 0; i < 64; ++i)
      values[static_cast<unsigned char>(alphabet[i])] =
          static_cast<std::uint8_t>(i);
  }
};
constexpr Base64Tables kBase64;

// The lowest `count` of 64 bits.
constexpr __mmask64 Lowest(std::size_t count) {
  return count == 0 ? 0 : ~std::uint64_t{0} >> (64 - count);
}

}  // namespace

HEAPGLOT_AVX512 void EncodeBase64Avx512(std::string_view bytes, char* out) {
  const __m512i spread = _mm512_load_si512(kBase64.spread.data());
  const __m512i alphabet = _mm512_load_si512(kBase64.alphabet);
  // Where the six bits of each character begin within eight bytes.
  const __m512i places = _mm512_set1_epi64(0x3036'242A'1016'040A);
  while (!bytes.empty()) {
    const std::size_t size = std::min<std::size_t>(bytes.size(), 48);
    const __m512i in = _mm512_permutexvar_epi8(
        spread, _mm512_maskz_loadu_epi8(Lowest(size), bytes.data()));
    const __m512i text = _mm512_permutexvar_epi8(
        _mm512_multishift_epi64_epi8(places, in), alphabet);
    _mm512_mask_storeu_epi8(out, Lowest(size / 3 * 4), text);
    bytes.remove_prefix(size);
    out += size / 3 * 4;
  }
}

HEAPGLOT_AVX512 bool DecodeBase64Avx512(std::string_view text, char* out) {
  const __m512i gather = _mm512_load_si512(kBase64.gather.data());
  const __m512i low = _mm512_load_si512(kBase64.values.data());
  const __m512i high = _mm512_load_si512(kBase64.values.data() + 64);
  __m512i seen = _mm512_setzero_si512();
  while (!text.empty()) {
    const std::size_t size = std::min<std::size_t>(text.size(), 64);
    const __m512i characters = _mm512_mask_loadu_epi8(
        _mm512_set1_epi8('A'), Lowest(size), text.data());
    const __m512i bits = _mm512_permutex2var_epi8(low, characters, high);
    // A character above 127 is not base64, either.
    seen = _mm512_or_si512(seen, _mm512_or_si512(characters, bits));
    const __m512i pairs =
        _mm512_maddubs_epi16(bits, _mm512_set1_epi32(0x01400140));
    const __m512i words =
        _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x00011000));
    _mm512_mask_storeu_epi8(out, Lowest(size / 4 * 3),
                            _mm512_permutexvar_epi8(gather, words));
    text.remove_prefix(size);
    out += size / 4 * 3;
  }
  return _mm512_movepi8_mask(seen) == 0;
}

}  // namespace heapglot::internal

#endif
