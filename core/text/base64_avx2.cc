// 24 bytes, or 32 characters, at a time: W. Mula, D. Lemire, "Faster Base64
// Encoding and Decoding Using AVX2 Instructions" (2018).
#include "core/text/base64.h"
#include "core/text/vector_cpu.h"
#include "core/text/vector_intrinsics.h"

#ifdef HEAPGLOT_X86_KERNELS

namespace heapglot::internal {
namespace {

// Bytes that are read at once: 16, and another 16 that begin 12 bytes later.
constexpr std::size_t kBytesRead = 28;
// For 32 characters, 32 bytes are written, of which 24 count: the next 12
// characters guarantee room for the rest.
constexpr std::size_t kCharactersNeeded = 32 + 12;

// The six bits of each character, in its byte.
HEAPGLOT_AVX2 inline __m256i SixBits(__m256i bytes) {
  // Bytes 1 0 2 1 of each 3.
  const __m256i spread = _mm256_shuffle_epi8(
      bytes, _mm256_broadcastsi128_si256(_mm_setr_epi8(
                 1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10)));
  // Shifts right by 10 and 6, and left by 4 and 8.
  const __m256i first_third = _mm256_mulhi_epu16(
      _mm256_and_si256(spread, _mm256_set1_epi32(0x0FC0FC00)),
      _mm256_set1_epi32(0x04000040));
  const __m256i second_fourth = _mm256_mullo_epi16(
      _mm256_and_si256(spread, _mm256_set1_epi32(0x003F03F0)),
      _mm256_set1_epi32(0x01000010));
  return _mm256_or_si256(first_third, second_fourth);
}

// Converts six-bit values to characters.
HEAPGLOT_AVX2 inline __m256i Characters(__m256i bits) {
  // 0 for a letter, 1 to 10 for a digit, 11 for +, 12 for /; then 13 for A-Z.
  const __m256i beyond_letters = _mm256_subs_epu8(bits, _mm256_set1_epi8(51));
  const __m256i is_upper = _mm256_cmpgt_epi8(_mm256_set1_epi8(26), bits);
  const __m256i range = _mm256_or_si256(
      beyond_letters, _mm256_and_si256(is_upper, _mm256_set1_epi8(13)));
  const __m256i shifts = _mm256_broadcastsi128_si256(_mm_setr_epi8(
      'a' - 26, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52,
      '0' - 52, '0' - 52, '0' - 52, '0' - 52, '+' - 62, '/' - 63, 'A', 0, 0));
  return _mm256_add_epi8(bits, _mm256_shuffle_epi8(shifts, range));
}

}  // namespace

HEAPGLOT_AVX2 void EncodeBase64Avx2(std::string_view bytes, char* out) {
  while (bytes.size() >= kBytesRead) {
    const __m256i low = _mm256_castsi128_si256(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes.data())));
    const __m128i high =
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes.data() + 12));
    _mm256_storeu_si256(
        reinterpret_cast<__m256i*>(out),
        Characters(SixBits(_mm256_inserti128_si256(low, high, 1))));
    bytes.remove_prefix(24);
    out += 32;
  }
  EncodeBase64Plain(bytes, out);
}

HEAPGLOT_AVX2 bool DecodeBase64Avx2(std::string_view text, char* out) {
  // Classes of the low and of the high half of a character; two halves that
  // have a bit in common are not a valid combination.
  const __m256i low_classes = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(0x15, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11,
                    0x13, 0x1A, 0x1B, 0x1B, 0x1B, 0x1A));
  const __m256i high_classes = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(0x10, 0x10, 0x01, 0x02, 0x04, 0x08, 0x04, 0x08, 0x10, 0x10,
                    0x10, 0x10, 0x10, 0x10, 0x10, 0x10));
  // Indexed by the high half, or by 1 less for "/".
  const __m256i shifts = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(0, 63 - '/', 62 - '+', 52 - '0', -'A', -'A', 26 - 'a',
                    26 - 'a', 0, 0, 0, 0, 0, 0, 0, 0));
  const __m256i slash = _mm256_set1_epi8('/');
  __m256i seen = _mm256_setzero_si256();
  while (text.size() >= kCharactersNeeded) {
    const __m256i characters =
        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text.data()));
    // '/' (0x2F) also serves as the mask, because a shuffle ignores bit 5.
    const __m256i high =
        _mm256_and_si256(_mm256_srli_epi32(characters, 4), slash);
    const __m256i low = _mm256_and_si256(characters, slash);
    seen = _mm256_or_si256(
        seen, _mm256_and_si256(_mm256_shuffle_epi8(low_classes, low),
                               _mm256_shuffle_epi8(high_classes, high)));
    const __m256i is_slash = _mm256_cmpeq_epi8(characters, slash);
    const __m256i bits = _mm256_add_epi8(
        characters,
        _mm256_shuffle_epi8(shifts, _mm256_add_epi8(is_slash, high)));
    const __m256i pairs =
        _mm256_maddubs_epi16(bits, _mm256_set1_epi32(0x01400140));
    const __m256i words =
        _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x00011000));
    const __m256i bytes = _mm256_shuffle_epi8(
        words, _mm256_broadcastsi128_si256(_mm_setr_epi8(
                   2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1)));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out),
                        _mm256_permutevar8x32_epi32(
                            bytes, _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7)));
    text.remove_prefix(32);
    out += 24;
  }
  return _mm256_testz_si256(seen, seen) != 0 && DecodeBase64Plain(text, out);
}

}  // namespace heapglot::internal

#endif
