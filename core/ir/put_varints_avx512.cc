// Sixteen numbers at a time: makes four bytes for each, side by side, and then
// compresses out those that are not needed.
#include "core/ir/put_varints.h"
#include "core/text/vector_cpu.h"
#include "core/text/vector_intrinsics.h"

#ifdef HEAPGLOT_X86_KERNELS

#include <bit>

namespace heapglot::wire::internal {
namespace {

constexpr std::size_t kLanes = 16;
// The smallest number that does not fit into four bytes of seven bits.
constexpr std::uint32_t kTooLarge = std::uint32_t{1} << 28;

// Sixteen numbers below kTooLarge.
HEAPGLOT_AVX512 inline char* PutSixteen(__m512i numbers, char* out) {
  // Byte k of a number begins at its bit 7 k; eight bytes hold two numbers.
  const __m512i begins = _mm512_set1_epi64(0x352E'2720'150E'0700);
  const __m512i bytes = _mm512_and_si512(
      _mm512_multishift_epi64_epi8(begins, numbers), _mm512_set1_epi8(0x7F));
  // Nonzero where this byte or a later one is nonzero.
  const __m512i pairs = _mm512_or_si512(bytes, _mm512_srli_epi32(bytes, 8));
  const __m512i rest = _mm512_or_si512(pairs, _mm512_srli_epi32(pairs, 16));
  const __m512i behind = _mm512_srli_epi32(rest, 8);
  const __mmask64 goes_on = _mm512_test_epi8_mask(behind, behind);
  const __m512i used_if = _mm512_or_si512(rest, _mm512_set1_epi32(1));
  const __mmask64 is_used = _mm512_test_epi8_mask(used_if, used_if);
  const __m512i marked =
      _mm512_mask_add_epi8(bytes, goes_on, bytes, _mm512_set1_epi8('\x80'));
  _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(is_used, marked));
  return out + std::popcount(static_cast<std::uint64_t>(is_used));
}

}  // namespace

HEAPGLOT_AVX512 char* PutVarintsAvx512(std::span<const std::uint32_t> numbers,
                                       char* out) {
  const __m512i too_large = _mm512_set1_epi32(kTooLarge);
  for (; numbers.size() >= kLanes; numbers = numbers.subspan(kLanes)) {
    const __m512i sixteen = _mm512_loadu_si512(numbers.data());
    if (_mm512_cmpge_epu32_mask(sixteen, too_large) != 0) [[unlikely]] {
      out = PutVarintsPlain(numbers.first(kLanes), out);
    } else {
      out = PutSixteen(sixteen, out);
    }
  }
  return PutVarintsPlain(numbers, out);
}

HEAPGLOT_AVX512 char* PutVarintsAvx512(std::span<const std::uint64_t> numbers,
                                       char* out) {
  const __m512i too_large = _mm512_set1_epi64(kTooLarge);
  for (; numbers.size() >= kLanes; numbers = numbers.subspan(kLanes)) {
    const __m512i first = _mm512_loadu_si512(numbers.data());
    const __m512i last = _mm512_loadu_si512(numbers.data() + kLanes / 2);
    if (_mm512_cmpge_epu64_mask(_mm512_or_si512(first, last), too_large) != 0)
        [[unlikely]] {
      out = PutVarintsPlain(numbers.first(kLanes), out);
    } else {
      out = PutSixteen(_mm512_inserti64x4(
                           _mm512_castsi256_si512(_mm512_cvtepi64_epi32(first)),
                           _mm512_cvtepi64_epi32(last), 1),
                       out);
    }
  }
  return PutVarintsPlain(numbers, out);
}

}  // namespace heapglot::wire::internal

#endif  // HEAPGLOT_X86_KERNELS
