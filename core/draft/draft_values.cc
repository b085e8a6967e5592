#include "core/draft/draft_values.h"

#include <bit>
#include <charconv>
#include <limits>

namespace heapglot::draft {
namespace {

template <typename T>
bool Parse(std::string_view text, int base, T* value) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, *value, base);
  return error == std::errc() && stop == end;
}

// Whether the value fits into 64 bits, two's complement if negative.
bool FitsSigned(const Integer& integer) {
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 63;
  return !integer.negative || integer.magnitude <= kLimit;
}

bool ReadDigits(std::string_view text, int base, Integer* integer) {
  if (text.starts_with('-')) {
    integer->negative = true;
    text.remove_prefix(1);
  }
  if (base == 16) text.remove_prefix(2);
  // from_chars would accept a second minus.
  if (text.empty() || text.front() == '-') return false;
  return Parse(text, base, &integer->magnitude) && FitsSigned(*integer);
}

// Whether a number out of from_chars' range is too small, which reads as zero.
bool IsTiny(std::string_view text) {
  const std::size_t exponent = text.find_first_of("eE");
  if (exponent == std::string_view::npos)
    return text.starts_with("0.") || text.starts_with("-0.");
  return text[exponent + 1] == '-';
}

constexpr std::uint64_t kNan = 0x7ff8'0000'0000'0000;

bool ReadDoubleText(std::string_view text, std::uint64_t* bits) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr std::string_view kPayload = "NaN:0x";
  if (text == "NaN") {
    *bits = kNan;
  } else if (text == "Infinity") {
    *bits = std::bit_cast<std::uint64_t>(kInfinity);
  } else if (text == "-Infinity") {
    *bits = std::bit_cast<std::uint64_t>(-kInfinity);
  } else if (text.starts_with(kPayload) && text.size() == 22) {
    return Parse(text.substr(kPayload.size()), 16, bits);
  } else {
    return false;
  }
  return true;
}

}  // namespace

bool ReadInteger(const Token& token, Integer* integer) {
  *integer = Integer();
  switch (token.kind) {
    case TokenKind::kUint:
      integer->magnitude = token.value;
      return true;
    case TokenKind::kNumber:
      return ReadDigits(token.text, 10, integer);
    case TokenKind::kString: {
      const std::string_view text = token.text;
      const bool hex = text.starts_with("0x") || text.starts_with("-0x");
      integer->spelling =
          hex ? Integer::Spelling::kHex : Integer::Spelling::kDecimalText;
      return ReadDigits(text, hex ? 16 : 10, integer);
    }
    default:
      return false;
  }
}

bool InRange(const Integer& integer, FieldType type) {
  const std::uint64_t magnitude = integer.magnitude;
  const bool is_negative = integer.negative && magnitude != 0;
  switch (type) {
    case FieldType::kU32:
      return !is_negative && magnitude <= 0xffff'ffffu;
    case FieldType::kI32:
      return magnitude < 0x8000'0000u ||
             (is_negative && magnitude == 0x8000'0000u);
    case FieldType::kI64:
      return is_negative || magnitude >> 63 == 0;
    case FieldType::kU64:
    case FieldType::kAddr:
    case FieldType::kId:
    case FieldType::kStringId:
      return !is_negative;
    default:
      return true;
  }
}

bool ReadDouble(const Token& token, std::uint64_t* bits) {
  if (token.kind == TokenKind::kString) return ReadDoubleText(token.text, bits);
  if (token.kind != TokenKind::kUint && token.kind != TokenKind::kNumber)
    return false;
  double value = 0;
  const std::string_view text = token.text;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) {
    if (!IsTiny(text)) return false;
    value = text.starts_with('-') ? -0.0 : 0.0;
  } else if (error != std::errc() || end != text.data() + text.size()) {
    return false;
  }
  *bits = std::bit_cast<std::uint64_t>(value);
  return true;
}

bool ReadIndex(std::string_view text, std::uint64_t* index) {
  if (text.empty() || text.size() > 16 || (text[0] == '0' && text.size() > 1))
    return false;
  for (const char byte : text)
    if (byte < '0' || byte > '9') return false;
  return Parse(text, 10, index) && *index <= kMaxSafe;
}

std::vector<Field> ReadFields(const Token& token) {
  constexpr std::uint64_t kDepth = 16;
  std::vector<Field> fields;
  JsonCursor in(token.text, kDepth);
  in.Take('[');
  Token name, type;
  while (in.Take('[') && in.Value(&name) && in.Take(',') && in.Value(&type) &&
         in.Take(']')) {
    fields.push_back(
        {.name = Decode(name),
         .type = FindFieldType(Decode(type)).value_or(FieldType::kJson)});
    in.Take(',');
  }
  return fields;
}

}  // namespace heapglot::draft
