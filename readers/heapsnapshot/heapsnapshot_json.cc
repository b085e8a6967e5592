#include "readers/heapsnapshot/heapsnapshot_json.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "core/text/json_plain.h"
#include "core/text/take_uint.h"
#include "core/text/utf.h"

namespace heapglot::heapsnapshot {
namespace {

// The character that "\" and `byte` stand for, except for "u"; 0 if there is
// none.
char ShortEscape(char byte) {
  switch (byte) {
    case '"':
    case '\\':
    case '/':
      return byte;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return 0;
  }
}

constexpr std::array<std::int8_t, 256> MakeHexDigits() {
  std::array<std::int8_t, 256> digits{};
  for (unsigned byte = 0; byte < digits.size(); ++byte)
    digits[byte] = static_cast<std::int8_t>(HexDigit(static_cast<char>(byte)));
  return digits;
}
constexpr std::array<std::int8_t, 256> kHexDigits = MakeHexDigits();

// The code unit of the "\uXXXX" at `p`, where there must be six bytes; negative
// if there is none.
std::int32_t UnitAt(const char* p) {
  if (p[0] != '\\' || p[1] != 'u') return -1;
  const auto digit = [p](int i) {
    return std::int32_t{kHexDigits[static_cast<unsigned char>(p[i])]};
  };
  return digit(2) << 12 | digit(3) << 8 | digit(4) << 4 | digit(5);
}
constexpr std::ptrdiff_t kUnitEscape = 6;  // bytes

// Skips the "\uXXXX" that follow each other at `p`: text that is not Latin has
// no other escapes.
const char* SkipUnits(const char* p, const char* end) {
  while (end - p >= kUnitEscape && UnitAt(p) >= 0) p += kUnitEscape;
  return p;
}

// What a byte means in a string.
enum class InString : std::uint8_t { kPlain, kHigh, kEscape, kQuote, kControl };

constexpr std::array<InString, 256> MakeInString() {
  std::array<InString, 256> kinds{};
  for (unsigned byte = 0; byte < 0x20; ++byte) kinds[byte] = InString::kControl;
  for (unsigned byte = 0x80; byte < 0x100; ++byte)
    kinds[byte] = InString::kHigh;
  kinds['"'] = InString::kQuote;
  kinds['\\'] = InString::kEscape;
  return kinds;
}
constexpr std::array<InString, 256> kInString = MakeInString();

InString KindInString(char byte) {
  return kInString[static_cast<unsigned char>(byte)];
}

// Moves `*p` over what follows a backslash.
StringEnd ScanEscape(const char** p, const char* end) {
  if (*p == end) return StringEnd::kCut;
  if (**p != 'u')
    return ShortEscape(*(*p)++) != 0 ? StringEnd::kOk : (--*p, StringEnd::kBad);
  ++*p;
  for (int digit = 0; digit < 4; ++digit, ++*p) {
    if (*p == end) return StringEnd::kCut;
    if (HexDigit(**p) < 0) return StringEnd::kBad;
  }
  return StringEnd::kOk;
}

bool IsHighSurrogate(std::uint32_t unit) { return (unit & ~0x3ffu) == 0xd800; }
bool IsLowSurrogate(std::uint32_t unit) { return (unit & ~0x3ffu) == 0xdc00; }

// The code unit of the "\uXXXX" at `at`; 0x10000 if there is none.
std::uint32_t UnitAt(std::string_view raw, std::size_t at) {
  if (raw.size() - at < kUnitEscape) return 0x10000;
  const std::int32_t unit = UnitAt(raw.data() + at);
  return unit < 0 ? 0x10000 : static_cast<std::uint32_t>(unit);
}

// Appends the text of the "\uXXXX" that follow each other from `at` on, up to
// `limit`. Returns where it stopped.
std::size_t AppendUnits(std::string_view raw, std::size_t at, std::size_t limit,
                        std::string* out) {
  constexpr std::size_t kMost = 64;
  std::array<char, kMost * kMaxUtf8> bytes;
  for (;;) {
    char* to = bytes.data();
    for (std::size_t i = 0; i < kMost && at < limit; ++i) {
      const std::uint32_t unit = UnitAt(raw, at);
      if (unit > 0xffff || IsSurrogate(static_cast<std::int32_t>(unit))) break;
      to = PutCodePoint(unit, to);
      at += kUnitEscape;
    }
    if (to == bytes.data()) return at;
    out->append(bytes.data(), to);
  }
}

// Appends the text of the escape at raw[*at], which may be a surrogate pair,
// and advances. True if it is a lone surrogate.
bool AppendEscape(std::string_view raw, std::size_t* at, std::string* out) {
  const std::uint32_t unit = UnitAt(raw, *at);
  if (unit > 0xffff) {
    out->push_back(ShortEscape(raw[*at + 1]));
    *at += 2;
    return false;
  }
  *at += 6;
  if (IsHighSurrogate(unit)) {
    const std::uint32_t low = UnitAt(raw, *at);
    if (IsLowSurrogate(low)) {
      *at += 6;
      AppendCodePoint(0x10000 + ((unit & 0x3ff) << 10) + (low & 0x3ff), out);
      return false;
    }
  }
  AppendCodePoint(unit, out);
  return IsHighSurrogate(unit) || IsLowSurrogate(unit);
}

}  // namespace

std::string Found(std::string_view bytes, std::uint64_t offset) {
  if (offset >= bytes.size()) return "the end";
  return "'" + std::string(1, bytes[offset]) + "'";
}

// -------------------------------------------------------------------- checker

std::size_t JsonChecker::Feed(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size() && state_ == State::kMore) {
    if (step_ == Step::kString) {
      while (at < bytes.size() && KindInString(bytes[at]) <= InString::kHigh)
        ++at;
      if (at == bytes.size()) break;
    }
    if (Take(bytes[at])) ++at;
  }
  return at;
}

