#include "core/draft/draft_schema.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace heapglot::draft {
namespace {

// The first entries are compared before the table is searched: most records use
// these, and comparing a few names is faster.
constexpr std::size_t kFirstNames = 16;

// The first of those entries that `is_meant`; nullptr if there is none.
template <typename T, typename Predicate>
T* FindFirst(std::deque<T>& all, const Predicate& is_meant) {
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(
                                     std::min(all.size(), kFirstNames));
  const auto found = std::find_if(all.begin(), end, is_meant);
  return found == end ? nullptr : &*found;
}

struct TypeName {
  std::string_view name;
  FieldType type;
};
constexpr TypeName kFieldTypes[] = {
    {"id", FieldType::kId},
    {"value", FieldType::kValue},
    {"stringid", FieldType::kStringId},
    {"u32", FieldType::kU32},
    {"i32", FieldType::kI32},
    {"u64", FieldType::kU64},
    {"i64", FieldType::kI64},
    {"addr", FieldType::kAddr},
    {"f64", FieldType::kF64},
    {"bool", FieldType::kBool},
    {"inline_string", FieldType::kInlineString},
    {"utf8", FieldType::kUtf8},
    {"base64", FieldType::kBase64},
    {"json", FieldType::kJson},
};

bool IsUnsigned(FieldType type) {
  return type == FieldType::kU32 || type == FieldType::kU64;
}

// The roles that fields have because of their names.
struct RoleName {
  std::string_view subtype;  // only in this subtype; empty = in all
  std::string_view field;
  Role role;
  bool (*fits)(FieldType type);
  // Other types that can hold the value; nullptr: with another type, it is a
  // field like any other.
  bool (*holds)(FieldType type) = nullptr;
};
constexpr auto kIsId = [](FieldType type) { return type == FieldType::kId; };
constexpr auto kIsValue = [](FieldType type) {
  return type == FieldType::kValue;
};
constexpr auto kIsStringId = [](FieldType type) {
  return type == FieldType::kStringId;
};
constexpr auto kIsF64 = [](FieldType type) { return type == FieldType::kF64; };
constexpr auto kIsUnsigned = [](FieldType type) { return IsUnsigned(type); };
constexpr auto kIsInteger = [](FieldType type) {
  return IsUnsigned(type) || type == FieldType::kI32 || type == FieldType::kI64;
};
constexpr auto kIsUtf8 = [](FieldType type) {
  return type == FieldType::kUtf8;
};
// A node's identifier is not a string id; string ids have their own space.
constexpr auto kHoldsNode = [](FieldType type) {
  return kIsInteger(type) || type == FieldType::kId ||
         type == FieldType::kValue || type == FieldType::kAddr;
};
constexpr auto kHoldsString = [](FieldType type) {
  return kIsInteger(type) || type == FieldType::kId || type == FieldType::kAddr;
};
constexpr auto kIsText = [](FieldType type) {
  return type == FieldType::kInlineString;
};
// Subtypes may be given by name.
constexpr auto kHoldsSubtype = [](FieldType type) {
  return kIsInteger(type) || kIsText(type) || kIsUtf8(type);
};

constexpr RoleName kNodeRoles[] = {
    {"", "identifier", Role::kIdentifier, kIsId, kHoldsNode},
    {"", "ident", Role::kIdentifier, kIsId},
    {"", "subtype", Role::kSubtype, kIsUnsigned, kHoldsSubtype},
    {"", "data", Role::kData, kIsStringId},
    {"heap number", "value", Role::kNumber, kIsF64},
    {"array", "length", Role::kArrayLength,
     [](FieldType type) {
       return kIsInteger(type) || type == FieldType::kValue;
     }},
    {"oddball", "name", Role::kOddball, kIsStringId},
    {"date", "timestamp", Role::kTimestamp,
     [](FieldType type) {
       return type == FieldType::kValue || type == FieldType::kF64 ||
              type == FieldType::kI64;
     }},
    {"native", "address", Role::kAddress,
     [](FieldType type) {
       return type == FieldType::kAddr || type == FieldType::kU64;
     }},
    {"object", "constructor", Role::kConstructor, kIsValue},
    {"closure", "metadata", Role::kMetadata, kIsValue},
    {"function metadata", "name", Role::kFunction,
     [](FieldType type) {
       return type == FieldType::kValue || type == FieldType::kStringId;
     }},
    {"regular expression", "source", Role::kPattern,
     [](FieldType type) {
       return type == FieldType::kValue || type == FieldType::kStringId;
     }},
    {"sliced string", "source", Role::kSliceSource, kIsValue},
    {"sliced string", "offset", Role::kSliceOffset, kIsValue},
    {"", "hg.type", Role::kHgType, kIsUnsigned},
    {"", "hg.name", Role::kHgName, kIsStringId},
    {"", "hg.size", Role::kSize, kIsUnsigned},
    {"", "hg.id", Role::kHgId, kIsUnsigned},
    {"", "hg.heap", Role::kHgHeap, kIsUnsigned},
    {"", "hg.identity_hash", Role::kHgHash, kIsUnsigned},
    {"", "hg.trace_node", Role::kHgTraceNode, kIsUnsigned},
    {"", "hg.detachedness", Role::kHgDetachedness, kIsUnsigned},
    {"", "hg.flags", Role::kHgFlags, kIsUnsigned},
    {"", "hg.heap_space", Role::kHgHeapSpace, kIsUnsigned},
    {"", "hg.stack_frame", Role::kHgStackFrame, kIsUnsigned},
    {"", "hg.length", Role::kHgLength, kIsUnsigned},
    {"", "hg.form", Role::kHgForm, kIsUnsigned},
    {"", "hg.value", Role::kHgValue, kIsUnsigned},
    {"", "hg.text", Role::kHgText, kIsStringId},
    {"", "hg.encoding", Role::kHgEncoding, kIsUnsigned},
};
constexpr RoleName kEdgeRoles[] = {
    {"", "subtype", Role::kSubtype, kIsUnsigned, kHoldsSubtype},
    {"", "source", Role::kSource, kIsValue, kHoldsNode},
    {"", "dest", Role::kDest, kIsValue, kHoldsNode},
    {"", "label", Role::kLabel, kIsStringId, kHoldsString},
    {"", "hg.flags", Role::kHgFlags, kIsUnsigned},
    {"", "hg.number", Role::kHgNumber,
     [](FieldType type) { return type == FieldType::kI64; }},
    {"", "hg.name_form", Role::kHgNameForm, kIsUnsigned},
    {"", "hg.dangling", Role::kHgDangling, kIsUnsigned},
};
constexpr RoleName kStringRoles[] = {
    {"", "id", Role::kStringId, kIsStringId, kHoldsString},
    {"", "ident", Role::kStringId, kIsStringId},
    {"", "data", Role::kData, kIsUtf8, kIsText},
    {"", "contents", Role::kData, kIsUtf8},
    {"", "hg.utf16le", Role::kUtf16,
     [](FieldType type) { return type == FieldType::kBase64; }},
    {"", "hg.bytes", Role::kBytes,
     [](FieldType type) { return type == FieldType::kBase64; }},
};
constexpr RoleName kOpaqueRoles[] = {
    {"", "subtype", Role::kSubtype, kIsUnsigned},
};

std::span<const RoleName> RolesOf(RecordKind kind) {
  switch (kind) {
    case RecordKind::kNode:
      return kNodeRoles;
    case RecordKind::kEdge:
      return kEdgeRoles;
    case RecordKind::kString:
      return kStringRoles;
    case RecordKind::kOpaque:
      return kOpaqueRoles;
    default:
      return {};
  }
}

bool IsRequired(RecordKind kind, Role role) {
  switch (role) {
    case Role::kIdentifier:
    case Role::kStringId:
    case Role::kSource:
    case Role::kSubtype:
      return true;
    case Role::kData:
      return kind == RecordKind::kString;
    default:
      return false;
  }
}

// The greatest integer that a field of the type may hold; 0 if the type is not
// an integer.
std::uint64_t MostOf(FieldType type) {
  constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();
  switch (type) {
    case FieldType::kId:
    case FieldType::kValue:
    case FieldType::kStringId:
    case FieldType::kU64:
    case FieldType::kAddr:
      return kAny;
    case FieldType::kU32:
      return std::numeric_limits<std::uint32_t>::max();
    case FieldType::kI32:
      return std::numeric_limits<std::int32_t>::max();
    case FieldType::kI64:
      return kAny >> 1;
    default:
      return 0;
  }
}

// Names that other writers use for the size of an object.
bool IsSizeName(std::string_view name, FieldType type) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || !kIsInteger(type)) return false;
  const std::string_view local = name.substr(dot + 1);
  return local == "size" || local == "self_size" || local == "shallow_size";
}

