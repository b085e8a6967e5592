// Writes numbers and strings as dartheap files encode them, to a BufferedOut or
// a SpillBuffer.
#ifndef HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_ENCODE_H_
#define HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_ENCODE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace heapglot::dartheap {

// The most bytes that a 64-bit number takes.
inline constexpr std::size_t kMaxLeb = 10;

inline char* PutUleb(std::uint64_t value, char* out) {
  for (; value >= 0x80; value >>= 7) *out++ = static_cast<char>(value | 0x80);
  *out++ = static_cast<char>(value);
  return out;
}

inline char* PutSleb(std::int64_t value, char* out) {
  // Until the rest, with its sign, fits into the 7 bits of the last group.
  for (; value < -0x40 || value >= 0x40; value >>= 7)
    *out++ = static_cast<char>(value | 0x80);
  *out++ = static_cast<char>(value & 0x7f);
  return out;
}

template <typename Out>
void WriteUleb(std::uint64_t value, Out& out) {
  out.Commit(PutUleb(value, out.Reserve(kMaxLeb)));
}

template <typename Out>
void WriteSleb(std::int64_t value, Out& out) {
  out.Commit(PutSleb(value, out.Reserve(kMaxLeb)));
}

// 8 bytes, little-endian.
template <typename Out>
void WriteFixed64(std::uint64_t bits, Out& out) {
  char* at = out.Reserve(sizeof bits);
  for (std::size_t i = 0; i < sizeof bits; ++i)
    *at++ = static_cast<char>(bits >> 8 * i);
  out.Commit(at);
}

// Utf8String: length, bytes.
template <typename Out>
void WriteString(std::string_view text, Out& out) {
  WriteUleb(text.size(), out);
  if (!text.empty()) out.Write(text);
}

}  // namespace heapglot::dartheap

#endif  // HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_ENCODE_H_
