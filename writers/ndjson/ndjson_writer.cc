#include "writers/ndjson/ndjson_writer.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/reflection.h>

#include <memory>
#include <string>
#include <vector>

#include "core/column.h"
#include "core/text/utf.h"
#include "writers/ndjson/ndjson_lines.h"
#include "writers/ndjson/ndjson_native.h"
#include "writers/ndjson/ndjson_profile.h"
#include "writers/ndjson/ndjson_rows.h"
#include "writers/ndjson/ndjson_survey.h"

namespace heapglot {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using ndjson::Column;
using ndjson::ColumnForm;
using ndjson::Declarations;
using ndjson::Field;
using ndjson::LineWriter;
using ndjson::OwnIds;
using ndjson::Role;
using ndjson::Subtype;
using ndjson::Table;
using ndjson::Type;

constexpr FidelityRow kFidelity[] = {
    {"ndjson.values", LossClass::kDropped,
     "values of an edge that stand before it are left out"},
    {"ndjson.column", LossClass::kDropped,
     "columns and tables that only one format has are left out"},
    {"ndjson.graph.text", LossClass::kApproximated,
     "texts of a graph that are no UTF-8 get U+FFFD"},
    {"ndjson.metadata", LossClass::kApproximated,
     "metadata keeps key and value only; what is no UTF-8 gets U+FFFD"},
    {"ndjson.edge.immediate", LossClass::kDropped,
     "an immediate integer of 64 bits is left out"},
};

constexpr NamedLayout kLayouts[] = {
    {"object", "records as objects with names", "1;shape=object;all"},
    {"array", "records as arrays, the usual one", "1;all"},
};

const char* NoteOf(std::string_view code) {
  for (const FidelityRow& row : kFidelity)
    if (row.code == code) return row.note.data();
  return "";
}

// Writes a stream of another format.
class NdjsonWriter : public Writer {
 public:
  NdjsonWriter(ByteSink& sink, const ndjson::Profile& profile, Context& context)
      : context_(context), out_(sink, profile.style) {}

  ChunkSet Wanted(int pass) override;
  Status Accept(const pb::Chunk& chunk) override;
  Status Finish() override;

 private:
  enum Pass { kSurvey, kWrite };

  void BeginFile();
  void WriteHelper(OwnIds::Text text, std::string_view data);
  void WriteGraph(const pb::Graph& graph);
  void WriteGraphField(const pb::Graph& graph, const FieldDescriptor& field);
  void WriteSchemas(const pb::Graph& graph);
  void WriteVocabulary(const pb::Vocabulary& vocabulary);
  void WriteStrings(const pb::Strings& strings);
  void BeginString(std::uint64_t index);
  void EndString();
  void WriteNodes(const pb::Nodes& nodes);
  void WriteEdges(const pb::Edges& edges);
  void WriteEdge(const pb::Edges& edges, int row, std::uint64_t from);
  std::uint32_t NameFormOf(const pb::Edges& edges, int row) const;
  void WriteDest(const pb::Edges& edges, int row);
  void WriteDecimal(std::uint64_t number);
  bool WriteEdgeField(const pb::Edges& edges, int row, Role role);
  void WriteTable(const pb::Chunk& chunk);
  void WriteRow(const Message& rows, std::span<const Column> columns,
                const Type& type, int row);
  bool WriteCell(const Message& rows, const Column& column, int row);
  bool WriteTarget(const Message& rows, const Column& column, int row);
  bool WriteDangling(const Message& rows, int row);
  void WriteTypeFields(const pb::Types& types, int row);
  void WriteMetadata(const pb::Metadata& metadata);
  void WriteValues(const pb::Values& values);
  void WriteValue(const pb::Values& values, int row);
  bool WriteImmediate(std::uint64_t value);
  void WriteExtra(const pb::Extra& extra);
  void Lose(std::string_view code, std::uint64_t count) {
    for (const FidelityRow& row : kFidelity)
      if (row.code == code)
        context_.loss.Add(code, row.loss_class, count, NoteOf(code));
  }

