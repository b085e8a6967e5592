#include "core/ir/columns.h"

// RepeatedField is deprecated in favour of views that call a virtual function
// for each entry.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace heapglot {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::RepeatedField;

// Calls use() with a value of the type that the entries of `column` have in
// memory.
template <typename Use>
auto WithType(const FieldDescriptor& column, Use use) {
  switch (column.cpp_type()) {
    case FieldDescriptor::CPPTYPE_UINT32:
      return use(std::uint32_t{});
    case FieldDescriptor::CPPTYPE_UINT64:
      return use(std::uint64_t{});
    case FieldDescriptor::CPPTYPE_INT64:
      return use(std::int64_t{});
    default:  // also enumerations
      return use(std::int32_t{});
  }
}

}  // namespace

bool IsColumn(const FieldDescriptor& field) {
  if (!field.is_repeated()) return false;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_UINT32:
    case FieldDescriptor::CPPTYPE_UINT64:
    case FieldDescriptor::CPPTYPE_INT32:
    case FieldDescriptor::CPPTYPE_INT64:
    case FieldDescriptor::CPPTYPE_ENUM:
      return true;
    default:
      return false;
  }
}

std::uint64_t EntrySize(const FieldDescriptor& column) {
  const bool is_wide = column.cpp_type() == FieldDescriptor::CPPTYPE_UINT64 ||
                       column.cpp_type() == FieldDescriptor::CPPTYPE_INT64;
  return is_wide ? sizeof(std::uint64_t) : sizeof(std::uint32_t);
}

bool IsExtraColumns(const FieldDescriptor& field) {
  return field.is_repeated() &&
         field.message_type() == pb::ExtraColumn::descriptor();
}

bool IsFieldColumn(const FieldDescriptor& field) {
  return field.containing_type() == pb::Types::descriptor() &&
         field.name().starts_with("field_") && field.name() != "field_count";
}

std::uint64_t NumberField(const Message& message, const std::string& name) {
  const FieldDescriptor* field = message.GetDescriptor()->FindFieldByName(name);
  const google::protobuf::Reflection* reflection = message.GetReflection();
  return field->cpp_type() == FieldDescriptor::CPPTYPE_UINT32
             ? reflection->GetUInt32(message, field)
             : reflection->GetUInt64(message, field);
}

const FieldDescriptor* BodyField(int kind) {
  return pb::Chunk::descriptor()->FindFieldByNumber(kind);
}

const Message& BodyOf(const pb::Chunk& chunk) {
  return pb::Chunk::GetReflection()->GetMessage(chunk,
                                                BodyField(chunk.body_case()));
}

Message* MutableBody(pb::Chunk* chunk, int kind) {
  return pb::Chunk::GetReflection()->MutableMessage(chunk, BodyField(kind));
}

std::size_t ColumnSize(const Message& message, const FieldDescriptor& column) {
  return static_cast<std::size_t>(
      message.GetReflection()->FieldSize(message, &column));
}

Entries EntriesOf(const Message& message, const FieldDescriptor& column) {
  return WithType(column, [&]<typename T>(T) -> Entries {
    const RepeatedField<T>& entries =
        message.GetReflection()->GetRepeatedField<T>(message, &column);
    using Unsigned = std::make_unsigned_t<T>;
    return std::span(reinterpret_cast<const Unsigned*>(entries.data()),
                     static_cast<std::size_t>(entries.size()));
  });
}

NewEntries GrowColumn(Message* message, const FieldDescriptor& column,
                      std::size_t count) {
  return WithType(column, [&]<typename T>(T) -> NewEntries {
    RepeatedField<T>& entries =
        *message->GetReflection()->MutableRepeatedField<T>(message, &column);
    const int more = static_cast<int>(count);
    entries.Reserve(entries.size() + more);
    using Unsigned = std::make_unsigned_t<T>;
    return std::span(
        reinterpret_cast<Unsigned*>(entries.AddNAlreadyReserved(more)), count);
  });
}

void ForEachExtraColumn(Message* body,
                        const std::function<void(pb::ExtraColumn*)>& visit) {
  const google::protobuf::Descriptor& table = *body->GetDescriptor();
  const google::protobuf::Reflection& reflection = *body->GetReflection();
  for (int i = 0; i < table.field_count(); ++i) {
    const FieldDescriptor& field = *table.field(i);
    if (!IsExtraColumns(field)) continue;
    for (int k = 0; k < reflection.FieldSize(*body, &field); ++k) {
      visit(static_cast<pb::ExtraColumn*>(
          reflection.MutableRepeatedMessage(body, &field, k)));
    }
  }
}

namespace {

void VisitExtraColumns(const Message& body, const FieldDescriptor& field,
                       const VisitColumn& visit) {
  const google::protobuf::Descriptor& type = *field.message_type();
  for (int k = 0; k < body.GetReflection()->FieldSize(body, &field); ++k) {
    const Message& extra =
        body.GetReflection()->GetRepeatedMessage(body, &field, k);
    for (int i = 0; i < type.field_count(); ++i) {
      const FieldDescriptor& inner = *type.field(i);
      if (!IsColumn(inner) || ColumnSize(extra, inner) == 0) continue;
      const ColumnPath path = {{static_cast<std::uint32_t>(field.number()),
                                static_cast<std::uint32_t>(k),
                                static_cast<std::uint32_t>(inner.number())},
                               3};
      visit(path, extra, inner);
    }
  }
}

}  // namespace

void ForEachColumn(const Message& body, const VisitColumn& visit) {
  const google::protobuf::Descriptor& table = *body.GetDescriptor();
  for (int i = 0; i < table.field_count(); ++i) {
    const FieldDescriptor& field = *table.field(i);
    if (IsExtraColumns(field)) {
      VisitExtraColumns(body, field, visit);
    } else if (IsColumn(field) && ColumnSize(body, field) != 0) {
      visit({{static_cast<std::uint32_t>(field.number())}, 1}, body, field);
    }
  }
}

}  // namespace heapglot