std::uint64_t BytesOf(const Field& field) {
  return sizeof field + field.name.size();
}

Role FindRole(RecordKind kind, std::string_view subtype, const Field& field) {
  for (const RoleName& known : RolesOf(kind)) {
    const bool is_it = known.field == field.name &&
                       (known.subtype.empty() || known.subtype == subtype) &&
                       (known.fits(field.type) ||
                        (known.holds != nullptr && known.holds(field.type)));
    if (is_it) return known.role;
  }
  return kind == RecordKind::kNode && IsSizeName(field.name, field.type)
             ? Role::kSize
             : Role::kOther;
}

// Whether each field can be identified by its name in an object with a "type".
bool HaveKeys(const std::vector<Field>& fields) {
  std::vector<std::string_view> keys = {"type"};
  for (const Field& field : fields) {
    // A field without a name is called "#3" or the like.
    if (field.name.starts_with('#')) return false;
    keys.push_back(field.name);
  }
  std::sort(keys.begin(), keys.end());
  return std::adjacent_find(keys.begin(), keys.end()) == keys.end();
}

// Among fields of the same name, the first one comes first.
void SortByName(Layout* layout) {
  constexpr std::size_t kFew = 32;
  const std::vector<Field>& fields = layout->fields;
  if (fields.size() <= kFew) return;
  layout->by_name.resize(fields.size());
  std::iota(layout->by_name.begin(), layout->by_name.end(), std::uint16_t{0});
  std::stable_sort(layout->by_name.begin(), layout->by_name.end(),
                   [&](std::uint16_t a, std::uint16_t b) {
                     return fields[a].name < fields[b].name;
                   });
}

