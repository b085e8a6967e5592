#include "writers/draft/draft_stream_writer.h"

#include <google/protobuf/reflection.h>

#include "core/column.h"
#include "core/draft/draft_wire.h"
#include "core/ir/word_count.h"

namespace heapglot::draft {

using google::protobuf::FieldDescriptor;
using google::protobuf::Reflection;

ChunkSet StreamWriter::Wanted(int pass) {
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
              pb::Chunk::kValues,     pb::Chunk::kExtraTable};
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

Status StreamWriter::Accept(const pb::Chunk& chunk) {
  if (pass_ == kSurvey) {
    declared_.Add(chunk);
    if (!declared_.AreTooMany()) return {};
    return {Code::kLimit,
            form_.Say("more than ") + std::to_string(kMaxTypes) +
                " kinds of nodes or edges, which no reader of it takes"};
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
      WriteExtraTable(chunk.extra_table());
      break;
    default:
      WriteTable(chunk);
  }
  return out_->status();
}

Status StreamWriter::Finish() {
  for (std::size_t row = 0; row < losses_.size(); ++row) {
    const LossTally& loss = losses_[row];
    AddLoss(fidelity_[row], loss.count, loss.examples, &context_.loss);
  }
  return out_->EndFile(leftovers_);
}

// --------------------------------------------------------------- the start

void StreamWriter::WriteHelper(OwnText text) {
  out_->Begin(declared_.string(), nullptr);
  out_->StringId(ids_.Of(text));
  out_->Text(kOwnTexts[text]);
  out_->End();
}

void StreamWriter::BeginFile() {
  declared_.Finish();
  ids_.strings = declared_.strings();
  out_->BeginFile(declared_.traits());
  out_->Metadata("version_major", "1");
  out_->Metadata("hg.physical", std::string(form_.name()) + "/1");
  out_->Metadata(kStreamKey, "1");
  out_->Metadata("hg.generator", "heapglot");
  out_->Metadata("hg.strings", std::to_string(declared_.strings()));
  if (!declared_.header().format().empty())
    out_->Metadata("hg.format", declared_.header().format());
  if (!declared_.header().dialect().empty())
    out_->Metadata("hg.dialect", declared_.header().dialect());
  declared_.Write(out_.get());
  for (const OwnText text : {kEmptyText, kNullText, kFalseText, kTrueText})
    WriteHelper(text);
}

void StreamWriter::WriteGraphField(const pb::Graph& graph,
                                   const FieldDescriptor& field) {
  const Reflection& reflection = *pb::Graph::GetReflection();
  if (!reflection.HasField(graph, &field)) {
    out_->Absent();
    return;
  }
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_MESSAGE: {
      const auto& text =
          static_cast<const pb::Text&>(reflection.GetMessage(graph, &field));
      out_->Text(text.data());
      Loss("graph.text").count += text.encoding() != pb::UTF8 ? 1 : 0;
      break;
    }
    case FieldDescriptor::CPPTYPE_BOOL:
      out_->Bool(reflection.GetBool(graph, &field));
      break;
    case FieldDescriptor::CPPTYPE_UINT32:
      out_->Uint(reflection.GetUInt32(graph, &field));
      break;
    case FieldDescriptor::CPPTYPE_ENUM:
      out_->Uint(
          static_cast<std::uint64_t>(reflection.GetEnumValue(graph, &field)));
      break;
    default:
      if (field.number() == pb::Graph::kRootRefFieldNumber)
        out_->Id(OwnIds::Node(node_base_ + graph.root_ref() - 1));
      else
        out_->Uint(reflection.GetUInt64(graph, &field));
  }
}

void StreamWriter::WriteGraph(const pb::Graph& graph) {
  ++graph_;
  ids_.has_node_ids = declared_.HasNodeIds(graph_ - 1);
  name_forms_.clear();
  edges_ = type_fields_ = 0;
  columns_.clear();
  out_->Begin(*declared_.graph(), nullptr);
  for (const Field& field : declared_.graph()->layout.fields) {
    WriteGraphField(graph,
                    *pb::Graph::descriptor()->FindFieldByName(field.name));
  }
  out_->End();
  WriteSchemas(graph);
}

void StreamWriter::WriteSchemas(const pb::Graph& graph) {
  const auto* const descriptor = pb::Graph::descriptor();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const FieldDescriptor& field = *descriptor->field(i);
    if (!field.is_repeated()) continue;
    const Reflection& reflection = *pb::Graph::GetReflection();
    for (int row = 0; row < reflection.FieldSize(graph, &field); ++row) {
      const auto& column = static_cast<const pb::Graph::Field&>(
          reflection.GetRepeatedMessage(graph, &field, row));
      out_->Begin(*declared_.schema(), nullptr);
      out_->Text(field.name());
      out_->Text(column.name());
      out_->Text(column.type());
      out_->End();
    }
  }
}

// Writes the rows of all spaces as records hg.word.
void StreamWriter::WriteVocabulary(const pb::Vocabulary& vocabulary) {
  const int rows = WordCount(vocabulary);
  for (int row = 0; row < rows; ++row) {
    if (vocabulary.space() == pb::Vocabulary::EDGE_KIND)
      name_forms_.push_back(At(vocabulary.name_form(), row));
    out_->Begin(*declared_.word(), nullptr);
    out_->Uint(static_cast<std::uint64_t>(vocabulary.space()));
    for (const Column& column : kWordColumns) {
      if (!WriteCell(vocabulary, column, row)) out_->Absent();
    }
    out_->End();
  }
}

// ------------------------------------------------------------------ strings