  Context& context_;
  LineWriter out_;
  int pass_ = 0;
  Declarations declared_;
  OwnIds ids_;
  ndjson::Decimals decimals_;
  std::uint64_t graph_ = 0;                // ordinal + 1
  std::uint64_t node_base_ = 0;            // nodes of the graphs before
  std::uint64_t edges_ = 0;                // of this graph so far
  std::vector<std::uint32_t> name_forms_;  // of kinds of edge
  int type_field_ = 0;                     // of this chunk
  bool is_in_string_ = false;
  std::uint64_t string_ = 0;  // index of that
  bool is_text_ = true;       // it is UTF-8 so far
  bool is_wtf8_ = true;       // its surrogates stand alone, but it is text
  std::string rest_;          // bytes of it, if it is not
  std::uint64_t wide_immediates_ = 0;
};

ChunkSet NdjsonWriter::Wanted(int pass) {
  pass_ = pass;
  switch (pass) {
    case kSurvey:
      return {pb::Chunk::kHeader,     pb::Chunk::kFooter,
              pb::Chunk::kGraph,      pb::Chunk::kGraphEnd,
              pb::Chunk::kVocabulary, pb::Chunk::kTypes,
              pb::Chunk::kNodes,      pb::Chunk::kRoots,
              pb::Chunk::kExternals,  pb::Chunk::kLocations,
              pb::Chunk::kSamples,    pb::Chunk::kTraceFunctions,
              pb::Chunk::kTraceNodes, pb::Chunk::kStackFrames,
              pb::Chunk::kThreads,    pb::Chunk::kExtra,
              pb::Chunk::kValues};
    case kWrite:
      BeginFile();
      return {pb::Chunk::kGraph,      pb::Chunk::kGraphEnd,
              pb::Chunk::kVocabulary, pb::Chunk::kTypes,
              pb::Chunk::kStrings,    pb::Chunk::kNodes,
              pb::Chunk::kEdges,      pb::Chunk::kRoots,
              pb::Chunk::kExternals,  pb::Chunk::kLocations,
              pb::Chunk::kSamples,    pb::Chunk::kTraceFunctions,
              pb::Chunk::kTraceNodes, pb::Chunk::kStackFrames,
              pb::Chunk::kThreads,    pb::Chunk::kExtra,
              pb::Chunk::kMetadata,   pb::Chunk::kValues,
              pb::Chunk::kExtraTable};
    default:
      return {};
  }
}

Status NdjsonWriter::Accept(const pb::Chunk& chunk) {
  if (pass_ == kSurvey) {
    declared_.Add(chunk);
    return {};
  }
  switch (chunk.body_case()) {
    case pb::Chunk::kGraph:
      WriteGraph(chunk.graph());
      break;
    case pb::Chunk::kGraphEnd:
      node_base_ += chunk.graph_end().nodes();
      break;
    case pb::Chunk::kVocabulary:
      WriteVocabulary(chunk.vocabulary());
      break;
    case pb::Chunk::kStrings:
      WriteStrings(chunk.strings());
      break;
    case pb::Chunk::kNodes:
      WriteNodes(chunk.nodes());
      break;
    case pb::Chunk::kEdges:
      WriteEdges(chunk.edges());
      break;
    case pb::Chunk::kMetadata:
      WriteMetadata(chunk.metadata());
      break;
    case pb::Chunk::kExtra:
      WriteExtra(chunk.extra());
      break;
    case pb::Chunk::kValues:
      WriteValues(chunk.values());
      break;
    case pb::Chunk::kExtraTable:
      Lose("ndjson.column", 1);
      break;
    default:
      WriteTable(chunk);
  }
  return out_.out().status();
}

Status NdjsonWriter::Finish() {
  Lose("ndjson.edge.immediate", wide_immediates_);
  out_.Trailer();
  out_.out().Flush();
  return out_.out().status();
}

// --------------------------------------------------------------- the start

void NdjsonWriter::WriteHelper(OwnIds::Text text, std::string_view data) {
  out_.Begin(declared_.string(), nullptr);
  out_.StringId(ids_.Of(text));
  out_.Text(data);
  out_.End();
}

void NdjsonWriter::BeginFile() {
  declared_.Finish();
  ids_.strings = declared_.strings();
  out_.Metadata("version_major", "1");
  out_.Metadata("hg.physical", "ndjson/1");
  out_.Metadata(ndjson::kStreamKey, "1");
  out_.Metadata("hg.generator", "heapglot");
  out_.Metadata("hg.strings", std::to_string(declared_.strings()));
  if (!declared_.header().format().empty())
    out_.Metadata("hg.format", declared_.header().format());
  if (!declared_.header().dialect().empty())
    out_.Metadata("hg.dialect", declared_.header().dialect());
  declared_.Write(&out_);
  WriteHelper(OwnIds::kEmpty, "");
  WriteHelper(OwnIds::kNull, "null");
  WriteHelper(OwnIds::kFalse, "false");
  WriteHelper(OwnIds::kTrue, "true");
}

void NdjsonWriter::WriteGraphField(const pb::Graph& graph,
                                   const FieldDescriptor& field) {
  const Reflection& reflection = *pb::Graph::GetReflection();
  if (!reflection.HasField(graph, &field)) {
    out_.Absent();
    return;
  }
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_MESSAGE: {
      const auto& text =
          static_cast<const pb::Text&>(reflection.GetMessage(graph, &field));
      out_.Text(text.data());
      Lose("ndjson.graph.text", text.encoding() != pb::UTF8 ? 1 : 0);
      break;
    }
    case FieldDescriptor::CPPTYPE_BOOL:
      out_.Bool(reflection.GetBool(graph, &field));
      break;
    case FieldDescriptor::CPPTYPE_UINT32:
      out_.Uint(reflection.GetUInt32(graph, &field));
      break;
    case FieldDescriptor::CPPTYPE_ENUM:
      out_.Uint(
          static_cast<std::uint64_t>(reflection.GetEnumValue(graph, &field)));
      break;
    default:
      if (field.number() == pb::Graph::kRootRefFieldNumber)
        out_.Id(OwnIds::Node(node_base_ + graph.root_ref() - 1));
      else
        out_.Uint(reflection.GetUInt64(graph, &field));
  }
}

