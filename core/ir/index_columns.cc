#include "core/ir/index_columns.h"

#include "core/ir/columns.h"

namespace heapglot {
namespace {

using google::protobuf::Message;
using Body = pb::Chunk::BodyCase;
using Space = IndexSpace;
using Column = IndexColumn::Column;

template <typename Table, const Column& (Table::*kGet)() const>
const Column& Get(const Message& table) {
  return (static_cast<const Table&>(table).*kGet)();
}
template <typename Table, Column* (Table::*kMutate)()>
Column* Mutate(Message* table) {
  return (static_cast<Table*>(table)->*kMutate)();
}

// Describes a column by its accessors.
template <typename Table, const Column& (Table::*kGet)() const,
          Column* (Table::*kMutate)()>
constexpr IndexColumn Index(const char* name, Space space) {
  return {name, space, false, Get<Table, kGet>, Mutate<Table, kMutate>};
}
template <typename Table, const Column& (Table::*kGet)() const,
          Column* (Table::*kMutate)()>
constexpr IndexColumn Ref(const char* name, Space space) {
  return {name, space, true, Get<Table, kGet>, Mutate<Table, kMutate>};
}

constexpr IndexColumn kTypes[] = {
    Index<pb::Types, &pb::Types::name, &pb::Types::mutable_name>(
        "name", Space::kStrings),
    Index<pb::Types, &pb::Types::library_name,
          &pb::Types::mutable_library_name>("library_name", Space::kStrings),
    Index<pb::Types, &pb::Types::library_uri, &pb::Types::mutable_library_uri>(
        "library_uri", Space::kStrings),
    Index<pb::Types, &pb::Types::reserved, &pb::Types::mutable_reserved>(
        "reserved", Space::kStrings),
    Index<pb::Types, &pb::Types::module, &pb::Types::mutable_module>(
        "module", Space::kStrings),
    Index<pb::Types, &pb::Types::field_name, &pb::Types::mutable_field_name>(
        "field_name", Space::kStrings),
    Index<pb::Types, &pb::Types::field_reserved,
          &pb::Types::mutable_field_reserved>("field_reserved",
                                              Space::kStrings),
    Ref<pb::Types, &pb::Types::super_ref, &pb::Types::mutable_super_ref>(
        "super_ref", Space::kTypes),
    Ref<pb::Types, &pb::Types::loader_ref, &pb::Types::mutable_loader_ref>(
        "loader_ref", Space::kNodes),
    Ref<pb::Types, &pb::Types::class_node_ref,
        &pb::Types::mutable_class_node_ref>("class_node_ref", Space::kNodes),
};
constexpr IndexColumn kNodes[] = {
    Index<pb::Nodes, &pb::Nodes::name, &pb::Nodes::mutable_name>(
        "name", Space::kStrings),
    Ref<pb::Nodes, &pb::Nodes::heap_space_ref,
        &pb::Nodes::mutable_heap_space_ref>("heap_space_ref",
                                            Space::kHeapSpaces),
    Ref<pb::Nodes, &pb::Nodes::stack_frame_ref,
        &pb::Nodes::mutable_stack_frame_ref>("stack_frame_ref",
                                             Space::kStackFrames),
};
constexpr IndexColumn kRoots[] = {
    Ref<pb::Roots, &pb::Roots::container_ref,
        &pb::Roots::mutable_container_ref>("container_ref", Space::kTypes),
    Index<pb::Roots, &pb::Roots::label, &pb::Roots::mutable_label>(
        "label", Space::kStrings),
    Ref<pb::Roots, &pb::Roots::thread_ref, &pb::Roots::mutable_thread_ref>(
        "thread_ref", Space::kThreads),
};
constexpr IndexColumn kValues[] = {
    Index<pb::Values, &pb::Values::key, &pb::Values::mutable_key>(
        "key", Space::kStrings),
};
constexpr IndexColumn kExternals[] = {
    Index<pb::Externals, &pb::Externals::name, &pb::Externals::mutable_name>(
        "name", Space::kStrings),
};
constexpr IndexColumn kTraceFunctions[] = {
    Index<pb::TraceFunctions, &pb::TraceFunctions::name,
          &pb::TraceFunctions::mutable_name>("name", Space::kStrings),
    Index<pb::TraceFunctions, &pb::TraceFunctions::script_name,
          &pb::TraceFunctions::mutable_script_name>("script_name",
                                                    Space::kStrings),
};
constexpr IndexColumn kTraceNodes[] = {
    Index<pb::TraceNodes, &pb::TraceNodes::function_index,
          &pb::TraceNodes::mutable_function_index>("function_index",
                                                   Space::kTraceFunctions),
};
constexpr IndexColumn kStackFrames[] = {
    Ref<pb::StackFrames, &pb::StackFrames::parent_ref,
        &pb::StackFrames::mutable_parent_ref>("parent_ref",
                                              Space::kStackFrames),
    Index<pb::StackFrames, &pb::StackFrames::function,
          &pb::StackFrames::mutable_function>("function", Space::kStrings),
    Index<pb::StackFrames, &pb::StackFrames::signature,
          &pb::StackFrames::mutable_signature>("signature", Space::kStrings),
    Index<pb::StackFrames, &pb::StackFrames::source,
          &pb::StackFrames::mutable_source>("source", Space::kStrings),
    Ref<pb::StackFrames, &pb::StackFrames::type_ref,
        &pb::StackFrames::mutable_type_ref>("type_ref", Space::kTypes),
};
constexpr IndexColumn kThreads[] = {
    Index<pb::Threads, &pb::Threads::name, &pb::Threads::mutable_name>(
        "name", Space::kStrings),
    Ref<pb::Threads, &pb::Threads::top_frame_ref,
        &pb::Threads::mutable_top_frame_ref>("top_frame_ref",
                                             Space::kStackFrames),
    Ref<pb::Threads, &pb::Threads::node_ref, &pb::Threads::mutable_node_ref>(
        "node_ref", Space::kNodes),
};

}  // namespace

std::uint64_t UnknownNumbers(const Message& table) {
  const google::protobuf::Descriptor& fields = *table.GetDescriptor();
  const google::protobuf::Reflection& reflection = *table.GetReflection();
  std::uint64_t columns = 0;
  for (int i = 0; i < fields.field_count(); ++i) {
    const google::protobuf::FieldDescriptor& field = *fields.field(i);
    if (!IsExtraColumns(field) || IsFieldColumn(field)) continue;
    for (int k = 0; k < reflection.FieldSize(table, &field); ++k) {
      columns += MayHoldIndices(static_cast<const pb::ExtraColumn&>(
                     reflection.GetRepeatedMessage(table, &field, k)))
                     ? 1
                     : 0;
    }
  }
  return columns == 0 ? 0 : columns * NumberField(table, "count");
}

std::span<const IndexColumn> IndexColumnsOf(Body table) {
  switch (table) {
    case Body::kTypes:
      return kTypes;
    case Body::kNodes:
      return kNodes;
    case Body::kRoots:
      return kRoots;
    case Body::kValues:
      return kValues;
    case Body::kExternals:
      return kExternals;
    case Body::kTraceFunctions:
      return kTraceFunctions;
    case Body::kTraceNodes:
      return kTraceNodes;
    case Body::kStackFrames:
      return kStackFrames;
    case Body::kThreads:
      return kThreads;
    default:
      return {};
  }
}

}  // namespace heapglot