void AddFields(RecordKind kind, std::string_view subtype,
               std::span<const Field> fields, Layout* layout) {
  for (const Field& field : fields) {
    Field added = field;
    added.role = FindRole(kind, subtype, field);
    added.required = IsRequired(kind, added.role);
    layout->Add(std::move(added));
  }
  layout->has_keys = layout->has_keys && HaveKeys(layout->fields);
  SortByName(layout);
}

RecordKind KindOf(std::string_view name, const Table** table) {
  if (name == "node") return RecordKind::kNode;
  if (name == "edge") return RecordKind::kEdge;
  if (name == "string") return RecordKind::kString;
  if (name == kTypeFieldTable.record) return RecordKind::kTypeField;
  if (name == kWordTable.record) return RecordKind::kWord;
  if (name == kGraphRecord) return RecordKind::kGraph;
  if (name == kSchemaRecord) return RecordKind::kSchema;
  if (name == kExtraRecord) return RecordKind::kExtra;
  if (name == kValueRecord) return RecordKind::kValue;
  if (name == kColumnRecord) return RecordKind::kColumn;
  for (const Table& known : kTables) {
    if (known.record != name) continue;
    *table = &known;
    return RecordKind::kTable;
  }
  return RecordKind::kOpaque;
}

const std::vector<Field>& DraftFields(std::string_view type) {
  static const std::vector<Field> kNode = {{"identifier", FieldType::kId},
                                           {"subtype", FieldType::kU32}};
  static const std::vector<Field> kEdge = {{"subtype", FieldType::kU32},
                                           {"source", FieldType::kValue},
                                           {"dest", FieldType::kValue},
                                           {"label", FieldType::kStringId}};
  static const std::vector<Field> kString = {{"id", FieldType::kStringId},
                                             {"data", FieldType::kUtf8}};
  static const std::vector<Field> kNone;
  if (type == "node") return kNode;
  if (type == "edge") return kEdge;
  return type == "string" ? kString : kNone;
}