void NdjsonWriter::WriteGraph(const pb::Graph& graph) {
  ++graph_;
  name_forms_.clear();
  edges_ = 0;
  out_.Begin(*declared_.graph(), nullptr);
  for (const Field& field : declared_.graph()->layout.fields) {
    WriteGraphField(graph,
                    *pb::Graph::descriptor()->FindFieldByName(field.name));
  }
  out_.End();
  WriteSchemas(graph);
}

void NdjsonWriter::WriteSchemas(const pb::Graph& graph) {
  const auto* const descriptor = pb::Graph::descriptor();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const FieldDescriptor& field = *descriptor->field(i);
    if (!field.is_repeated()) continue;
    const Reflection& reflection = *pb::Graph::GetReflection();
    for (int row = 0; row < reflection.FieldSize(graph, &field); ++row) {
      const auto& column = static_cast<const pb::Graph::Field&>(
          reflection.GetRepeatedMessage(graph, &field, row));
      out_.Begin(*declared_.schema(), nullptr);
      out_.Text(field.name());
      out_.Text(column.name());
      out_.Text(column.type());
      out_.End();
    }
  }
}

// The words of the rows of all spaces: hg.word.
void NdjsonWriter::WriteVocabulary(const pb::Vocabulary& vocabulary) {
  const int rows =
      std::max({vocabulary.name_size(), vocabulary.known_size(),
                vocabulary.source_code_size(), vocabulary.name_form_size()});
  for (int row = 0; row < rows; ++row) {
    if (vocabulary.space() == pb::Vocabulary::EDGE_KIND)
      name_forms_.push_back(At(vocabulary.name_form(), row));
    out_.Begin(*declared_.word(), nullptr);
    out_.Uint(static_cast<std::uint64_t>(vocabulary.space()));
    for (const Column& column : ndjson::kWordColumns) {
      if (!WriteCell(vocabulary, column, row)) out_.Absent();
    }
    out_.End();
  }
}

