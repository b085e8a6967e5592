// Which columns the tables have, and how they are read.
#include <string>
#include <string_view>
#include <utility>

#include "core/compare/table_rows.h"
#include "core/ir/columns.h"
#include "core/ir/index_columns.h"

namespace heapglot {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using Body = pb::Chunk::BodyCase;
using Shape = TableSpec::Shape;

// Columns that are read with another one, repeat another one, or are layout.
bool IsNoContent(Body body, std::string_view name) {
  switch (body) {
    case Body::kTypes:
      // Fields are a table of their own.
      return name == "source_position" ||
             (name.starts_with("field_") && name != "field_count");
    case Body::kNodes:
      return name == "edge_count";
    case Body::kEdges:
      return name == "from" || name == "edges_per_node" ||
             name == "name_form" || name == "to_form";
    default:
      return name == "to_form";
  }
}

bool IsStringColumn(Body body, std::string_view name) {
  for (const IndexColumn& column : IndexColumnsOf(body)) {
    if (column.name == name) return column.space == IndexSpace::kStrings;
  }
  return false;
}

void MakeKind(pb::Vocabulary::Space space, CellRole role, ColumnSpec* column) {
  column->role = role;
  column->space = space;
}

// Sets how a column is read, if not as plain numbers.
void SetRole(Body body, const Descriptor& table, ColumnSpec* column) {
  const std::string& name = column->name;
  const auto form = [&](const char* field) {
    column->form = table.FindFieldByName(field);
  };
  if (IsStringColumn(body, name)) {
    column->role = CellRole::kString;
  } else if (name == "to") {
    column->role = CellRole::kTarget;
    form("to_form");
  } else if (name == "value") {
    column->role = CellRole::kValue;
    form(body == Body::kNodes ? "value_form" : "form");
  } else if (name == "value_form" || name == "form") {
    column->role = CellRole::kForm;
  } else if (body == Body::kEdges && name == "name") {
    column->role = CellRole::kEdgeName;
    form("name_form");
    column->kind = table.FindFieldByName("kind");
  } else if (body == Body::kEdges && name == "flags") {
    column->role = CellRole::kEdgeFlags;
    column->kind = table.FindFieldByName("kind");
  } else if (name == "kind") {
    MakeKind(body == Body::kNodes   ? pb::Vocabulary::NODE_KIND
             : body == Body::kEdges ? pb::Vocabulary::EDGE_KIND
                                    : pb::Vocabulary::ROOT_KIND,
             CellRole::kKind, column);
  } else if (name == "heap_space_ref") {
    MakeKind(pb::Vocabulary::HEAP_SPACE, CellRole::kKindRef, column);
  } else if (name.ends_with("_ref")) {
    column->role = CellRole::kIndexRef;
  } else if (column->value->cpp_type() == FieldDescriptor::CPPTYPE_INT64) {
    column->role = CellRole::kSigned;
  }
  column->default_is_position =
      name == "id" && (body == Body::kNodes || body == Body::kTypes);
}

// A table whose columns are those of its message.
TableSpec Plain(std::string name, Body body) {
  TableSpec spec;
  spec.name = std::move(name);
  spec.body = body;
  const Descriptor& table = *BodyField(body)->message_type();
  for (int i = 0; i < table.field_count(); ++i) {
    const FieldDescriptor& field = *table.field(i);
    if (!IsColumn(field) || IsNoContent(body, field.name())) continue;
    ColumnSpec& column = spec.columns.emplace_back();
    column.name = field.name();
    column.value = &field;
    SetRole(body, table, &column);
  }
  return spec;
}

TableSpec Edges() {
  TableSpec spec = Plain("edges", Body::kEdges);
  spec.shape = Shape::kEdges;
  spec.columns.insert(spec.columns.begin(), {.name = "from"});
  return spec;
}

TableSpec TypeFields() {
  TableSpec spec = {.name = "fields",
                    .body = Body::kTypes,
                    .shape = Shape::kTypeFields,
                    .columns = {{.name = "type"}}};
  const Descriptor& types = *pb::Types::descriptor();
  for (const auto& [name, role] : {std::pair("flags", CellRole::kNumber),
                                   std::pair("slot", CellRole::kNumber),
                                   std::pair("name", CellRole::kString),
                                   std::pair("reserved", CellRole::kString),
                                   std::pair("type", CellRole::kNumber)}) {
    ColumnSpec& column = spec.columns.emplace_back();
    column.name = std::string(name) == "type" ? "basic_type" : name;
    column.role = role;
    column.value = types.FindFieldByName(std::string("field_") + name);
  }
  return spec;
}

TableSpec ValuesOf(std::string name, pb::Values::Owner owner) {
  TableSpec spec = Plain(std::move(name), Body::kValues);
  spec.owner_space = owner;
  if (owner == pb::Values::OF_STRING) {
    for (ColumnSpec& column : spec.columns) {
      if (column.name == "owner") column.role = CellRole::kString;
    }
  }
  return spec;
}

TableSpec OwnTexts(std::string name, Body body, Shape shape,
                   std::initializer_list<const char*> columns) {
  TableSpec spec = {
      .name = std::move(name), .body = body, .shape = shape, .columns = {}};
  for (const char* column : columns) {
    spec.columns.push_back({.name = column, .role = CellRole::kOwnText});
  }
  return spec;
}

TableSpec GraphRow() {
  TableSpec spec = OwnTexts("graph", Body::kGraph, Shape::kGraph, {});
  const Descriptor& graph = *pb::Graph::descriptor();
  for (int i = 0; i < graph.field_count(); ++i) {
    // This says how edges come, not what they are.
    if (graph.field(i)->name() == "edges_grouped") continue;
    spec.columns.push_back({.name = graph.field(i)->name(),
                            .role = CellRole::kOwnText,
                            .value = graph.field(i)});
  }
  return spec;
}

}  // namespace

std::vector<TableSpec> AllTables() {
  return {
      GraphRow(),
      {.name = "strings",
       .body = Body::kStrings,
       .shape = Shape::kStrings,
       .columns = {{.name = "source_id"},
                   {.name = "text", .role = CellRole::kString}}},
      Plain("types", Body::kTypes),
      TypeFields(),
      Plain("nodes", Body::kNodes),
      Edges(),
      Plain("roots", Body::kRoots),
      ValuesOf("node_values", pb::Values::OF_NODE),
      ValuesOf("edge_values", pb::Values::OF_EDGE),
      ValuesOf("type_values", pb::Values::OF_TYPE),
      ValuesOf("root_values", pb::Values::OF_ROOT),
      ValuesOf("string_values", pb::Values::OF_STRING),
      ValuesOf("graph_values", pb::Values::OF_GRAPH),
      Plain("externals", Body::kExternals),
      Plain("locations", Body::kLocations),
      Plain("trace_functions", Body::kTraceFunctions),
      Plain("trace_nodes", Body::kTraceNodes),
      Plain("samples", Body::kSamples),
      Plain("stack_frames", Body::kStackFrames),
      Plain("threads", Body::kThreads),
      OwnTexts("metadata", Body::kMetadata, Shape::kMetadata,
               {"key", "value", "origin", "is_volatile"}),
      OwnTexts("extra", Body::kExtra, Shape::kExtra,
               {"format", "section", "position", "data"}),
      {.name = "extra_tables",
       .body = Body::kExtraTable,
       .shape = Shape::kExtraTables,
       .columns = {{.name = "name", .role = CellRole::kOwnText}}},
  };
}

}  // namespace heapglot
