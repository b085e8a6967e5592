#include "writers/ndjson/ndjson_native.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "core/column.h"
#include "core/text/string_texts.h"
#include "readers/ndjson/ndjson_record.h"
#include "writers/ndjson/ndjson_lines.h"
#include "writers/ndjson/ndjson_rows.h"

namespace heapglot::ndjson {
namespace {

// Names of fields are not longer.
constexpr std::size_t kMaxName = 1024;
constexpr std::uint64_t kMaxDepth = 1000;

// Rows that wait for their turn.
class Rows {
 public:
  void Add(const pb::Chunk& chunk) { chunks_.push_back(chunk); }
  // Moves to the next row of `rows` a chunk; false at the end.
  template <typename RowsOf>
  bool Next(RowsOf&& rows_of) {
    if (at_ < chunks_.size() && begun_) ++row_;
    begun_ = true;
    while (at_ < chunks_.size() && row_ >= rows_of(chunks_[at_])) {
      ++at_;
      row_ = 0;
    }
    return at_ < chunks_.size();
  }
  const pb::Chunk& chunk() const { return chunks_[at_]; }
  int row() const { return row_; }
  bool empty() const { return chunks_.empty(); }
  void Clear() {
    chunks_.clear();
    at_ = 0;
    row_ = 0;
    begun_ = false;
  }

 private:
  std::vector<pb::Chunk> chunks_;
  std::size_t at_ = 0;
  int row_ = 0;
  bool begun_ = false;
};

// Values of one owner space: they come in the order of their owners.
class ValueRows {
 public:
  // With `ids` (of strings by index): of a file of ours. Values whose key is a
  // record there are records themselves, which are kept as lines.
  explicit ValueRows(const std::vector<std::uint64_t>& ids) : ids_(ids) {}
  void LeaveRecordsOut() { leaves_records_out_ = true; }
  void Add(const pb::Chunk& chunk) { chunks_.push_back(chunk); }
  // Whether the next value is of `owner`.
  bool Has(std::uint64_t owner) {
    Skip();
    return at_ < chunks_.size() && At(values().owner(), row_) == owner;
  }
  const pb::Values& values() const { return chunks_[at_].values(); }
  int row() const { return row_; }
  void Take() { ++row_; }
  void Clear() {
    chunks_.clear();
    at_ = 0;
    row_ = 0;
  }

 private:
  void Skip() {
    while (at_ < chunks_.size()) {
      if (row_ >= static_cast<int>(values().count())) {
        ++at_;
        row_ = 0;
      } else if (leaves_records_out_ && IsRecord()) {
        ++row_;
      } else {
        return;
      }
    }
  }
  // Names of fields are strings that the reader made.
  bool IsRecord() const {
    const std::uint64_t key = At(values().key(), row_);
    if (key == 0) return At(values().form(), row_) != pb::V_JSON;
    return key < ids_.size() && ids_[key] != 0 && ids_[key] != kMadeStringId;
  }

  const std::vector<std::uint64_t>& ids_;
  bool leaves_records_out_ = false;
  std::vector<pb::Chunk> chunks_;
  std::size_t at_ = 0;
  int row_ = 0;
};

// What "fields" of a declaration says.
std::vector<Field> ReadFields(const Token& token) {
  std::vector<Field> fields;
  JsonCursor in(token.text, kMaxDepth);
  in.Take('[');
  Token name, type;
  while (in.Take('[') && in.Value(&name) && in.Take(',') && in.Value(&type) &&
         in.Take(']')) {
    fields.push_back(
        {.name = std::string(name.text),
         .type = FindFieldType(type.text).value_or(FieldType::kJson)});
    in.Take(',');
  }
  return fields;
}

class NativeWriter : public Writer {
 public:
  NativeWriter(ByteSink& sink, const Profile& profile)
      : profile_(profile),
        out_(sink, profile.style),
        parser_(schema_, kMaxDepth) {
    ids_.known = &string_ids_;
  }

  ChunkSet Wanted(int pass) override;
  Status Accept(const pb::Chunk& chunk) override;
  Status Finish() override;

 private:
  enum Pass { kSurvey, kWrite };
  struct Kind {
    std::uint64_t code = 0;
    std::uint32_t name_form = 0;
    std::uint32_t flags = 0;
  };

