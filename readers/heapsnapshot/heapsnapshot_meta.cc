// The snapshot object (heapsnapshot_wire.h).
#include <algorithm>
#include <utility>

#include "core/text/utf.h"
#include "core/text_table.h"
#include "readers/heapsnapshot/heapsnapshot_json.h"
#include "readers/heapsnapshot/heapsnapshot_numbers.h"
#include "readers/heapsnapshot/heapsnapshot_wire.h"

namespace heapglot::heapsnapshot {
namespace {

class MetaParser {
 public:
  MetaParser(std::string_view bytes,
             const std::function<Status(std::uint64_t)>& warn, Meta* meta)
      : bytes_(bytes), warn_(warn), meta_(*meta) {}

  Status Parse(std::string_view snapshot);

 private:
  void NoteRoot(std::string_view value);
  Status ParseMetaObject(std::string_view object);
  Status FindMembers(std::string_view object);
  static bool IsOfGraph(std::string_view key) {
    return key == "node_fields" || key == "edge_fields";
  }
  Status ParseOtherFields();
  Status ParseFields(std::string_view key, std::string_view value);
  Status ParseTypes(std::string_view value, std::size_t enum_position,
                    std::vector<MetaField>* fields,
                    std::vector<std::string>* names);
  Status ParseStrings(std::string_view value, std::size_t most,
                      std::string_view what, std::vector<std::string>* strings);
  // The list that meta's `key` fills.
  std::vector<MetaField>* FieldsFor(std::string_view key);
  Status Require(const std::vector<MetaField>& fields, std::string_view list,
                 std::initializer_list<std::string_view> names) const;

  std::uint64_t OffsetOf(std::string_view part) const {
    return static_cast<std::uint64_t>(part.data() - bytes_.data());
  }
  Status Malformed(std::string message, std::string_view at) const {
    return {Code::kMalformed, std::move(message), Where::Byte(OffsetOf(at))};
  }