// ------------------------------------------------------------------ strings

void NdjsonWriter::BeginString(std::uint64_t index) {
  string_ = index;
  is_text_ = is_wtf8_ = true;
  rest_.clear();
  out_.Begin(declared_.string(), nullptr);
  out_.StringId(ids_.String(index));
  out_.BeginText();
}

void NdjsonWriter::EndString() {
  out_.EndText();
  if (!is_text_) {
    // What could not be written as text stands beside it.
    if (is_wtf8_) {
      out_.Base64(ndjson::Utf16Of(rest_));
    } else {
      out_.Absent();
      out_.Base64(rest_);
    }
  }
  out_.End();
}

void NdjsonWriter::WriteStrings(const pb::Strings& strings) {
  std::string_view rest = strings.data();
  const int rows = strings.length_size();
  for (int row = 0; row < rows; ++row) {
    if (!is_in_string_)
      BeginString(strings.first() + static_cast<std::uint64_t>(row));
    const std::string_view text = rest.substr(0, strings.length(row));
    rest.remove_prefix(text.size());
    const int encoding = At(strings.encoding(), row);
    is_text_ = is_text_ && encoding == pb::UTF8;
    is_wtf8_ = is_wtf8_ && encoding != pb::BYTES;
    is_in_string_ = strings.continued() && row + 1 == rows;
    // A piece of a longer string: what comes may be no text.
    if (!is_text_ || is_in_string_ || !rest_.empty()) rest_.append(text);
    out_.AppendText(text);
    if (!is_in_string_) EndString();
  }
}

// -------------------------------------------------------------------- nodes

void NdjsonWriter::WriteNodes(const pb::Nodes& nodes) {
  Lose("ndjson.column", static_cast<std::uint64_t>(nodes.extra_size()));
  for (int row = 0; row < static_cast<int>(nodes.count()); ++row) {
    const Subtype& subtype = *declared_.NodeSubtype(At(nodes.kind(), row));
    out_.Begin(declared_.node(), &subtype);
    for (const Field& field : subtype.layout.fields) {
      if (field.role == Role::kIdentifier) {
        out_.Id(OwnIds::Node(node_base_ + nodes.first() +
                             static_cast<std::uint64_t>(row)));
      } else if (field.role == Role::kSubtype) {
        out_.SubtypeField();
      } else if (field.role == Role::kHgHeap) {
        out_.Uint(graph_ - 1);
      } else if (!ndjson::WriteOwnField(nodes, row, field.role, subtype.layout,
                                        ids_, &out_)) {
        out_.Absent();
      }
    }
    out_.End();
  }
}

// -------------------------------------------------------------------- edges

std::uint32_t NdjsonWriter::NameFormOf(const pb::Edges& edges, int row) const {
  if (!edges.name_form().empty()) return edges.name_form(row);
  const std::uint32_t kind = At(edges.kind(), row);
  return kind < name_forms_.size() ? name_forms_[kind] : pb::NAME_NONE + 0u;
}

void NdjsonWriter::WriteEdges(const pb::Edges& edges) {
  Lose("ndjson.column", static_cast<std::uint64_t>(edges.extra_size()));
  edges_ += edges.count();
  if (edges.edges_per_node().empty()) {
    for (int row = 0; row < static_cast<int>(edges.count()); ++row)
      WriteEdge(edges, row, At(edges.from(), row));
    return;
  }
  int row = 0;
  std::uint64_t from = edges.first_node();
  for (const std::uint32_t count : edges.edges_per_node()) {
    for (const int end = row + static_cast<int>(count); row < end; ++row)
      WriteEdge(edges, row, from);
    ++from;
  }
}

