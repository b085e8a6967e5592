// Converts tokens to numbers and bytes.
#ifndef HEAPGLOT_CORE_DRAFT_DRAFT_VALUES_H_
#define HEAPGLOT_CORE_DRAFT_DRAFT_VALUES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/draft/draft_json.h"
#include "core/draft/draft_schema.h"

namespace heapglot::draft {

// An integer as it was written.
struct Integer {
  enum class Spelling : std::uint8_t { kNumber, kHex, kDecimalText };
  bool negative = false;
  std::uint64_t magnitude = 0;
  Spelling spelling = Spelling::kNumber;

  // 64 bits, two's complement.
  std::uint64_t bits() const { return negative ? 0 - magnitude : magnitude; }
};

// False if it is not an integer, or does not fit into 64 bits.
bool ReadInteger(const Token& token, Integer* integer);
// The bits of an integer; 0 if it is not one.
inline std::uint64_t BitsOf(const Token& token) {
  if (token.kind == TokenKind::kUint) return token.value;
  Integer integer;
  ReadInteger(token, &integer);
  return integer.bits();
}
// Whether `type` can hold the value.
bool InRange(const Integer& integer, FieldType type);

// The bits of a double: a number, or "NaN", "Infinity", "-Infinity", or
// "NaN:0x" and 16 digits. False if it is none of these, or out of range.
bool ReadDouble(const Token& token, std::uint64_t* bits);

// Reads `text` as an array index in JavaScript's sense ("0", "17", no leading
// zero), up to 2^53 - 1. False if it is not one.
bool ReadIndex(std::string_view text, std::uint64_t* index);

// The fields of a declaration, with names and types. The reader must have
// checked it; the list ends at the first entry that is not a field.
std::vector<Field> ReadFields(const Token& token);

}  // namespace heapglot::draft

#endif  // HEAPGLOT_CORE_DRAFT_DRAFT_VALUES_H_
