#include "core/ir/index_columns.h"

#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace heapglot {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

// Columns of 64-bit numbers that are not an index, or whose meaning depends on
// another column. A new column must be added here or to the table.
const std::set<std::string>& OtherColumns() {
  static const std::set<std::string> kColumns = {"edges.from",
                                                 "edges.name",
                                                 "edges.to",
                                                 "externals.size",
                                                 "externals.to",
                                                 "locations.to",
                                                 "nodes.detachedness",
                                                 "nodes.edge_count",
                                                 "nodes.id",
                                                 "nodes.identity_hash",
                                                 "nodes.self_size",
                                                 "nodes.trace_node",
                                                 "nodes.type_ref",
                                                 "nodes.value",
                                                 "nodes.value_length",
                                                 "record_order.run",
                                                 "roots.container_id",
                                                 "roots.flags",
                                                 "roots.frame_number",
                                                 "roots.to",
                                                 "source_image.copy",
                                                 "source_image.insert",
                                                 "source_image.remove",
                                                 "stack_frames.flags",
                                                 "stack_frames.id",
                                                 "strings.source_id",
                                                 "threads.id",
                                                 "trace_nodes.alloc_count",
                                                 "trace_nodes.alloc_size",
                                                 "trace_nodes.child_count",
                                                 "types.field_flags",
                                                 "types.field_slot",
                                                 "types.flags",
                                                 "types.id",
                                                 "types.instance_size",
                                                 "types.source_position",
                                                 "values.length",
                                                 "values.owner",
                                                 "values.value",
                                                 "vocabulary.name"};
  return kColumns;
}

TEST(IndexColumnsTest, EveryColumnIsDecidedAbout) {
  std::set<std::string> others = OtherColumns();
  const Descriptor& chunk = *pb::Chunk::descriptor();
  for (int t = 0; t < chunk.field_count(); ++t) {
    const FieldDescriptor& table = *chunk.field(t);
    std::set<std::string> indices;
    for (const IndexColumn& column :
         IndexColumnsOf(static_cast<pb::Chunk::BodyCase>(table.number()))) {
      indices.insert(column.name);
    }
    const Descriptor& columns = *table.message_type();
    for (int c = 0; c < columns.field_count(); ++c) {
      const FieldDescriptor& column = *columns.field(c);
      if (!column.is_repeated() ||
          column.cpp_type() != FieldDescriptor::CPPTYPE_UINT64) {
        continue;
      }
      const std::size_t found =
          indices.erase(column.name()) +
          others.erase(table.name() + "." + column.name());
      EXPECT_EQ(found, 1U) << column.full_name();
    }
    EXPECT_TRUE(indices.empty()) << *indices.begin();
  }
  EXPECT_TRUE(others.empty()) << *others.begin();
}

TEST(IndexColumnsTest, NameIsThatOfTheColumn) {
  const Descriptor& chunk = *pb::Chunk::descriptor();
  for (int t = 0; t < chunk.field_count(); ++t) {
    const auto body =
        static_cast<pb::Chunk::BodyCase>(chunk.field(t)->number());
    for (const IndexColumn& column : IndexColumnsOf(body)) {
      pb::Chunk rows;
      google::protobuf::Message* const table =
          pb::Chunk::GetReflection()->MutableMessage(&rows, chunk.field(t));
      column.mutate(table)->Add(5);
      ASSERT_EQ(column.get(*table).size(), 1);
      const FieldDescriptor* const field =
          table->GetDescriptor()->FindFieldByName(column.name);
      ASSERT_NE(field, nullptr) << column.name;
      EXPECT_EQ(table->GetReflection()->FieldSize(*table, field), 1);
    }
  }
}

}  // namespace
}  // namespace heapglot
