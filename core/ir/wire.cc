#include "core/ir/wire.h"

namespace heapglot::wire {

void AppendVarint(std::uint64_t value, ByteBuffer* out) {
  const std::size_t before = out->size();
  char* const begin = out->Grow(kMaxVarint);
  const char* const end = PutVarint(value, begin);
  out->Shrink(before + static_cast<std::size_t>(end - begin));
}

void AppendNumber(int field, std::uint64_t value, ByteBuffer* out) {
  if (value == 0) return;
  AppendVarint(Tag(field, kVarint), out);
  AppendVarint(value, out);
}

void AppendFixed64(int field, std::uint64_t value, ByteBuffer* out) {
  AppendVarint(Tag(field, kFixed64), out);
  StoreFixed64(value, out->Grow(sizeof value));
}

void AppendBytesHead(int field, std::size_t size, ByteBuffer* out) {
  AppendVarint(Tag(field, kBytes), out);
  AppendVarint(size, out);
}

void AppendBytes(int field, std::string_view bytes, ByteBuffer* out) {
  AppendBytesHead(field, bytes.size(), out);
  out->Append(bytes);
}

std::uint64_t LoadFixed64(const char* bytes) {
  std::uint64_t value = 0;
  for (int i = 7; i >= 0; --i)
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

void StoreFixed64(std::uint64_t value, char* bytes) {
  for (int i = 0; i < 8; ++i, value >>= 8) bytes[i] = static_cast<char>(value);
}

bool TakeVarint(std::string_view* bytes, std::uint64_t* value) {
  *value = 0;
  for (std::size_t i = 0; i < kMaxVarint && i < bytes->size(); ++i) {
    const auto byte = static_cast<unsigned char>((*bytes)[i]);
    // The tenth byte holds the highest bit.
    if (i == kMaxVarint - 1 && byte > 1) return false;
    *value |= static_cast<std::uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      bytes->remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

bool FieldCursor::Next(Field* field) {
  if (rest_.empty()) return false;
  ok_ = false;
  std::uint64_t tag;
  if (!TakeVarint(&rest_, &tag) || tag >> 3 == 0 || tag >> 32 != 0)
    return false;
  field->number = static_cast<std::uint32_t>(tag >> 3);
  field->type = static_cast<std::uint32_t>(tag & 7);
  switch (field->type) {
    case kVarint:
      return ok_ = TakeVarint(&rest_, &field->value);
    case kFixed64:
      if (rest_.size() < 8) return false;
      field->value = LoadFixed64(rest_.data());
      rest_.remove_prefix(8);
      return ok_ = true;
    case kBytes: {
      std::uint64_t size;
      if (!TakeVarint(&rest_, &size) || size > rest_.size()) return false;
      field->bytes = rest_.substr(0, size);
      rest_.remove_prefix(size);
      return ok_ = true;
    }
    default:
      return false;
  }
}

}  // namespace heapglot::wire