void StreamWriter::BeginString(std::uint64_t index) {
  string_ = index;
  is_text_ = is_wtf8_ = true;
  rest_.clear();
  out_->Begin(declared_.string(), nullptr);
  out_->StringId(ids_.String(index));
  out_->BeginText();
}

void StreamWriter::EndString() {
  out_->EndText();
  if (!is_text_) {
    // What the text could not hold is written beside it.
    if (is_wtf8_) {
      out_->Base64(Utf16Of(rest_));
    } else {
      out_->Absent();
      out_->Base64(rest_);
    }
  }
  out_->End();
}

void StreamWriter::WriteStrings(const pb::Strings& strings) {
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
    // If this is a piece of a longer string, what follows may not be text.
    if (!is_text_ || is_in_string_ || !rest_.empty()) rest_.append(text);
    out_->AppendText(text);
    if (!is_in_string_) EndString();
  }
}

// -------------------------------------------------------------------- nodes

void StreamWriter::WriteNodes(const pb::Nodes& nodes) {
  WriteColumns({"node", {}, nodes.first()}, nodes.count(), nodes.extra());
  for (int row = 0; row < static_cast<int>(nodes.count()); ++row) {
    const Subtype& subtype = *declared_.NodeSubtype(At(nodes.kind(), row));
    out_->Begin(declared_.node(), &subtype);
    for (const Field& field : subtype.layout.fields) {
      if (field.role == Role::kIdentifier) {
        out_->Id(OwnIds::Node(node_base_ + nodes.first() +
                              static_cast<std::uint64_t>(row)));
      } else if (field.role == Role::kSubtype) {
        out_->SubtypeField();
      } else if (field.role == Role::kHgHeap) {
        out_->Uint(graph_ - 1);
      } else if (!WriteOwnField(nodes, row, field.role, subtype.layout, ids_,
                                out_.get())) {
        out_->Absent();
      }
    }
    out_->End();
  }
}

// -------------------------------------------------------------------- edges

std::uint32_t StreamWriter::NameFormOf(const pb::Edges& edges, int row) const {
  if (!edges.name_form().empty()) return edges.name_form(row);
  const std::uint32_t kind = At(edges.kind(), row);
  return kind < name_forms_.size() ? name_forms_[kind] : pb::NAME_NONE + 0u;
}

void StreamWriter::WriteEdges(const pb::Edges& edges) {
  WriteColumns({"edge", {}, edges.first()}, edges.count(), edges.extra());
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

void StreamWriter::WriteDecimal(std::uint64_t number) {
  out_->Begin(declared_.string(), nullptr);
  out_->StringId(OwnIds::Decimal(number));
  out_->Text(std::to_string(number));
  out_->End();
}

void StreamWriter::WriteEdge(const pb::Edges& edges, int row,
                             std::uint64_t from) {
  const std::uint64_t name = At(edges.name(), row);
  if (NameFormOf(edges, row) == pb::NAME_NUMBER &&
      name <= OwnIds::kMaxDecimal && decimals_.Add(name))
    WriteDecimal(name);
  const Subtype& subtype = *declared_.EdgeSubtype(At(edges.kind(), row));
  out_->Begin(declared_.edge(), &subtype);
  for (const Field& field : subtype.layout.fields) {
    if (field.role == Role::kSubtype)
      out_->SubtypeField();
    else if (field.role == Role::kSource)
      out_->Id(OwnIds::Node(node_base_ + from));
    else if (field.role == Role::kDest)
      WriteDest(edges, row, from);
    else if (!WriteEdgeField(edges, row, field.role))
      out_->Absent();
  }
  out_->End();
}

// False if the edge has no such field.
bool StreamWriter::WriteEdgeField(const pb::Edges& edges, int row, Role role) {
  const std::uint32_t form = NameFormOf(edges, row);
  const std::uint64_t name = At(edges.name(), row);
  switch (role) {
    case Role::kLabel:
      if (form == pb::NAME_STRING)
        out_->StringId(ids_.Reference(name));
      else if (form == pb::NAME_NUMBER && name <= OwnIds::kMaxDecimal)
        out_->StringId(OwnIds::Decimal(name));
      else
        return false;
      return true;
    case Role::kHgDangling:
      if (At(edges.to_form(), row) != pb::TO_DANGLING) return false;
      out_->Uint(At(edges.to(), row));
      return true;
    case Role::kHgNumber:
      if (form != pb::NAME_NUMBER || name <= OwnIds::kMaxDecimal) return false;
      out_->Int(static_cast<std::int64_t>(name));
      return true;
    case Role::kHgNameForm: {
      const std::uint32_t kind = At(edges.kind(), row);
      const bool usual =
          kind >= name_forms_.size() || name_forms_[kind] == pb::NAME_NONE;
      if (form != pb::NAME_NONE || usual) return false;
      out_->Uint(form);
      return true;
    }
    default:
      if (At(edges.flags(), row) == 0) return false;
      out_->Uint(edges.flags(row));
      return true;
  }
}

void StreamWriter::WriteDest(const pb::Edges& edges, int row,
                             std::uint64_t from) {
  const std::uint64_t to = At(edges.to(), row);
  switch (At(edges.to_form(), row)) {
    case pb::TO_NODE:
      out_->Id(OwnIds::Node(node_base_ + to));
      return;
    case pb::TO_IMMEDIATE:
      if (WriteImmediate(to)) return;
      Loss("edge.immediate.wide").Add(from);
      [[fallthrough]];
    default:
      out_->Absent();
  }
}

// False if it has too many bits.
bool StreamWriter::WriteImmediate(std::uint64_t value) {
  if (static_cast<std::int64_t>(value << 1) >> 1 !=
      static_cast<std::int64_t>(value))
    return false;
  out_->Value(value << 1);
  return true;
}

}  // namespace heapglot::draft
