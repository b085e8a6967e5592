#include "writers/draft/draft_survey.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/reflection.h>

#include <algorithm>

#include "core/column.h"
#include "core/ir/columns.h"
#include "core/ir/node_id.h"
#include "core/ir/word_count.h"
#include "writers/draft/draft_rows.h"

namespace heapglot::draft {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// Codes of types.
constexpr std::uint64_t kNodeCode = 2;
constexpr std::uint64_t kEdgeCode = 3;
constexpr std::uint64_t kStringCode = 4;
constexpr std::uint64_t kGraphCode = 10;
constexpr std::uint64_t kSchemaCode = 11;
constexpr std::uint64_t kWordCode = 12;
constexpr std::uint64_t kTypeFieldCode = 13;
constexpr std::uint64_t kExtraCode = 14;
constexpr std::uint64_t kValueCode = 15;
constexpr std::uint64_t kColumnCode = 16;
// The columns of edges that the IR has: kind, name, target. The survey does not
// see edges, but the schema has their other columns.
constexpr int kEdgeSchema = 3;
constexpr std::uint64_t kFirstTableCode = 20;

template <typename Column>
bool Used(const Column& column) {
  return std::any_of(column.begin(), column.end(),
                     [](auto cell) { return cell != 0; });
}

Field TextField(const char* name) {
  return {.name = name, .type = FieldType::kInlineString};
}

FieldType TypeOf(ColumnForm form) {
  switch (form) {
    case ColumnForm::kSigned:
      return FieldType::kI64;
    case ColumnForm::kString:
      return FieldType::kStringId;
    case ColumnForm::kNode:
      return FieldType::kId;
    case ColumnForm::kTarget:
      return FieldType::kValue;
    default:
      return FieldType::kU64;
  }
}

// Fields of a node in the order in which a record has them: after the natural
// ones, with the rare ones last.
struct NodeField {
  const char* name;
  FieldType type;
  Role role;
};
constexpr NodeField kNodeFields[] = {
    {"hg.form", FieldType::kU32, Role::kHgForm},
    {"hg.value", FieldType::kU64, Role::kHgValue},
    {"hg.text", FieldType::kStringId, Role::kHgText},
    {"hg.name", FieldType::kStringId, Role::kHgName},
    {"hg.id", FieldType::kU64, Role::kHgId},
    {"hg.identity_hash", FieldType::kU64, Role::kHgHash},
    {"hg.trace_node", FieldType::kU64, Role::kHgTraceNode},
    {"hg.detachedness", FieldType::kU64, Role::kHgDetachedness},
    {"hg.length", FieldType::kU64, Role::kHgLength},
    {"hg.flags", FieldType::kU32, Role::kHgFlags},
    {"hg.heap_space", FieldType::kU32, Role::kHgHeapSpace},
    {"hg.stack_frame", FieldType::kU64, Role::kHgStackFrame},
    {"hg.encoding", FieldType::kU32, Role::kHgEncoding},
};

}  // namespace

// ------------------------------------------------------------------- survey

void Declarations::Add(const pb::Chunk& chunk) {
  switch (chunk.body_case()) {
    case pb::Chunk::kHeader:
      header_ = chunk.header();
      break;
    case pb::Chunk::kGraph: {
      ++graphs_;
      rows_.fill(0);
      has_node_ids_.push_back(
          heapglot::HasNodeIds(chunk.graph().id_space(), {}));
      traits_.is_scattered =
          traits_.is_scattered || !chunk.graph().edges_grouped();
      std::vector<const FieldDescriptor*> fields;
      pb::Graph::GetReflection()->ListFields(chunk.graph(), &fields);
      for (const FieldDescriptor* field : fields)
        graph_fields_.insert(field->number());
      has_columns_ =
          has_columns_ || chunk.graph().edge_schema_size() > kEdgeSchema;
      break;
    }
    case pb::Chunk::kGraphEnd:
      traits_.nodes += chunk.graph_end().nodes();
      traits_.edges += chunk.graph_end().edges();
      has_dangling_ = has_dangling_ || chunk.graph_end().edges_dangling() > 0;
      break;
    case pb::Chunk::kFooter:
      strings_ = chunk.footer().strings();
      break;
    case pb::Chunk::kStrings:
      texts_.Add(chunk.strings());
      break;
    case pb::Chunk::kVocabulary:
      AddVocabulary(chunk.vocabulary());
      break;
    case pb::Chunk::kExtraTable:
      has_columns_ = true;
      break;
    case pb::Chunk::kNodes:
      has_columns_ = has_columns_ || !chunk.nodes().extra().empty();
      AddNodes(chunk.nodes());
      break;
    default:
      AddTable(chunk);
  }
}

