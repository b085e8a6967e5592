#include "core/ir/extent.h"

#include <algorithm>

#include "core/ir/columns.h"
#include "core/ir/wire.h"

namespace heapglot {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

void Extent::AddColumn(const FieldDescriptor& column, std::uint64_t entries) {
  std::uint64_t& all = IsFieldColumn(column) ? fields : rows;
  all = std::max(all, entries);
  column_bytes += EntrySize(column) * entries;
  ++parts;
}

// Recurses only as deep as chunk.proto nests messages, whatever the bytes.
void Extent::AddPlain(const Descriptor& body, std::string_view bytes) {
  wire::FieldCursor cursor(bytes);
  wire::Field field;
  while (cursor.Next(&field)) {
    const FieldDescriptor* const known =
        body.FindFieldByNumber(static_cast<int>(field.number));
    if (known == nullptr || field.type != wire::kBytes) continue;
    ++parts;
    if (known->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE)
      AddPlain(*known->message_type(), field.bytes);
  }
}

void Extent::AddRows(const pb::Chunk& chunk) {
  const google::protobuf::Message& body = BodyOf(chunk);
  if (body.GetDescriptor()->FindFieldByName("count") != nullptr)
    rows = std::max(rows, NumberField(body, "count"));
  std::uint64_t sum = 0;
  for (const std::uint32_t count : chunk.types().field_count()) sum += count;
  fields = std::max(fields, sum);
}

}  // namespace heapglot
