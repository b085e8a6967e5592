#include "readers/draft/draft_scan.h"

#include <algorithm>
#include <utility>

#include "core/bytes/crc32.h"
#include "core/draft/draft_values.h"
#include "core/ir/string_id.h"
#include "core/record_limit.h"
#include "core/text/utf.h"
#include "readers/draft/draft_columns.h"
#include "readers/draft/draft_tables.h"

namespace heapglot::draft {
namespace {

constexpr std::string_view kBom = "\xEF\xBB\xBF";
// Lines between two calls of Context::Proceed().
constexpr std::uint64_t kProgressLines = 1 << 16;
constexpr std::uint64_t kMaxLine = (std::uint64_t{1} << 31) - 1;
// The smallest maximum of all types of integer fields.
constexpr std::uint64_t kAlwaysFits = 0x7fff'ffff;
// Graphs in a file, at most.
constexpr std::size_t kMaxSections = 65'536;

}  // namespace

Where Scanner::At(const char* position) const {
  Where where;
  const std::string_view line = lines_.text();
  const auto column = static_cast<std::uint64_t>(position - line.data());
  where.byte = lines_.offset() + std::min<std::uint64_t>(column, line.size());
  where.line = line_;
  where.column = column + 1;
  return where;
}

Where Scanner::AtEnd() const {
  if (bytes_.ends_with('\n'))
    return {.byte = bytes_.size(), .line = line_ + 1, .column = 1};
  const std::size_t begin = bytes_.rfind('\n') + 1;  // npos + 1 is 0
  return {.byte = bytes_.size(),
          .line = line_,
          .column = bytes_.size() - begin + 1};
}

Status Scanner::Malformed(const std::string& message,
                          const char* position) const {
  return {Code::kMalformed, index_.form.Say("") + message, At(position)};
}

// --------------------------------------------------------------------- lines

Status Scanner::Run() {
  if (bytes_.empty())
    return {Code::kTruncated, index_.form.Say("the file is empty"),
            Where::Byte(0)};
  HEAPGLOT_RETURN_IF_ERROR(ScanBom());
  // The trailer is the last line; its checksum covers everything before it.
  const std::size_t last = bytes_.find_last_not_of("\r\n \t");
  const std::size_t begin =
      last == std::string_view::npos ? 0 : bytes_.rfind('\n', last) + 1;
  wants_checksum_ =
      bytes_.substr(begin).find(kTrailerType) != std::string_view::npos;
  index_.sections.emplace_back();
  Trail trail(source_);
  while (lines_.Next()) {
    ++line_;
    if (line_ % kProgressLines == 0) {
      HEAPGLOT_RETURN_IF_ERROR(
          context_.Proceed("checking", lines_.offset(), bytes_.size()));
    }
    if (!ScanNumbers()) HEAPGLOT_RETURN_IF_ERROR(ScanLine());
    if (wants_checksum_ && lines_.next() - summed_ >= kChunkText)
      Checksum(lines_.next());
    trail.Advance(lines_.offset());
  }
  return Finish();
}

std::uint32_t Scanner::Checksum(std::uint64_t end) {
  while (summed_ < end) {
    const std::string_view part =
        bytes_.substr(summed_, std::min<std::uint64_t>(end - summed_, 1 << 20));
    checksum_ = Crc32(checksum_, part);
    summed_ += part.size();
  }
  return checksum_;
}

Status Scanner::ScanBom() {
  if (!bytes_.starts_with(kBom)) return {};
  lines_ = NumberCursor(bytes_, kBom.size(), bytes_.size());
  return context_.Warn(index_.form.Code("file.bom"),
                       index_.form.Say("a byte order mark"), Where::Byte(0));
}

// Does what ScanLine() does, for lines of nodes and edges that consist of mere
// numbers and need no finding. False: nothing was done.
bool Scanner::ScanNumbers() {
  NumberRecord record;
  const bool is_usual = index_.Match(lines_, &record) &&
                        lines_.text().size() <= MostBytes() && !has_trailer_ &&
                        records_ < context_.limits.max_records;
  if (!is_usual) return false;
  std::uint64_t bits = 0;
  for (const std::uint64_t value : record.fields) bits |= value;
  if (bits > kAlwaysFits) [[unlikely]] {
    for (std::size_t slot = 0; slot < record.fields.size(); ++slot)
      if (record.fields[slot] > record.layout->limits[slot]) return false;
  }
  if (record.type->kind == RecordKind::kEdge) {
    tally_.AddEdge(record);
  } else if (record.type->kind != RecordKind::kNode ||
             !ScanNumberNode(record)) {
    return false;
  }
  has_data_ = true;
  ++record.type->records;
  last_begin_ = lines_.offset();
  ++records_;
  return true;
}

bool Scanner::ScanNumberNode(const NumberRecord& record) {
  const bool is_usual = record.Has(Role::kIdentifier) &&
                        record.At(Role::kIdentifier) % 2 != 0 &&
                        (has_graph_ || !record.Has(Role::kHgHeap)) &&
                        index_.nodes.added() != IdMap::kMaxIds;
  if (!is_usual) return false;
  if (has_unique_ids_) {
    const bool has_id = record.Has(Role::kHgId);
    if (!AddId(has_id, has_id ? record.At(Role::kHgId) : 0)) return false;
  }
  AddNode(record.At(Role::kIdentifier));
  tally_.AddNode(record);
  return true;
}

Status Scanner::ScanLine() {
  HEAPGLOT_RETURN_IF_ERROR(CheckLine());
  LineError error;
  if (!index_.parser.Parse(lines_.text(), lines_.offset(), &record_, &error))
    return ParseFailed(error);
  if (record_.kind == LineKind::kBlank) {
    return context_.Warn(index_.form.Code("line.blank"), AtLine(),
                         [&] { return index_.form.Say("a blank line"); });
  }
  if (has_trailer_)
    return Malformed("a record comes after the trailer, which is the last");
  if (!lines_.has_feed()) {
    HEAPGLOT_RETURN_IF_ERROR(context_.Warn(
        index_.form.Code("line.unended"),
        index_.form.Say("the last line does not end with a line feed"),
        AtEnd()));
  }
  last_begin_ = lines_.offset();
  Status status = ScanRecord();
  ++records_;
  if (!status.ok()) return status;
  index_.shapes.Learn(lines_.text(), record_);
  return CheckRecordCount(context_.limits, records_, [&] { return AtLine(); });
}

std::uint64_t Scanner::MostBytes() const {
  return std::min(context_.limits.max_string, kMaxLine);
}

Status Scanner::CheckLine() {
  std::string_view line = lines_.text();
  if (line.size() > MostBytes()) {
    return {Code::kLimit,
            index_.form.Say("the line is ") + std::to_string(line.size()) +
                " bytes long, more than --max-string allows",
            AtLine()};
  }
  if (!line.ends_with('\r')) return {};
  return context_.Warn(index_.form.Code("line.crlf"), AtLine(), [&] {
    return index_.form.Say("a line ends with carriage return and line feed");
  });
}

Status Scanner::ParseFailed(const LineError& error) const {
  // A last line that does not end in a line feed has been cut.
  const bool cut = error.code == Code::kTruncated && !lines_.has_feed();
  if (cut) {
    return {Code::kTruncated,
            index_.form.Say("") + error.message + ", the file ends",
            At(error.position)};
  }
  return {error.code == Code::kLimit ? Code::kLimit : Code::kMalformed,
          index_.form.Say("") + error.message, At(error.position)};
}

Status Scanner::ScanRecord() {
  switch (record_.kind) {
    case LineKind::kMetadata:
      return ScanMetadata();
    case LineKind::kType:
      return ScanType();
    case LineKind::kSubtype:
      return ScanSubtype();
    case LineKind::kTrailer:
      return ScanTrailer();
    case LineKind::kUnknown:
      return ScanUnknown();
    default:
      return ScanData();
  }
}

// ------------------------------------------------------------- data records

Status Scanner::ScanUnknown() {
  has_data_ = true;
  if (record_.is_array) {
    counts_all_ = false;
    return context_.Warn(index_.form.Code("type.undeclared"), AtLine(), [&] {
      return index_.form.Say("no type with code ") +
             std::to_string(record_.type_code) +
             " has been declared; the record is kept as it is";
    });
  }
  Type* const draft = index_.schema.AddDraftType(record_.type_name);
  if (draft == nullptr) {
    if (const auto known = unknown_.find(record_.type_name);
        known != unknown_.end())
      ++known->second;
    else if (unknown_.size() < kMaxTypes)
      unknown_.emplace(record_.type_name, 1);
    else
      counts_all_ = false;
    if (record_.type_name.find('.') != std::string_view::npos) return {};
  }
  HEAPGLOT_RETURN_IF_ERROR(
      context_.Warn(index_.form.Code("type.undeclared"), AtLine(), [&] {
        return index_.form.Say("the type ") + Quoted(record_.type_name) +
               " has not been declared";
      }));
  if (draft == nullptr) return {};
  // Parses it again, now that the type exists.
  LineError error;
  if (!index_.parser.Parse(lines_.text(), lines_.offset(), &record_, &error))
    return ParseFailed(error);
  return ScanData();
}

Status Scanner::ScanData() {
  has_data_ = true;
  Type& type = *record_.type;
  ++type.records;
  if (!index_.Knows(type)) return {};
  switch (type.kind) {
    case RecordKind::kNode:
      HEAPGLOT_RETURN_IF_ERROR(CheckFields());
      HEAPGLOT_RETURN_IF_ERROR(ScanNode());
      tally_.AddNode(record_);
      return {};
    case RecordKind::kEdge:
      HEAPGLOT_RETURN_IF_ERROR(CheckFields());
      tally_.AddEdge(record_);
      return {};
    case RecordKind::kValue:
      tally_.GiveUp();
      return CheckFields();
    case RecordKind::kString:
      HEAPGLOT_RETURN_IF_ERROR(CheckFields());
      return ScanString();
    case RecordKind::kGraph:
      return ScanGraph();
    case RecordKind::kExtra:
      return {};
    case RecordKind::kColumn: {
      tally_.GiveUp();
      const std::string problem = AddColumn(record_, &index_.sections.back());
      return problem.empty() ? Status() : Malformed(problem);
    }
    default: {
      Section& section = index_.sections.back();
      if (type.table != nullptr &&
          type.table->body == pb::Chunk::kTraceNodesFieldNumber)
        section.last_trace_node = AtLine();
      const std::string problem = AddTableRow(record_, &section);
      return problem.empty() ? Status() : Malformed(problem);
    }
  }
}

Status Scanner::CheckFields() {
  const std::vector<Field>& fields = record_.layout->fields;
  for (std::size_t slot = 0; slot < fields.size(); ++slot) {
    const Token& token = record_.fields[slot];
    if (token.is_null()) {
      if (!fields[slot].required) continue;
      return Malformed("the field " + Quoted(fields[slot].name) +
                       " is missing");
    }
    HEAPGLOT_RETURN_IF_ERROR(CheckField(fields[slot], token));
  }
  return CheckSurplus();
}

Status Scanner::CheckSurplus() {
  if (record_.HasUnknownSubtype()) {
    HEAPGLOT_RETURN_IF_ERROR(
        context_.Warn(index_.form.Code("subtype.undeclared"), AtLine(), [&] {
          return index_.form.Say("the subtype ") +
                 Shown(record_.At(Role::kSubtype)) + " of " +
                 record_.type->name + " has not been declared";
        }));
  }
  if (record_.is_array) return {};
  for (const Record::Pair& pair : record_.pairs) {
    if (pair.used || pair.key.find('.') != std::string_view::npos) continue;
    HEAPGLOT_RETURN_IF_ERROR(context_.Warn(
        index_.form.Code("field.undeclared"), At(pair.value.text.data()), [&] {
          return index_.form.Say("the field ") + Quoted(pair.key) +
                 " has not been declared";
        }));
  }
  return {};
}

Status Scanner::CheckField(const Field& field, const Token& token) {
  switch (field.type) {
    case FieldType::kF64: {
      std::uint64_t bits = 0;
      if (ReadDouble(token, &bits)) return {};
      break;
    }
    case FieldType::kBool:
      if (token.kind == TokenKind::kTrue || token.kind == TokenKind::kFalse)
        return {};
      break;
    case FieldType::kInlineString:
    case FieldType::kUtf8:
    case FieldType::kBase64:
      if (token.kind == TokenKind::kString) return {};
      // Subtypes may be given by code.
      if (token.kind == TokenKind::kUint && field.role == Role::kSubtype)
        return {};
      break;
    case FieldType::kJson:
      return {};
    default: {
      const bool plain = token.kind == TokenKind::kUint &&
                         token.value <= 0x7fff'ffffu &&
                         field.role != Role::kIdentifier;
      if (plain) [[likely]]
        return {};
      return CheckInteger(field, token);
    }
  }
  return Malformed("the field " + Quoted(field.name) + " is " + Shown(token) +
                       ", which is not of its type",
                   token.text.data());
}

Status Scanner::CheckInteger(const Field& field, const Token& token) {
  // Subtypes may be given by name.
  if (field.role == Role::kSubtype && token.kind == TokenKind::kString)
    return {};
  Integer integer;
  const bool fits = ReadInteger(token, &integer);
  const bool is_id =
      field.type == FieldType::kId || field.type == FieldType::kStringId;
  if (!fits || (is_id && !InRange(integer, field.type))) {
    return Malformed("the field " + Quoted(field.name) + " is " + Shown(token) +
                         ", which is not a 64-bit integer",
                     token.text.data());
  }
  if (field.role == Role::kIdentifier && !index_.is_version0 &&
      integer.magnitude % 2 == 0) {
    return Malformed("the identifier of a node is " + Shown(token) +
                         ", which is even: a small integer",
                     token.text.data());
  }
  if (integer.spelling == Integer::Spelling::kDecimalText) {
    HEAPGLOT_RETURN_IF_ERROR(context_.Warn(
        index_.form.Code("number.text"), At(token.text.data()), [&] {
          return index_.form.Say("the field ") + Quoted(field.name) +
                 " is the text " + Shown(token) + ", not a number";
        }));
  }
  if (InRange(integer, field.type)) return {};
  return context_.Warn(
      index_.form.Code("field.range"), At(token.text.data()), [&] {
        return index_.form.Say("the field ") + Quoted(field.name) + " is " +
               Shown(token) + ", out of range for its type";
      });
}

Status Scanner::ScanNode() {
  Integer id;
  const Token& token = record_.At(Role::kIdentifier);
  if (!ReadInteger(token, &id)) return Malformed("a node without identifier");
  HEAPGLOT_RETURN_IF_ERROR(ScanHeap(record_.At(Role::kHgHeap)));
  if (index_.nodes.added() == IdMap::kMaxIds)
    return {Code::kLimit, index_.form.Say("more than 2^32 nodes"), AtLine()};
  const Token& own_id = record_.At(Role::kHgId);
  if (has_unique_ids_ && !AddId(!own_id.is_null(), BitsOf(own_id))) {
    return Malformed("the id " + Shown(own_id) + " of a node comes twice",
                     own_id.text.data());
  }
  if (!HasRoomForIds()) {
    return {Code::kUnsupported,
            index_.form.Say("nodes have no id, and that of another one is ") +
                std::to_string(max_id_) + ": there are none left above",
            AtLine()};
  }
  AddNode(id.bits());
  return {};
}

// False if there is an id that another node has.
bool Scanner::AddId(bool has_id, std::uint64_t id) {
  if (has_id) {
    max_id_ = std::max(max_id_, id);
    return ids_.Add(id);
  }
  ++index_.sections.back().nodes_without_id;
  return true;
}

// Whether there is an odd id above all others for each node without one, as
// GraphCounts::Store() assigns them, and a number after the last one.
bool Scanner::HasRoomForIds() const {
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  const std::uint64_t without = index_.sections.back().nodes_without_id;
  return without == 0 ||
         (max_id_ < kMost && ((max_id_ + 1) | 1) <= kMost - 2 * without);
}

void Scanner::AddNode(std::uint64_t id) {
  index_.node_places.Add(lines_.offset());
  index_.nodes.Add(id);
  ++index_.sections.back().node_count;
}

Status Scanner::ScanString() {
  Integer id;
  const Token& token = record_.At(Role::kStringId);
  if (!ReadInteger(token, &id)) return Malformed("a string without id");
  if (index_.IsHelper(id.bits())) return CheckHelper(token);
  // The way back would leave out this id.
  if (id.bits() == kNoStringId) {
    return {Code::kUnsupported,
            index_.form.Say("the id 2^64 - 1 of a string is not supported"),
            At(token.text.data())};
  }
  const std::uint64_t position = index_.strings.added();
  if (position == IdMap::kMaxIds)
    return {Code::kLimit, index_.form.Say("more than 2^32 strings"), AtLine()};
  index_.string_places.Add(lines_.offset());
  index_.strings.Add(id.bits());
  HEAPGLOT_RETURN_IF_ERROR(WarnOfStringFields());
  const Token& data = record_.At(Role::kData);
  std::uint64_t number = 0;
  const bool is_index = ReadIndex(data.text, &number);
  if (is_index && !index_.is_own) {
    index_.decimals.emplace_back(position, number);
  }
  if (data.text.size() == AsciiPrefix(data.text) && !data.escaped) [[likely]]
    return {};
  text_.clear();
  if (AppendText(data, &text_) != pb::BYTES) return {};
  return context_.Warn(
      index_.form.Code("string.bytes"), At(data.text.data()),
      [&] { return index_.form.Say("the data of a string is not UTF-8"); });
}

// Strings have no place for fields that are not in the draft.
Status Scanner::WarnOfStringFields() {
  const std::vector<Field>& fields = record_.layout->fields;
  bool has_any = record_.HasUnknownFields();
  for (std::size_t slot = 0; slot < fields.size(); ++slot)
    has_any |=
        fields[slot].role == Role::kOther && !record_.fields[slot].is_null();
  if (!has_any) [[likely]]
    return {};
  return context_.Warn(index_.form.Code("string.field"), AtLine(), [&] {
    return index_.form.Say(
        "a string has fields besides its id and text, which are not read");
  });
}

// Whoever changed a helper meant another string, which would be lost.
Status Scanner::CheckHelper(const Token& id) const {
  const std::uint64_t number = BitsOf(id);
  const std::string text = index_.HelperText(number);
  if (Decode(record_.At(Role::kData)) == text) return {};
  return Malformed("the id " + std::to_string(number) +
                       " is that of the string " + Quoted(text) + " here",
                   id.text.data());
}

// ---------------------------------------------------------- several graphs

Status Scanner::BeginSection() {
  if (index_.sections.size() == kMaxSections)
    return {Code::kLimit, index_.form.Say("too many heaps"), AtLine()};
  tally_.GiveUp();
  index_.sections.back().end = lines_.offset();
  Section& section = index_.sections.emplace_back();
  section.begin = lines_.offset();
  section.first_node = index_.nodes.added();
  return {};
}

// A node of another heap begins a new graph, unless hg.graph says where.
Status Scanner::ScanHeap(const Token& token) {
  if (has_graph_ || token.is_null()) return {};
  Integer heap;
  if (!ReadInteger(token, &heap)) return {};
  if (heap.bits() == heap_ && !heaps_.empty()) return {};
  const bool is_first = heaps_.empty();
  heap_ = heap.bits();
  if (!heaps_.insert(heap_).second) heaps_mixed_ = true;
  return is_first ? Status() : BeginSection();
}

Status Scanner::ScanGraph() {
  if (has_graph_) HEAPGLOT_RETURN_IF_ERROR(BeginSection());
  has_graph_ = true;
  const std::string problem = SetGraph(record_, &index_.sections.back());
  if (!problem.empty()) return Malformed(problem);
  const pb::Graph::IdSpace ids = index_.sections.back().graph.id_space();
  has_unique_ids_ = index_.is_own && ids == pb::Graph::OPAQUE;
  if (has_unique_ids_ && index_.sections.back().node_count != 0)
    return Malformed("a graph whose ids are unique begins behind its nodes");
  ids_ = IdBitmap(bytes_.size());
  max_id_ = 0;
  return {};
}

}  // namespace heapglot::draft
