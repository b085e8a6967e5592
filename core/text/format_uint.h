// Decimal digits of unsigned integers, for arrays of a hundred million of them:
// three times as fast as std::to_chars (bench/kernels.cc).
#ifndef HEAPGLOT_CORE_TEXT_FORMAT_UINT_H_
#define HEAPGLOT_CORE_TEXT_FORMAT_UINT_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace heapglot {

// The most digits of a 64-bit number.
inline constexpr std::size_t kMaxUintDigits = 20;

namespace internal {

// The values of four digits, the first one in the lowest byte.
struct FourDigits {
  std::array<std::uint32_t, 10'000> digits;
  constexpr FourDigits() : digits() {
    for (unsigned i = 0; i < digits.size(); ++i)
      digits[i] =
          i / 1000 | i / 100 % 10 << 8 | i / 10 % 10 << 16 | i % 10 << 24;
  }
};
inline constexpr FourDigits kFourDigits;

inline constexpr std::uint64_t kEightZeros = 0x3030'3030'3030'3030;

// The values of the eight digits, the first one in the lowest byte.
inline std::uint64_t EightDigits(std::uint64_t below_100000000) {
  const std::uint64_t first = kFourDigits.digits[below_100000000 / 10'000];
  const std::uint64_t last = kFourDigits.digits[below_100000000 % 10'000];
  return first | last << 32;
}

// Stores bytes, the lowest one first.
inline void StoreEight(std::uint64_t bytes, char* out) {
  if constexpr (std::endian::native == std::endian::big)
    bytes = __builtin_bswap64(bytes);
  std::memcpy(out, &bytes, sizeof bytes);
}

}  // namespace internal

// Writes `value` at `out`, which has room for kMaxUintDigits + 4 bytes, and
// returns the end of the digits.
inline char* FormatUint(std::uint64_t value, char* out) {
  if (value < 100'000'000) [[likely]] {
    // No branch on the number of digits, which is unpredictable: always write
    // eight bytes, from the first digit of the value on.
    const std::uint64_t digits = internal::EightDigits(value);
    constexpr std::uint64_t kLast = std::uint64_t{1} << 56;
    const int skip = std::countr_zero(digits | kLast) / 8;
    internal::StoreEight((digits | internal::kEightZeros) >> 8 * skip, out);
    return out + 8 - skip;
  }
  out = FormatUint(value / 100'000'000, out);
  internal::StoreEight(
      internal::EightDigits(value % 100'000'000) | internal::kEightZeros, out);
  return out + 8;
}

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TEXT_FORMAT_UINT_H_
