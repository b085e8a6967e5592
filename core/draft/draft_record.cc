#include "core/draft/draft_record.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/text_table.h"

namespace heapglot::draft {
namespace {

LineKind KindOfBootstrap(std::string_view type) {
  if (type == kMetadataType) return LineKind::kMetadata;
  if (type == kTypeType) return LineKind::kType;
  if (type == kSubtypeType) return LineKind::kSubtype;
  if (type == kTrailerType) return LineKind::kTrailer;
  return LineKind::kData;
}

// The slot of the first field called `name`, usually `next`; the number of
// fields if there is none.
std::size_t FindField(const Layout& layout, std::string_view name,
                      std::size_t next) {
  const std::vector<Field>& fields = layout.fields;
  const std::size_t count = fields.size();
  const std::size_t first = layout.has_keys && next < count ? next : 0;
  if (layout.by_name.empty()) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t slot = (first + i) % count;
      if (fields[slot].name == name) return slot;
    }
    return count;
  }
  if (fields[first].name == name) return first;
  const auto end = layout.by_name.end();
  const auto found =
      std::lower_bound(layout.by_name.begin(), end, name,
                       [&](std::uint16_t slot, std::string_view key) {
                         return fields[slot].name < key;
                       });
  return found != end && fields[*found].name == name ? *found : count;
}

}  // namespace

const Token& Record::Find(std::string_view key) const {
  static const Token kNone;
  for (const Pair& pair : pairs)
    if (pair.key == key) return pair.value;
  return kNone;
}

bool RecordParser::Wrong(JsonCursor& in, std::string message,
                         const char* position) {
  error_->code = Code::kMalformed;
  error_->message = std::move(message);
  error_->position = position;
  return in.Fail(JsonCursor::Failure::kSyntax, "");
}

bool RecordParser::Parse(std::string_view line, std::uint64_t offset,
                         Record* record, LineError* error) {
  offset_ = offset;
  error_ = error;
  record->pairs.clear();
  record->surplus.clear();
  record->type = nullptr;
  record->subtype = nullptr;
  JsonCursor in(line, max_depth_);
  if (in.Take('[')) {
    if (ParseArray(in, record) && in.AtEnd()) [[likely]]
      return true;
  } else if (in.Take('{')) {
    record->texts.clear();
    if (ParseObject(in, record) && in.AtEnd()) return true;
  } else if (in.AtEnd()) {
    record->kind = LineKind::kBlank;
    return true;
  }
  if (error->code != Code::kOk) return false;
  if (in.ok()) in.Fail(JsonCursor::Failure::kSyntax, "one record per line");
  error->position = in.position();
  error->code = in.failure() == JsonCursor::Failure::kEnd ? Code::kTruncated
                : in.failure() == JsonCursor::Failure::kDepth
                    ? Code::kLimit
                    : Code::kMalformed;
  error->message = std::string("expected ") + in.expected();
  return false;
}

void RecordParser::SetLayout(const Layout& layout, Record* record) {
  record->layout = &layout;
  const std::size_t count = layout.fields.size();
  if (record->field_room.size() < count) record->field_room.resize(count);
  record->fields = {record->field_room.data(), count};
}

Subtype* RecordParser::FindNamedSubtype(const Token& name, Type* type) {
  return name.escaped ? type->FindSubtype(Decode(name))
                      : type->FindSubtype(name.text);
}

bool RecordParser::FindSubtype(const Token& token, Record* record) const {
  Subtype* subtype = nullptr;
  if (token.kind == TokenKind::kUint)
    subtype = record->type->FindSubtype(token.value);
  else if (token.kind == TokenKind::kString)
    subtype = FindNamedSubtype(token, record->type);
  if (subtype == nullptr || subtype->declared_at > offset_) return false;
  record->subtype = subtype;
  return true;
}

void RecordParser::Expand(const NumberRecord& numbers, Record* record) {
  record->kind = LineKind::kData;
  record->is_array = true;
  record->pairs.clear();
  record->surplus.clear();
  record->type = numbers.type;
  record->subtype = numbers.subtype;
  SetLayout(*numbers.layout, record);
  std::size_t slot = 0;
  for (const std::uint64_t value : numbers.fields)
    record->fields[slot++] = {
        .kind = TokenKind::kUint, .value = value, .text = {}};
  for (; slot < record->fields.size(); ++slot)
    record->fields[slot].kind = TokenKind::kAbsent;
}

// ------------------------------------------------------------- array shape

bool RecordParser::ParseArray(JsonCursor& in, Record* record) {
  record->is_array = true;
  Token code;
  if (!in.Value(&code)) return false;
  if (code.kind != TokenKind::kUint)
    return Wrong(in, "the code of a type is expected first", code.text.data());
  record->type_code = code.value;
  record->type = schema_.FindType(code.value);
  if (record->type == nullptr || record->type->declared_at > offset_) {
    record->kind = LineKind::kUnknown;
    record->type = nullptr;
    while (in.Take(','))
      if (!in.Value(&code)) return false;
    return in.Expect(']', "a comma or the end of the record");
  }
  record->kind = LineKind::kData;
  SetLayout(record->type->layout, record);
  return ParseFields(in, record);
}