bool JsonChecker::IsWhole() const {
  if (state_ != State::kMore) return state_ == State::kDone;
  return objects_.empty() &&
         (step_ == Step::kZero || step_ == Step::kInteger ||
          step_ == Step::kFraction || step_ == Step::kExponentDigits);
}

bool JsonChecker::Take(char byte) {
  switch (step_) {
    case Step::kValue:
    case Step::kFirstItem:
      return TakeValue(byte);
    case Step::kKey:
    case Step::kFirstKey:
      return TakeKey(byte);
    case Step::kColon:
      if (IsSpace(byte)) return true;
      if (byte != ':') return Bad();
      step_ = Step::kValue;
      return true;
    case Step::kBehindValue:
      return TakeBehindValue(byte);
    case Step::kString:
    case Step::kEscape:
    case Step::kHex:
      return TakeInString(byte);
    case Step::kLiteral:
      if (byte != *literal_) return Bad();
      if (*++literal_ == '\0') EndValue();
      return true;
    default:
      return TakeInNumber(byte);
  }
}

bool JsonChecker::TakeValue(char byte) {
  if (IsSpace(byte)) return true;
  switch (byte) {
    case '{':
      return Open(true);
    case '[':
      return Open(false);
    case ']':
      return step_ == Step::kFirstItem ? Close(false) : Bad();
    case '"':
      is_key_ = false;
      step_ = Step::kString;
      return true;
    case 't':
      literal_ = "rue";
      break;
    case 'f':
      literal_ = "alse";
      break;
    case 'n':
      literal_ = "ull";
      break;
    case '-':
      step_ = Step::kMinus;
      return true;
    default:
      if (!IsDigit(byte)) return Bad();
      step_ = byte == '0' ? Step::kZero : Step::kInteger;
      return true;
  }
  step_ = Step::kLiteral;
  return true;
}

bool JsonChecker::TakeKey(char byte) {
  if (IsSpace(byte)) return true;
  if (byte == '}' && step_ == Step::kFirstKey) return Close(true);
  if (byte != '"') return Bad();
  is_key_ = true;
  step_ = Step::kString;
  return true;
}

bool JsonChecker::TakeBehindValue(char byte) {
  if (IsSpace(byte)) return true;
  if (byte == ',') {
    step_ = objects_.back() ? Step::kKey : Step::kValue;
    return true;
  }
  if (byte == '}' || byte == ']') return Close(byte == '}');
  return Bad();
}

bool JsonChecker::TakeInString(char byte) {
  if (step_ == Step::kHex) {
    if (HexDigit(byte) < 0) return Bad();
    if (--hex_left_ == 0) step_ = Step::kString;
    return true;
  }
  if (step_ == Step::kEscape) {
    if (byte == 'u') {
      hex_left_ = 4;
      step_ = Step::kHex;
      return true;
    }
    if (ShortEscape(byte) == 0) return Bad();
    step_ = Step::kString;
    return true;
  }
  switch (KindInString(byte)) {
    case InString::kQuote:
      if (is_key_)
        step_ = Step::kColon;
      else
        EndValue();
      return true;
    case InString::kEscape:
      step_ = Step::kEscape;
      return true;
    case InString::kControl:
      return Bad();
    default:
      return true;
  }
}

