#include "core/text/base64.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/text/vector_cpu.h"

namespace heapglot {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
// A bit that no six-bit value has.
constexpr std::uint8_t kNone = 0x80;

constexpr std::array<std::uint8_t, 256> MakeValues() {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNone);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i)
    values[static_cast<unsigned char>(kAlphabet[i])] =
        static_cast<std::uint8_t>(i);
  return values;
}
constexpr std::array<std::uint8_t, 256> kValueOf = MakeValues();

std::uint32_t ByteAt(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

// The bits of four characters; the top byte is kNone if one of them is not
// base64.
std::uint32_t BitsOf(std::string_view text, std::size_t at) {
  const std::uint32_t a = kValueOf[ByteAt(text, at)];
  const std::uint32_t b = kValueOf[ByteAt(text, at + 1)];
  const std::uint32_t c = kValueOf[ByteAt(text, at + 2)];
  const std::uint32_t d = kValueOf[ByteAt(text, at + 3)];
  const std::uint32_t bad = (a | b | c | d) & kNone;
  return bad << 24 | a << 18 | b << 12 | c << 6 | d;
}

// Writes 24 bits as four characters, and returns the end.
char* PutCharacters(std::uint32_t bits, char* to) {
  for (int shift = 18; shift >= 0; shift -= 6)
    *to++ = kAlphabet[bits >> shift & 0x3F];
  return to;
}

char* PutBytes(std::uint32_t bits, char* to) {
  for (int shift = 16; shift >= 0; shift -= 8)
    *to++ = static_cast<char>(bits >> shift & 0xFF);
  return to;
}

constexpr bool IsBad(std::uint32_t bits) { return bits >> 31 != 0; }

std::span<const Base64Variant> FindBase64Variants() {
  static constexpr Base64Variant kAll[] = {
      {"plain", internal::EncodeBase64Plain, internal::DecodeBase64Plain},
#ifdef HEAPGLOT_X86_KERNELS
      {"avx2", internal::EncodeBase64Avx2, internal::DecodeBase64Avx2},
      {"avx512", internal::EncodeBase64Avx512, internal::DecodeBase64Avx512},
#endif
  };
  return internal::UsableWays(kAll);
}

}  // namespace

void internal::EncodeBase64Plain(std::string_view bytes, char* out) {
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    out = PutCharacters(ByteAt(bytes, at) << 16 | ByteAt(bytes, at + 1) << 8 |
                            ByteAt(bytes, at + 2),
                        out);
  }
}

bool internal::DecodeBase64Plain(std::string_view text, char* out) {
  std::uint32_t seen = 0;
  for (std::size_t at = 0; at < text.size(); at += 4) {
    const std::uint32_t bits = BitsOf(text, at);
    seen |= bits;
    out = PutBytes(bits, out);
  }
  return !IsBad(seen);
}

std::span<const Base64Variant> Base64Variants() {
  static const std::span<const Base64Variant> variants = FindBase64Variants();
  return variants;
}

void AppendBase64(std::string_view bytes, std::string* out) {
  static const auto encode = Base64Variants().back().encode;
  const std::size_t begin = out->size();
  out->resize(begin + (bytes.size() + 2) / 3 * 4);
  const std::size_t left = bytes.size() % 3;
  const std::size_t whole = bytes.size() - left;
  char* const to = out->data() + begin;
  encode(bytes.substr(0, whole), to);
  if (left == 0) return;
  char* const end =
      PutCharacters(ByteAt(bytes, whole) << 16 |
                        (left == 2 ? ByteAt(bytes, whole + 1) << 8 : 0),
                    to + whole / 3 * 4);
  end[-1] = '=';
  if (left == 1) end[-2] = '=';
}

bool AppendFromBase64(std::string_view text, std::string* out) {
  static const auto decode = Base64Variants().back().decode;
  if (text.size() % 4 != 0) return false;
  if (text.empty()) return true;
  const std::size_t padding = !text.ends_with('=')   ? 0
                              : text.ends_with("==") ? 2
                                                     : 1;
  const std::size_t begin = out->size();
  out->resize(begin + text.size() / 4 * 3);
  char* const to = out->data() + begin;
  const std::size_t last = text.size() - 4;
  bool is_bad = !decode(text.substr(0, last), to);
  std::array<char, 4> end;
  end.fill(kAlphabet.front());
  text.copy(end.data(), end.size() - padding, last);
  const std::uint32_t bits = BitsOf({end.data(), end.size()}, 0);
  PutBytes(bits, to + last / 4 * 3);
  is_bad |= IsBad(bits);
  out->resize(is_bad ? begin : out->size() - padding);
  return !is_bad;
}

}  // namespace heapglot