void Declarations::AddVocabulary(const pb::Vocabulary& vocabulary) {
  used_.insert(pb::Chunk::kVocabulary);
  if (vocabulary.space() > pb::Vocabulary::EDGE_KIND) return;
  const auto space = static_cast<std::size_t>(vocabulary.space());
  std::vector<Kind>& kinds = kinds_[space];
  const int rows = WordCount(vocabulary);
  for (int i = 0; i < rows; ++i) {
    // A row keeps the name that the first graph gives it.
    if (rows_[space]++ < kinds.size()) continue;
    kinds.push_back({At(vocabulary.name(), i), At(vocabulary.known(), i)});
  }
}

void Declarations::AddNodes(const pb::Nodes& nodes) {
  const auto note = [this](bool used, Role role) {
    if (used) node_roles_.insert(role);
  };
  note(Used(nodes.type_ref()), Role::kHgType);
  note(Used(nodes.self_size()), Role::kSize);
  note(Used(nodes.name()), Role::kHgName);
  // Ids that are implicit in the IR are explicit here.
  if (!nodes.id().empty()) has_node_ids_.back() = true;
  note(has_node_ids_.back(), Role::kHgId);
  note(Used(nodes.identity_hash()), Role::kHgHash);
  note(Used(nodes.trace_node()), Role::kHgTraceNode);
  note(Used(nodes.detachedness()), Role::kHgDetachedness);
  note(Used(nodes.flags()), Role::kHgFlags);
  note(Used(nodes.heap_space_ref()), Role::kHgHeapSpace);
  note(Used(nodes.stack_frame_ref()), Role::kHgStackFrame);
  note(Used(nodes.value_length()), Role::kHgLength);
  note(Used(nodes.value_encoding()), Role::kHgEncoding);
  // The place of a value depends on the subtype: note all three.
  for (const Role role : {Role::kHgForm, Role::kHgValue, Role::kHgText})
    note(Used(nodes.value_form()), role);
  if (Used(nodes.value_form())) NoteValues(nodes);
}

// Notes values that deserve a field of their own. Of two sorts of dates, the
// first one gets it.
void Declarations::NoteValues(const pb::Nodes& nodes) {
  const std::vector<Kind>& kinds = kinds_[0];
  const int rows = nodes.value_form_size();
  for (int row = 0; row < rows; ++row) {
    const std::uint32_t form = nodes.value_form(row);
    const std::uint32_t kind = At(nodes.kind(), row);
    if (form == pb::V_NONE || kind >= kinds.size()) continue;
    const std::uint32_t encoding = At(nodes.value_encoding(), row);
    if (kinds[kind].known == pb::NODE_NATIVE)
      has_addresses_ = has_addresses_ || IsAddress(form, encoding);
    else if (kinds[kind].known == pb::NODE_DATE && !timestamp_)
      timestamp_ = TimestampType(form, encoding);
  }
}

void Declarations::AddTable(const pb::Chunk& chunk) {
  if (chunk.body_case() == pb::Chunk::BODY_NOT_SET) return;
  used_.insert(chunk.body_case());
  const Message& rows = BodyOf(chunk);
  std::vector<const FieldDescriptor*> fields;
  rows.GetReflection()->ListFields(rows, &fields);
  for (const FieldDescriptor* field : fields)
    columns_.insert({chunk.body_case(), field->number()});
  for (const char* const name : {"extra", "field_extra"}) {
    const FieldDescriptor* const extra =
        rows.GetDescriptor()->FindFieldByName(name);
    has_columns_ =
        has_columns_ ||
        (extra != nullptr && rows.GetReflection()->FieldSize(rows, extra) > 0);
  }
}

// ------------------------------------------------------------- declarations

std::string Declarations::OwnName(std::uint64_t name, std::uint64_t row,
                                  Type& of) {
  std::string text = "hg.";
  for (const char byte : texts_.Find(name)) {
    const char lower = static_cast<char>(byte | 0x20);
    const bool letter = lower >= 'a' && lower <= 'z';
    const bool digit = byte >= '0' && byte <= '9' && text.size() > 3;
    text.push_back(letter || digit ? byte : '_');
    if (text == "hg._") text = "hg.";
  }
  if (text == "hg.") text += "kind";
  // Another subtype may already have this name.
  while (of.FindSubtype(text) != nullptr) text += "_" + std::to_string(row);
  return text;
}