void NdjsonWriter::WriteDecimal(std::uint64_t number) {
  out_.Begin(declared_.string(), nullptr);
  out_.StringId(OwnIds::Decimal(number));
  out_.Text(std::to_string(number));
  out_.End();
}

void NdjsonWriter::WriteEdge(const pb::Edges& edges, int row,
                             std::uint64_t from) {
  const std::uint64_t name = At(edges.name(), row);
  if (NameFormOf(edges, row) == pb::NAME_NUMBER &&
      name <= OwnIds::kMaxDecimal && decimals_.Add(name))
    WriteDecimal(name);
  const Subtype& subtype = *declared_.EdgeSubtype(At(edges.kind(), row));
  out_.Begin(declared_.edge(), &subtype);
  for (const Field& field : subtype.layout.fields) {
    if (field.role == Role::kSubtype)
      out_.SubtypeField();
    else if (field.role == Role::kSource)
      out_.Id(OwnIds::Node(node_base_ + from));
    else if (field.role == Role::kDest)
      WriteDest(edges, row);
    else if (!WriteEdgeField(edges, row, field.role))
      out_.Absent();
  }
  out_.End();
}

// False if the edge has no such field.
bool NdjsonWriter::WriteEdgeField(const pb::Edges& edges, int row, Role role) {
  const std::uint32_t form = NameFormOf(edges, row);
  const std::uint64_t name = At(edges.name(), row);
  switch (role) {
    case Role::kLabel:
      if (form == pb::NAME_STRING)
        out_.StringId(ids_.Reference(name));
      else if (form == pb::NAME_NUMBER && name <= OwnIds::kMaxDecimal)
        out_.StringId(OwnIds::Decimal(name));
      else
        return false;
      return true;
    case Role::kHgDangling:
      if (At(edges.to_form(), row) != pb::TO_DANGLING) return false;
      out_.Uint(At(edges.to(), row));
      return true;
    case Role::kHgNumber:
      if (form != pb::NAME_NUMBER || name <= OwnIds::kMaxDecimal) return false;
      out_.Int(static_cast<std::int64_t>(name));
      return true;
    case Role::kHgNameForm: {
      const std::uint32_t kind = At(edges.kind(), row);
      const bool usual =
          kind >= name_forms_.size() || name_forms_[kind] == pb::NAME_NONE;
      if (form != pb::NAME_NONE || usual) return false;
      out_.Uint(form);
      return true;
    }
    default:
      if (At(edges.flags(), row) == 0) return false;
      out_.Uint(edges.flags(row));
      return true;
  }
}

void NdjsonWriter::WriteDest(const pb::Edges& edges, int row) {
  const std::uint64_t to = At(edges.to(), row);
  switch (At(edges.to_form(), row)) {
    case pb::TO_NODE:
      out_.Id(OwnIds::Node(node_base_ + to));
      return;
    case pb::TO_IMMEDIATE:
      if (WriteImmediate(to)) return;
      [[fallthrough]];
    default:
      out_.Absent();
  }
}

// False if it has too many bits.
bool NdjsonWriter::WriteImmediate(std::uint64_t value) {
  if (static_cast<std::int64_t>(value << 1) >> 1 !=
      static_cast<std::int64_t>(value)) {
    ++wide_immediates_;
    return false;
  }
  out_.Value(value << 1);
  return true;
}

// ------------------------------------------------------------------- tables

bool NdjsonWriter::WriteTarget(const Message& rows, const Column& column,
                               int row) {
  const Reflection& reflection = *rows.GetReflection();
  const auto& descriptor = *rows.GetDescriptor();
  const FieldDescriptor* const to = descriptor.FindFieldByNumber(column.number);
  const FieldDescriptor* const forms = descriptor.FindFieldByName("to_form");
  const std::uint32_t form =
      reflection.FieldSize(rows, forms) == 0
          ? 0
          : reflection.GetRepeatedUInt32(rows, forms, row);
  const std::uint64_t node = reflection.FieldSize(rows, to) == 0
                                 ? 0
                                 : reflection.GetRepeatedUInt64(rows, to, row);
  if (form == pb::TO_IMMEDIATE) return WriteImmediate(node);
  if (form != pb::TO_NODE) return false;
  out_.Id(OwnIds::Node(node_base_ + node));
  return true;
}

