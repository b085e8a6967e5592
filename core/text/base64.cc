#include "core/text/base64.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace heapglot {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
// Has a bit that no value of six bits has.
constexpr std::uint8_t kNone = 0x80;

constexpr std::array<std::uint8_t, 256> MakeValues() {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNone);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i)
    values[static_cast<unsigned char>(kAlphabet[i])] =
        static_cast<std::uint8_t>(i);
  return values;
}
constexpr std::array<std::uint8_t, 256> kValues = MakeValues();

std::uint32_t ByteAt(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

// The bits of four characters; kNone stands in the top byte if one of them is
// none of base64.
std::uint32_t BitsOf(std::string_view text, std::size_t at) {
  const std::uint32_t a = kValues[ByteAt(text, at)];
  const std::uint32_t b = kValues[ByteAt(text, at + 1)];
  const std::uint32_t c = kValues[ByteAt(text, at + 2)];
  const std::uint32_t d = kValues[ByteAt(text, at + 3)];
  const std::uint32_t bad = (a | b | c | d) & kNone;
  return bad << 24 | a << 18 | b << 12 | c << 6 | d;
}

constexpr bool IsBad(std::uint32_t bits) { return bits >> 31 != 0; }

}  // namespace

void AppendBase64(std::string_view bytes, std::string* out) {
  const std::size_t begin = out->size();
  out->resize(begin + (bytes.size() + 2) / 3 * 4);
  char* to = out->data() + begin;
  const auto put = [&to](std::uint32_t bits) {
    for (int shift = 18; shift >= 0; shift -= 6)
      *to++ = kAlphabet[bits >> shift & 0x3F];
  };
  std::size_t at = 0;
  for (; bytes.size() - at >= 3; at += 3) {
    put(ByteAt(bytes, at) << 16 | ByteAt(bytes, at + 1) << 8 |
        ByteAt(bytes, at + 2));
  }
  const std::size_t left = bytes.size() - at;
  if (left == 0) return;
  put(ByteAt(bytes, at) << 16 | (left == 2 ? ByteAt(bytes, at + 1) << 8 : 0));
  to[-1] = '=';
  if (left == 1) to[-2] = '=';
}

bool AppendFromBase64(std::string_view text, std::string* out) {
  if (text.size() % 4 != 0) return false;
  if (text.empty()) return true;
  const std::size_t padding = !text.ends_with('=')   ? 0
                              : text.ends_with("==") ? 2
                                                     : 1;
  const std::size_t begin = out->size();
  out->resize(begin + text.size() / 4 * 3);
  char* to = out->data() + begin;
  const auto put = [&to](std::uint32_t bits) {
    for (int shift = 16; shift >= 0; shift -= 8)
      *to++ = static_cast<char>(bits >> shift & 0xFF);
  };
  const std::size_t last = text.size() - 4;
  std::uint32_t seen = 0;
  for (std::size_t at = 0; at < last; at += 4) {
    const std::uint32_t bits = BitsOf(text, at);
    seen |= bits;
    put(bits);
  }
  std::string end(text.substr(last, 4 - padding));
  end.append(padding, kAlphabet.front());
  const std::uint32_t bits = BitsOf(end, 0);
  put(bits);
  const bool is_bad = IsBad(seen | bits);
  out->resize(is_bad ? begin : out->size() - padding);
  return !is_bad;
}

}  // namespace heapglot
