// Text: converts the encodings of heap dumps to UTF-8, and decodes UTF-8.
//
// "WTF-8" is UTF-8 that also encodes lone surrogates (three bytes, ED A0 80 to
// ED BF BF), as strings of Dart and JavaScript may hold them.
#ifndef HEAPGLOT_CORE_TEXT_UTF_H_
#define HEAPGLOT_CORE_TEXT_UTF_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "heapglot/stream.h"

namespace heapglot {

// How many bytes at the start of `text` are ASCII.
std::size_t AsciiPrefix(std::string_view text);

// Appends Latin-1 text (a byte is a code point) as UTF-8.
void AppendLatin1(std::string_view units, std::string* out);

// Appends UTF-16, least significant byte first, as UTF-8. Surrogate pairs are
// joined. Returns WTF8 if there are lone surrogates, otherwise UTF8. An odd
// byte at the end is ignored.
pb::StringEncoding AppendUtf16Le(std::string_view bytes, std::string* out);

// UTF8 if `text` is valid UTF-8, otherwise BYTES. Overlong forms, surrogates,
// anything above U+10FFFF, and truncated sequences are not valid.
pb::StringEncoding ClassifyUtf8(std::string_view text);

// Appends `text` as valid UTF-8: each invalid byte, and each lone surrogate,
// becomes U+FFFD.
void AppendPlainUtf8(std::string_view text, std::string* out);

// UTF8, WTF8 if `text` also has lone surrogates, or BYTES. A surrogate pair
// that is not encoded as one code point is BYTES, too.
pb::StringEncoding ClassifyWtf8(std::string_view text);

constexpr bool IsSurrogate(std::int32_t code_point) {
  return (code_point & ~0x7ff) == 0xd800;
}

// Calls take(unit) for each of the one or two units of a code point in UTF-16.
template <typename Take>
void ForEachUtf16Unit(std::int32_t code_point, Take take) {
  if (code_point < 0x10000) {
    take(code_point);
  } else {
    take(0xd800 + ((code_point - 0x10000) >> 10));
    take(0xdc00 + (code_point & 0x3ff));
  }
}

// PutTwo(), PutThree() and PutFour() write a code point that takes as many
// bytes in UTF-8, and return the end.
inline char* PutTwo(std::uint32_t code, char* out) {
  out[0] = static_cast<char>(0xC0 | (code >> 6));
  out[1] = static_cast<char>(0x80 | (code & 0x3F));
  return out + 2;
}

inline char* PutThree(std::uint32_t code, char* out) {
  out[0] = static_cast<char>(0xE0 | (code >> 12));
  out[1] = static_cast<char>(0x80 | ((code >> 6) & 0x3F));
  out[2] = static_cast<char>(0x80 | (code & 0x3F));
  return out + 3;
}

inline char* PutFour(std::uint32_t code, char* out) {
  out[0] = static_cast<char>(0xF0 | (code >> 18));
  out[1] = static_cast<char>(0x80 | ((code >> 12) & 0x3F));
  out[2] = static_cast<char>(0x80 | ((code >> 6) & 0x3F));
  out[3] = static_cast<char>(0x80 | (code & 0x3F));
  return out + 4;
}

// Writes any code point, or a lone surrogate: up to kMaxUtf8 bytes.
inline constexpr std::size_t kMaxUtf8 = 4;
inline char* PutCodePoint(std::uint32_t code, char* out) {
  if (code >= 0x10000) return PutFour(code, out);
  if (code >= 0x800) return PutThree(code, out);
  if (code >= 0x80) return PutTwo(code, out);
  *out = static_cast<char>(code);
  return out + 1;
}

// Appends a code point, or lone surrogate, as UTF-8.
void AppendCodePoint(std::uint32_t code_point, std::string* out);

// What DecodeWtf8() returns for a byte that does not begin a valid sequence.
inline constexpr std::int32_t kBadByte = -1;

// The part of DecodeWtf8() that is not ASCII.
std::int32_t DecodeWtf8Multibyte(const char*& p, const char* end);

// Returns the code point (or lone surrogate) at `p` < `end`, and moves `p`
// after it. If no valid sequence begins there, returns kBadByte and moves on by
// one byte.
inline std::int32_t DecodeWtf8(const char*& p, const char* end) {
  const auto first = static_cast<unsigned char>(*p);
  if (first < 0x80) [[likely]] {
    ++p;
    return first;
  }
  return DecodeWtf8Multibyte(p, end);
}

// The greatest size up to `max` at which `text` can be cut without splitting a
// UTF-8 sequence; 0 if the first one is longer than `max`. Never less than
// `max` - 3, whatever the bytes are.
std::size_t CutAtCodePoint(std::string_view text, std::size_t max);

// Whether a file begins like JSON in UTF-16, and what to report then.
inline bool BeginsAsUtf16(std::string_view file) {
  using namespace std::string_view_literals;
  return file.starts_with("\xff\xfe"sv) || file.starts_with("\xfe\xff"sv) ||
         file.starts_with("{\0"sv) || file.starts_with("\0{"sv);
}
inline constexpr std::string_view kIsUtf16 =
    "the file is UTF-16: convert it to UTF-8 first";

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TEXT_UTF_H_