bool NdjsonWriter::WriteDangling(const Message& rows, int row) {
  const Reflection& reflection = *rows.GetReflection();
  const auto& descriptor = *rows.GetDescriptor();
  const FieldDescriptor* const forms = descriptor.FindFieldByName("to_form");
  if (reflection.FieldSize(rows, forms) == 0 ||
      reflection.GetRepeatedUInt32(rows, forms, row) != pb::TO_DANGLING)
    return false;
  out_.Uint(reflection.GetRepeatedUInt64(rows, descriptor.FindFieldByName("to"),
                                         row));
  return true;
}

bool NdjsonWriter::WriteCell(const Message& rows, const Column& column,
                             int row) {
  if (column.form == ColumnForm::kTarget) return WriteTarget(rows, column, row);
  const Reflection& reflection = *rows.GetReflection();
  const FieldDescriptor* const field =
      rows.GetDescriptor()->FindFieldByNumber(column.number);
  if (reflection.FieldSize(rows, field) == 0) return false;
  std::uint64_t cell = 0;
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_UINT32:
      cell = reflection.GetRepeatedUInt32(rows, field, row);
      break;
    case FieldDescriptor::CPPTYPE_INT64:
      cell = static_cast<std::uint64_t>(
          reflection.GetRepeatedInt64(rows, field, row));
      break;
    default:
      cell = reflection.GetRepeatedUInt64(rows, field, row);
  }
  if (cell == 0) return false;
  switch (column.form) {
    case ColumnForm::kString:
      out_.StringId(ids_.String(cell));
      break;
    case ColumnForm::kNode:
      out_.Id(OwnIds::Node(node_base_ + cell - 1));
      break;
    case ColumnForm::kSigned:
      out_.Int(static_cast<std::int64_t>(cell));
      break;
    default:
      out_.Uint(cell);
  }
  return true;
}

// The fields of a record are columns in their order, or those of them that are
// in use; `dangling` stands behind them.
void NdjsonWriter::WriteRow(const Message& rows,
                            std::span<const Column> columns, const Type& type,
                            int row) {
  out_.Begin(type, nullptr);
  std::size_t next = 0;
  for (const Field& field : type.layout.fields) {
    if (field.name == "dangling") {
      if (!WriteDangling(rows, row)) out_.Absent();
      continue;
    }
    while (columns[next].field != field.name) ++next;
    if (!WriteCell(rows, columns[next], row)) out_.Absent();
  }
  out_.End();
}

void NdjsonWriter::WriteTypeFields(const pb::Types& types, int row) {
  for (std::uint32_t i = 0; i < At(types.field_count(), row); ++i) {
    WriteRow(types, ndjson::kTypeFieldColumns, *declared_.type_field(),
             type_field_++);
  }
}

void NdjsonWriter::WriteTable(const pb::Chunk& chunk) {
  type_field_ = 0;
  for (std::size_t i = 0; i < ndjson::kTableCount; ++i) {
    const Table& table = ndjson::kTables[i];
    if (table.body != chunk.body_case()) continue;
    const Message& rows = pb::Chunk::GetReflection()->GetMessage(
        chunk, pb::Chunk::descriptor()->FindFieldByNumber(table.body));
    const auto& descriptor = *rows.GetDescriptor();
    const Reflection& reflection = *rows.GetReflection();
    const auto count = static_cast<int>(
        reflection.GetUInt32(rows, descriptor.FindFieldByName("count")));
    for (int row = 0; row < count; ++row) {
      WriteRow(rows, table.columns, *declared_.table(i), row);
      if (chunk.has_types()) WriteTypeFields(chunk.types(), row);
    }
    const FieldDescriptor* const extra = descriptor.FindFieldByName("extra");
    if (extra != nullptr) {
      Lose("ndjson.column",
           static_cast<std::uint64_t>(reflection.FieldSize(rows, extra)));
    }
    Lose("ndjson.column",
         static_cast<std::uint64_t>(chunk.types().field_extra_size()));
  }
}

