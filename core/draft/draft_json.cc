#include "core/draft/draft_json.h"

#include <limits>

#include "core/text/json_plain.h"
#include "core/text/take_uint.h"
#include "core/text/utf.h"

namespace heapglot::draft {
namespace {

std::size_t Size(const char* begin, const char* end) {
  return static_cast<std::size_t>(end - begin);
}

}  // namespace

std::string TextOf(const Token& token) {
  const bool is_bare = token.kind == TokenKind::kUint && token.text.empty();
  return is_bare ? std::to_string(token.value) : std::string(token.text);
}

std::string Quoted(std::string_view text) {
  return "\"" + std::string(text.substr(0, 100)) + "\"";
}

std::string Shown(const Token& token) {
  if (token.kind == TokenKind::kString) return Quoted(token.text);
  return std::string(token.text.substr(0, 100));
}

bool JsonCursor::OtherValue(Token* token) {
  switch (Peek()) {
    case '"':
      ++p_;
      return String(token);
    case 'n':
      return Word("null", TokenKind::kNull, token);
    case 't':
      return Word("true", TokenKind::kTrue, token);
    case 'f':
      return Word("false", TokenKind::kFalse, token);
    case '[':
    case '{':
      return Compound(token);
    default:
      return Uint(token) || GeneralNumber(token);
  }
}

bool JsonCursor::Word(std::string_view word, TokenKind kind, Token* token) {
  const char* const begin = p_;
  for (const char byte : word) {
    if (p_ == end_ || *p_ != byte) return Fail(Failure::kSyntax, "a value");
    ++p_;
  }
  token->kind = kind;
  token->text = {begin, word.size()};
  return true;
}

bool JsonCursor::Digits() {
  if (p_ == end_ || !IsDigit(*p_)) return Fail(Failure::kSyntax, "a digit");
  while (p_ != end_ && IsDigit(*p_)) ++p_;
  return true;
}

bool JsonCursor::GeneralNumber(Token* token) {
  const char* const begin = p_;
  if (p_ != end_ && *p_ == '-') ++p_;
  if (p_ == begin && (p_ == end_ || !IsDigit(*p_)))
    return Fail(Failure::kSyntax, "a value");
  const char* const integer = p_;
  if (!Digits()) return false;
  const std::size_t digits = Size(integer, p_);
  if (*integer == '0' && digits > 1) {
    p_ = integer + 1;
    return Fail(Failure::kSyntax, "a number without leading zeros");
  }
  bool is_integer = integer == begin;
  if (p_ != end_ && *p_ == '.') {
    is_integer = false;
    ++p_;
    if (!Digits()) return false;
  }
  if (p_ != end_ && (*p_ == 'e' || *p_ == 'E')) {
    is_integer = false;
    ++p_;
    if (p_ != end_ && (*p_ == '+' || *p_ == '-')) ++p_;
    if (!Digits()) return false;
  }
  token->kind = TokenKind::kNumber;
  token->text = {begin, Size(begin, p_)};
  // 20 digits may still fit into 64 bits.
  if (!is_integer || digits != 20) return true;
  std::uint64_t value = 0;
  for (const char digit : token->text.substr(0, 19))
    value = 10 * value + static_cast<std::uint64_t>(digit - '0');
  const auto last = static_cast<std::uint64_t>(token->text[19] - '0');
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  if (value > kMax / 10 || (value == kMax / 10 && last > kMax % 10))
    return true;
  token->kind = TokenKind::kUint;
  token->value = 10 * value + last;
  return true;
}

bool JsonCursor::Escape() {
  if (p_ == end_) return Fail(Failure::kSyntax, "the rest of an escape");
  if (*p_ != 'u') {
    if (std::string_view("\"\\/bfnrt").find(*p_) == std::string_view::npos)
      return Fail(Failure::kSyntax, "an escape of JSON");
    ++p_;
    return true;
  }
  ++p_;
  for (int i = 0; i < 4; ++i) {
    if (p_ == end_ || HexDigit(*p_) < 0)
      return Fail(Failure::kSyntax, "four hexadecimal digits");
    ++p_;
  }
  return true;
}

bool JsonCursor::String(Token* token) {
  const char* const begin = p_;
  while (p_ != end_) {
    const auto byte = static_cast<unsigned char>(*p_);
    if (byte == '"') {
      token->kind = TokenKind::kString;
      token->text = {begin, Size(begin, p_)};
      ++p_;
      return true;
    }
    if (byte < 0x20)
      return Fail(Failure::kSyntax, "a string without control bytes");
    ++p_;
    if (byte == '\\') {
      token->escaped = true;
      if (!Escape()) return false;
    }
  }
  return Fail(Failure::kEnd, "the end of a string");
}

// Takes the next item in the innermost of the `open` brackets.
bool JsonCursor::CompoundItem(std::string* open) {
  Token item;
  if (open->back() == '{') {
    if (!Expect('"', "a key") || !String(&item) ||
        !Expect(':', "a colon after a key"))
      return false;
  }
  const char next = Peek();
  if (next != '[' && next != '{') return Value(&item);
  if (open->size() >= max_depth_) return Fail(Failure::kDepth, "less nesting");
  ++p_;
  open->push_back(next);
  return true;
}

bool JsonCursor::Compound(Token* token) {
  const char* const begin = p_;
  std::string open(1, *p_++);
  bool is_first = true;
  while (!open.empty()) {
    const std::size_t depth = open.size();
    if (Take(open.back() == '[' ? ']' : '}')) {
      open.pop_back();
      is_first = false;
      continue;
    }
    if (!is_first && !Expect(',', "a comma or the end of a list")) return false;
    if (!CompoundItem(&open)) return false;
    is_first = open.size() > depth;
  }
  token->kind = TokenKind::kCompound;
  token->text = {begin, Size(begin, p_)};
  return true;
}

namespace {

std::uint32_t FourHex(const char* p) {
  std::uint32_t unit = 0;
  for (int i = 0; i < 4; ++i)
    unit = 16 * unit + static_cast<std::uint32_t>(HexDigit(p[i]));
  return unit;
}

// Appends the escape at `p`, which is after the backslash. Consecutive \uNNNN
// are decoded together as UTF-16, so that surrogate pairs are joined.
const char* AppendEscape(const char* p, const char* end, std::string* out,
                         bool* lone) {
  if (*p != 'u') {
    static constexpr std::string_view kLetters = "bfnrt";
    static constexpr std::string_view kMeanings = "\b\f\n\r\t";
    const std::size_t i = kLetters.find(*p);
    out->push_back(i == std::string_view::npos ? *p : kMeanings[i]);
    return p + 1;
  }
  std::string units;
  for (;;) {
    const std::uint32_t unit = FourHex(p + 1);
    units.push_back(static_cast<char>(unit & 0xFF));
    units.push_back(static_cast<char>(unit >> 8));
    p += 5;
    if (end - p < 6 || p[0] != '\\' || p[1] != 'u') break;
    ++p;
  }
  if (AppendUtf16Le(units, out) == pb::WTF8) *lone = true;
  return p;
}

}  // namespace

pb::StringEncoding AppendText(const Token& token, std::string* out) {
  if (!token.escaped) {
    out->append(token.text);
    return ClassifyUtf8(token.text);
  }
  bool lone = false;
  bool bytes = false;
  const char* p = token.text.data();
  const char* const end = p + token.text.size();
  while (p != end) {
    const std::string_view rest(p, Size(p, end));
    const std::string_view plain = rest.substr(0, rest.find('\\'));
    out->append(plain);
    bytes = bytes || ClassifyUtf8(plain) != pb::UTF8;
    p += plain.size();
    if (p != end) p = AppendEscape(p + 1, end, out, &lone);
  }
  return bytes ? pb::BYTES : lone ? pb::WTF8 : pb::UTF8;
}

std::string Decode(const Token& token) {
  if (!token.escaped) return std::string(token.text);
  std::string text;
  AppendText(token, &text);
  return text;
}

// ----------------------------------------------------------------- and back

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::uint32_t kReplacementCode = 0xFFFD;

void AppendHexUnit(std::uint32_t unit, std::string* out) {
  constexpr std::string_view kHexDigits = "0123456789abcdef";
  out->append("\\u");
  for (int shift = 12; shift >= 0; shift -= 4)
    out->push_back(kHexDigits[unit >> shift & 0xF]);
}

void AppendEscapedByte(char byte, std::string* out) {
  switch (byte) {
    case '"':
    case '\\':
      out->push_back('\\');
      out->push_back(byte);
      return;
    case '\b':
      out->append("\\b");
      return;
    case '\f':
      out->append("\\f");
      return;
    case '\n':
      out->append("\\n");
      return;
    case '\r':
      out->append("\\r");
      return;
    case '\t':
      out->append("\\t");
      return;
    default:
      AppendHexUnit(static_cast<unsigned char>(byte), out);
  }
}

void AppendAscii(std::int32_t code, std::string* out) {
  ForEachUtf16Unit(code, [out](std::int32_t unit) {
    AppendHexUnit(static_cast<std::uint32_t>(unit), out);
  });
}

// Appends a code point that was decoded from the bytes [begin, end).
void AppendDecoded(std::int32_t code, const char* begin, const char* end,
                   bool ascii, std::string* out) {
  if (code < 0x80 && IsJsonPlain(*begin))
    out->push_back(*begin);
  else if (code < 0x80)
    AppendEscapedByte(*begin, out);
  else if (ascii)
    AppendAscii(code, out);
  else
    out->append(begin, end);
}

}  // namespace

