#include "heapglot/status.h"

#include <algorithm>
#include <cstdio>

#include "core/text/utf.h"

namespace heapglot {
namespace {

// Bytes of a line; with "heapglot: " and a newline it has less than 512.
constexpr std::size_t kMaxLine = 500;
// Bytes of the file name in it, which must not crowd out the message. A name of
// 255 plain characters fits.
constexpr std::size_t kMaxFile = 260;
constexpr std::string_view kEllipsis = "...";

// Characters that change how the rest of a line looks, or break it.
bool ChangesLayout(std::int32_t code) {
  return code == 0x061C || code == 0x200E || code == 0x200F ||  // marks
         (code >= 0x2028 && code <= 0x202E) ||  // separators, embeddings
         (code >= 0x2066 && code <= 0x2069) ||  // isolates
         code == 0xFEFF;
}

// The character that begins at `*p`, escaped if a terminal must not get it.
std::string EscapedCharacter(const char** p, const char* end) {
  const char* const start = *p;
  const std::int32_t code = DecodeWtf8(*p, end);
  char escaped[16];
  if (code < 0x20 || code == 0x7F) {  // also kBadByte
    std::snprintf(escaped, sizeof escaped, "\\x%02x",
                  static_cast<unsigned>(static_cast<unsigned char>(*start)));
    return escaped;
  }
  const bool c1_control = code >= 0x80 && code < 0xA0;
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (c1_control || surrogate || ChangesLayout(code)) {
    std::snprintf(escaped, sizeof escaped, "\\u%04x",
                  static_cast<unsigned>(code));
    return escaped;
  }
  return {start, *p};
}

}  // namespace

int ExitCode(Code code) {
  switch (code) {
    case Code::kOk:
      return 0;
    case Code::kUsage:
      return 2;
    case Code::kMalformed:
      return 3;
    case Code::kTruncated:
      return 4;
    case Code::kLimit:
      return 5;
    case Code::kUnsupported:
      return 6;
    case Code::kLossy:
      return 7;
    case Code::kOutput:
      return 8;
    case Code::kInput:
      return 9;
    case Code::kInternal:
    case Code::kCancelled:
      break;
  }
  return 1;
}

std::string ToString(const Where& where) {
  std::string line;
  if (where.line != 0) {
    line = std::to_string(where.line);
    if (where.column != 0) line += ":" + std::to_string(where.column);
  }
  if (!where.byte) return line;
  if (!line.empty()) line += ": ";
  char text[64];
  std::snprintf(text, sizeof text, "offset %llu (0x%llx)",
                static_cast<unsigned long long>(*where.byte),
                static_cast<unsigned long long>(*where.byte));
  return line + text;
}

std::string EscapeForTerminal(std::string_view text, std::size_t max_bytes) {
  // The fast path, for nearly every text.
  const auto is_plain = [](char c) { return c >= ' ' && c <= '~'; };
  if (text.size() <= max_bytes && std::ranges::all_of(text, is_plain))
    return std::string(text);
  std::string out;
  // The size that `out` is cut to if the text turns out to be too long.
  std::size_t keep = 0;
  const char* p = text.data();
  const char* const end = p + text.size();
  while (p != end) {
    out += EscapedCharacter(&p, end);
    if (out.size() > max_bytes) {
      out.resize(keep);
      out += kEllipsis.substr(0, max_bytes - keep);
      return out;
    }
    if (out.size() + kEllipsis.size() <= max_bytes) keep = out.size();
  }
  return out;
}

std::string Status::ToString(std::string_view file) const {
  std::string line = EscapeForTerminal(file, kMaxFile);
  const std::string place = heapglot::ToString(where_);
  if (!place.empty()) {
    // Text formats: FILE:LINE:COLUMN, as compilers write it.
    if (!line.empty()) line += where_.line != 0 ? ":" : ": ";
    line += place;
  }
  if (!line.empty()) line += ": ";
  line += EscapeForTerminal(message_, kMaxLine - line.size());
  return line;
}

}  // namespace heapglot
