// The ends of numbers are looked up for eight bytes at a time. Then the four
// bytes from the start of each number are copied to where the number will be,
// and the bits of eight numbers are packed there at a time. Not with pext,
// which on Zen and Zen 2 takes longer than a mispredicted branch.
#include "core/bytes/take_ulebs.h"
#include "core/text/vector_cpu.h"
#include "core/text/vector_intrinsics.h"

#ifdef HEAPGLOT_X86_KERNELS

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace heapglot::internal {
namespace {

constexpr std::size_t kUlebBitmap = 64;
constexpr std::size_t kUlebStep = 8;
// How much is loaded of a number, whether it has as many bytes or not.
constexpr std::size_t kUlebReach = sizeof(std::uint32_t);
// A number that is longer than UlebRun::kMaxBytes fills at least one such half.
constexpr std::uint64_t kUlebHalf = 0xffff'ffff;
static_assert(UlebRun::kBytes % kUlebBitmap == 0 &&
              UlebRun::kMaxBytes == kUlebBitmap);

// The places, plus 1, of the bits that are 1 among eight, in order.
using UlebPlaces = std::array<std::uint8_t, kUlebStep>;
constexpr std::array<UlebPlaces, 256> MakeUlebPlaces() {
  std::array<UlebPlaces, 256> all = {};
  for (std::size_t bits = 0; bits < all.size(); ++bits) {
    std::size_t count = 0;
    for (std::uint8_t place = 0; place < kUlebStep; ++place) {
      if ((bits >> place & 1) != 0)
        all[bits][count++] = static_cast<std::uint8_t>(place + 1);
    }
  }
  return all;
}
constexpr std::array<UlebPlaces, 256> kUlebPlacesOf = MakeUlebPlaces();

HEAPGLOT_AVX2 inline std::uint64_t HighBits(__m256i low, __m256i high) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(low)) |
         std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(high))}
             << 32;
}

// Finds where numbers end in the first `size` bytes of `bytes`, which has room
// for whole blocks. False if a number may be padded, or longer than
// UlebRun::kMaxBytes.
HEAPGLOT_AVX2 inline bool FindUlebEnds(const char* bytes, std::size_t size,
                                       UlebRun* run) {
  // The prefetch distance: pages of a mapped input are far away.
  constexpr std::size_t kAhead = 1024;
  const __m256i zero = _mm256_setzero_si256();
  std::uint16_t* const ends = run->ends.data();
  std::size_t count = 0;
  std::uint64_t goes_on_before = 0;
  bool is_usual = true;
  for (std::size_t offset = 0; offset < size; offset += kUlebBitmap) {
    _mm_prefetch(bytes + offset + kAhead, _MM_HINT_T0);
    __m256i low;
    __m256i high;
    std::memcpy(&low, bytes + offset, sizeof low);
    std::memcpy(&high, bytes + offset + sizeof low, sizeof high);
    const std::uint64_t goes_on = HighBits(low, high);
    const std::uint64_t is_zero =
        HighBits(_mm256_cmpeq_epi8(low, zero), _mm256_cmpeq_epi8(high, zero));
    std::uint64_t is_last = ~goes_on;
    if (size - offset < kUlebBitmap)
      is_last &= (std::uint64_t{1} << (size - offset)) - 1;
    is_usual &= (is_zero & (goes_on << 1 | goes_on_before)) == 0 &&
                (is_last & kUlebHalf) != 0 && is_last >> 32 != 0;
    goes_on_before = goes_on >> 63;
    for (std::size_t step = 0; step < kUlebBitmap; step += kUlebStep) {
      const UlebPlaces& places = kUlebPlacesOf[is_last >> step & 0xff];
      const __m128i all =
          _mm_add_epi16(_mm_cvtepu8_epi16(_mm_loadu_si64(places.data())),
                        _mm_set1_epi16(static_cast<short>(offset + step)));
      std::memcpy(ends + count, &all, sizeof all);
      count += static_cast<std::size_t>(
          std::popcount(static_cast<std::uint8_t>(is_last >> step)));
    }
  }
  run->count = count;
  return is_usual;
}

// Copies the bytes of all numbers before any are joined: a load of what several
// stores have just written would wait for them. What is written after the last
// number has no meaning.
inline void GatherUlebs(const char* bytes, UlebRun* run) {
  // This many numbers are gathered without checking how many there are. All
  // ends are within UlebRun::kBytes, even those of an earlier run.
  constexpr std::size_t kGroup = 4;
  const std::uint16_t* const ends = run->ends.data();
  std::uint32_t* const numbers = run->numbers.data();
  std::memcpy(numbers, bytes, kUlebReach);
  for (std::size_t group = 1; group < run->count; group += kGroup) {
    for (std::size_t i = group; i < group + kGroup; ++i)
      std::memcpy(numbers + i, bytes + ends[i - 1], kUlebReach);
  }
}

// Turns bytes into numbers, in place.
HEAPGLOT_AVX2 inline void JoinUlebs(UlebRun* run) {
  constexpr std::size_t kLanes = 8;
  for (std::size_t i = 0; i < run->count; i += kLanes) {
    __m256i bytes;
    std::memcpy(&bytes, run->numbers.data() + i, sizeof bytes);
    // The bytes up to the first whose high bit is 0, or all.
    const __m256i stops =
        _mm256_andnot_si256(bytes, _mm256_set1_epi8(static_cast<char>(0x80)));
    const __m256i mask =
        _mm256_xor_si256(stops, _mm256_add_epi32(stops, _mm256_set1_epi32(-1)));
    bytes = _mm256_and_si256(bytes, mask);
    const __m256i bits = _mm256_and_si256(bytes, _mm256_set1_epi8(0x7f));
    // Times 1 and 2^7, then times 1 and 2^14.
    const __m256i pairs = _mm256_maddubs_epi16(
        _mm256_set1_epi16(static_cast<short>(0x8001)), bits);
    const __m256i numbers =
        _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x4000'0001));
    // All ones if the fourth byte is not the last.
    const __m256i is_long = _mm256_srai_epi32(bytes, 31);
    const __m256i all = _mm256_or_si256(numbers, is_long);
    std::memcpy(run->numbers.data() + i, &all, sizeof all);
  }
}

// Checks what FindUlebEnds() only suspects.
void CorrectUlebs(const char* bytes, UlebRun* run) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < run->count; ++i) {
    const std::size_t end = run->ends[i];
    if (end - begin > UlebRun::kMaxBytes) {
      run->count = i;
      return;
    }
    if (end - begin > 1 && bytes[end - 1] == 0) run->numbers[i] = UlebRun::kOdd;
    begin = end;
  }
}

}  // namespace

HEAPGLOT_AVX2 void TakeUlebsAvx2(std::string_view bytes, UlebRun* run) {
  const std::size_t size = std::min(UlebRun::kBytes, bytes.size());
  const char* from = bytes.data();
  char copy[UlebRun::kBytes + kUlebReach];
  if (bytes.size() < sizeof copy) [[unlikely]] {
    std::memset(copy, 0, sizeof copy);
    std::copy(bytes.begin(), bytes.end(), copy);
    from = copy;
  }
  const bool is_usual = FindUlebEnds(from, size, run);
  GatherUlebs(from, run);
  JoinUlebs(run);
  if (!is_usual) [[unlikely]]
    CorrectUlebs(from, run);
}

}  // namespace heapglot::internal

#endif  // HEAPGLOT_X86_KERNELS
