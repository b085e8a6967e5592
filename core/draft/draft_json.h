// JSON values of one line, one after another: strict, without recursion, and
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
  kString,    // `text` is what stands between the quotes, escapes and all
  kCompound,  // array or object, whole
};

struct Token {
  TokenKind kind = TokenKind::kAbsent;
  bool escaped = false;     // kString: there are escapes in it
  std::uint64_t value = 0;  // kUint
  std::string_view text;    // as in the line; points into it

  bool is_null() const { return kind <= TokenKind::kNull; }
};

// As it stands in the line, with the quotes of a text.
inline std::string_view JsonOf(const Token& token) {
  if (token.kind != TokenKind::kString) return token.text;
  return {token.text.data() - 1, token.text.size() + 2};
}

// The same, but a text as AppendName() spells it, so that equal texts are equal.
// What has to be made is in `made`.
std::string_view UsualJsonOf(const Token& token, std::string* made);

// For messages: as in the line, also if it is a number whose text is not there.
std::string TextOf(const Token& token);
// For messages: the start of it, in quotes if it is a text.
std::string Quoted(std::string_view text);
std::string Shown(const Token& token);

// A place in a line. Fails sticky: the first error stays.
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
  // The next byte that is no white space; 0 at the end.
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
  // The same, and a failure if it is not.
  bool Expect(char byte, const char* expected) {
    return Take(byte) || Fail(Failure::kSyntax, expected);
  }
  // Any value.
  bool Value(Token* token) {
    token->escaped = false;
    return Uint(token) || OtherValue(token);
  }

  bool Fail(Failure failure, const char* expected) {
    if (!ok()) return false;
    // What is wrong at the very end is what a cut line looks like.
    failure_ =
        failure == Failure::kSyntax && p_ == end_ ? Failure::kEnd : failure;
    expected_ = expected;
    return false;
  }

 private:
  // These are always below 2^64.
  static constexpr std::size_t kSafeDigits = 19;

  void SkipSpace() {
    while (p_ != end_ &&
           (*p_ == ' ' || *p_ == '\t' || *p_ == '\r' || *p_ == '\n'))
      ++p_;
  }
  // Takes digits only, as most values are, if they are next and 64 bits can hold
  // as many.
  bool Uint(Token* token) {
    // In registers: a byte that is read might be part of anything.
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

// Appends the text of a kString token. The answer is WTF8 if there is half of a
// surrogate pair in it, BYTES if it is not UTF-8.
pb::StringEncoding AppendText(const Token& token, std::string* out);
// The same by itself.
std::string Decode(const Token& token);

// ------------------------------------------------------------------- and back

// How JSON can have a name.
enum class Spelling : std::uint8_t {
  kAscii,    // as it is, whatever the style
  kUtf8,     // as it is, unless all is to be ASCII
  kEscaped,  // with escapes only
};
Spelling SpellingOf(std::string_view name);
// Appends what Decode() makes `name` of: what stands between the quotes. Data of
// strings has other fields for what is no Unicode if they are declared; a name has
// none, so halves of surrogate pairs are escapes, and what is no text at all stays
// as it is.
void AppendName(std::string_view name, bool ascii, std::string* out);
// Appends JSON with escapes for what is no ASCII; what is no text stays.
void AppendAsAscii(std::string_view json, std::string* out);
// Appends the code point at `p` as a JSON string has it, and returns what is
// behind it. What is no Unicode becomes U+FFFD.
const char* AppendEscaped(const char* p, const char* end, bool ascii,
                          std::string* out);

}  // namespace heapglot::draft

#endif  // HEAPGLOT_CORE_DRAFT_DRAFT_JSON_H_