bool RecordParser::ParseFields(JsonCursor& in, Record* record) {
  const auto subtype_slot =
      static_cast<std::size_t>(record->layout->Slot(Role::kSubtype));
  std::size_t slot = 0;
  while (in.Take(',')) {
    if (slot == record->fields.size()) {
      const bool open = subtype_slot < slot && record->subtype == nullptr;
      if (!open) {
        return Wrong(in,
                     "more than the " + std::to_string(slot) +
                         " fields that are declared",
                     in.position());
      }
      if (!in.Value(&record->surplus.emplace_back())) return false;
      continue;
    }
    Token& token = record->fields[slot];
    if (!in.Value(&token)) [[unlikely]]
      return false;
    if (slot++ == subtype_slot && FindSubtype(token, record))
      SetLayout(record->subtype->layout, record);
  }
  for (; slot < record->fields.size(); ++slot)
    record->fields[slot].kind = TokenKind::kAbsent;
  return in.Expect(']', "a comma or the end of the record");
}

// ------------------------------------------------------------ object shape

bool RecordParser::ParsePair(JsonCursor& in, Record* record) {
  Token key;
  if (in.Peek() != '"') return in.Expect('"', "a key");
  Record::Pair& pair = record->pairs.emplace_back();
  pair.used = false;
  if (!in.Value(&key) || !in.Expect(':', "a colon after a key") ||
      !in.Value(&pair.value))
    return false;
  pair.key = record->Text(key);
  return true;
}

bool RecordParser::ParseObject(JsonCursor& in, Record* record) {
  record->is_array = false;
  if (!in.Take('}')) {
    do {
      if (!ParsePair(in, record)) return false;
    } while (in.Take(','));
    if (!in.Expect('}', "a comma or the end of the record")) return false;
  }
  const Token& type = record->Find("type");
  if (type.kind != TokenKind::kString)
    return Wrong(in, "the record has no \"type\"", in.position());
  record->type_name = record->Text(type);
  record->kind = KindOfBootstrap(record->type_name);
  if (record->kind == LineKind::kData) {
    record->type = schema_.FindType(record->type_name, offset_);
    if (record->type == nullptr) record->kind = LineKind::kUnknown;
  }
  return MatchFields(in, record);
}

bool RecordParser::MatchFields(JsonCursor& in, Record* record) {
  if (record->type != nullptr) {
    SetLayout(record->type->layout, record);
    if (record->layout->Slot(Role::kSubtype) >= 0 &&
        FindSubtype(record->Find("subtype"), record))
      SetLayout(record->subtype->layout, record);
    for (Token& token : record->fields) token.kind = TokenKind::kAbsent;
  }
  std::size_t next = 0;
  // Among few keys, a linear search is faster.
  constexpr std::size_t kFew = 32;
  TextSet keys;
  const bool is_few = record->pairs.size() <= kFew;
  for (std::size_t i = 0; i < record->pairs.size(); ++i) {
    Record::Pair& pair = record->pairs[i];
    const auto is_same = [&](const Record::Pair& other) {
      return other.key == pair.key;
    };
    const auto begin = record->pairs.begin();
    const auto here = begin + static_cast<std::ptrdiff_t>(i);
    const bool is_twice = !twins_ && (is_few ? std::any_of(begin, here, is_same)
                                             : !keys.insert(pair.key).second);
    if (is_twice) {
      return Wrong(in, "the key " + Quoted(pair.key) + " occurs twice",
                   pair.value.text.data());
    }
    if (record->type != nullptr && !MatchPair(in, pair, &next, record))
      return false;
  }
  return true;
}

// Fields mostly come in order: `*next` is the slot to try first.
bool RecordParser::MatchPair(JsonCursor& in, Record::Pair& pair,
                             std::size_t* next, Record* record) {
  // This names the record's type, even if there is a field of that name.
  pair.used = pair.key == "type";
  if (pair.used) return true;
  const std::size_t count = record->layout->fields.size();
  const std::size_t slot = FindField(*record->layout, pair.key, *next);
  if (slot == count) return true;
  Token& token = record->fields[slot];
  if (token.kind != TokenKind::kAbsent) {
    // Only with twins: the second one is the next field.
    const bool room =
        slot + 1 < count && record->fields[slot + 1].kind == TokenKind::kAbsent;
    if (!room)
      return Wrong(in, "the key " + Quoted(pair.key) + " occurs twice",
                   pair.value.text.data());
    record->fields[slot + 1] = pair.value;
  } else {
    token = pair.value;
  }
  pair.used = true;
  *next = slot + 1;
  return true;
}

}  // namespace heapglot::draft