  void Survey(const pb::Chunk& chunk);
  void SurveyStrings(const pb::Strings& strings);
  void AddStrings(const pb::Chunk& chunk);
  void Replay(const pb::RecordOrder& order);
  void ReplayAll();
  bool WriteOne(std::uint32_t body);
  bool WriteLine();
  bool Reshape();
  void Learn();
  bool WriteMetadata();
  bool WriteString();
  void WriteStringRecord(std::uint64_t id, std::string_view text, int encoding);
  bool WriteNode();
  bool WriteNodeField(const pb::Nodes& nodes, int row, const Field& field,
                      const Layout& layout);
  bool WriteForeignField(const pb::Nodes& nodes, int row, const Field& field);
  bool WriteEdge();
  bool WriteEdgeRecord(const pb::Edges& edges, int row, std::uint64_t from);
  bool WriteEdgeField(const pb::Edges& edges, int row, const Field& field,
                      std::uint64_t from);
  bool WriteDest(const pb::Edges& edges, int row);
  bool WriteLabel(const pb::Edges& edges, int row);
  std::uint32_t NameFormOf(const pb::Edges& edges, int row) const;
  bool WriteValueOf(ValueRows& values, std::uint64_t owner, const Field& field);
  void WriteRest(ValueRows& values, std::uint64_t owner);
  Type* TypeOf(std::string_view name);
  const Subtype* SubtypeOf(Type* type, const std::vector<Kind>& kinds,
                           std::uint32_t kind) const;
  void Clear();

  std::uint64_t NodeId(std::uint64_t index) const {
    const std::uint64_t position = node_base_ + index;
    return is_own_ || position >= node_ids_.size() ? OwnIds::Node(position)
                                                   : node_ids_[position];
  }
  std::uint64_t StringId(std::uint64_t index) const {
    return index < string_ids_.size() ? string_ids_[index] : 0;
  }

  const Profile profile_;
  LineWriter out_;
  Schema schema_;
  RecordParser parser_;
  Record record_;
  std::uint64_t offset_ = 0;  // counts lines: later ones are greater
  int pass_ = 0;
  bool is_own_ = false;
  bool is_version0_ = false;  // which knows no trailer
  OwnIds ids_;
  std::vector<std::uint64_t> node_ids_;
  std::vector<std::uint64_t> string_ids_ = {0};  // by index
  bool goes_on_ = false;  // the last string of the survey does
  StringTexts names_{kMaxName};
  std::uint64_t graph_ = 0;      // ordinal + 1
  std::uint64_t node_base_ = 0;  // nodes of the graphs before
  std::vector<Kind> node_kinds_, edge_kinds_;

