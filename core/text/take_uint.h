// Digits, and reading one unsigned integer.
#ifndef HEAPGLOT_CORE_TEXT_TAKE_UINT_H_
#define HEAPGLOT_CORE_TEXT_TAKE_UINT_H_

#include <cstddef>
#include <cstdint>

namespace heapglot {

constexpr bool IsDigit(char byte) { return byte >= '0' && byte <= '9'; }

// The value of a hexadecimal digit, or -1.
constexpr int HexDigit(char byte) {
  if (IsDigit(byte)) return byte - '0';
  const char lower = static_cast<char>(byte | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Reads the digits at `*p`, and moves `*p` after them. False if there are none,
// if there are leading zeros, or if there are more than the 19 that always fit
// into 64 bits.
inline bool TakeUint(const char** p, const char* end, std::uint64_t* value) {
  constexpr std::ptrdiff_t kMostDigits = 19;
  const char* const begin = *p;
  const char* at = begin;
  std::uint64_t read = 0;
  for (; at != end; ++at) {
    const unsigned digit = static_cast<unsigned char>(*at) - unsigned{'0'};
    if (digit > 9) break;
    read = 10 * read + digit;
  }
  *p = at;
  *value = read;
  const std::ptrdiff_t size = at - begin;
  return size == 1 || (size > 1 && size <= kMostDigits && *begin != '0');
}

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TEXT_TAKE_UINT_H_
