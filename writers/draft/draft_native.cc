#include "writers/draft/draft_native.h"

#include <algorithm>

#include "core/column.h"
#include "core/draft/draft_values.h"
#include "core/ir/node_id.h"
#include "core/ir/word_count.h"

namespace heapglot::draft {

ChunkSet NativeWriter::Wanted(int pass) {
  pass_ = pass;
  switch (pass) {
    case kSurvey:
      return {pb::Chunk::kHeader,  pb::Chunk::kGraph, pb::Chunk::kGraphEnd,
              pb::Chunk::kStrings, pb::Chunk::kNodes, pb::Chunk::kFooter};
    case kWrite:
      out_->BeginFile(traits_);
      return {pb::Chunk::kGraph,      pb::Chunk::kGraphEnd,
              pb::Chunk::kVocabulary, pb::Chunk::kStrings,
              pb::Chunk::kNodes,      pb::Chunk::kEdges,
              pb::Chunk::kValues,     pb::Chunk::kMetadata,
              pb::Chunk::kExtra,      pb::Chunk::kRecordOrder};
    default:
      return {};
  }
}

// ------------------------------------------------------------------- survey

void NativeWriter::SurveyStrings(const pb::Strings& strings) {
  if (strings.names()) names_.Add(strings);
  for (int row = 0; row < strings.length_size(); ++row) {
    if (!goes_on_) string_ids_.push_back(0);
    string_ids_.back() = At(strings.source_id(), row);
    goes_on_ = strings.continued() && row + 1 == strings.length_size();
  }
}

void NativeWriter::Survey(const pb::Chunk& chunk) {
  if (chunk.has_header() && chunk.header().dialect() == "heapglot") {
    is_own_ = true;
    node_values_.LeaveRecordsOut();
    edge_values_.LeaveRecordsOut();
  }
  if (chunk.has_header() && chunk.header().dialect() == "pmx") {
    traits_.is_version0 = true;
    schema_.AddVersion0();
    parser_.AllowTwins();
  }
  if (chunk.has_graph() && !chunk.graph().edges_grouped())
    traits_.is_scattered = true;
  if (chunk.has_graph_end()) {
    traits_.nodes += chunk.graph_end().nodes();
    traits_.edges += chunk.graph_end().edges();
  }
  if (chunk.has_strings()) SurveyStrings(chunk.strings());
  if (chunk.has_nodes() && !is_own_) {
    for (int row = 0; row < static_cast<int>(chunk.nodes().count()); ++row)
      node_ids_.Add(NodeIdAt(chunk.nodes(), row));
  }
}

// ------------------------------------------------------------------- window

void NativeWriter::AddStrings(const pb::Chunk& chunk) {
  if (chunk.strings().names()) return;
  strings_.Add(chunk);
  made_.Add(chunk.strings());
}

void NativeWriter::AddKinds(const pb::Vocabulary& words) {
  if (words.space() > pb::Vocabulary::EDGE_KIND) return;
  auto& kinds =
      words.space() == pb::Vocabulary::NODE_KIND ? node_kinds_ : edge_kinds_;
  for (int i = 0; i < WordCount(words); ++i) {
    kinds.push_back({static_cast<std::uint64_t>(At(words.source_code(), i)),
                     At(words.name_form(), i)});
  }
  synthesized_.Add(words);
}

Status NativeWriter::Accept(const pb::Chunk& chunk) {
  if (pass_ == kSurvey) {
    Survey(chunk);
    return {};
  }
  switch (chunk.body_case()) {
    case pb::Chunk::kGraph:
      ++graph_;
      node_kinds_.clear();
      edge_kinds_.clear();
      synthesized_ = {};
      break;
    case pb::Chunk::kGraphEnd:
      ReplayAll();
      node_base_ += chunk.graph_end().nodes();
      break;
    case pb::Chunk::kVocabulary:
      AddKinds(chunk.vocabulary());
      break;
    case pb::Chunk::kStrings:
      AddStrings(chunk);
      break;
    case pb::Chunk::kNodes:
      nodes_.Add(chunk);
      break;
    case pb::Chunk::kEdges:
      edges_.Add(chunk);
      break;
    case pb::Chunk::kValues:
      if (chunk.values().owner_space() == pb::Values::OF_NODE)
        node_values_.Add(chunk);
      else if (chunk.values().owner_space() == pb::Values::OF_EDGE)
        edge_values_.Add(chunk);
      break;
    case pb::Chunk::kMetadata:
      metadata_.Add(chunk);
      break;
    case pb::Chunk::kExtra:
      if (chunk.extra().format() == form_.name())
        lines_.text += chunk.extra().data();
      break;
    default:
      Replay(chunk.record_order());
  }
  return status_.ok() ? out_->status() : status_;
}

void NativeWriter::Clear() {
  strings_.Clear();
  nodes_.Clear();
  edges_.Clear();
  metadata_.Clear();
  node_values_.Clear();
  edge_values_.Clear();
  made_.Clear();
  lines_ = {};
  order_lines_ = {};
  edge_slot_ = -1;
  edge_left_ = 0;
}

void NativeWriter::Replay(const pb::RecordOrder& order) {
  order_lines_ = {order.lines()};
  for (int i = 0; i < order.body_size(); ++i) {
    for (std::uint64_t left = At(order.run(), i); left > 0; --left)
      if (!WriteOne(order.body(i))) break;
  }
  ReplayAll();
}

// Writes what no RecordOrder mentions.
void NativeWriter::ReplayAll() {
  for (const auto body :
       {pb::Chunk::kMetadata, pb::Chunk::kRecordOrder, pb::Chunk::kExtra,
        pb::Chunk::kStrings, pb::Chunk::kNodes, pb::Chunk::kEdges}) {
    while (WriteOne(body)) {
    }
  }
  Clear();
}

bool NativeWriter::WriteOne(std::uint32_t body) {
  switch (body) {
    case pb::Chunk::kMetadata:
      return WriteMetadata();
    case pb::Chunk::kExtra:
      return WriteLine(lines_);
    case pb::Chunk::kRecordOrder:
      return WriteLine(order_lines_);
    case pb::Chunk::kStrings:
      return WriteString();
    case pb::Chunk::kNodes:
      return WriteNode();
    case pb::Chunk::kEdges:
      return WriteEdge();
    default:
      return false;
  }
}

Status NativeWriter::Finish() { return out_->EndFile(nullptr); }

// -------------------------------------------------------------------- lines

bool NativeWriter::WriteLine(Verbatim& lines) {
  const std::string_view rest = std::string_view(lines.text).substr(lines.at);
  if (rest.empty()) return false;
  const std::size_t feed = rest.find('\n');
  const std::string_view line =
      rest.substr(0, feed == std::string_view::npos ? feed : feed + 1);
  lines.at += line.size();
  LineError error;
  if (parser_.Parse(line.substr(0, line.find('\n')), ++offset_, &record_,
                    &error)) {
    if (!out_->takes_lines()) {
      Rewrite();
      return true;
    }
    if (CanReshape()) {
      Reshape();
      return true;
    }
    Learn();
  }
  out_->Line(line);
  return true;
}

// Whether the record of a verbatim line should get the other shape, and can.
bool NativeWriter::CanReshape() const {
  const bool to_other =
      record_.is_array ? shape_ == Lines::kObjects : shape_ == Lines::kArrays;
  if (!to_other || record_.kind != LineKind::kData ||
      !record_.surplus.empty() || !record_.type->has_code) {
    return false;
  }
  if (!record_.is_array) {
    const auto unused = [](const Record::Pair& pair) { return !pair.used; };
    if (std::any_of(record_.pairs.begin(), record_.pairs.end(), unused))
      return false;
  }
  return true;
}

// For a form that has no lines. It has no records of unknown types either.
void NativeWriter::Rewrite() {
  Learn();
  if (record_.kind == LineKind::kData)
    Reshape();
  else if (record_.kind == LineKind::kMetadata)
    out_->Metadata(record_.Text(record_.Find("key")),
                   record_.Text(record_.Find("value")));
}

// We write integers that JavaScript would round, and all addresses, as text.
// False: the field is neither.
bool NativeWriter::WriteAsText(std::size_t slot) {
  const Token& token = record_.fields[slot];
  Integer integer;
  const bool is_number =
      token.kind == TokenKind::kUint || token.kind == TokenKind::kNumber;
  const bool is_integer = is_number && record_.layout->limits[slot] != 0 &&
                          ReadInteger(token, &integer);
  if (!is_integer) return false;
  if (record_.layout->fields[slot].type == FieldType::kAddr &&
      !integer.negative)
    out_->Hex(integer.magnitude);
  else if (integer.magnitude <= kMaxSafe)
    return false;
  else if (integer.negative)
    out_->Int(static_cast<std::int64_t>(integer.bits()));
  else
    out_->Uint(integer.magnitude);
  return true;
}

void NativeWriter::Reshape() {
  out_->Begin(*record_.type, record_.subtype);
  for (std::size_t slot = 0; slot < record_.fields.size(); ++slot) {
    const Token& token = record_.fields[slot];
    const Role role = record_.layout->fields[slot].role;
    if (token.is_null())
      out_->Absent();
    else if (role == Role::kSubtype && record_.subtype != nullptr)
      out_->SubtypeField();
    else if (!WriteAsText(slot))
      out_->Raw(JsonOf(token));
  }
  out_->End();
}

// Lines that a reader sends are within its limits; those of a heapir may not
// be. `of`: a subtype of that is declared; nullptr: a type is.
bool NativeWriter::HasRoom(const Type* of, std::span<const Field> fields) {
  // The draft's own types may have been added.
  constexpr std::size_t kMost = 2 * kMaxTypes;
  const std::size_t known =
      of == nullptr ? schema_.types().size() : of->subtypes.size();
  if (known < kMost && fields.size() <= kMaxFields &&
      schema_.HasRoomFor(of, fields))
    return true;
  if (status_.ok())
    status_ = {Code::kLimit, form_.Say("too many types, or fields")};
  return false;
}

// A verbatim line may declare something, and counts as a record of its type.
void NativeWriter::Learn() {
  const auto text = [this](std::string_view key) {
    return record_.Text(record_.Find(key));
  };
  if (record_.kind == LineKind::kData) {
    out_->Count(record_.type->name);
  } else if (record_.kind == LineKind::kUnknown && !record_.is_array) {
    out_->Count(record_.type_name);
  } else if (record_.kind == LineKind::kType) {
    const std::vector<Field> fields = ReadFields(record_.Find("fields"));
    if (!HasRoom(nullptr, fields)) return;
    const Type* const type = schema_.AddType(
        text("name"), record_.Find("code").value, offset_, fields);
    if (type != nullptr && !out_->takes_lines()) out_->Declare(*type);
  } else if (record_.kind == LineKind::kSubtype) {
    Type* const of = schema_.FindType(text("of"), offset_);
    if (of == nullptr) return;
    const std::vector<Field> fields = ReadFields(record_.Find("fields"));
    if (!HasRoom(of, fields)) return;
    const Subtype* const subtype = schema_.AddSubtype(
        *of, text("name"), record_.Find("code").value, offset_, fields);
    if (subtype != nullptr && !out_->takes_lines())
      out_->Declare(*of, *subtype);
  } else if (record_.kind == LineKind::kMetadata && is_own_ &&
             text("key") == "hg.strings") {
    std::uint64_t strings = 0;
    for (const char digit : text("value"))
      strings = 10 * strings + static_cast<std::uint64_t>(digit - '0');
    ids_.strings = strings;
  }
}

bool NativeWriter::WriteMetadata() {
  const bool there = metadata_.Next(
      [](const pb::Chunk& chunk) { return chunk.metadata().entry_size(); });
  if (!there) return false;
  const pb::Metadata::Entry& entry =
      metadata_.chunk().metadata().entry(metadata_.row());
  const std::string& key = entry.key().data();
  out_->Metadata(is_own_ ? OwnMetadataKey(key) : key, entry.value().data());
  return true;
}

Type* NativeWriter::TypeOf(std::string_view name) {
  Type* const type = schema_.FindType(name, offset_);
  return type != nullptr ? type : schema_.AddDraftType(name);
}

}  // namespace heapglot::draft
