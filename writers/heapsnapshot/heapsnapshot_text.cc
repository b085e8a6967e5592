#include "writers/heapsnapshot/heapsnapshot_text.h"

#include "core/text/json_plain.h"
#include "core/text/utf.h"

namespace heapglot::heapsnapshot {
namespace {

constexpr std::int32_t kReplacement = 0xfffd;

// The letter of a two-character escape, 0 if there is none.
char ShortEscape(std::int32_t code_point) {
  switch (code_point) {
    case '"':
    case '\\':
      return static_cast<char>(code_point);
    case '\b':
      return 'b';
    case '\f':
      return 'f';
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    default:
      return 0;
  }
}

void WriteUnit(std::int32_t unit, BufferedOut& out) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  char* const at = out.Reserve(6);
  at[0] = '\\';
  at[1] = 'u';
  for (int digit = 0; digit < 4; ++digit)
    at[2 + digit] = kHex[unit >> (12 - 4 * digit) & 0xf];
  out.Commit(at + 6);
}

void WriteCodePoint(std::int32_t code_point, BufferedOut& out,
                    Replaced* replaced) {
  if (const char letter = ShortEscape(code_point)) {
    out.Write('\\');
    out.Write(letter);
  } else if (code_point == kBadByte) {
    ++replaced->bad_bytes;
    WriteUnit(kReplacement, out);
  } else if (IsSurrogate(code_point)) {
    ++replaced->lone_surrogates;
    WriteUnit(kReplacement, out);
  } else {
    ForEachUtf16Unit(code_point,
                     [&](std::int32_t unit) { WriteUnit(unit, out); });
  }
}

}  // namespace

void WriteEscaped(std::string_view text, BufferedOut& out, Replaced* replaced) {
  const char* next = text.data();
  const char* const end = next + text.size();
  while (next != end) {
    const char* const run = next;
    // DEL goes out as it is, as in V8's own files.
    next = SkipJsonPlain(next, end);
    out.Write({run, static_cast<std::size_t>(next - run)});
    if (next != end) WriteCodePoint(DecodeWtf8(next, end), out, replaced);
  }
}

}  // namespace heapglot::heapsnapshot