// A subtype of the draft, with its code in files of the draft's author (0: it
// has none).
struct DraftSubtype {
  const char* name;
  std::uint64_t version0;
  std::vector<Field> fields;
};

const std::vector<DraftSubtype>& DraftNodeSubtypes() {
  using enum FieldType;
  static const std::vector<DraftSubtype> kSubtypes = {
      {"oddball", 1, {{"name", kStringId}}},
      {"heap number", 2, {{"value", kF64}}},
      {"date", 3, {{"timestamp", kI64}}},
      {"flat string", 4, {{"length", kValue}, {"data", kStringId}}},
      {"concatenated string",
       5,
       {{"length", kValue}, {"s1", kValue}, {"s2", kValue}}},
      {"object", 6, {{"constructor", kValue}}},
      {"array", 7, {{"length", kU32}}},
      {"function metadata",
       8,
       {{"name", kValue}, {"script_name", kValue}, {"position", kValue}}},
      {"closure", 9, {{"metadata", kValue}, {"parent", kValue}}},
      {"sliced string",
       0,
       {{"length", kValue}, {"source", kValue}, {"offset", kValue}}},
      {"code", 0, {}},
      {"regular expression", 0, {{"source", kValue}, {"flags", kValue}}},
      {"native", 0, {{"address", kAddr}}},
  };
  return kSubtypes;
}

}  // namespace

std::optional<FieldType> FindFieldType(std::string_view name) {
  for (const TypeName& known : kFieldTypes)
    if (known.name == name) return known.type;
  return std::nullopt;
}

std::string_view FieldTypeName(FieldType type) {
  for (const TypeName& known : kFieldTypes)
    if (known.type == type) return known.name;
  return {};
}

Fit FitOf(RecordKind kind, const Layout& layout, const Field& field) {
  for (const RoleName& known : RolesOf(kind)) {
    if (known.holds == nullptr || known.field != field.name) continue;
    if (field.role == known.role)
      return known.fits(field.type) ? Fit::kUsual : Fit::kHeld;
    if (layout.Slot(known.role) >= 0) break;  // another field has the role
    return IsRequired(kind, known.role) ? Fit::kNone : Fit::kOther;
  }
  return Fit::kUsual;
}

void Layout::Add(Field field) {
  std::int16_t& slot = slots[static_cast<std::size_t>(field.role)];
  if (slot >= 0) {
    field.role = Role::kOther;
    field.required = false;
  }
  if (field.role != Role::kOther)
    slot = static_cast<std::int16_t>(fields.size());
  bytes += BytesOf(field);
  const std::size_t before = fields.size();
  const bool is_of_edge =
      field.role == Role::kSubtype || field.role == Role::kSource ||
      field.role == Role::kDest || field.role == Role::kLabel;
  limits.push_back(MostOf(field.type));
  if (integers == before && limits.back() != 0) ++integers;
  if (edge_fields == before && is_of_edge) ++edge_fields;
  if (field.required) required = before + 1;
  field.spelling = SpellingOf(field.name);
  fields.push_back(std::move(field));
}

Subtype* Type::FindSubtype(std::string_view subtype_name) {
  Subtype* const first = FindFirst(subtypes, [&](const Subtype& known) {
    return known.name == subtype_name;
  });
  if (first != nullptr || subtypes.size() <= kFirstNames) return first;
  const auto known = by_name.find(subtype_name);
  return known == by_name.end() ? nullptr : known->second;
}

bool Schema::HasRoomFor(const Type* of, std::span<const Field> fields) const {
  std::uint64_t bytes = field_bytes_ + (of == nullptr ? 0 : of->layout.bytes);
  for (const Field& field : fields) bytes += BytesOf(field);
  return bytes <= kMaxFieldBytes;
}

Type* Schema::FindType(std::string_view name, std::uint64_t offset) {
  const auto is_meant = [&](const Type& known) {
    return known.declared_at <= offset && offset < known.visible_until;
  };
  Type* const first = FindFirst(types_, [&](const Type& known) {
    return known.name == name && is_meant(known);
  });
  if (first != nullptr || types_.size() <= kFirstNames) return first;
  const auto known = by_name_.find(name);
  Type* type = known == by_name_.end() ? nullptr : known->second;
  while (type != nullptr && !is_meant(*type)) type = type->next_of_name;
  return type;
}