  std::string_view bytes_;
  const std::function<Status(std::uint64_t)>& warn_;
  Meta& meta_;
  std::string_view meta_text_;
  // Of meta, each key once.
  std::vector<std::pair<std::string, std::string_view>> members_;
};

// The type of a field of V8's, if neither meta nor a column of the IR has it;
// `list` is the list of meta that has the field. "" if unknown.
std::string_view KnownType(std::string_view list, std::string_view field) {
  struct Known {
    std::string_view list, field, type;
  };
  static constexpr Known kKnown[] = {
      {"location_fields", "script_object_index", kNodeType},
      {"scope_fields", "script_node_index", kNodeType},
      {"scope_fields", "scope_id", "number"},
      {"scope_fields", "depth", "number"},
      {"scope_fields", "scope_context_vars_count", "number"},
      {"scope_fields", "scope_uses_count", "number"},
      {"scope_context_var_fields", "name", kStringType},
      {"scope_use_fields", "declaring_scope_id", "number"},
      {"scope_use_fields", "slot_index", "number"},
  };
  for (const Known& known : kKnown)
    if (known.list == list && known.field == field) return known.type;
  return "";
}

// The count that `value` is, if it is one.
std::optional<std::uint64_t> ParseCount(std::string_view value) {
  const char* p = value.data();
  Integer integer;
  const bool is_count = ScanInteger(&p, p + value.size(), &integer) &&
                        !integer.is_negative && !integer.is_odd;
  return is_count ? std::optional(integer.value) : std::nullopt;
}

Status MetaParser::Parse(std::string_view snapshot) {
  const std::pair<std::string_view, std::optional<std::uint64_t>*> counts[] = {
      {"node_count", &meta_.node_count},
      {"edge_count", &meta_.edge_count},
      {"trace_function_count", &meta_.trace_function_count},
      {"extra_native_bytes", &meta_.extra_native_bytes},
      {"root_index", &meta_.root_index},
  };
  OwnTextSet keys;
  for (JsonItems items(snapshot); items.Next();) {
    std::string key = items.key();
    if (key == "meta") meta_text_ = items.value();
    for (const auto& [name, count] : counts) {
      if (key == name) *count = ParseCount(items.value());
    }
    if (key == "root_index") NoteRoot(items.value());
    if (!keys.insert(std::move(key)).second)
      HEAPGLOT_RETURN_IF_ERROR(warn_(OffsetOf(items.raw_key())));
  }
  if (!meta_text_.starts_with('{'))
    return Malformed("snapshot has no object meta", snapshot);
  return ParseMetaObject(meta_text_);
}

void MetaParser::NoteRoot(std::string_view value) {
  const std::uint64_t begin = OffsetOf(value);
  meta_.root_index_value =
      value == "null" ? Span() : Span{begin, begin + value.size()};
}

Status MetaParser::ParseMetaObject(std::string_view object) {
  HEAPGLOT_RETURN_IF_ERROR(FindMembers(object));
  std::string_view node_types, edge_types;
  for (const auto& [key, value] : members_) {
    if (key == "node_types") node_types = value;
    if (key == "edge_types") edge_types = value;
    if (IsOfGraph(key)) HEAPGLOT_RETURN_IF_ERROR(ParseFields(key, value));
  }
  HEAPGLOT_RETURN_IF_ERROR(Require(meta_.node_fields, "node_fields",
                                   {kType, kName, kId, kEdgeCount}));
  HEAPGLOT_RETURN_IF_ERROR(Require(meta_.edge_fields, "edge_fields",
                                   {kType, kNameOrIndex, kToNode}));
  HEAPGLOT_RETURN_IF_ERROR(ParseTypes(node_types,
                                      *FindField(meta_.node_fields, kType),
                                      &meta_.node_fields, &meta_.node_types));
  meta_.has_node_types_only =
      meta_.node_fields.size() > 1 &&
      std::none_of(meta_.node_fields.begin(), meta_.node_fields.end(),
                   [](const MetaField& field) {
                     return field.type == "number" || field.type == "string";
                   });
  HEAPGLOT_RETURN_IF_ERROR(ParseTypes(edge_types,
                                      *FindField(meta_.edge_fields, kType),
                                      &meta_.edge_fields, &meta_.edge_types));
  meta_.describes_graph = true;
  return ParseOtherFields();
}

// Of a key that comes twice the last one counts, as to JSON.parse().
Status MetaParser::FindMembers(std::string_view object) {
  OwnTextTable<std::size_t> places;
  for (JsonItems items(object); items.Next();) {
    std::string key = items.key();
    const auto [place, is_new] = places.try_emplace(key, members_.size());
    if (is_new) {
      members_.emplace_back(std::move(key), items.value());
      continue;
    }
    members_[place->second].second = items.value();
    HEAPGLOT_RETURN_IF_ERROR(warn_(OffsetOf(items.raw_key())));
  }
  return {};
}

// Parses the fields of other tables, which no reader needs: null means none.
Status MetaParser::ParseOtherFields() {
  for (const auto& [key, value] : members_) {
    if (key.ends_with("_fields") && !IsOfGraph(key) && value != "null")
      HEAPGLOT_RETURN_IF_ERROR(ParseFields(key, value));
  }
  return {};
}

std::vector<MetaField>* MetaParser::FieldsFor(std::string_view key) {
  if (key == "node_fields") return &meta_.node_fields;
  if (key == "edge_fields") return &meta_.edge_fields;
  if (key == "location_fields") return &meta_.location_fields;
  if (key == "sample_fields") return &meta_.sample_fields;
  if (key == "trace_function_info_fields") return &meta_.trace_function_fields;
  if (key == "trace_node_fields") return &meta_.trace_node_fields;
  const std::string_view table =
      key.substr(0, key.size() - std::string_view("_fields").size());
  meta_.other_fields.emplace_back(table, std::vector<MetaField>());
  return &meta_.other_fields.back().second;
}

Status MetaParser::ParseFields(std::string_view key, std::string_view value) {
  Status status;  // not returned at once: validate needs all names
  std::vector<std::string> names;
  HEAPGLOT_RETURN_IF_ERROR(ParseStrings(value, kMaxFields, key, &names));
  std::vector<MetaField>& fields = *FieldsFor(key);
  fields.clear();
  TextSet seen;
  for (const std::string& name : names) {
    if (ClassifyUtf8(name) != pb::UTF8) {
      return Malformed(std::string(key) + " has a name that is not a text",
                       value);
    }
    if (!seen.insert(name).second && status.ok()) {
      status = Malformed(std::string(key) + " has '" + name + "' twice", value);
    }
    fields.push_back({name, std::string(KnownType(key, name))});
  }
  return status;
}

Status MetaParser::ParseStrings(std::string_view value, std::size_t most,
                                std::string_view what,
                                std::vector<std::string>* strings) {
  if (!value.starts_with('[')) {
    return Malformed(std::string(what) + ": found " +
                         Found(bytes_, OffsetOf(value)) +
                         ", expected an array of strings",
                     value);
  }
  for (JsonItems items(value); items.Next();) {
    if (!items.value().starts_with('"')) {
      return Malformed(std::string(what) + ": found " +
                           Found(bytes_, OffsetOf(items.value())) +
                           ", expected a string",
                       items.value());
    }
    if (strings->size() >= most) {
      return {Code::kLimit,
              std::string(what) + " has more than " + std::to_string(most) +
                  " entries",
              Where::Byte(OffsetOf(items.value()))};
    }
    const std::string_view quoted = items.value();
    strings->push_back(Unescaped(quoted.substr(1, quoted.size() - 2)));
  }
  return {};
}

// node_types and edge_types have one entry per field: the enumeration for
// "type", a word for the others. Some producers have only the enumeration, some
// have entries for fields that do not exist.
Status MetaParser::ParseTypes(std::string_view value, std::size_t enum_position,
                              std::vector<MetaField>* fields,
                              std::vector<std::string>* names) {
  if (value.empty()) return {};
  if (!value.starts_with('[')) return Malformed("expected an array", value);
  std::string_view found;
  std::string_view first;
  std::size_t position = 0;
  for (JsonItems items(value); items.Next(); ++position) {
    const std::string_view entry = items.value();
    if (position == 0) first = entry;
    if (entry.starts_with('[')) {
      if (found.empty() || position == enum_position) found = entry;
    } else if (entry.starts_with('"') && position < fields->size()) {
      std::string type = Unescaped(entry.substr(1, entry.size() - 2));
      if (ClassifyUtf8(type) == pb::UTF8)
        (*fields)[position].type = std::move(type);
    }
  }
  if (first.empty()) return {};
  if (found.empty()) {
    return Malformed("found " + Found(bytes_, OffsetOf(first)) +
                         ", expected the array of the names of types",
                     first);
  }
  (*fields)[enum_position].type = "enum";
  return ParseStrings(found, kMaxKinds, "the names of types", names);
}

Status MetaParser::Require(
    const std::vector<MetaField>& fields, std::string_view list,
    std::initializer_list<std::string_view> names) const {
  if (fields.empty())
    return Malformed("meta has no " + std::string(list), meta_text_);
  for (const std::string_view name : names) {
    if (FindField(fields, name)) continue;
    return Malformed(std::string(list) + " has no '" + std::string(name) + "'",
                     meta_text_);
  }
  return {};
}

}  // namespace

Status ParseMeta(std::string_view bytes, const Span& snapshot,
                 const std::function<Status(std::uint64_t)>& warn, Meta* meta) {
  return MetaParser(bytes, warn, meta).Parse(TextOf(bytes, snapshot));
}

std::optional<std::size_t> FindField(const std::vector<MetaField>& fields,
                                     std::string_view name) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name == name) return i;
  }
  return std::nullopt;
}

std::vector<MetaField> FieldsOfTable(const Meta& meta, std::string_view name) {
  // "scopes" has "scope_fields".
  std::string_view singular = name;
  if (singular.ends_with('s')) singular.remove_suffix(1);
  for (const auto& [table, fields] : meta.other_fields) {
    if (table == singular && !fields.empty()) return fields;
  }
  return {{"value", ""}};
}

}  // namespace heapglot::heapsnapshot
