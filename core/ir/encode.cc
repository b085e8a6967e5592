#include "core/ir/encode.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "core/ir/columns.h"
#include "core/ir/wire.h"

namespace heapglot {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// Room for the rest of a message that has a large text: a buffer that is too
// small would grow to twice its size.
constexpr std::size_t kBesideTexts = 256;

// Bytes of the texts in `message` and the messages in it: nearly all of a large
// message without its columns.
std::size_t TextBytes(const Message& message) {
  const Reflection& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  std::size_t bytes = 0;
  std::string scratch;
  for (const FieldDescriptor* const field : fields) {
    if (field->is_repeated()) continue;
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE)
      bytes += TextBytes(reflection.GetMessage(message, field));
    else if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING)
      bytes += reflection.GetStringReference(message, field, &scratch).size();
  }
  return bytes;
}

void EncodeNumber(const Message& message, const FieldDescriptor& field,
                  ByteBuffer* out) {
  const Reflection& reflection = *message.GetReflection();
  std::uint64_t value = 0;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_UINT32:
      value = reflection.GetUInt32(message, &field);
      break;
    case FieldDescriptor::CPPTYPE_UINT64:
      value = reflection.GetUInt64(message, &field);
      break;
    case FieldDescriptor::CPPTYPE_BOOL:
      value = reflection.GetBool(message, &field) ? 1 : 0;
      break;
    case FieldDescriptor::CPPTYPE_ENUM:
      value =
          static_cast<std::uint64_t>(reflection.GetEnumValue(message, &field));
      break;
    default:
      std::abort();  // chunk.proto has a field of a type that is new to us
  }
  // ListFields() returns fields that are not the default, or are explicitly
  // set.
  if (field.type() == FieldDescriptor::TYPE_FIXED64)
    return wire::AppendFixed64(field.number(), value, out);
  wire::AppendVarint(wire::Tag(field.number(), wire::kVarint), out);
  wire::AppendVarint(value, out);
}

void EncodeRepeated(const Message& message, const FieldDescriptor& field,
                    ByteBuffer* out) {
  const Reflection& reflection = *message.GetReflection();
  std::string scratch;
  for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      EncodeFieldWithoutColumns(
          field.number(), reflection.GetRepeatedMessage(message, &field, i),
          out);
    } else {
      wire::AppendBytes(
          field.number(),
          reflection.GetRepeatedStringReference(message, &field, i, &scratch),
          out);
    }
  }
}

}  // namespace

void EncodeFieldWithoutColumns(int number, const Message& message,
                               ByteBuffer* out) {
  const std::size_t texts = TextBytes(message);
  out->Reserve(texts + kBesideTexts);
  wire::AppendVarint(wire::Tag(number, wire::kBytes), out);
  // Leave room for the size if it is only that of the texts: then a large text
  // need not be moved.
  char size[wire::kMaxVarint];
  const char* end = wire::PutVarint(texts, size);
  const auto room = static_cast<std::size_t>(end - size);
  const std::size_t begin = out->size();
  out->Grow(room);
  // Recurses only as deep as chunk.proto nests messages.
  EncodeWithoutColumns(message, out);
  end = wire::PutVarint(out->size() - begin - room, size);
  const auto needed = static_cast<std::size_t>(end - size);
  // The size is never less than that of the texts.
  if (needed > room) out->Insert(begin, {size, needed - room});
  std::memcpy(out->data() + begin, size, needed);
}

void EncodeWithoutColumns(const Message& message, ByteBuffer* out) {
  const Reflection& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;  // by number
  reflection.ListFields(message, &fields);
  std::string scratch;
  for (const FieldDescriptor* const field : fields) {
    if (IsColumn(*field)) continue;
    if (field->is_repeated()) {
      EncodeRepeated(message, *field, out);
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      EncodeFieldWithoutColumns(field->number(),
                                reflection.GetMessage(message, field), out);
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      wire::AppendBytes(field->number(),
                        reflection.GetStringReference(message, field, &scratch),
                        out);
    } else {
      EncodeNumber(message, *field, out);
    }
  }
}

}  // namespace heapglot
