// The columns of a chunk, whatever its table. This is the one place that walks
// them by reflection, a column at a time.
#ifndef HEAPGLOT_CORE_IR_COLUMNS_H_
#define HEAPGLOT_CORE_IR_COLUMNS_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/repeated_field.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <variant>

#include "heapglot/stream.h"

namespace heapglot {

// A repeated number.
bool IsColumn(const google::protobuf::FieldDescriptor& field);
// A repeated ExtraColumn.
bool IsExtraColumns(const google::protobuf::FieldDescriptor& field);
// Bytes of an entry in memory.
std::uint64_t EntrySize(const google::protobuf::FieldDescriptor& column);
// Columns of Types, including extra ones, with an entry per field of a type.
bool IsFieldColumn(const google::protobuf::FieldDescriptor& field);

// The value of that field, which must be a single unsigned number.
std::uint64_t NumberField(const google::protobuf::Message& message,
                          const std::string& name);

// The field of Chunk for a kind; nullptr if there is none.
const google::protobuf::FieldDescriptor* BodyField(int kind);
// The message that a chunk carries.
const google::protobuf::Message& BodyOf(const pb::Chunk& chunk);
// The message of that kind, created if needed.
google::protobuf::Message* MutableBody(pb::Chunk* chunk, int kind);

// The entries of a column in memory. Every column has one of these types, seen
// as unsigned.
using Entries = std::variant<std::span<const std::uint32_t>,
                             std::span<const std::uint64_t>>;
Entries EntriesOf(const google::protobuf::Message& message,
                  const google::protobuf::FieldDescriptor& column);

// Adds `count` entries with unspecified values, for the caller to fill in.
using NewEntries =
    std::variant<std::span<std::uint32_t>, std::span<std::uint64_t>>;
NewEntries GrowColumn(google::protobuf::Message* message,
                      const google::protobuf::FieldDescriptor& column,
                      std::size_t count);

// Number of entries of a column.
std::size_t ColumnSize(const google::protobuf::Message& message,
                       const google::protobuf::FieldDescriptor& column);

// Calls visit for each ExtraColumn of `body`.
void ForEachExtraColumn(google::protobuf::Message* body,
                        const std::function<void(pb::ExtraColumn*)>& visit);

// Where a column is in a body: Column.path.
struct ColumnPath {
  std::array<std::uint32_t, 3> numbers = {};
  std::size_t size = 0;
};

// Calls visit(path, message, field) for each column of `body` that is not
// empty, its ExtraColumns included, by ascending path.
using VisitColumn =
    std::function<void(const ColumnPath&, const google::protobuf::Message&,
                       const google::protobuf::FieldDescriptor&)>;
void ForEachColumn(const google::protobuf::Message& body,
                   const VisitColumn& visit);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_IR_COLUMNS_H_