void NdjsonWriter::WriteMetadata(const pb::Metadata& metadata) {
  for (const pb::Metadata::Entry& entry : metadata.entry()) {
    const std::string& key = entry.key().data();
    const bool plain = entry.origin().empty() &&
                       entry.is_volatile() == ndjson::IsVolatileKey(key) &&
                       entry.key().encoding() == pb::UTF8 &&
                       entry.value().encoding() == pb::UTF8;
    out_.Metadata(ndjson::OwnMetadataKey(key), entry.value().data());
    Lose("ndjson.metadata", plain ? 0 : 1);
  }
}

void NdjsonWriter::WriteValues(const pb::Values& values) {
  for (int row = 0; row < static_cast<int>(values.count()); ++row) {
    // The edges of a file have no ids: a reader counts those that it has seen.
    const bool too_early = values.owner_space() == pb::Values::OF_EDGE &&
                           At(values.owner(), row) >= edges_;
    if (too_early)
      Lose("ndjson.values", 1);
    else
      WriteValue(values, row);
  }
}

void NdjsonWriter::WriteValue(const pb::Values& values, int row) {
  const std::uint64_t owner = At(values.owner(), row);
  const std::uint64_t key = At(values.key(), row);
  const std::uint32_t form = At(values.form(), row);
  const std::uint64_t value = At(values.value(), row);
  const std::uint64_t text = ndjson::IsStringForm(form) ? value : 0;
  const auto number = [this](std::uint64_t cell) {
    if (cell == 0)
      out_.Absent();
    else
      out_.Uint(cell);
  };
  const auto string = [this](std::uint64_t index) {
    if (index == 0)
      out_.Absent();
    else
      out_.StringId(ids_.String(index));
  };
  out_.Begin(*declared_.value(), nullptr);
  out_.Uint(static_cast<std::uint64_t>(values.owner_space()));
  if (values.owner_space() == pb::Values::OF_NODE)
    out_.Uint(OwnIds::Node(node_base_ + owner));
  else if (values.owner_space() == pb::Values::OF_STRING)
    out_.Uint(ids_.Reference(owner));
  else
    out_.Uint(owner);
  string(key);
  number(form);
  number(ndjson::IsStringForm(form) ? 0 : value);
  string(text);
  number(At(values.length(), row));
  number(At(values.encoding(), row));
  out_.End();
}

void NdjsonWriter::WriteExtra(const pb::Extra& extra) {
  out_.Begin(*declared_.extra(), nullptr);
  out_.Text(extra.format());
  out_.Text(extra.section());
  out_.Uint(extra.position());
  out_.Base64(extra.data());
  if (extra.continued())
    out_.Bool(true);
  else
    out_.Absent();
  out_.End();
}

}  // namespace

constinit const WriterInfo kNdjsonWriter = {
    .name = "ndjson",
    .title = "extensible heap dump (NDJSON)",
    .extensions = "ndjson",
    .several_graphs = true,
    .ungrouped_edges = true,
    .fidelity = kFidelity,
    .profile =
        [](const ByteSource& source) {
          return ndjson::DescribeProfile(source.bytes());
        },
    .layouts = kLayouts,
    .make = [](ByteSink& sink, const WriterOptions& options,
               Context& context) -> std::unique_ptr<Writer> {
      const ndjson::Profile profile = ndjson::ReadProfile(options.profile);
      if (options.native)
        return ndjson::MakeNativeWriter(sink, profile, context);
      return std::make_unique<NdjsonWriter>(sink, profile, context);
    },
};

}  // namespace heapglot