Type& Schema::NewType(std::string_view name) {
  Type& type = types_.emplace_back();
  type.name = name;
  const auto [known, is_new] = by_name_.try_emplace(type.name, &type);
  if (is_new) return type;
  Type* last = known->second;
  while (last->next_of_name != nullptr) last = last->next_of_name;
  last->next_of_name = &type;
  return type;
}

Type* Schema::AddType(std::string_view name, std::uint64_t code,
                      std::uint64_t declared_at,
                      std::span<const Field> fields) {
  Type* const known = FindType(name, declared_at);
  if ((known != nullptr && known->has_code) || FindType(code) != nullptr)
    return nullptr;
  if (known != nullptr) known->visible_until = declared_at;
  Type& type = NewType(name);
  type.spelling = SpellingOf(name);
  type.code = code;
  type.declared_at = declared_at;
  type.kind = KindOf(name, &type.table);
  type.layout.has_keys = !NeedsNoDeclaration(name);
  AddFields(type.kind, "", fields, &type.layout);
  field_bytes_ += type.layout.bytes;
  if (code < small_codes_.size())
    small_codes_[code] = &type;
  else
    by_code_[code] = &type;
  return &type;
}

Subtype* Schema::AddSubtype(Type& of, std::string_view name, std::uint64_t code,
                            std::uint64_t declared_at,
                            std::span<const Field> fields) {
  if (of.FindSubtype(name) != nullptr || of.FindSubtype(code) != nullptr)
    return nullptr;
  Subtype& subtype = of.subtypes.emplace_back();
  subtype.name = name;
  of.by_name.emplace(subtype.name, &subtype);
  subtype.spelling = SpellingOf(name);
  subtype.code = code;
  subtype.declared_at = declared_at;
  subtype.layout = of.layout;
  AddFields(of.kind, name, fields, &subtype.layout);
  field_bytes_ += subtype.layout.bytes;
  if (code < of.small_codes.size())
    of.small_codes[code] = &subtype;
  else
    of.by_code[code] = &subtype;
  return &subtype;
}

Type* Schema::AddDraftType(std::string_view name) {
  const std::vector<Field>& fields = DraftFields(name);
  if (fields.empty()) return nullptr;
  Type& type = NewType(name);
  type.has_code = false;
  type.kind = KindOf(name, &type.table);
  AddFields(type.kind, "", fields, &type.layout);
  std::uint64_t code = 0;
  if (type.kind == RecordKind::kNode) {
    for (const DraftSubtype& subtype : DraftNodeSubtypes())
      AddSubtype(type, subtype.name, ++code, 0, subtype.fields);
  } else if (type.kind == RecordKind::kEdge) {
    for (const EdgeWord& word : kEdgeWords)
      AddSubtype(type, word.name, ++code, 0, {});
  }
  return &type;
}

void Schema::AddVersion0() {
  for (const std::string_view name : {"node", "edge", "string"}) {
    if (FindType(name, 0) != nullptr) continue;
    Type& type = NewType(name);
    type.has_code = false;
    type.kind = KindOf(name, &type.table);
    std::vector<Field> fields = DraftFields(name);
    for (Field& field : fields) {
      if (field.name == "identifier" || field.name == "id")
        field.name = "ident";
      if (field.name == "data") field.name = "contents";
    }
    if (type.kind == RecordKind::kNode) std::swap(fields[0], fields[1]);
    AddFields(type.kind, "", fields, &type.layout);
  }
  for (const DraftSubtype& subtype : DraftNodeSubtypes()) {
    if (subtype.version0 == 0) continue;
    AddSubtype(*FindType("node", 0), subtype.name, subtype.version0, 0,
               subtype.fields);
  }
  std::uint64_t code = 0;
  for (const EdgeWord& word : kEdgeWords)
    AddSubtype(*FindType("edge", 0), word.name, ++code, 0, {});
}

}  // namespace heapglot::draft