bool JsonChecker::TakeInNumber(char byte) {
  const bool digit = IsDigit(byte);
  const bool exponent = byte == 'e' || byte == 'E';
  switch (step_) {
    case Step::kMinus:
      if (!digit) return Bad();
      step_ = byte == '0' ? Step::kZero : Step::kInteger;
      return true;
    case Step::kZero:
    case Step::kInteger:
      if (digit) return step_ == Step::kInteger ? true : Bad();
      if (byte == '.') {
        step_ = Step::kPoint;
        return true;
      }
      break;
    case Step::kPoint:
      if (!digit) return Bad();
      step_ = Step::kFraction;
      return true;
    case Step::kFraction:
      if (digit) return true;
      break;
    case Step::kExponent:
      if (byte == '+' || byte == '-') {
        step_ = Step::kExponentSign;
        return true;
      }
      [[fallthrough]];
    case Step::kExponentSign:
      if (!digit) return Bad();
      step_ = Step::kExponentDigits;
      return true;
    default:  // kExponentDigits
      return digit ? true : EndNumber(byte);
  }
  if (!exponent) return EndNumber(byte);
  step_ = Step::kExponent;
  return true;
}

bool JsonChecker::EndNumber(char byte) {
  EndValue();
  return state_ == State::kMore ? Take(byte) : false;
}

bool JsonChecker::Open(bool is_object) {
  if (objects_.size() >= max_depth_) {
    state_ = State::kTooDeep;
    return false;
  }
  objects_.push_back(is_object);
  step_ = is_object ? Step::kFirstKey : Step::kFirstItem;
  return true;
}

bool JsonChecker::Close(bool is_object) {
  if (objects_.empty() || objects_.back() != is_object) return Bad();
  objects_.pop_back();
  EndValue();
  return true;
}

void JsonChecker::EndValue() {
  step_ = Step::kBehindValue;
  if (objects_.empty()) state_ = State::kDone;
}

// -------------------------------------------------------------------- strings

StringEnd ScanString(const char** p, const char* end, StringToken* token) {
  const char* at = *p;
  const char* const begin = at;
  bool is_plain = true;
  for (;;) {
    at = SkipJsonPlain(at, end);
    if (at == end) return StringEnd::kCut;
    const InString kind = KindInString(*at);
    if (kind == InString::kQuote) break;
    is_plain = false;
    if (const char* const next = SkipUnits(at, end); next != at) {
      at = next;
      continue;
    }
    StringEnd status = StringEnd::kOk;
    if (kind == InString::kControl)
      status = StringEnd::kBad;
    else if (++at; kind == InString::kEscape)
      status = ScanEscape(&at, end);
    if (status != StringEnd::kOk) {
      *p = at;
      return status;
    }
  }
  token->raw = {begin, static_cast<std::size_t>(at - begin)};
  token->is_plain = is_plain;
  *p = at + 1;
  return StringEnd::kOk;
}

pb::StringEncoding AppendUnescaped(std::string_view raw, std::size_t* begin,
                                   std::size_t max_bytes, std::string* out) {
  const std::size_t first = *begin;
  const std::size_t limit = std::min(raw.size() - first, max_bytes) + first;
  std::size_t at = first;
  bool has_lone_surrogate = false;
  while (at < limit) {
    if (raw[at] == '\\') {
      const std::size_t next = AppendUnits(raw, at, limit, out);
      if (next == at) has_lone_surrogate |= AppendEscape(raw, &at, out);
      at = std::max(at, next);
      continue;
    }
    const std::string_view rest = raw.substr(at, limit - at);
    std::size_t size = std::min(rest.find('\\'), rest.size());
    if (at + size == limit && limit < raw.size())
      size = CutAtCodePoint(raw.substr(at), size);
    if (size == 0) break;
    out->append(raw.substr(at, size));
    at += size;
  }
  *begin = at;
  const std::string_view piece = raw.substr(first, at - first);
  if (ClassifyUtf8(piece) != pb::UTF8) return pb::BYTES;
  return has_lone_surrogate ? pb::WTF8 : pb::UTF8;
}

std::string Unescaped(std::string_view raw) {
  std::string text;
  std::size_t begin = 0;
  AppendUnescaped(raw, &begin, raw.size(), &text);
  return text;
}

// ---------------------------------------------------------------------- items

JsonItems::JsonItems(std::string_view container) {
  if (container.empty()) return;
  is_object_ = container.front() == '{';
  if (is_object_ || container.front() == '[')
    rest_ = container.substr(1, container.size() - 2);
}

bool JsonItems::Next() {
  const auto skip = [this] {
    std::size_t size = 0;
    while (size < rest_.size() &&
           (IsSpace(rest_[size]) || rest_[size] == ',' || rest_[size] == ':'))
      ++size;
    rest_.remove_prefix(size);
  };
  skip();
  if (rest_.empty()) return false;
  if (is_object_) {
    const char* p = rest_.data() + 1;
    StringToken token;
    ScanString(&p, rest_.data() + rest_.size(), &token);
    key_ = token.raw;
    rest_.remove_prefix(key_.size() + 2);
    skip();
  }
  JsonChecker checker(std::numeric_limits<std::uint64_t>::max());
  value_ = rest_.substr(0, checker.Feed(rest_));
  rest_.remove_prefix(value_.size());
  return true;
}

}  // namespace heapglot::heapsnapshot