void Declarations::AddNaturalField(std::uint32_t known,
                                   std::string_view subtype,
                                   std::vector<Field>* fields) const {
  switch (known) {
    case pb::NODE_STRING:
    case pb::NODE_CONS_STRING:
    case pb::NODE_SLICED_STRING:
    case pb::NODE_SYMBOL:
    case pb::NODE_REGEXP:
      fields->push_back({.name = "data", .type = FieldType::kStringId});
      break;
    case pb::NODE_NUMBER:
      if (subtype == "heap number")
        fields->push_back({.name = "value", .type = FieldType::kF64});
      break;
    case pb::NODE_ODDBALL:
      if (subtype == "oddball")
        fields->push_back({.name = "name", .type = FieldType::kStringId});
      break;
    case pb::NODE_ARRAY:
      if (subtype == "array")
        fields->push_back({.name = "length", .type = FieldType::kU64});
      break;
    // Most dumps have nodes of these kinds, but not their values.
    case pb::NODE_DATE:
      if (subtype == "date" && timestamp_)
        fields->push_back({.name = "timestamp", .type = *timestamp_});
      break;
    case pb::NODE_NATIVE:
      if (subtype == "native" && has_addresses_)
        fields->push_back({.name = "address", .type = FieldType::kAddr});
      break;
    default:
      break;
  }
}

void Declarations::DeclareNodes() {
  std::vector<Field> fields = {{.name = "identifier", .type = FieldType::kId},
                               {.name = "subtype", .type = FieldType::kU32}};
  if (node_roles_.contains(Role::kHgType))
    fields.push_back({.name = "hg.type", .type = FieldType::kU64});
  if (node_roles_.contains(Role::kSize))
    fields.push_back({.name = "hg.size", .type = FieldType::kU64});
  if (graphs_ > 1)
    fields.push_back({.name = "hg.heap", .type = FieldType::kU32});
  node_ = schema_.AddType("node", kNodeCode, 0, fields);
  if (kinds_[0].empty()) kinds_[0].push_back({0, pb::NODE_OBJECT});
  for (std::size_t row = 0; row < kinds_[0].size(); ++row) {
    const Kind kind = kinds_[0][row];
    std::string name;
    for (const NodeWord& word : kNodeWords) {
      if (word.known == static_cast<int>(kind.known) &&
          node_->FindSubtype(word.name) == nullptr)
        name = word.name;
    }
    if (name.empty()) name = OwnName(kind.name, row, *node_);
    fields.clear();
    AddNaturalField(kind.known, name, &fields);
    for (const NodeField& field : kNodeFields) {
      if (node_roles_.contains(field.role))
        fields.push_back({.name = field.name, .type = field.type});
    }
    node_subtypes_.push_back(schema_.AddSubtype(*node_, name, row, 0, fields));
  }
}

void Declarations::DeclareEdges() {
  std::vector<Field> fields = {{.name = "subtype", .type = FieldType::kU32},
                               {.name = "source", .type = FieldType::kValue},
                               {.name = "dest", .type = FieldType::kValue},
                               {.name = "label", .type = FieldType::kStringId}};
  if (has_dangling_)
    fields.push_back({.name = "hg.dangling", .type = FieldType::kU64});
  fields.push_back({.name = "hg.number", .type = FieldType::kI64});
  fields.push_back({.name = "hg.name_form", .type = FieldType::kU32});
  fields.push_back({.name = "hg.flags", .type = FieldType::kU32});
  edge_ = schema_.AddType("edge", kEdgeCode, 0, fields);
  if (kinds_[1].empty()) kinds_[1].push_back({0, pb::EDGE_OTHER});
  for (std::size_t row = 0; row < kinds_[1].size(); ++row) {
    const Kind kind = kinds_[1][row];
    std::string name;
    for (const EdgeWord& word : kEdgeWords) {
      if (word.known == static_cast<int>(kind.known) &&
          edge_->FindSubtype(word.name) == nullptr)
        name = word.name;
    }
    if (name.empty()) name = OwnName(kind.name, row, *edge_);
    edge_subtypes_.push_back(schema_.AddSubtype(*edge_, name, row, 0, {}));
  }
}

const Type* Declarations::DeclareTable(const Table& table, std::uint64_t code) {
  std::vector<Field> fields;
  bool has_target = false;
  if (table.record == kWordTable.record)
    fields.push_back({.name = "space", .type = FieldType::kU32});
  for (const Column& column : table.columns) {
    has_target = has_target || column.form == ColumnForm::kTarget;
    if (table.record == kWordTable.record ||
        column.form == ColumnForm::kTarget ||
        columns_.contains({table.body, column.number}))
      fields.push_back(
          {.name = std::string(column.field), .type = TypeOf(column.form)});
  }
  if (has_target)
    fields.push_back({.name = "dangling", .type = FieldType::kU64});
  return schema_.AddType(table.record, code, 0, fields);
}

