#include "heapglot/feature.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>

#include "core/loss/feature_tally.h"
#include "heapglot/stream.h"

namespace heapglot {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

// Which feature each column of the IR belongs to. "-": none, because it is
// structure (counts, positions), layout, or a repetition. "*": to one only
// together with other columns, totals or the vocabulary.
constexpr char kColumns[] = R"(
Header          - format dialect source_size source_sha256 leftovers_of
Header          - is_source_only
Footer          - graphs strings
Strings         - first data length names continued
Strings         string.encoding encoding
Strings         string.id source_id
Graph           - pointer_size edge_count node_count trace_function_count
Graph           - has_identity_hashes node_schema edge_schema location_schema
Graph           - sample_schema trace_function_schema trace_node_schema
Graph           graph.name name
Graph           graph.detail flags source_version timestamp end_name
Graph           graph.detail end_timestamp
Graph           graph.root root_ref
Graph           graph.totals self_size_total capacity external_size_total
Graph           graph.totals extra_native_bytes
Graph           *node.id id_space
Graph           *edge.scattered edges_grouped
GraphEnd        - types nodes edges roots values externals locations
GraphEnd        - trace_functions trace_nodes samples stack_frames threads
GraphEnd        - self_size_total external_size_total edges_omitted
GraphEnd        - edges_dangling edges_immediate edges_synthesized id_limit
Vocabulary      - space source_code edge_flags
Vocabulary      *node.kind name known
Vocabulary      *edge.name name_form
Types           - first count source_position
Types           type.id id
Types           *type name
Types           type.detail flags reserved field_reserved field_type extra
Types           type.detail field_extra
Types           type.library library_name library_uri
Types           type.relation super_ref instance_size loader_ref module
Types           type.relation class_node_ref
Types           type.fields field_count
Types           *type.fields field_flags field_slot field_name
Nodes           - first count edge_count value_encoding
Nodes           node.id id
Nodes           *node.kind kind
Nodes           type type_ref
Nodes           node.name name
Nodes           node.self_size self_size
Nodes           node.trace trace_node stack_frame_ref
Nodes           node.detachedness detachedness
Nodes           node.identity_hash identity_hash
Nodes           node.phantom flags
Nodes           node.heap_space heap_space_ref
Nodes           value.constant value_form
Nodes           *value.integer value
Nodes           value.cut value_length
Nodes           node.extra extra
Edges           - first count first_node edges_per_node flags
Edges           *edge.scattered from
Edges           *edge.kind kind
Edges           edge.name name_form
Edges           *edge.name name
Edges           edge.omitted to_form
Edges           *edge to
Edges           edge.extra extra
Roots           - first count distance
Roots           root.dangling to_form
Roots           root to
Roots           *root.kind kind
Roots           root.detail flags container_ref container_id label thread_ref
Roots           root.detail frame_number extra
Values          - owner_space first count
Values          *value.named owner key form value length encoding
Externals       - first count
Externals       *external to_form to size name
Locations       - first count
Locations       *location to_form to script_id line column extra
TraceFunctions  - first count
TraceFunctions  *trace function_id name script_name script_id line column extra
TraceNodes      - first count
TraceNodes      *trace id function_index alloc_count alloc_size child_count
TraceNodes      *trace extra
Samples         - first count
Samples         *trace timestamp_us last_assigned_id extra
StackFrames     - first count
StackFrames     *stack id parent_ref function signature source line column
StackFrames     *stack type_ref flags
Threads         - first count
Threads         *stack id name top_frame_ref node_ref
Metadata        metadata entry
Extra           - continued
Extra           extra format section position data
ExtraTable      - first count
ExtraTable      extra name column
RecordOrder     - body run lines
SourceImage     - method profile size sha256 copy remove insert data continued
SourceImage     - xxh3_128
)";

// "Nodes.id" to the word of the table.
std::map<std::string, std::string> ParseTable() {
  std::map<std::string, std::string> table;
  std::istringstream lines(kColumns);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string message, feature, field;
    words >> message >> feature;
    while (words >> field) {
      std::string& known = table[message + "." + field];
      EXPECT_EQ(known, "") << message << "." << field;
      known = feature;
    }
  }
  return table;
}

