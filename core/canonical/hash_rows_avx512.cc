// XXH3-128 of rows of 24 to 128 bytes, eight rows side by side, one in each
// lane.
#include <array>

#include "core/canonical/hash_numbers.h"
#include "core/canonical/hash_rows.h"
#include "core/ir/wire.h"
#include "core/text/vector_cpu.h"
#include "core/text/vector_intrinsics.h"

#ifdef HEAPGLOT_X86_KERNELS

namespace heapglot::internal {
namespace {

constexpr std::size_t kLanes = 8;

struct TwoHalves {
  __m512i low;
  __m512i high;
};

HEAPGLOT_AVX512 inline __m512i Same(std::uint64_t number) {
  return _mm512_set1_epi64(static_cast<long long>(number));
}

// A column in a form in which all are loaded the same way: two times eight
// numbers, from which `order` picks those of eight rows.
struct Lanes {
  const std::uint64_t* first = nullptr;
  std::size_t step = 0;    // to the next eight rows
  std::size_t second = 0;  // to the other eight numbers
  std::array<std::uint64_t, kLanes> order = {0, 1, 2, 3, 4, 5, 6, 7};
  std::array<std::uint64_t, kLanes> same = {};
};

void SetLanes(const NumberColumn& column, Lanes* lanes) {
  lanes->first = column.first;
  lanes->step = column.step * kLanes;
  if (column.step == 0) {
    lanes->same.fill(*column.first);
    lanes->first = lanes->same.data();
  } else if (column.step == 2) {
    // The two loads overlap by one number, so that both stay within the rows.
    lanes->second = kLanes - 1;
    lanes->order = {0, 2, 4, 6, 9, 11, 13, 15};
  }
}

// The numbers of eight rows.
HEAPGLOT_AVX512 inline __m512i Load(const Lanes& lanes, std::size_t eight) {
  const std::uint64_t* const first = lanes.first + eight * lanes.step;
  return _mm512_permutex2var_epi64(_mm512_loadu_si512(first),
                                   _mm512_loadu_si512(lanes.order.data()),
                                   _mm512_loadu_si512(first + lanes.second));
}

// The two halves of the 128-bit products, XORed.
HEAPGLOT_AVX512 inline __m512i MultiplyFold(__m512i a, __m512i b) {
  const __m512i a_high = _mm512_srli_epi64(a, 32);
  const __m512i b_high = _mm512_srli_epi64(b, 32);
  const __m512i low_low = _mm512_mul_epu32(a, b);
  const __m512i low_high = _mm512_mul_epu32(a, b_high);
  const __m512i high_low = _mm512_mul_epu32(a_high, b);
  const __m512i high_high = _mm512_mul_epu32(a_high, b_high);
  const __m512i low_32 = _mm512_set1_epi64(0xffffffff);
  const __m512i cross =
      _mm512_add_epi64(_mm512_add_epi64(_mm512_srli_epi64(low_low, 32),
                                        _mm512_and_si512(low_high, low_32)),
                       high_low);
  const __m512i high =
      _mm512_add_epi64(_mm512_add_epi64(_mm512_srli_epi64(low_high, 32),
                                        _mm512_srli_epi64(cross, 32)),
                       high_high);
  // low = cross << 32 | low_low & low_32, and xor high
  return _mm512_xor_si512(
      high,
      _mm512_mask_mov_epi32(_mm512_slli_epi64(cross, 32), 0x5555, low_low));
}

HEAPGLOT_AVX512 inline __m512i XorShift(__m512i bits, unsigned shift) {
  return _mm512_xor_si512(bits, _mm512_srli_epi64(bits, shift));
}

HEAPGLOT_AVX512 inline __m512i Avalanche(__m512i bits) {
  constexpr std::uint64_t kFactor = 0x165667919E3779F9;
  return XorShift(_mm512_mullo_epi64(XorShift(bits, 37), Same(kFactor)), 32);
}

// Number `at` of the secret that XXH3 mixes in.
HEAPGLOT_AVX512 inline __m512i Secret(std::size_t at) {
  return Same(XXH_readLE64(XXH3_kSecret + 8 * at));
}

// Mixes two numbers from the front and two from the back of each row with four
// of the secret, from `secret` on.
HEAPGLOT_AVX512 inline void MixFour(__m512i a, __m512i b, __m512i c, __m512i d,
                                    std::size_t secret, TwoHalves* sum) {
  const __m512i front_product =
      MultiplyFold(_mm512_xor_si512(a, Secret(secret)),
                   _mm512_xor_si512(b, Secret(secret + 1)));
  const __m512i back_product =
      MultiplyFold(_mm512_xor_si512(c, Secret(secret + 2)),
                   _mm512_xor_si512(d, Secret(secret + 3)));
  sum->low = _mm512_xor_si512(_mm512_add_epi64(sum->low, front_product),
                              _mm512_add_epi64(c, d));
  sum->high = _mm512_xor_si512(_mm512_add_epi64(sum->high, back_product),
                               _mm512_add_epi64(a, b));
}

HEAPGLOT_AVX512 inline void Mix(std::span<const Lanes> columns,
                                std::size_t eight, std::size_t front,
                                std::size_t back, std::size_t secret,
                                TwoHalves* sum) {
  MixFour(Load(columns[front], eight), Load(columns[front + 1], eight),
          Load(columns[back], eight), Load(columns[back + 1], eight), secret,
          sum);
}

HEAPGLOT_AVX512 inline TwoHalves SumOf(std::uint64_t size) {
  return {Same(size * XXH_PRIME64_1), _mm512_setzero_si512()};
}

// Stores what all was mixed into as hashes of rows of `size` bytes.
HEAPGLOT_AVX512 inline void Store(const TwoHalves& sum, std::uint64_t size,
                                  Hash128* hashes) {
  const __m512i low = Avalanche(_mm512_add_epi64(sum.low, sum.high));
  const __m512i high = _mm512_sub_epi64(
      _mm512_setzero_si512(),
      Avalanche(_mm512_add_epi64(
          _mm512_add_epi64(_mm512_mullo_epi64(sum.low, Same(XXH_PRIME64_1)),
                           _mm512_mullo_epi64(sum.high, Same(XXH_PRIME64_4))),
          Same(size * XXH_PRIME64_2))));
  const __m512i first = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
  const __m512i last = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
  _mm512_storeu_si512(hashes, _mm512_permutex2var_epi64(low, first, high));
  _mm512_storeu_si512(hashes + 4, _mm512_permutex2var_epi64(low, last, high));
}

template <std::size_t kColumns>
HEAPGLOT_AVX512 inline void HashEight(std::span<const Lanes> columns,
                                      std::size_t eight, Hash128* hashes) {
  constexpr std::uint64_t kSize = 8 * kColumns;
  TwoHalves sum = SumOf(kSize);
  if constexpr (kColumns > 12) Mix(columns, eight, 6, kColumns - 8, 12, &sum);
  if constexpr (kColumns > 8) Mix(columns, eight, 4, kColumns - 6, 8, &sum);
  if constexpr (kColumns > 4) Mix(columns, eight, 2, kColumns - 4, 4, &sum);
  Mix(columns, eight, 0, kColumns - 2, 0, &sum);
  Store(sum, kSize, hashes);
}

template <std::size_t kColumns>
HEAPGLOT_AVX512 void HashEights(std::span<const NumberColumn> columns,
                                std::size_t eights, Hash128* hashes) {
  std::array<Lanes, kColumns> lanes;
  for (std::size_t k = 0; k < kColumns; ++k) SetLanes(columns[k], &lanes[k]);
  for (std::size_t i = 0; i < eights; ++i)
    HashEight<kColumns>(lanes, i, hashes + i * kLanes);
}

HEAPGLOT_AVX512 inline __m128i LoadOne(const Hash128& hash) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(&hash));
}