const char* AppendEscaped(const char* p, const char* end, bool ascii,
                          std::string* out) {
  const char* const begin = p;
  const std::int32_t code = DecodeWtf8(p, end);
  if (code != kBadByte && !IsSurrogate(code))
    AppendDecoded(code, begin, p, ascii, out);
  else if (ascii)
    AppendHexUnit(kReplacementCode, out);
  else
    out->append(kReplacement);
  return p;
}

Spelling SpellingOf(std::string_view name) {
  const auto is_ascii = [](char byte) {
    return static_cast<unsigned char>(byte) < 0x80;
  };
  Spelling spelling = Spelling::kAscii;
  for (const char byte : name) {
    if (IsJsonPlain(byte)) continue;
    if (is_ascii(byte)) return Spelling::kEscaped;
    spelling = Spelling::kUtf8;
  }
  const bool is_unicode =
      spelling == Spelling::kAscii || ClassifyUtf8(name) == pb::UTF8;
  return is_unicode ? spelling : Spelling::kEscaped;
}

std::string_view UsualJsonOf(const Token& token, std::string* made) {
  if (token.kind != TokenKind::kString || !token.escaped) return JsonOf(token);
  *made = '"';
  AppendName(Decode(token), /*ascii=*/false, made);
  *made += '"';
  return *made;
}

void AppendName(std::string_view name, bool ascii, std::string* out) {
  // Surrogates that form a pair, which valid WTF-8 does not have, would come
  // back as one code point if they were escaped.
  const bool is_text = ClassifyWtf8(name) != pb::BYTES;
  const char* p = name.data();
  const char* const end = p + name.size();
  while (p != end) {
    const char* const begin = p;
    const std::int32_t code = DecodeWtf8(p, end);
    if (code == kBadByte || (IsSurrogate(code) && !is_text))
      out->append(begin, p);
    else
      AppendDecoded(code, begin, p, ascii || IsSurrogate(code), out);
  }
}

void AppendAsAscii(std::string_view json, std::string* out) {
  const char* p = json.data();
  const char* const end = p + json.size();
  while (p != end) {
    const char* const begin = p;
    const std::int32_t code = DecodeWtf8(p, end);
    if (code < 0x80 || IsSurrogate(code))
      out->append(begin, p);
    else
      AppendAscii(code, out);
  }
}

}  // namespace heapglot::draft