TEST(FeatureTest, EveryColumnOfTheIrHasItsPlace) {
  std::map<std::string, std::string> table = ParseTable();
  const Descriptor& chunk = *pb::Chunk::descriptor();
  for (int i = 0; i < chunk.field_count(); ++i) {
    EXPECT_LT(chunk.field(i)->number(), static_cast<int>(kChunkKinds));
    const Descriptor& message = *chunk.field(i)->message_type();
    for (int k = 0; k < message.field_count(); ++k) {
      const std::string name = message.name() + "." + message.field(k)->name();
      EXPECT_EQ(table.erase(name), 1U)
          << name << " has no feature: see include/heapglot/feature.h";
    }
  }
  for (const auto& [name, feature] : table)
    ADD_FAILURE() << name << " is no column";
}

// Sets the field to something other than the default.
void Fill(const FieldDescriptor& field, google::protobuf::Message* message) {
  const google::protobuf::Reflection& reflection = *message->GetReflection();
  const bool is_column = field.is_repeated();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_UINT32:
      is_column ? reflection.AddUInt32(message, &field, 1)
                : reflection.SetUInt32(message, &field, 1);
      break;
    case FieldDescriptor::CPPTYPE_UINT64:
      is_column ? reflection.AddUInt64(message, &field, 1)
                : reflection.SetUInt64(message, &field, 1);
      break;
    case FieldDescriptor::CPPTYPE_ENUM:
      is_column ? reflection.AddEnumValue(message, &field, 1)
                : reflection.SetEnumValue(message, &field, 1);
      break;
    case FieldDescriptor::CPPTYPE_STRING:
      reflection.SetString(message, &field, "x");
      break;
    case FieldDescriptor::CPPTYPE_MESSAGE: {
      google::protobuf::Message* const inner =
          is_column ? reflection.AddMessage(message, &field)
                    : reflection.MutableMessage(message, &field);
      if (inner->GetDescriptor()->name() == "Text")
        Fill(*inner->GetDescriptor()->FindFieldByName("data"), inner);
      break;
    }
    default:
      FAIL() << field.full_name();
  }
}

// One row with something in this column.
pb::Chunk RowWith(const FieldDescriptor& field, const FieldDescriptor& body) {
  pb::Chunk chunk;
  google::protobuf::Message& table =
      *pb::Chunk::GetReflection()->MutableMessage(&chunk, &body);
  const Descriptor& type = *body.message_type();
  if (const FieldDescriptor* const count = type.FindFieldByName("count"))
    table.GetReflection()->SetUInt32(&table, count, 1);
  if (chunk.has_strings()) chunk.mutable_strings()->add_length(0);
  Fill(field, &table);
  return chunk;
}

TEST(FeatureTest, EveryColumnIsCounted) {
  const std::map<std::string, std::string> table = ParseTable();
  const Descriptor& chunk = *pb::Chunk::descriptor();
  for (int i = 0; i < chunk.field_count(); ++i) {
    const FieldDescriptor& body = *chunk.field(i);
    const Descriptor& message = *body.message_type();
    for (int k = 0; k < message.field_count(); ++k) {
      const FieldDescriptor& field = *message.field(k);
      const std::string name = message.name() + "." + field.name();
      const std::string& expected = table.at(name);
      if (expected == "-" || expected[0] == '*') continue;
      FeatureTally tally;
      tally.BeginPass(FeatureTally::kSmall | FeatureTally::kLarge);
      pb::Chunk graph;
      graph.mutable_graph();
      if (&message != pb::Graph::descriptor()) tally.Add(graph);
      tally.Add(RowWith(field, body));
      std::string counted;
      for (std::size_t f = 0; f < kFeatures; ++f) {
        const auto feature = static_cast<Feature>(f);
        if (tally.count(feature) != 0 && Key(feature) == expected)
          counted = Key(feature);
      }
      EXPECT_EQ(counted, expected) << name;
    }
  }
}

}  // namespace
}  // namespace heapglot