// The hashes at every other one of eight places.
HEAPGLOT_AVX512 inline __m512i LoadFour(const Hash128* hashes,
                                        const std::uint32_t* places) {
  __m512i four = _mm512_castsi128_si512(LoadOne(hashes[places[0]]));
  four = _mm512_inserti64x2(four, LoadOne(hashes[places[2]]), 1);
  four = _mm512_inserti64x2(four, LoadOne(hashes[places[4]]), 2);
  return _mm512_inserti64x2(four, LoadOne(hashes[places[6]]), 3);
}

HEAPGLOT_AVX512 void HashEightPlaces(const std::uint64_t* numbers,
                                     const std::uint32_t* places,
                                     const Hash128* hashes_of,
                                     Hash128* hashes) {
  constexpr std::uint64_t kSize = 24;
  const __m512i even = LoadFour(hashes_of, places);
  const __m512i odd = LoadFour(hashes_of, places + 1);
  const __m512i low = _mm512_unpacklo_epi64(even, odd);
  const __m512i high = _mm512_unpackhi_epi64(even, odd);
  TwoHalves sum = SumOf(kSize);
  MixFour(_mm512_loadu_si512(numbers), low, low, high, 0, &sum);
  Store(sum, kSize, hashes);
}

}  // namespace

HEAPGLOT_AVX512 void HashPlacesAvx512(std::span<const std::uint64_t> numbers,
                                      const std::uint32_t* places,
                                      const Hash128* hashes_of,
                                      Hash128* hashes) {
  const std::size_t whole = numbers.size() / kLanes * kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes)
    HashEightPlaces(&numbers[i], places + i, hashes_of, hashes + i);
  HashPlacesPlain(numbers.subspan(whole), places + whole, hashes_of,
                  hashes + whole);
}

void HashRowsAvx512(std::span<const NumberColumn> columns, std::size_t rows,
                    Hash128* hashes) {
  const std::size_t whole = rows / kLanes * kLanes;
  WithColumns(columns.size(), [&]<std::size_t kColumns>() {
    HashEights<kColumns>(columns, whole / kLanes, hashes);
  });
  if (whole == rows) return;
  std::array<NumberColumn, kMaxColumns> rest;
  for (std::size_t k = 0; k < columns.size(); ++k)
    rest[k] = {columns[k].first + whole * columns[k].step, columns[k].step};
  HashRowsPlain({rest.data(), columns.size()}, rows - whole, hashes + whole);
}

}  // namespace heapglot::internal

#endif  // HEAPGLOT_X86_KERNELS
