#include "core/ir/encode.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/ir/columns.h"
#include "core/ir/wire.h"

namespace heapglot {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

void EncodeMessageField(int number, const Message& message, ByteBuffer* out) {
  wire::AppendVarint(wire::Tag(number, wire::kBytes), out);
  const std::size_t begin = out->size();
  // As deep as chunk.proto nests messages.
  EncodeWithoutColumns(message, out);
  char size[wire::kMaxVarint];
  const char* const end = wire::PutVarint(out->size() - begin, size);
  out->Insert(begin, {size, static_cast<std::size_t>(end - size)});
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
  // ListFields() gives what is not the default, or is given explicitly.
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
      EncodeMessageField(field.number(),
                         reflection.GetRepeatedMessage(message, &field, i),
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
      EncodeMessageField(field->number(), reflection.GetMessage(message, field),
                         out);
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
