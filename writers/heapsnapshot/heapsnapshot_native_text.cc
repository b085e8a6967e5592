#include "writers/heapsnapshot/heapsnapshot_native_text.h"

#include <utility>

#include "core/text/utf.h"

namespace heapglot::heapsnapshot {
namespace {

constexpr std::pair<char, char> kLetters[] = {
    {'b', '\b'}, {'f', '\f'}, {'n', '\n'}, {'r', '\r'}, {'t', '\t'}};

}  // namespace

NativeText::NativeText(const TextStyle& style)
    : raw_(style.raw),
      hex_(style.upper_hex ? "0123456789ABCDEF" : "0123456789abcdef") {
  for (std::size_t byte = 0x20; byte < 0x80; ++byte) plain_[byte] = true;
  for (const char byte : {'"', '\\'}) {
    plain_[static_cast<unsigned char>(byte)] = false;
    letter_[static_cast<unsigned char>(byte)] = byte;
  }
  if (style.short_slash) {
    plain_['/'] = false;
    letter_['/'] = '/';
  }
  if (style.escape_del) plain_[0x7f] = false;
  for (const auto& [letter, byte] : kLetters) {
    if (style.letters.find(letter) != std::string::npos)
      letter_[static_cast<unsigned char>(byte)] = letter;
  }
}

void NativeText::Write(std::string_view text, pb::StringEncoding encoding,
                       BufferedOut& out) const {
  // Valid UTF-8 is written whole; otherwise lone surrogates must be looked for.
  const bool high_is_plain = raw_ && encoding == pb::UTF8;
  const char* next = text.data();
  const char* const end = next + text.size();
  while (next != end) {
    const char* const run = next;
    while (next != end) {
      const auto byte = static_cast<unsigned char>(*next);
      if (!plain_[byte] && !(high_is_plain && byte >= 0x80)) break;
      ++next;
    }
    out.Write({run, static_cast<std::size_t>(next - run)});
    if (next == end) return;
    const char* const begin = next;
    const std::int32_t code_point = DecodeWtf8(next, end);
    WriteCodePoint(code_point, {begin, static_cast<std::size_t>(next - begin)},
                   encoding, out);
  }
}

void NativeText::WriteCodePoint(std::int32_t code_point, std::string_view bytes,
                                pb::StringEncoding encoding,
                                BufferedOut& out) const {
  const bool is_surrogate = IsSurrogate(code_point);
  const bool stays = code_point == kBadByte ||
                     (is_surrogate && encoding == pb::BYTES) ||
                     (raw_ && !is_surrogate && code_point >= 0x80);
  if (stays) {
    out.Write(bytes);
  } else if (code_point < 0x80) {
    const char letter = letter_[static_cast<std::size_t>(code_point)];
    if (letter == 0) return WriteUnit(code_point, out);
    out.Write('\\');
    out.Write(letter);
  } else {
    ForEachUtf16Unit(code_point,
                     [&](std::int32_t unit) { WriteUnit(unit, out); });
  }
}

void NativeText::WriteUnit(std::int32_t unit, BufferedOut& out) const {
  char* const at = out.Reserve(6);
  at[0] = '\\';
  at[1] = 'u';
  for (int digit = 0; digit < 4; ++digit)
    at[2 + digit] = hex_[unit >> (12 - 4 * digit) & 0xf];
  out.Commit(at + 6);
}

}  // namespace heapglot::heapsnapshot
