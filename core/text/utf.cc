#include "core/text/utf.h"

#include <cstring>

namespace heapglot {
namespace {

constexpr std::uint64_t kHighBits = 0x8080808080808080;

std::uint64_t Load64(const char* p) {
  std::uint64_t word = 0;
  std::memcpy(&word, p, sizeof word);
  return word;
}

unsigned Byte(const char* p) { return static_cast<unsigned char>(*p); }

bool IsContinuation(const char* p) { return (Byte(p) & 0xC0) == 0x80; }

std::uint32_t Utf16Unit(const char* p) { return Byte(p) | (Byte(p + 1) << 8); }

// Converts eight UTF-16 units if all are ASCII.
bool PutEightAscii(const char* p, char* out) {
  std::uint32_t all = 0;
  for (std::size_t i = 0; i < 8; ++i) all |= Utf16Unit(p + 2 * i);
  if (all >= 0x80) return false;
  for (std::size_t i = 0; i < 8; ++i) out[i] = p[2 * i];
  return true;
}

// Converts one code point of UTF-16 at `p` to UTF-8 at `*out`; returns the
// position after it.
const char* PutUtf16(const char* p, const char* end, char** out,
                     bool* lone_surrogate) {
  const std::uint32_t unit = Utf16Unit(p);
  p += 2;
  if (unit < 0x80) {
    *(*out)++ = static_cast<char>(unit);
  } else if (unit < 0x800) {
    *out = PutTwo(unit, *out);
  } else if (!IsSurrogate(static_cast<std::int32_t>(unit))) {
    *out = PutThree(unit, *out);
  } else if (const std::uint32_t low = p != end ? Utf16Unit(p) : 0;
             unit < 0xDC00 && low >= 0xDC00 && low <= 0xDFFF) {
    *out = PutFour(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00), *out);
    p += 2;
  } else {
    *out = PutThree(unit, *out);
    *lone_surrogate = true;
  }
  return p;
}

// Length of the sequence that begins with `lead`; 0 if none does.
std::size_t SequenceLength(unsigned lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC2) return 0;  // continuation, or overlong
  if (lead < 0xE0) return 2;
  if (lead < 0xF0) return 3;
  if (lead < 0xF5) return 4;
  return 0;
}

}  // namespace

std::size_t AsciiPrefix(std::string_view text) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const char* p = begin;
  while (end - p >= 16 && ((Load64(p) | Load64(p + 8)) & kHighBits) == 0) {
    p += 16;
  }
  while (p != end && Byte(p) < 0x80) ++p;
  return static_cast<std::size_t>(p - begin);
}

void AppendLatin1(std::string_view units, std::string* out) {
  while (!units.empty()) {
    const std::size_t ascii = AsciiPrefix(units);
    out->append(units.substr(0, ascii));
    units.remove_prefix(ascii);
    while (!units.empty() && Byte(units.data()) >= 0x80) {
      char two[2];
      PutTwo(Byte(units.data()), two);
      out->append(two, sizeof two);
      units.remove_prefix(1);
    }
  }
}

pb::StringEncoding AppendUtf16Le(std::string_view bytes, std::string* out) {
  const char* p = bytes.data();
  const char* const end = p + bytes.size() / 2 * 2;
  bool lone_surrogate = false;
  char buffer[512];
  constexpr std::size_t kStep = 8;  // the most that one iteration writes
  while (p != end) {
    char* fill = buffer;
    while (p != end && fill <= buffer + sizeof buffer - kStep) {
      if (end - p >= 16 && PutEightAscii(p, fill)) {
        p += 16;
        fill += 8;
      } else {
        p = PutUtf16(p, end, &fill, &lone_surrogate);
      }
    }
    out->append(buffer, static_cast<std::size_t>(fill - buffer));
  }
  return lone_surrogate ? pb::WTF8 : pb::UTF8;
}

pb::StringEncoding ClassifyUtf8(std::string_view text) {
  const char* p = text.data();
  const char* const end = p + text.size();
  while (true) {
    p += AsciiPrefix({p, static_cast<std::size_t>(end - p)});
    // Text that is not ASCII seldom returns to ASCII for long.
    while (p != end && Byte(p) >= 0x80) {
      const std::int32_t code = DecodeWtf8Multibyte(p, end);
      if (code == kBadByte || IsSurrogate(code)) return pb::BYTES;
    }
    if (p == end) return pb::UTF8;
  }
}

void AppendPlainUtf8(std::string_view text, std::string* out) {
  if (ClassifyUtf8(text) == pb::UTF8) {
    out->append(text);
    return;
  }
  const char* p = text.data();
  const char* const end = p + text.size();
  while (p != end) {
    const char* const begin = p;
    const std::int32_t code = DecodeWtf8(p, end);
    if (code == kBadByte || IsSurrogate(code))
      out->append("\xEF\xBF\xBD");
    else
      out->append(begin, p);
  }
}

pb::StringEncoding ClassifyWtf8(std::string_view text) {
  if (ClassifyUtf8(text) == pb::UTF8) return pb::UTF8;
  const char* p = text.data();
  const char* const end = p + text.size();
  std::int32_t before = 0;
  while (p != end) {
    const std::int32_t code = DecodeWtf8(p, end);
    const bool pair = (before & ~0x3FF) == 0xD800 && (code & ~0x3FF) == 0xDC00;
    if (code == kBadByte || pair) return pb::BYTES;
    before = code;
  }
  return pb::WTF8;
}

void AppendCodePoint(std::uint32_t code_point, std::string* out) {
  char bytes[kMaxUtf8];
  out->append(bytes, PutCodePoint(code_point, bytes));
}

std::int32_t DecodeWtf8Multibyte(const char*& p, const char* end) {
  const char* const start = p;
  ++p;
  const unsigned lead = Byte(start);
  const std::size_t length = SequenceLength(lead);
  if (length < 2 || static_cast<std::size_t>(end - start) < length) {
    return kBadByte;
  }
  // 5, 4 or 3 bits of the lead byte, then 6 of each other byte.
  std::uint32_t code = lead & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if (!IsContinuation(start + i)) return kBadByte;
    code = (code << 6) | (Byte(start + i) & 0x3F);
  }
  if ((length == 3 && code < 0x800) ||
      (length == 4 && (code < 0x10000 || code > 0x10FFFF))) {
    return kBadByte;
  }
  p = start + length;
  return static_cast<std::int32_t>(code);
}

std::size_t CutAtCodePoint(std::string_view text, std::size_t max) {
  if (text.size() <= max) return text.size();
  // text[max] would be the first byte left out.
  for (std::size_t back = 0; back < 4 && back <= max; ++back) {
    const char* const p = text.data() + (max - back);
    if (IsContinuation(p)) continue;
    const bool cuts = SequenceLength(Byte(p)) > back;
    return cuts ? max - back : max;
  }
  return max;
}

}  // namespace heapglot
