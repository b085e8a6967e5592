// Reads the JSON values of one line in order: strictly, without recursion and
// without copying.
#ifndef HEAPGLOT_CORE_DRAFT_DRAFT_JSON_H_
#define HEAPGLOT_CORE_DRAFT_DRAFT_JSON_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "heapglot/stream.h"

namespace heapglot::draft {

enum class TokenKind : std::uint8_t {
  kAbsent,  // no such value in the record
  kNull,
  kFalse,
  kTrue,
  kUint,      // digits only, at most 2^64 - 1
  kNumber,    // any other number
  kString,    // `text` is what is between the quotes, escapes included
  kCompound,  // array or object, whole
};

struct Token {
  TokenKind kind = TokenKind::kAbsent;
  bool escaped = false;     // kString: `text` contains escapes
  std::uint64_t value = 0;  // kUint
  std::string_view text;    // as in the line; points into it

  bool is_null() const { return kind <= TokenKind::kNull; }
};

// The value as it is in the line, a string with its quotes.
inline std::string_view JsonOf(const Token& token) {
  if (token.kind != TokenKind::kString) return token.text;
  return {token.text.data() - 1, token.text.size() + 2};
}

// The same, but with strings spelled as by AppendName(), so that equal strings
// have equal JSON. If that requires new text, it is stored in `made`.
std::string_view UsualJsonOf(const Token& token, std::string* made);

// For messages: the text of the line, or the value of a number without text.
std::string TextOf(const Token& token);
// For messages: at most 100 bytes. Strings are in quotes.
std::string Quoted(std::string_view text);
std::string Shown(const Token& token);

// A position in a line. Errors are sticky: the first one stays.
class JsonCursor {
 public:
  JsonCursor(std::string_view line, std::uint64_t max_depth)
      : p_(line.data()), end_(p_ + line.size()), max_depth_(max_depth) {}

  enum class Failure : std::uint8_t { kNone, kSyntax, kEnd, kDepth };
  bool ok() const { return failure_ == Failure::kNone; }
  Failure failure() const { return failure_; }
  // What was expected, for messages.
  const char* expected() const { return expected_; }
  const char* position() const { return p_; }

  bool AtEnd() {
    SkipSpace();
    return p_ == end_;
  }
  // The next byte that is not white space; 0 at the end.
  char Peek() {
    SkipSpace();
    return p_ == end_ ? '\0' : *p_;
  }
  // Takes `byte` if it is next.
  bool Take(char byte) {
    if (p_ != end_ && *p_ == byte) [[likely]] {
      ++p_;
      return true;
    }
    if (Peek() != byte || p_ == end_) return false;
    ++p_;
    return true;
  }
  // The same, but fails if it is not next.
  bool Expect(char byte, const char* expected) {
    return Take(byte) || Fail(Failure::kSyntax, expected);
  }
  // Takes any value.
  bool Value(Token* token) {
    token->escaped = false;
    return Uint(token) || OtherValue(token);
  }

  bool Fail(Failure failure, const char* expected) {
    if (!ok()) return false;
    // A syntax error at the very end looks like a line that was cut off.
    failure_ =
        failure == Failure::kSyntax && p_ == end_ ? Failure::kEnd : failure;
    expected_ = expected;
    return false;
  }

 private:
  // Numbers with this many digits are always below 2^64.
  static constexpr std::size_t kSafeDigits = 19;

  void SkipSpace() {
    while (p_ != end_ &&
           (*p_ == ' ' || *p_ == '\t' || *p_ == '\r' || *p_ == '\n'))
      ++p_;
  }
  // Takes an unsigned integer, as most values are, if one is next and has at
  // most kSafeDigits digits.
  bool Uint(Token* token) {
    // Local copies stay in registers: a char read may alias any member.
    const char* const begin = p_;
    const char* const end = end_;
    const char* p = begin;
    std::uint64_t value = 0;
    for (; p != end; ++p) {
      const unsigned digit = static_cast<unsigned char>(*p) - unsigned{'0'};
      if (digit > 9) break;
      value = 10 * value + digit;
    }
    const auto size = static_cast<std::size_t>(p - begin);
    if (size == 0 || size > kSafeDigits || (size > 1 && *begin == '0'))
      return false;
    if (p != end && (*p == '.' || (*p | 0x20) == 'e')) return false;
    token->kind = TokenKind::kUint;
    token->value = value;
    token->text = {begin, size};
    p_ = p;
    return true;
  }
  bool OtherValue(Token* token);
  bool GeneralNumber(Token* token);
  bool Digits();
  bool String(Token* token);
  bool Escape();
  bool Word(std::string_view word, TokenKind kind, Token* token);
  bool Compound(Token* token);
  bool CompoundItem(std::string* open);

  const char* p_;
  const char* end_;
  std::uint64_t max_depth_;
  Failure failure_ = Failure::kNone;
  const char* expected_ = "";
};

// Appends the text of a kString token. Returns WTF8 if it has lone surrogates,
// BYTES if it is not UTF-8.
pb::StringEncoding AppendText(const Token& token, std::string* out);
// Returns the text of a kString token.
std::string Decode(const Token& token);

// ------------------------------------------------------------------- and back

// How a name can be spelled in JSON.
enum class Spelling : std::uint8_t {
  kAscii,    // as it is, in every style
  kUtf8,     // as it is, unless the output must be ASCII
  kEscaped,  // only with escapes
};
Spelling SpellingOf(std::string_view name);
// Appends `name` so that Decode() restores it, without the quotes. String data
// may have other declared fields for what is not Unicode, but a name has none:
// lone surrogates become escapes, and bytes that are not text stay as they are.
void AppendName(std::string_view name, bool ascii, std::string* out);
// Appends JSON with escapes for non-ASCII characters; bytes that are not text
// stay.
void AppendAsAscii(std::string_view json, std::string* out);
// Appends the code point at `p` as in a JSON string, and returns the position
// after it. What is not Unicode becomes U+FFFD.
const char* AppendEscaped(const char* p, const char* end, bool ascii,
                          std::string* out);

}  // namespace heapglot::draft

#endif  // HEAPGLOT_CORE_DRAFT_DRAFT_JSON_H_
