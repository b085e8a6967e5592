// The names used in the NDJSON form of "Extensible heap dumps for Node
// programs": types, subtypes and fields, and the tables of the namespace "hg.".
// The format is described in docs/ndjson.md.
#ifndef HEAPGLOT_CORE_DRAFT_DRAFT_WIRE_H_
#define HEAPGLOT_CORE_DRAFT_DRAFT_WIRE_H_

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "heapglot/stream.h"

namespace heapglot::draft {

inline constexpr std::string_view kMetadataType = "metadata";
inline constexpr std::string_view kTypeType = "type";
inline constexpr std::string_view kSubtypeType = "subtype";
inline constexpr std::string_view kTrailerType = "hg.trailer";
// An object with such a type is never a record of a declared type.
inline constexpr bool NeedsNoDeclaration(std::string_view type) {
  return type == kMetadataType || type == kTypeType || type == kSubtypeType ||
         type == kTrailerType;
}
// Metadata with these keys is about the file, not about the heap.
inline constexpr std::string_view kOwnPrefix = "hg.";
inline constexpr std::string_view kVersionKey = "version_major";
// In a file that holds a stream: prefix for metadata about the heap whose key
// would otherwise mean that it is about the file.
inline constexpr std::string_view kEscapedPrefix = "hg.source.";
inline constexpr bool IsAboutFile(std::string_view key) {
  return key == kVersionKey || key.starts_with(kOwnPrefix);
}

// Metadata that differs between dumps of the same heap.
inline constexpr std::string_view kVolatileKeys[] = {
    "crtime",          "generated_at", "target_pid",
    "target_hostname", "target_file",  "target_psargs"};
constexpr bool IsVolatileKey(std::string_view key) {
  for (const std::string_view known : kVolatileKeys)
    if (known == key) return true;
  return false;
}
// Marks a file that holds a stream of chunks: node and edge subtypes are rows
// of hg.word, and so on. The value is the version of that layout.
inline constexpr std::string_view kStreamKey = "hg.stream";

// Leftovers (LeftoversBlock): lines of metadata right before the trailer, each
// with a piece of the heapir in base64.
inline constexpr std::string_view kLeftoversKey = "hg.leftovers";

// Integers up to this one are written as numbers; greater ones are written as
// "0x..." so that JavaScript does not round them.
inline constexpr std::uint64_t kMaxSafe = (std::uint64_t{1} << 53) - 1;

// An identifier that no node has. Stands for an omitted target.
inline constexpr std::uint64_t kOmittedId = 1;

// A subtype code that cannot be declared, because codes are below 2^31. Stands
// for an unknown subtype.
inline constexpr std::uint64_t kUnknownSubtype = 0xffff'ffff;

// Texts of oddballs, which our own files need in addition to the stream's
// strings. Their ids are the next even ones after those of the stream, in this
// order.
enum OwnText : std::uint8_t { kEmptyText, kNullText, kFalseText, kTrueText };
inline constexpr std::array<std::string_view, 4> kOwnTexts = {"", "null",
                                                              "false", "true"};

// A subtype of the draft, or another format's word for the same kind.
struct NodeWord {
  std::string_view name;
  pb::NodeKind known;
};
inline constexpr std::array kNodeWords = {
    NodeWord{"array", pb::NODE_ARRAY},
    NodeWord{"object", pb::NODE_OBJECT},
    NodeWord{"flat string", pb::NODE_STRING},
    NodeWord{"concatenated string", pb::NODE_CONS_STRING},
    NodeWord{"sliced string", pb::NODE_SLICED_STRING},
    NodeWord{"code", pb::NODE_CODE},
    NodeWord{"closure", pb::NODE_CLOSURE},
    NodeWord{"function metadata", pb::NODE_FUNCTION_META},
    NodeWord{"regular expression", pb::NODE_REGEXP},
    NodeWord{"date", pb::NODE_DATE},
    NodeWord{"heap number", pb::NODE_NUMBER},
    NodeWord{"native", pb::NODE_NATIVE},
    NodeWord{"oddball", pb::NODE_ODDBALL},
};
// Extension subtypes: the part after the namespace that has this meaning.
inline constexpr std::array kOtherNodeWords = {
    NodeWord{"hidden", pb::NODE_HIDDEN},
    NodeWord{"synthetic", pb::NODE_SYNTHETIC},
    NodeWord{"symbol", pb::NODE_SYMBOL},
    NodeWord{"bigint", pb::NODE_BIGINT},
    NodeWord{"object_shape", pb::NODE_SHAPE},
    NodeWord{"class", pb::NODE_CLASS},
    NodeWord{"script", pb::NODE_SCRIPT},
};

struct EdgeWord {
  std::string_view name;
  pb::EdgeKind known;
  pb::NameForm form;
};
inline constexpr std::array kEdgeWords = {
    EdgeWord{"object property", pb::EDGE_PROPERTY, pb::NAME_STRING},
    EdgeWord{"array element", pb::EDGE_ELEMENT, pb::NAME_NUMBER},
    EdgeWord{"closure variable", pb::EDGE_CONTEXT, pb::NAME_STRING},
};
inline constexpr std::array kOtherEdgeWords = {
    EdgeWord{"internal", pb::EDGE_INTERNAL, pb::NAME_STRING},
    EdgeWord{"hidden", pb::EDGE_HIDDEN, pb::NAME_NUMBER},
    EdgeWord{"shortcut", pb::EDGE_SHORTCUT, pb::NAME_STRING},
    EdgeWord{"weak", pb::EDGE_WEAK, pb::NAME_STRING},
};

// How the numbers of a column of an hg. table are written.
enum class ColumnForm : std::uint8_t {
  kNumber,  // as it is; 0 is left out
  kSigned,
  kString,  // a string: the id of its record
  kNode,    // a node or none: the node's identifier
  kTarget,  // `to` with `to_form`: a value, or nothing and field `dangling`
};
struct Column {
  std::string_view field;  // of the record
  int number;              // of the field in the message
  ColumnForm form = ColumnForm::kNumber;
};
// Records of one type, one per row.
struct Table {
  std::string_view record;
  int body;  // field of Chunk
  std::span<const Column> columns;
};

inline constexpr Column kTypeColumns[] = {
    {"id", pb::Types::kIdFieldNumber},
    {"name", pb::Types::kNameFieldNumber, ColumnForm::kString},
    {"flags", pb::Types::kFlagsFieldNumber},
    {"library_name", pb::Types::kLibraryNameFieldNumber, ColumnForm::kString},
    {"library_uri", pb::Types::kLibraryUriFieldNumber, ColumnForm::kString},
    {"reserved", pb::Types::kReservedFieldNumber, ColumnForm::kString},
    {"super", pb::Types::kSuperRefFieldNumber},
    {"instance_size", pb::Types::kInstanceSizeFieldNumber},
    {"loader", pb::Types::kLoaderRefFieldNumber, ColumnForm::kNode},
    {"module", pb::Types::kModuleFieldNumber, ColumnForm::kString},
    {"class_node", pb::Types::kClassNodeRefFieldNumber, ColumnForm::kNode},
    {"source_position", pb::Types::kSourcePositionFieldNumber},
};
// Rows belong to the preceding hg.type.
inline constexpr Column kTypeFieldColumns[] = {
    {"flags", pb::Types::kFieldFlagsFieldNumber},
    {"slot", pb::Types::kFieldSlotFieldNumber},
    {"name", pb::Types::kFieldNameFieldNumber, ColumnForm::kString},
    {"reserved", pb::Types::kFieldReservedFieldNumber, ColumnForm::kString},
    {"basic_type", pb::Types::kFieldTypeFieldNumber},
};
inline constexpr Column kRootColumns[] = {
    {"to", pb::Roots::kToFieldNumber, ColumnForm::kTarget},
    {"kind", pb::Roots::kKindFieldNumber},
    {"flags", pb::Roots::kFlagsFieldNumber},
    {"container", pb::Roots::kContainerRefFieldNumber},
    {"container_id", pb::Roots::kContainerIdFieldNumber},
    {"label", pb::Roots::kLabelFieldNumber, ColumnForm::kString},
    {"thread", pb::Roots::kThreadRefFieldNumber},
    {"frame_number", pb::Roots::kFrameNumberFieldNumber},
    {"distance", pb::Roots::kDistanceFieldNumber},
};
inline constexpr Column kExternalColumns[] = {
    {"to", pb::Externals::kToFieldNumber, ColumnForm::kTarget},
    {"size", pb::Externals::kSizeFieldNumber},
    {"name", pb::Externals::kNameFieldNumber, ColumnForm::kString},
};
inline constexpr Column kLocationColumns[] = {
    {"to", pb::Locations::kToFieldNumber, ColumnForm::kTarget},
    {"script_id", pb::Locations::kScriptIdFieldNumber, ColumnForm::kSigned},
    {"line", pb::Locations::kLineFieldNumber, ColumnForm::kSigned},
    {"column", pb::Locations::kColumnFieldNumber, ColumnForm::kSigned},
};
inline constexpr Column kTraceFunctionColumns[] = {
    {"function_id", pb::TraceFunctions::kFunctionIdFieldNumber,
     ColumnForm::kSigned},
    {"name", pb::TraceFunctions::kNameFieldNumber, ColumnForm::kString},
    {"script_name", pb::TraceFunctions::kScriptNameFieldNumber,
     ColumnForm::kString},
    {"script_id", pb::TraceFunctions::kScriptIdFieldNumber,
     ColumnForm::kSigned},
    {"line", pb::TraceFunctions::kLineFieldNumber, ColumnForm::kSigned},
    {"column", pb::TraceFunctions::kColumnFieldNumber, ColumnForm::kSigned},
};
inline constexpr Column kTraceNodeColumns[] = {
    {"id", pb::TraceNodes::kIdFieldNumber, ColumnForm::kSigned},
    {"function", pb::TraceNodes::kFunctionIndexFieldNumber},
    {"alloc_count", pb::TraceNodes::kAllocCountFieldNumber},
    {"alloc_size", pb::TraceNodes::kAllocSizeFieldNumber},
    {"child_count", pb::TraceNodes::kChildCountFieldNumber},
};
inline constexpr Column kSampleColumns[] = {
    {"timestamp_us", pb::Samples::kTimestampUsFieldNumber, ColumnForm::kSigned},
    {"last_assigned_id", pb::Samples::kLastAssignedIdFieldNumber,
     ColumnForm::kSigned},
};
inline constexpr Column kStackFrameColumns[] = {
    {"id", pb::StackFrames::kIdFieldNumber},
    {"parent", pb::StackFrames::kParentRefFieldNumber},
    {"function", pb::StackFrames::kFunctionFieldNumber, ColumnForm::kString},
    {"signature", pb::StackFrames::kSignatureFieldNumber, ColumnForm::kString},
    {"source", pb::StackFrames::kSourceFieldNumber, ColumnForm::kString},
    {"line", pb::StackFrames::kLineFieldNumber, ColumnForm::kSigned},
    {"column", pb::StackFrames::kColumnFieldNumber, ColumnForm::kSigned},
    {"of", pb::StackFrames::kTypeRefFieldNumber},
    {"flags", pb::StackFrames::kFlagsFieldNumber},
};
inline constexpr Column kThreadColumns[] = {
    {"id", pb::Threads::kIdFieldNumber},
    {"name", pb::Threads::kNameFieldNumber, ColumnForm::kString},
    {"top_frame", pb::Threads::kTopFrameRefFieldNumber},
    {"node", pb::Threads::kNodeRefFieldNumber, ColumnForm::kNode},
};
// One record type for all vocabularies; `space` says which one.
inline constexpr Column kWordColumns[] = {
    {"name", pb::Vocabulary::kNameFieldNumber, ColumnForm::kString},
    {"known", pb::Vocabulary::kKnownFieldNumber},
    {"source_code", pb::Vocabulary::kSourceCodeFieldNumber,
     ColumnForm::kSigned},
    {"name_form", pb::Vocabulary::kNameFormFieldNumber},
    {"edge_flags", pb::Vocabulary::kEdgeFlagsFieldNumber},
};

// In the order of the stream. hg.word and hg.type_field are separate.
inline constexpr Table kTables[] = {
    {"hg.type", pb::Chunk::kTypesFieldNumber, kTypeColumns},
    {"hg.root", pb::Chunk::kRootsFieldNumber, kRootColumns},
    {"hg.external", pb::Chunk::kExternalsFieldNumber, kExternalColumns},
    {"hg.location", pb::Chunk::kLocationsFieldNumber, kLocationColumns},
    {"hg.trace_function", pb::Chunk::kTraceFunctionsFieldNumber,
     kTraceFunctionColumns},
    {"hg.trace_node", pb::Chunk::kTraceNodesFieldNumber, kTraceNodeColumns},
    {"hg.sample", pb::Chunk::kSamplesFieldNumber, kSampleColumns},
    {"hg.stack_frame", pb::Chunk::kStackFramesFieldNumber, kStackFrameColumns},
    {"hg.stack_thread", pb::Chunk::kThreadsFieldNumber, kThreadColumns},
};
inline constexpr std::size_t kTableCount = std::size(kTables);
inline constexpr Table kTypeFieldTable = {
    "hg.type_field", pb::Chunk::kTypesFieldNumber, kTypeFieldColumns};
inline constexpr Table kWordTable = {
    "hg.word", pb::Chunk::kVocabularyFieldNumber, kWordColumns};
inline constexpr std::string_view kGraphRecord = "hg.graph";
inline constexpr std::string_view kSchemaRecord = "hg.schema";
inline constexpr std::string_view kExtraRecord = "hg.extra";
inline constexpr std::string_view kValueRecord = "hg.value";
inline constexpr std::string_view kColumnRecord = "hg.column";
// `table` of hg.column records that are for tables of only one format.
inline constexpr std::string_view kExtraTable = "hg.table";
// Maximum number of such columns in each other table.
inline constexpr std::size_t kMaxExtraColumns = 32;
// Maximum number of rows in an hg.column record.
inline constexpr std::uint64_t kMaxColumnRows = 65'536;

}  // namespace heapglot::draft

#endif  // HEAPGLOT_CORE_DRAFT_DRAFT_WIRE_H_
