// Protobuf's wire format, where libprotobuf is not used: it promises nothing
// about the bytes it writes, and copies what it reads.
#ifndef HEAPGLOT_CORE_IR_WIRE_H_
#define HEAPGLOT_CORE_IR_WIRE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/ir/byte_buffer.h"

namespace heapglot::wire {

enum Type : std::uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2 };

inline constexpr std::size_t kMaxVarint = 10;

constexpr std::uint32_t Tag(int field, Type type) {
  return static_cast<std::uint32_t>(field) << 3 | type;
}

// Maps a signed difference to a number that is small if the difference is.
constexpr std::uint64_t ZigZag(std::uint64_t difference) {
  return difference << 1 ^ (0 - (difference >> 63));
}
constexpr std::uint64_t UnZigZag(std::uint64_t number) {
  return number >> 1 ^ (0 - (number & 1));
}

// Writes `value` to `out` in as few bytes as possible, and returns the end.
inline char* PutVarint(std::uint64_t value, char* out) {
  for (; value >= 0x80; value >>= 7) *out++ = static_cast<char>(value | 0x80);
  *out++ = static_cast<char>(value);
  return out;
}

void AppendVarint(std::uint64_t value, ByteBuffer* out);
// Appends a field as proto3 does: left out if it is 0.
void AppendNumber(int field, std::uint64_t value, ByteBuffer* out);
void AppendFixed64(int field, std::uint64_t value, ByteBuffer* out);
void AppendBytes(int field, std::string_view bytes, ByteBuffer* out);
// Appends tag and length of a bytes field, whose `size` bytes come next.
void AppendBytesHead(int field, std::size_t size, ByteBuffer* out);

std::uint64_t LoadFixed64(const char* bytes);
void StoreFixed64(std::uint64_t value, char* bytes);

// Takes a varint off the front of `*bytes`; false if there is none.
bool TakeVarint(std::string_view* bytes, std::uint64_t* value);

struct Field {
  std::uint32_t number = 0;
  std::uint32_t type = 0;
  std::uint64_t value = 0;  // kVarint, kFixed64
  std::string_view bytes;   // kBytes
};

// Walks over the fields of a message, in place.
class FieldCursor {
 public:
  explicit FieldCursor(std::string_view message) : rest_(message) {}

  // The next field; false at the end, or if there is no field of a known type.
  // Groups and 32-bit numbers, which the IR does not have, count as unknown.
  bool Next(Field* field);
  // After Next() has returned false: whether it was at the end.
  bool ok() const { return ok_; }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace heapglot::wire

#endif  // HEAPGLOT_CORE_IR_WIRE_H_
