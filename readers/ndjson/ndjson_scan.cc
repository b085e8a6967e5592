#include "readers/ndjson/ndjson_scan.h"

#include <zlib.h>

#include <algorithm>
#include <utility>

#include "core/text/utf.h"
#include "readers/ndjson/ndjson_tables.h"
#include "readers/ndjson/ndjson_values.h"

namespace heapglot::ndjson {
namespace {

constexpr std::string_view kBom = "\xEF\xBB\xBF";
// Lines between two calls of Context::progress.
constexpr std::uint64_t kProgressLines = 1 << 16;
constexpr std::uint64_t kMaxLine = (std::uint64_t{1} << 31) - 1;
// Graphs in a file.
constexpr std::size_t kMaxSections = 65'536;

std::string Number(std::uint64_t number) { return std::to_string(number); }
std::string Quoted(std::string_view text) {
  return "\"" + std::string(text.substr(0, 100)) + "\"";
}

// What a token is, for messages.
std::string Shown(const Token& token) {
  if (token.kind == TokenKind::kString) return Quoted(token.text);
  return std::string(token.text.substr(0, 100));
}

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

Status Scanner::Malformed(std::string message, const char* position) const {
  return {Code::kMalformed, "ndjson: " + message, At(position)};
}

// --------------------------------------------------------------------- lines

Status Scanner::Run() {
  if (bytes_.empty())
    return {Code::kTruncated, "ndjson: the file is empty", Where::Byte(0)};
  HEAPGLOT_RETURN_IF_ERROR(ScanBom());
  // The trailer is the last line: its checksum is of what stands before.
  const std::size_t last = bytes_.find_last_not_of("\r\n \t");
  const std::size_t begin =
      last == std::string_view::npos ? 0 : bytes_.rfind('\n', last) + 1;
  wants_checksum_ =
      bytes_.substr(begin).find(kTrailerType) != std::string_view::npos;
  index_.sections.emplace_back();
  Trail trail(source_);
  while (lines_.Next()) {
    ++line_;
    if (line_ % kProgressLines == 0 && context_.progress)
      context_.progress("checking", lines_.offset(), bytes_.size());
    HEAPGLOT_RETURN_IF_ERROR(ScanLine());
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
    checksum_ = static_cast<std::uint32_t>(
        crc32(checksum_, reinterpret_cast<const Bytef*>(part.data()),
              static_cast<uInt>(part.size())));
    summed_ += part.size();
  }
  return checksum_;
}

Status Scanner::ScanBom() {
  if (!bytes_.starts_with(kBom)) return {};
  lines_ = LineCursor(bytes_, kBom.size(), bytes_.size());
  return context_.Warn("ndjson.file.bom", "ndjson: a byte order mark",
                       Where::Byte(0));
}

Status Scanner::ScanLine() {
  HEAPGLOT_RETURN_IF_ERROR(CheckLine());
  LineError error;
  if (!index_.parser.Parse(lines_.text(), lines_.offset(), &record_, &error))
    return ParseFailed(error);
  if (record_.kind == LineKind::kBlank) {
    return context_.Warn("ndjson.line.blank", AtLine(),
                         [] { return "ndjson: a blank line"; });
  }
  if (has_trailer_)
    return Malformed("a record stands behind the trailer, which is the last");
  if (!lines_.has_feed()) {
    HEAPGLOT_RETURN_IF_ERROR(
        context_.Warn("ndjson.line.unended",
                      "ndjson: the last line does not end in a line feed",
                      Where::Byte(bytes_.size())));
  }
  last_begin_ = lines_.offset();
  const Status status = ScanRecord();
  ++records_;
  return status;
}

Status Scanner::CheckLine() {
  std::string_view line = lines_.text();
  if (line.size() > std::min(context_.limits.max_string, kMaxLine)) {
    return {Code::kLimit,
            "ndjson: the line is " + Number(line.size()) +
                " bytes long, more than --max-string allows",
            AtLine()};
  }
  if (!line.ends_with('\r')) return {};
  return context_.Warn("ndjson.line.crlf", AtLine(), [] {
    return "ndjson: a line ends in carriage return and line feed";
  });
}

Status Scanner::ParseFailed(const LineError& error) const {
  // What is not ended by a line feed has been cut.
  const bool cut = error.code == Code::kTruncated && !lines_.has_feed();
  if (cut) {
    return {Code::kTruncated, "ndjson: " + error.message + ", the file ends",
            At(error.position)};
  }
  return {error.code == Code::kLimit ? Code::kLimit : Code::kMalformed,
          "ndjson: " + error.message, At(error.position)};
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

// ------------------------------------------------------- bootstrap records

Status Scanner::Text(std::string_view key, std::string_view* text) const {
  const Token& token = record_.Find(key);
  if (token.kind != TokenKind::kString)
    return Malformed("the record needs a text as " + Quoted(key));
  *text = token.text;
  return {};
}

Status Scanner::CodeOf(std::string_view key, std::uint64_t* code) const {
  const Token& token = record_.Find(key);
  if (token.kind != TokenKind::kUint || token.value > 0x7fff'ffffu)
    return Malformed("the record needs a number below 2^31 as " + Quoted(key));
  *code = token.value;
  return {};
}

Status Scanner::ScanMetadata() {
  std::string_view key, value;
  HEAPGLOT_RETURN_IF_ERROR(Text("key", &key));
  HEAPGLOT_RETURN_IF_ERROR(Text("value", &value));
  if (key == "version_major") return ScanVersion(value);
  if (key == kStreamKey) {
    if (value != "1") {
      return {Code::kUnsupported,
              "ndjson: hg.stream is " + Quoted(value) + ", only 1 is known",
              AtLine()};
    }
    index_.is_own = true;
  }
  if (key == "hg.strings" && !ReadIndex(value, &index_.own_strings))
    return Malformed("hg.strings is " + Quoted(value) + ", not a number");
  return {};
}

Status Scanner::ScanVersion(std::string_view value) {
  if (has_version_) {
    return context_.Warn("ndjson.version.twice", AtLine(), [] {
      return "ndjson: version_major stands there again";
    });
  }
  has_version_ = true;
  if (value == "1") return {};
  if (value == "0") {
    index_.is_version0 = true;
    index_.schema.AddVersion0();
    index_.parser.AllowTwins();
    return {};
  }
  std::uint64_t number = 0;
  if (!ReadIndex(value, &number))
    return Malformed("version_major is " + Quoted(value) + ", not a number");
  return {
      Code::kUnsupported,
      "ndjson: version_major is " + Quoted(value) + ", only 0 and 1 are known",
      AtLine()};
}

Status Scanner::ScanType() {
  std::string_view name;
  std::uint64_t code = 0;
  std::vector<Field> fields;
  HEAPGLOT_RETURN_IF_ERROR(Text("name", &name));
  HEAPGLOT_RETURN_IF_ERROR(CodeOf("code", &code));
  HEAPGLOT_RETURN_IF_ERROR(ScanFields(record_.Find("fields"), &fields));
  if (index_.schema.types().size() >= kMaxTypes)
    return {Code::kLimit, "ndjson: too many types", AtLine()};
  const Type* const type =
      index_.schema.AddType(name, code, lines_.offset(), fields);
  if (type == nullptr) {
    return Malformed("the type " + Quoted(name) + " or its code " +
                     Number(code) + " is declared twice");
  }
  if (!has_data_) return {};
  return context_.Warn("ndjson.type.late", AtLine(), [&] {
    return "ndjson: the type " + Quoted(name) +
           " is declared after the first node or edge";
  });
}

Status Scanner::ScanSubtype() {
  std::string_view name, of;
  std::uint64_t code = 0;
  std::vector<Field> fields;
  HEAPGLOT_RETURN_IF_ERROR(Text("of", &of));
  HEAPGLOT_RETURN_IF_ERROR(Text("name", &name));
  HEAPGLOT_RETURN_IF_ERROR(CodeOf("code", &code));
  HEAPGLOT_RETURN_IF_ERROR(ScanFields(record_.Find("fields"), &fields));
  Type* const type = index_.schema.FindType(of, lines_.offset());
  if (type == nullptr || !type->has_code)
    return Malformed("a subtype of " + Quoted(of) + ", which is not declared");
  if (type->subtypes.size() >= kMaxTypes)
    return {Code::kLimit, "ndjson: too many subtypes", AtLine()};
  if (type->layout.Slot(Role::kSubtype) < 0 &&
      (type->kind == RecordKind::kNode || type->kind == RecordKind::kEdge))
    return Malformed("the type " + Quoted(of) + " has no field \"subtype\"");
  const Subtype* const subtype =
      index_.schema.AddSubtype(*type, name, code, lines_.offset(), fields);
  if (subtype == nullptr) {
    return Malformed("the subtype " + Quoted(name) + " or its code " +
                     Number(code) + " is declared twice");
  }
  return {};
}

Status Scanner::ScanFields(const Token& token,
                           std::vector<Field>* fields) const {
  JsonCursor in(token.text, context_.limits.max_depth);
  if (token.kind != TokenKind::kCompound || !in.Take('['))
    return Malformed("the record needs a list as \"fields\"");
  while (!in.Take(']')) {
    if (!fields->empty()) in.Expect(',', "a comma");
    Token name, type;
    const bool is_pair = in.Take('[') && in.Value(&name) && in.Take(',') &&
                         in.Value(&type) && in.Take(']') &&
                         name.kind == TokenKind::kString &&
                         type.kind == TokenKind::kString;
    if (!is_pair || !in.ok())
      return Malformed("a field is not [name, type]", in.position());
    const auto known = FindFieldType(type.text);
    if (!known) {
      return Malformed("the field " + Quoted(name.text) + " has type " +
                           Quoted(type.text) + ", which is not one",
                       type.text.data());
    }
    if (fields->size() == kMaxFields)
      return {Code::kLimit,
              "ndjson: more than " + Number(kMaxFields) + " fields",
              At(name.text.data())};
    fields->push_back({.name = std::string(name.text), .type = *known});
  }
  return {};
}

// ------------------------------------------------------------- data records

Status Scanner::ScanUnknown() {
  has_data_ = true;
  if (record_.is_array) {
    counts_all_ = false;
    return context_.Warn("ndjson.type.undeclared", AtLine(), [&] {
      return "ndjson: no type with code " + Number(record_.type_code) +
             " has been declared; the record is kept as it is";
    });
  }
  Type* const draft = index_.schema.AddDraftType(record_.type_name);
  const bool is_new =
      unknown_.find(std::string(record_.type_name)) == unknown_.end();
  if (draft == nullptr) {
    if (unknown_.size() < kMaxTypes || !is_new)
      ++unknown_[std::string(record_.type_name)];
    else
      counts_all_ = false;
    if (record_.type_name.find('.') != std::string_view::npos) return {};
  }
  HEAPGLOT_RETURN_IF_ERROR(
      context_.Warn("ndjson.type.undeclared", AtLine(), [&] {
        return "ndjson: the type " + Quoted(record_.type_name) +
               " has not been declared";
      }));
  if (draft == nullptr) return {};
  // Once more, now that there is such a type.
  LineError error;
  if (!index_.parser.Parse(lines_.text(), lines_.offset(), &record_, &error))
    return ParseFailed(error);
  return ScanData();
}

Status Scanner::ScanData() {
  has_data_ = true;
  Type& type = *record_.type;
  ++type.records;
  switch (type.kind) {
    case RecordKind::kNode:
      HEAPGLOT_RETURN_IF_ERROR(CheckFields());
      return ScanNode();
    case RecordKind::kEdge:
    case RecordKind::kValue:
      return CheckFields();
    case RecordKind::kString:
      HEAPGLOT_RETURN_IF_ERROR(CheckFields());
      return ScanString();
    case RecordKind::kGraph:
      return ScanGraph();
    case RecordKind::kOpaque:
    case RecordKind::kExtra:
      return {};
    default: {
      const std::string problem = AddTableRow(record_, &index_.sections.back());
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
  if (record_.subtype == nullptr && record_.layout->Slot(Role::kSubtype) >= 0) {
    HEAPGLOT_RETURN_IF_ERROR(
        context_.Warn("ndjson.subtype.undeclared", AtLine(), [&] {
          return "ndjson: the subtype " + Shown(record_.At(Role::kSubtype)) +
                 " of " + record_.type->name + " has not been declared";
        }));
  }
  if (record_.is_array) return {};
  for (const Record::Pair& pair : record_.pairs) {
    if (pair.used || pair.key.find('.') != std::string_view::npos) continue;
    HEAPGLOT_RETURN_IF_ERROR(context_.Warn(
        "ndjson.field.undeclared", At(pair.value.text.data()), [&] {
          return "ndjson: the field " + Quoted(pair.key) +
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
  // Subtypes may go by their name.
  if (field.role == Role::kSubtype && token.kind == TokenKind::kString)
    return {};
  Integer integer;
  const bool fits = ReadInteger(token, &integer);
  const bool is_id =
      field.type == FieldType::kId || field.type == FieldType::kStringId;
  if (!fits || (is_id && !InRange(integer, field.type))) {
    return Malformed("the field " + Quoted(field.name) + " is " + Shown(token) +
                         ", which is no integer of 64 bits",
                     token.text.data());
  }
  if (field.role == Role::kIdentifier && !index_.is_version0 &&
      integer.magnitude % 2 == 0) {
    return Malformed("the identifier of a node is " + Shown(token) +
                         ", which is even: a small integer",
                     token.text.data());
  }
  if (integer.spelling == Integer::Spelling::kDecimalText) {
    HEAPGLOT_RETURN_IF_ERROR(
        context_.Warn("ndjson.number.text", At(token.text.data()), [&] {
          return "ndjson: the field " + Quoted(field.name) + " is the text " +
                 Shown(token) + ", not a number";
        }));
  }
  if (InRange(integer, field.type)) return {};
  return context_.Warn("ndjson.field.range", At(token.text.data()), [&] {
    return "ndjson: the field " + Quoted(field.name) + " is " + Shown(token) +
           ", out of the range of its type";
  });
}

Status Scanner::ScanNode() {
  Integer id;
  const Token& token = record_.At(Role::kIdentifier);
  if (!ReadInteger(token, &id)) return Malformed("a node without identifier");
  HEAPGLOT_RETURN_IF_ERROR(ScanHeap(record_.At(Role::kHgHeap)));
  const std::uint64_t position = index_.nodes.added();
  if (position == IdMap::kMaxIds)
    return {Code::kLimit, "ndjson: more than 2^32 nodes", AtLine()};
  if (position % Index::kStep == 0)
    index_.node_offsets.push_back(lines_.offset());
  index_.nodes.Add(id.bits());
  ++index_.sections.back().node_count;
  return {};
}

Status Scanner::ScanString() {
  Integer id;
  if (!ReadInteger(record_.At(Role::kStringId), &id))
    return Malformed("a string without id");
  if (index_.IsHelper(id.bits())) return {};
  const std::uint64_t position = index_.strings.added();
  if (position == IdMap::kMaxIds)
    return {Code::kLimit, "ndjson: more than 2^32 strings", AtLine()};
  if (position % Index::kStep == 0)
    index_.string_offsets.push_back(lines_.offset());
  index_.strings.Add(id.bits());
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
  return context_.Warn("ndjson.string.bytes", At(data.text.data()), [] {
    return "ndjson: the data of a string is not UTF-8";
  });
}

// ---------------------------------------------------------- several graphs

Status Scanner::BeginSection() {
  if (index_.sections.size() == kMaxSections)
    return {Code::kLimit, "ndjson: too many heaps", AtLine()};
  index_.sections.back().end = lines_.offset();
  Section& section = index_.sections.emplace_back();
  section.begin = lines_.offset();
  section.first_node = index_.nodes.added();
  return {};
}

// Nodes of another heap begin another graph, unless hg.graph says where.
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
  return problem.empty() ? Status() : Malformed(problem);
}

// ------------------------------------------------------------------ the end

Status Scanner::ScanTrailer() {
  has_trailer_ = true;
  const auto check = [&](std::string_view key, std::uint64_t found) {
    const Token& token = record_.Find(key);
    if (token.kind == TokenKind::kUint && token.value == found) return Status();
    return Malformed("the trailer says " + std::string(token.text) + " " +
                     std::string(key) + ", there are " + Number(found));
  };
  HEAPGLOT_RETURN_IF_ERROR(check("records", records_));
  HEAPGLOT_RETURN_IF_ERROR(check("bytes", lines_.offset()));
  HEAPGLOT_RETURN_IF_ERROR(CheckCounts(record_.Find("counts")));
  char expected[9];
  std::snprintf(expected, sizeof expected, "%08x",
                static_cast<unsigned>(Checksum(lines_.offset())));
  const Token& sum = record_.Find("crc32");
  if (sum.kind == TokenKind::kString && sum.text == expected) return {};
  return Malformed("the trailer says crc32 " + Shown(sum) + ", but it is \"" +
                   expected + "\"");
}

Status Scanner::CheckCounts(const Token& counts) const {
  JsonCursor in(counts.text, context_.limits.max_depth);
  if (counts.kind != TokenKind::kCompound || !in.Take('{'))
    return Malformed("the trailer needs an object as \"counts\"");
  std::uint64_t counted = 0;
  std::uint64_t there = 0;
  for (const Type& type : index_.schema.types()) there += type.records;
  for (const auto& [name, count] : unknown_) there += count;
  Token name, count;
  while (in.ok() && !in.Take('}')) {
    if (counted != 0) in.Take(',');
    if (!in.Value(&name) || !in.Take(':') || !in.Value(&count)) break;
    std::uint64_t found = 0;
    for (const Type& type : index_.schema.types())
      if (type.name == name.text) found += type.records;
    const auto unknown = unknown_.find(std::string(name.text));
    if (unknown != unknown_.end()) found += unknown->second;
    if (counts_all_ &&
        (count.kind != TokenKind::kUint || count.value != found)) {
      return Malformed("the trailer counts " + Shown(count) + " " +
                           Quoted(name.text) + ", there are " + Number(found),
                       name.text.data());
    }
    counted += found;
  }
  if (!in.ok()) return Malformed("the counts of the trailer are damaged");
  if (!counts_all_ || counted == there) return {};
  return Malformed("the trailer counts " + Number(counted) +
                   " records, there are " + Number(there));
}

Status Scanner::CheckEnd() {
  if (line_ == 0 || records_ == 0)
    return {Code::kTruncated, "ndjson: the file has no record",
            Where::Byte(bytes_.size())};
  if (!has_version_) {
    // Metadata may come in any order: it may have been cut off.
    const bool cut = !has_trailer_ && !has_data_;
    return {cut ? Code::kTruncated : Code::kMalformed,
            "ndjson: there is no metadata \"version_major\"",
            Where::Byte(bytes_.size())};
  }
  if (has_trailer_ || index_.is_version0) return {};
  return context_.Warn("ndjson.trailer.missing",
                       "ndjson: there is no trailer: the file may be cut",
                       Where::Byte(bytes_.size()));
}

Status Scanner::CheckTwins() {
  Lookup lookup(index_);
  index_.nodes.Finish();
  index_.strings.Finish();
  if (!index_.nodes.duplicates().empty()) {
    const Record* const node =
        lookup.Node(index_.nodes.duplicates().front().ordinal);
    const Token& id = node->At(Role::kIdentifier);
    return {Code::kMalformed,
            "ndjson: two nodes have the identifier " + Shown(id),
            lookup.Place(id)};
  }
  for (const IdMap::Duplicate& twin : index_.strings.duplicates())
    HEAPGLOT_RETURN_IF_ERROR(CheckStringTwin(twin, lookup));
  return {};
}

Status Scanner::CheckStringTwin(const IdMap::Duplicate& twin, Lookup& lookup) {
  std::string first, second;
  lookup.AppendString(twin.first_index, &first);
  const Record* const string = lookup.String(twin.ordinal);
  AppendStringText(*string, &second);
  const Token& id = string->At(Role::kStringId);
  if (first != second) {
    return {
        Code::kMalformed,
        "ndjson: two strings with the id " + Shown(id) + " have different data",
        lookup.Place(id)};
  }
  // Lines are not counted for each: there may be many.
  const Where where =
      Where::Byte(static_cast<std::uint64_t>(id.text.data() - bytes_.data()));
  return context_.Warn("ndjson.string.twice", where,
                       [] { return "ndjson: a string stands there twice"; });
}

Status Scanner::Finish() {
  index_.sections.back().end = bytes_.size();
  HEAPGLOT_RETURN_IF_ERROR(CheckEnd());
  if (heaps_mixed_) MergeSections(&index_.sections);
  return CheckTwins();
}

}  // namespace heapglot::ndjson