const Type* Declarations::DeclareGraph() {
  std::vector<Field> fields;
  const auto* const descriptor = pb::Graph::descriptor();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const FieldDescriptor& field = *descriptor->field(i);
    if (field.is_repeated() || !graph_fields_.contains(field.number()))
      continue;
    const bool is_root = field.number() == pb::Graph::kRootRefFieldNumber;
    const FieldType type = field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE
                               ? FieldType::kInlineString
                           : field.cpp_type() == FieldDescriptor::CPPTYPE_BOOL
                               ? FieldType::kBool
                           : is_root ? FieldType::kId
                                     : FieldType::kU64;
    fields.push_back({.name = field.name(), .type = type});
  }
  return schema_.AddType(kGraphRecord, kGraphCode, 0, fields);
}

void Declarations::DeclareSchema() {
  const auto* const descriptor = pb::Graph::descriptor();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const FieldDescriptor& field = *descriptor->field(i);
    if (!field.is_repeated() || !graph_fields_.contains(field.number()))
      continue;
    const Field fields[] = {TextField("table"), TextField("name"),
                            TextField("field_type")};
    schema_type_ = schema_.AddType(kSchemaRecord, kSchemaCode, 0, fields);
    break;
  }
}

// Declares Extra, Values, and columns that only one format has.
void Declarations::DeclareRest() {
  if (used_.contains(pb::Chunk::kExtra)) {
    const Field fields[] = {TextField("format"),
                            TextField("section"),
                            {.name = "position", .type = FieldType::kU64},
                            {.name = "data", .type = FieldType::kBase64},
                            {.name = "continued", .type = FieldType::kBool}};
    extra_ = schema_.AddType(kExtraRecord, kExtraCode, 0, fields);
  }
  if (used_.contains(pb::Chunk::kValues)) {
    const Field fields[] = {{.name = "space", .type = FieldType::kU32},
                            {.name = "owner", .type = FieldType::kU64},
                            {.name = "key", .type = FieldType::kStringId},
                            {.name = "form", .type = FieldType::kU32},
                            {.name = "value", .type = FieldType::kU64},
                            {.name = "text", .type = FieldType::kStringId},
                            {.name = "length", .type = FieldType::kU64},
                            {.name = "encoding", .type = FieldType::kU32}};
    value_ = schema_.AddType(kValueRecord, kValueCode, 0, fields);
  }
  if (has_columns_) {
    const Field fields[] = {TextField("table"),
                            TextField("of"),
                            {.name = "first", .type = FieldType::kU64},
                            {.name = "count", .type = FieldType::kU32},
                            TextField("name"),
                            TextField("field_type"),
                            {.name = "ints", .type = FieldType::kJson},
                            {.name = "strings", .type = FieldType::kJson},
                            {.name = "bits", .type = FieldType::kJson},
                            {.name = "nodes", .type = FieldType::kJson}};
    column_ = schema_.AddType(kColumnRecord, kColumnCode, 0, fields);
  }
}

void Declarations::DeclareTables() {
  graph_ = DeclareGraph();
  DeclareSchema();
  if (used_.contains(pb::Chunk::kVocabulary))
    word_ = DeclareTable(kWordTable, kWordCode);
  for (std::size_t i = 0; i < kTableCount; ++i) {
    if (used_.contains(kTables[i].body))
      tables_[i] = DeclareTable(kTables[i], kFirstTableCode + i);
  }
  if (columns_.contains({pb::Chunk::kTypes, pb::Types::kFieldCountFieldNumber}))
    type_field_ = DeclareTable(kTypeFieldTable, kTypeFieldCode);
  DeclareRest();
}

void Declarations::Finish() {
  DeclareNodes();
  DeclareEdges();
  const Field fields[] = {{.name = "id", .type = FieldType::kStringId},
                          {.name = "data", .type = FieldType::kUtf8},
                          {.name = "hg.utf16le", .type = FieldType::kBase64},
                          {.name = "hg.bytes", .type = FieldType::kBase64}};
  string_ = schema_.AddType("string", kStringCode, 0, fields);
  DeclareTables();
}

void Declarations::Write(RecordWriter* out) const {
  for (const Type& type : schema_.types()) {
    out->Declare(type);
    for (const Subtype& subtype : type.subtypes) out->Declare(type, subtype);
  }
}

}  // namespace heapglot::draft