  // Since the last RecordOrder.
  Rows strings_, nodes_, edges_, metadata_;
  ValueRows node_values_{string_ids_}, edge_values_{string_ids_};
  std::string lines_;  // verbatim
  std::size_t line_ = 0;
  StringTexts made_{std::size_t{1} << 30};
  std::string text_;
  std::uint64_t edge_from_ = 0;
  int edge_slot_ = -1;           // in edges_per_node
  std::uint32_t edge_left_ = 0;  // of that node
};

ChunkSet NativeWriter::Wanted(int pass) {
  pass_ = pass;
  switch (pass) {
    case kSurvey:
      return {pb::Chunk::kHeader, pb::Chunk::kNodes, pb::Chunk::kStrings,
              pb::Chunk::kFooter};
    case kWrite:
      if (profile_.bom) out_.out().Write("\xEF\xBB\xBF");
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
    is_version0_ = true;
    schema_.AddVersion0();
    parser_.AllowTwins();
  }
  if (chunk.has_strings()) SurveyStrings(chunk.strings());
  if (chunk.has_nodes() && !is_own_) {
    for (int row = 0; row < static_cast<int>(chunk.nodes().count()); ++row)
      node_ids_.push_back(At(chunk.nodes().id(), row));
  }
}

// ------------------------------------------------------------------- window

void NativeWriter::AddStrings(const pb::Chunk& chunk) {
  if (chunk.strings().names()) return;
  strings_.Add(chunk);
  made_.Add(chunk.strings());
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
      break;
    case pb::Chunk::kGraphEnd:
      ReplayAll();
      node_base_ += chunk.graph_end().nodes();
      break;
    case pb::Chunk::kVocabulary: {
      const pb::Vocabulary& words = chunk.vocabulary();
      if (words.space() > pb::Vocabulary::EDGE_KIND) break;
      auto& kinds = words.space() == pb::Vocabulary::NODE_KIND ? node_kinds_
                                                               : edge_kinds_;
      for (int i = 0; i < words.known_size(); ++i) {
        kinds.push_back(
            {is_own_ ? kinds.size()
                     : static_cast<std::uint64_t>(At(words.source_code(), i)),
             At(words.name_form(), i), At(words.edge_flags(), i)});
      }
      break;
    }
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
      if (chunk.extra().format() == "ndjson") lines_ += chunk.extra().data();
      break;
    default:
      Replay(chunk.record_order());
  }
  return out_.out().status();
}

void NativeWriter::Clear() {
  strings_.Clear();
  nodes_.Clear();
  edges_.Clear();
  metadata_.Clear();
  node_values_.Clear();
  edge_values_.Clear();
  made_.Clear();
  lines_.clear();
  line_ = 0;
  edge_slot_ = -1;
  edge_left_ = 0;
}

void NativeWriter::Replay(const pb::RecordOrder& order) {
  for (int i = 0; i < order.body_size(); ++i) {
    for (std::uint64_t left = At(order.run(), i); left > 0; --left)
      if (!WriteOne(order.body(i))) break;
  }
  ReplayAll();
}

// What no order speaks of.
void NativeWriter::ReplayAll() {
  for (const auto body :
       {pb::Chunk::kMetadata, pb::Chunk::kExtra, pb::Chunk::kStrings,
        pb::Chunk::kNodes, pb::Chunk::kEdges}) {
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
      return WriteLine();
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

Status NativeWriter::Finish() {
  if (profile_.trailer && !is_version0_) out_.Trailer();
  out_.out().Flush();
  return out_.out().status();
}

// -------------------------------------------------------------------- lines

bool NativeWriter::WriteLine() {
  if (line_ >= lines_.size()) return false;
  const std::size_t feed = lines_.find('\n', line_);
  const std::size_t end = feed == std::string::npos ? lines_.size() : feed + 1;
  const std::string_view line =
      std::string_view(lines_).substr(line_, end - line_);
  line_ = end;
  LineError error;
  if (parser_.Parse(line.substr(0, line.find('\n')), ++offset_, &record_,
                    &error)) {
    if (profile_.all && Reshape()) return true;
    Learn();
  }
  out_.Lines(line, 1);
  return true;
}

// Writes the record of a verbatim line in the other shape. False if it has that
// already, or cannot have it.
bool NativeWriter::Reshape() {
  if (record_.kind != LineKind::kData || !record_.surplus.empty() ||
      record_.is_array != profile_.style.object || !record_.type->has_code) {
    return false;
  }
  if (!record_.is_array) {
    const auto unused = [](const Record::Pair& pair) { return !pair.used; };
    if (std::any_of(record_.pairs.begin(), record_.pairs.end(), unused))
      return false;
  }
  out_.Begin(*record_.type, record_.subtype);
  for (std::size_t slot = 0; slot < record_.fields.size(); ++slot) {
    const Token& token = record_.fields[slot];
    const Role role = record_.layout->fields[slot].role;
    if (token.is_null())
      out_.Absent();
    else if (role == Role::kSubtype && record_.subtype != nullptr)
      out_.SubtypeField();
    else
      out_.Raw(JsonOf(token));
  }
  out_.End();
  return true;
}

// A verbatim line may declare something, and counts as a record of its type.
void NativeWriter::Learn() {
  if (record_.kind == LineKind::kData) {
    out_.Count(record_.type->name);
  } else if (record_.kind == LineKind::kUnknown && !record_.is_array) {
    out_.Count(record_.type_name);
  } else if (record_.kind == LineKind::kType) {
    schema_.AddType(record_.Find("name").text, record_.Find("code").value,
                    offset_, ReadFields(record_.Find("fields")));
  } else if (record_.kind == LineKind::kSubtype) {
    Type* const of = schema_.FindType(record_.Find("of").text, offset_);
    if (of != nullptr) {
      schema_.AddSubtype(*of, record_.Find("name").text,
                         record_.Find("code").value, offset_,
                         ReadFields(record_.Find("fields")));
    }
  } else if (record_.kind == LineKind::kMetadata && is_own_ &&
             record_.Find("key").text == "hg.strings") {
    std::uint64_t strings = 0;
    for (const char digit : record_.Find("value").text)
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
  out_.Metadata(is_own_ ? OwnMetadataKey(key) : key, entry.value().data());
  return true;
}

Type* NativeWriter::TypeOf(std::string_view name) {
  Type* const type = schema_.FindType(name, offset_);
  return type != nullptr ? type : schema_.AddDraftType(name);
}

// ------------------------------------------------------------------ strings

bool NativeWriter::WriteString() {
  const auto rows = [](const pb::Chunk& chunk) {
    return chunk.strings().length_size();
  };
  while (strings_.Next(rows)) {
    const pb::Strings* strings = &strings_.chunk().strings();
    const std::uint64_t id = At(strings->source_id(), strings_.row());
    int encoding = pb::UTF8;
    text_.clear();
    for (;;) {
      const std::uint64_t index =
          strings->first() + static_cast<std::uint64_t>(strings_.row());
      text_ += made_.Find(index);
      encoding =
          std::max<int>(encoding, At(strings->encoding(), strings_.row()));
      const bool goes_on =
          strings->continued() && strings_.row() + 1 == strings->length_size();
      // made_ has joined the pieces.
      if (!goes_on) break;
      text_.clear();
      if (!strings_.Next(rows)) break;
      strings = &strings_.chunk().strings();
    }
    if (id == kMadeStringId) continue;
    WriteStringRecord(id, text_, encoding);
    return true;
  }
  return false;
}

void NativeWriter::WriteStringRecord(std::uint64_t id, std::string_view text,
                                     int encoding) {
  const Type& type = *TypeOf("string");
  out_.Begin(type, nullptr);
  for (const Field& field : type.layout.fields) {
    if (field.role == Role::kStringId)
      out_.StringId(id);
    else if (field.role == Role::kData)
      out_.Text(text);
    else if (field.role == Role::kUtf16 && encoding == pb::WTF8)
      out_.Base64(Utf16Of(text));
    else if (field.role == Role::kBytes && encoding == pb::BYTES)
      out_.Base64(text);
    else
      out_.Absent();
  }
  out_.End();
}

// -------------------------------------------------------------------- nodes

const Subtype* NativeWriter::SubtypeOf(Type* type,
                                       const std::vector<Kind>& kinds,
                                       std::uint32_t kind) const {
  return kind < kinds.size() ? type->FindSubtype(kinds[kind].code) : nullptr;
}

bool NativeWriter::WriteNode() {
  const bool there = nodes_.Next([](const pb::Chunk& chunk) {
    return static_cast<int>(chunk.nodes().count());
  });
  if (!there) return false;
  const pb::Nodes& nodes = nodes_.chunk().nodes();
  const int row = nodes_.row();
  Type* const type = TypeOf("node");
  const Subtype* const subtype =
      SubtypeOf(type, node_kinds_, At(nodes.kind(), row));
  const Layout& layout = subtype != nullptr ? subtype->layout : type->layout;
  const std::uint64_t node = nodes.first() + static_cast<std::uint64_t>(row);
  out_.Begin(*type, subtype);
  for (const Field& field : layout.fields) {
    if (field.role == Role::kIdentifier)
      out_.Id(NodeId(node));
    else if (field.role == Role::kSubtype && subtype != nullptr)
      out_.SubtypeField();
    else if (!WriteNodeField(nodes, row, field, layout) &&
             !WriteValueOf(node_values_, node, field))
      out_.Absent();
  }
  WriteRest(node_values_, node);
  out_.End();
  return true;
}

bool NativeWriter::WriteNodeField(const pb::Nodes& nodes, int row,
                                  const Field& field, const Layout& layout) {
  if (!is_own_) return WriteForeignField(nodes, row, field);
  if (field.role == Role::kHgHeap) {
    out_.Uint(graph_ - 1);
    return true;
  }
  return WriteOwnField(nodes, row, field.role, layout, ids_, &out_);
}

bool NativeWriter::WriteForeignField(const pb::Nodes& nodes, int row,
                                     const Field& field) {
  const std::uint32_t form = At(nodes.value_form(), row);
  const std::uint64_t value = At(nodes.value(), row);
  switch (field.role) {
    case Role::kSize:
      out_.Uint(At(nodes.self_size(), row));
      return true;
    case Role::kData:
      if (form != pb::V_UTF8) return false;
      out_.StringId(StringId(value));
      return true;
    case Role::kNumber:
      if (form != pb::V_DOUBLE) return false;
      out_.Double(value);
      return true;
    case Role::kArrayLength:
      if (form != pb::V_LENGTH) return false;
      out_.Uint(value);
      return true;
    case Role::kAddress:
      if (form != pb::V_UINT) return false;
      out_.Hex(value);
      return true;
    case Role::kTimestamp:
      if (form == pb::V_DOUBLE)
        out_.Double(value);
      else if (form == pb::V_INT && field.type == FieldType::kValue)
        out_.Value(value << 1);
      else if (form == pb::V_INT)
        out_.Int(static_cast<std::int64_t>(value));
      else
        return false;
      return true;
    default:
      return false;
  }
}

// ------------------------------------------------------------------- values

// The next value of the owner, if it is that of this field.
bool NativeWriter::WriteValueOf(ValueRows& values, std::uint64_t owner,
                                const Field& field) {
  if (!values.Has(owner)) return false;
  const int row = values.row();
  if (names_.Find(At(values.values().key(), row)) != field.name) return false;
  const std::uint64_t bits = At(values.values().value(), row);
  const bool hex = At(values.values().encoding(), row) == pb::HEX_TEXT;
  switch (At(values.values().form(), row)) {
    case pb::V_NODE:
      out_.Value(NodeId(bits));
      break;
    case pb::V_STRING_ID:
      out_.StringId(StringId(bits));
      break;
    case pb::V_DANGLING:
      if (field.type == FieldType::kStringId)
        out_.StringId(bits);
      else
        out_.Id(bits);
      break;
    case pb::V_INT:
      if (field.type == FieldType::kValue)
        out_.Value(bits << 1);
      else
        out_.Int(static_cast<std::int64_t>(bits));
      break;
    case pb::V_DOUBLE:
      out_.Double(bits);
      break;
    case pb::V_BOOL:
      out_.Bool(bits != 0);
      break;
    case pb::V_JSON:
      out_.Raw(made_.Find(bits));
      break;
    default:
      if (hex || field.type == FieldType::kAddr)
        out_.Hex(bits);
      else
        out_.Uint(bits);
  }
  values.Take();
  return true;
}

// Values of fields that are not declared.
void NativeWriter::WriteRest(ValueRows& values, std::uint64_t owner) {
  for (; values.Has(owner); values.Take()) {
    const int row = values.row();
    const std::string_view json = made_.Find(At(values.values().value(), row));
    if (json.empty()) continue;
    if (out_.is_object())
      out_.Pair(made_.Find(At(values.values().key(), row)), json);
    else
      out_.Surplus(json);
  }
}

// -------------------------------------------------------------------- edges

std::uint32_t NativeWriter::NameFormOf(const pb::Edges& edges, int row) const {
  if (!edges.name_form().empty()) return edges.name_form(row);
  const std::uint32_t kind = At(edges.kind(), row);
  return kind < edge_kinds_.size() ? edge_kinds_[kind].name_form : 0;
}

bool NativeWriter::WriteEdge() {
  const auto rows = [this](const pb::Chunk& chunk) {
    const int count = static_cast<int>(chunk.edges().count());
    (void)this;
    return count;
  };
  while (edges_.Next(rows)) {
    const pb::Edges& edges = edges_.chunk().edges();
    const int row = edges_.row();
    std::uint64_t from = At(edges.from(), row);
    if (!edges.edges_per_node().empty()) {
      if (row == 0) {
        edge_slot_ = -1;
        edge_left_ = 0;
      }
      while (edge_left_ == 0) edge_left_ = edges.edges_per_node(++edge_slot_);
      --edge_left_;
      from = edges.first_node() + static_cast<std::uint64_t>(edge_slot_);
    }
    if (WriteEdgeRecord(edges, row, from)) return true;
  }
  return false;
}

// False if the reader made the edge.
bool NativeWriter::WriteEdgeRecord(const pb::Edges& edges, int row,
                                   std::uint64_t from) {
  const std::uint32_t kind = At(edges.kind(), row);
  const std::uint32_t made =
      kind < edge_kinds_.size() && !is_own_ ? edge_kinds_[kind].flags : 0;
  if ((made & pb::EDGE_SYNTHESIZED) != 0) return false;
  Type* const type = TypeOf("edge");
  const Subtype* const subtype = SubtypeOf(type, edge_kinds_, kind);
  const Layout& layout = subtype != nullptr ? subtype->layout : type->layout;
  const std::uint64_t edge = edges.first() + static_cast<std::uint64_t>(row);
  out_.Begin(*type, subtype);
  for (const Field& field : layout.fields) {
    if (field.role == Role::kSubtype && subtype != nullptr)
      out_.SubtypeField();
    else if (!WriteEdgeField(edges, row, field, from) &&
             !WriteValueOf(edge_values_, edge, field))
      out_.Absent();
  }
  WriteRest(edge_values_, edge);
  out_.End();
  return true;
}

bool NativeWriter::WriteEdgeField(const pb::Edges& edges, int row,
                                  const Field& field, std::uint64_t from) {
  const std::uint32_t form = NameFormOf(edges, row);
  const std::uint64_t name = At(edges.name(), row);
  const bool far = form == pb::NAME_NUMBER && name > OwnIds::kMaxDecimal;
  switch (field.role) {
    case Role::kSource:
      out_.Id(NodeId(from));
      return true;
    case Role::kDest:
      return WriteDest(edges, row);
    case Role::kLabel:
      return WriteLabel(edges, row);
    case Role::kHgDangling:
      if (At(edges.to_form(), row) != pb::TO_DANGLING) return false;
      out_.Uint(At(edges.to(), row));
      return true;
    case Role::kHgNumber:
      if (is_own_ && far) out_.Int(static_cast<std::int64_t>(name));
      return is_own_ && far;
    case Role::kHgNameForm: {
      const std::uint32_t kind = At(edges.kind(), row);
      const bool odd = form == pb::NAME_NONE && kind < edge_kinds_.size() &&
                       edge_kinds_[kind].name_form != pb::NAME_NONE;
      if (odd) out_.Uint(form);
      return odd;
    }
    case Role::kHgFlags:
      if (At(edges.flags(), row) == 0) return false;
      out_.Uint(edges.flags(row));
      return true;
    default:
      return false;
  }
}

bool NativeWriter::WriteDest(const pb::Edges& edges, int row) {
  const std::uint64_t to = At(edges.to(), row);
  switch (At(edges.to_form(), row)) {
    case pb::TO_NODE:
      out_.Id(NodeId(to));
      return true;
    case pb::TO_IMMEDIATE:
      out_.Value(to << 1);
      return true;
    case pb::TO_DANGLING:
      if (is_own_) return false;
      out_.Id(to);
      return true;
    default:
      if (is_own_) return false;
      out_.Id(kOmittedId);
      return true;
  }
}

bool NativeWriter::WriteLabel(const pb::Edges& edges, int row) {
  const std::uint32_t form = NameFormOf(edges, row);
  const std::uint64_t name = At(edges.name(), row);
  if (form == pb::NAME_STRING && is_own_) {
    out_.StringId(ids_.Reference(name));
    return true;
  }
  if (form == pb::NAME_STRING) {
    out_.StringId(StringId(name));
    return true;
  }
  if (form != pb::NAME_NUMBER) return false;
  if (is_own_) {
    if (name > OwnIds::kMaxDecimal) return false;
    out_.StringId(OwnIds::Decimal(name));
    return true;
  }
  if (edges.extra().empty()) return false;
  out_.StringId(StringId(At(edges.extra(0).strings(), row)));
  return true;
}

}  // namespace

std::unique_ptr<Writer> MakeNativeWriter(ByteSink& sink, const Profile& profile,
                                         Context&) {
  return std::make_unique<NativeWriter>(sink, profile);
}

}  // namespace heapglot::ndjson
