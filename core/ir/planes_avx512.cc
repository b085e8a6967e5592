// Sixteen values of up to four planes at a time: the planes are side by side in
// one register, and a permutation of its bytes turns them into values, or
// values into planes.
#include "core/ir/planes.h"
#include "core/text/vector_cpu.h"
#include "core/text/vector_intrinsics.h"

#ifdef HEAPGLOT_X86_KERNELS

namespace heapglot::planes::internal {
namespace {

constexpr std::size_t kLanes = 16;
constexpr std::uint32_t kMaxWidth = 4;

// Four planes of sixteen bytes from sixteen numbers of four bytes, or the
// reverse: both transpose bytes, between the indices `row * 4 + byte` and
// `byte * 16 + row`.
HEAPGLOT_AVX512 inline __m512i ToPlanes() {
  const __m512i rows =
      _mm512_set_epi32(0x3C38'3430, 0x2C28'2420, 0x1C18'1410, 0x0C08'0400,
                       0x3C38'3430, 0x2C28'2420, 0x1C18'1410, 0x0C08'0400,
                       0x3C38'3430, 0x2C28'2420, 0x1C18'1410, 0x0C08'0400,
                       0x3C38'3430, 0x2C28'2420, 0x1C18'1410, 0x0C08'0400);
  const __m512i bytes =
      _mm512_set_epi64(0x0303'0303'0303'0303, 0x0303'0303'0303'0303,
                       0x0202'0202'0202'0202, 0x0202'0202'0202'0202,
                       0x0101'0101'0101'0101, 0x0101'0101'0101'0101, 0, 0);
  return _mm512_add_epi8(rows, bytes);
}

HEAPGLOT_AVX512 inline __m512i ToNumbers() {
  // 0, 16, 32 and 48, each plus the row.
  const __m512i rows =
      _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  return _mm512_add_epi8(
      _mm512_mullo_epi32(rows, _mm512_set1_epi32(0x0101'0101)),
      _mm512_set1_epi32(0x3020'1000));
}

HEAPGLOT_AVX512 inline void Store(__m128i bytes, unsigned char* out) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), bytes);
}

HEAPGLOT_AVX512 inline __m128i Load(const unsigned char* bytes) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
}

HEAPGLOT_AVX512 inline void StorePlanes(__m512i planes, std::size_t count,
                                        std::uint32_t width,
                                        unsigned char* out) {
  Store(_mm512_castsi512_si128(planes), out);
  if (width > 1) Store(_mm512_extracti32x4_epi32(planes, 1), out + count);
  if (width > 2) Store(_mm512_extracti32x4_epi32(planes, 2), out + 2 * count);
  if (width > 3) Store(_mm512_extracti32x4_epi32(planes, 3), out + 3 * count);
}

template <std::uint32_t kWidth>
HEAPGLOT_AVX512 inline __m512i LoadNumbers(const unsigned char* planes,
                                           std::size_t count,
                                           __m512i to_numbers) {
  __m512i all = _mm512_zextsi128_si512(Load(planes));
  if constexpr (kWidth > 1)
    all = _mm512_mask_broadcast_i32x4(all, 0x00F0, Load(planes + count));
  if constexpr (kWidth > 2)
    all = _mm512_mask_broadcast_i32x4(all, 0x0F00, Load(planes + 2 * count));
  if constexpr (kWidth > 3)
    all = _mm512_mask_broadcast_i32x4(all, 0xF000, Load(planes + 3 * count));
  return _mm512_permutexvar_epi8(to_numbers, all);
}

template <std::uint32_t kWidth, typename T>
void JoinRest(const unsigned char* planes, std::size_t begin, std::size_t count,
              T* out) {
  for (std::size_t i = begin; i < count; ++i) {
    T value = 0;
    for (unsigned byte = 0; byte < kWidth; ++byte)
      value |= static_cast<T>(T{planes[byte * count + i]} << (8 * byte));
    out[i] = value;
  }
}

template <std::uint32_t kWidth>
HEAPGLOT_AVX512 void JoinNumbers(const unsigned char* planes, std::size_t count,
                                 std::uint32_t* out) {
  const __m512i to_numbers = ToNumbers();
  std::size_t at = 0;
  for (; count - at >= kLanes; at += kLanes) {
    _mm512_storeu_si512(out + at,
                        LoadNumbers<kWidth>(planes + at, count, to_numbers));
  }
  JoinRest<kWidth>(planes, at, count, out);
}

template <std::uint32_t kWidth>
HEAPGLOT_AVX512 void JoinNumbers(const unsigned char* planes, std::size_t count,
                                 std::uint64_t* out) {
  const __m512i to_numbers = ToNumbers();
  std::size_t at = 0;
  for (; count - at >= kLanes; at += kLanes) {
    const __m512i numbers = LoadNumbers<kWidth>(planes + at, count, to_numbers);
    _mm512_storeu_si512(out + at,
                        _mm512_cvtepu32_epi64(_mm512_castsi512_si256(numbers)));
    _mm512_storeu_si512(
        out + at + kLanes / 2,
        _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(numbers, 1)));
  }
  JoinRest<kWidth>(planes, at, count, out);
}

template <typename T>
HEAPGLOT_AVX512 void JoinAny(const unsigned char* planes, std::size_t count,
                             std::uint32_t width, T* out) {
  switch (width) {
    case 1:
      return JoinNumbers<1>(planes, count, out);
    case 2:
      return JoinNumbers<2>(planes, count, out);
    case 3:
      return JoinNumbers<3>(planes, count, out);
    case kMaxWidth:
      return JoinNumbers<kMaxWidth>(planes, count, out);
    default:
      return JoinPlain(planes, count, width, out);
  }
}

}  // namespace

HEAPGLOT_AVX512 void SplitAvx512(const std::uint32_t* values, std::size_t rows,
                                 std::size_t count, std::uint32_t width,
                                 unsigned char* out) {
  const __m512i to_planes = ToPlanes();
  for (; rows >= kLanes; rows -= kLanes, values += kLanes, out += kLanes) {
    const __m512i numbers = _mm512_loadu_si512(values);
    StorePlanes(_mm512_permutexvar_epi8(to_planes, numbers), count, width, out);
  }
  SplitPlain(values, rows, count, width, out);
}

HEAPGLOT_AVX512 void SplitAvx512(const std::uint64_t* values, std::size_t rows,
                                 std::size_t count, std::uint32_t width,
                                 unsigned char* out) {
  if (width > kMaxWidth) return SplitPlain(values, rows, count, width, out);
  const __m512i to_planes = ToPlanes();
  // The low half of each number.
  const __m512i low = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12,
                                       10, 8, 6, 4, 2, 0);
  for (; rows >= kLanes; rows -= kLanes, values += kLanes, out += kLanes) {
    const __m512i numbers =
        _mm512_permutex2var_epi32(_mm512_loadu_si512(values), low,
                                  _mm512_loadu_si512(values + kLanes / 2));
    StorePlanes(_mm512_permutexvar_epi8(to_planes, numbers), count, width, out);
  }
  SplitPlain(values, rows, count, width, out);
}

HEAPGLOT_AVX512 void JoinAvx512(const unsigned char* planes, std::size_t count,
                                std::uint32_t width, std::uint32_t* out) {
  JoinAny(planes, count, width, out);
}

HEAPGLOT_AVX512 void JoinAvx512(const unsigned char* planes, std::size_t count,
                                std::uint32_t width, std::uint64_t* out) {
  JoinAny(planes, count, width, out);
}

}  // namespace heapglot::planes::internal

#endif  // HEAPGLOT_X86_KERNELS
