// Text that needs no escapes in a JSON string.
#ifndef HEAPGLOT_CORE_TEXT_JSON_PLAIN_H_
#define HEAPGLOT_CORE_TEXT_JSON_PLAIN_H_

#include <bit>
#include <cstdint>
#include <cstring>

namespace heapglot {

// Whether a byte stands for itself in a JSON string of ASCII: it is not a
// quote, a backslash or a control character. To JSON, DEL is not a control
// character.
constexpr bool IsJsonPlain(char byte) {
  return byte >= 0x20 && static_cast<unsigned char>(byte) < 0x80 &&
         byte != '"' && byte != '\\';
}

// The first byte from `p` on that is not plain, or `end`.
inline const char* SkipJsonPlain(const char* p, const char* end) {
  constexpr std::uint64_t kEach = 0x0101'0101'0101'0101;
  constexpr std::uint64_t kHighBits = kEach * 0x80;
  // The high bit of each byte that is less than `limit` (at most 0x80), and
  // possibly of bytes after such a byte.
  const auto below = [](std::uint64_t bytes, unsigned limit) {
    return (bytes - kEach * limit) & ~bytes;
  };
  if constexpr (std::endian::native == std::endian::little) {
    while (end - p >= 8) {
      std::uint64_t bytes = 0;
      std::memcpy(&bytes, p, sizeof bytes);
      const std::uint64_t odd =
          (bytes | below(bytes, 0x20) | below(bytes ^ kEach * '"', 1) |
           below(bytes ^ kEach * '\\', 1)) &
          kHighBits;
      if (odd != 0) return p + std::countr_zero(odd) / 8;
      p += 8;
    }
  }
  while (p != end && IsJsonPlain(*p)) ++p;
  return p;
}

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TEXT_JSON_PLAIN_H_
