// References, and fields that stay fields: Values.
#include <string>

#include "core/chunk_builder.h"
#include "core/draft/draft_values.h"
#include "core/ir/index_columns.h"
#include "core/ir/value_encoding.h"
#include "readers/draft/draft_pass.h"

namespace heapglot::draft {

Pass::Value Pass::Resolve(const Token& token) { return Resolve(BitsOf(token)); }

Status Pass::Dangling(const Field& field, const Token& token) {
  return Warn(index_.form.Code("reference.dangling"), [&] {
    return index_.form.Say("the field \"") + field.name + "\" is " +
           TextOf(token) + ", which no record defines";
  });
}

std::uint64_t Pass::StringIndexOf(const Token& token) const {
  const std::uint64_t position = index_.strings.Find(BitsOf(token));
  return position == IdMap::kNone ? 0 : index_.StringIndex(position);
}

Status Pass::NoSuchRow(std::string_view field, std::uint64_t value) {
  return Warn(index_.form.Code("row.reference"), [&] {
    return index_.form.Say("the field \"") + std::string(field) + "\" is " +
           std::to_string(value) + ", which is missing; it is left out";
  });
}

Status Pass::ReadOwnText(std::string_view field, const Token& token,
                         std::uint64_t* index) {
  *index = 0;
  if (token.is_null()) return {};
  *index = StringIndexOf(token);
  const std::uint64_t id = BitsOf(token);
  if (*index != 0 || index_.IsEmptyHelper(id)) return {};
  return NoSuchRow(field, id);
}

// ------------------------------------------------------------------- values

// Owners of a space come in order: a row that would go back is left out.
Status Pass::AddRow(pb::Values::Owner space, const ValueRow& row) {
  std::uint64_t& last = last_owners_[space];
  if (row.owner < last) {
    return Warn(index_.form.Code("value.order"), [&] {
      return index_.form.Say("a value of owner ") + std::to_string(row.owner) +
             " comes after one of owner " + std::to_string(last) +
             "; it is left out";
    });
  }
  last = row.owner;
  ++counts_.values;
  if (!Wants(pb::Chunk::kValues)) return {};
  pb::Values& values = *value_chunks_[space].mutable_values();
  values.set_owner_space(space);
  const int at = static_cast<int>(values.count());
  AddSparse(values.mutable_owner(), at, row.owner);
  AddSparse(values.mutable_key(), at, row.key);
  AddSparse(values.mutable_form(), at, row.form);
  AddSparse(values.mutable_value(), at, row.bits);
  AddSparse(values.mutable_length(), at, row.length);
  AddSparse(values.mutable_encoding(), at, row.encoding);
  values.set_count(values.count() + 1);
  ++pending_values_;
  return {};
}

Status Pass::AddValue(pb::Values::Owner space, std::uint64_t owner,
                      const Field& field, const Token& token) {
  std::uint32_t form = pb::V_UINT;
  std::uint64_t bits = 0;
  std::uint32_t encoding = pb::USUAL;
  Integer integer;
  switch (field.type) {
    case FieldType::kValue: {
      const Value value = Resolve(token);
      form = value.form;
      bits = value.bits;
      if (form == pb::V_DANGLING)
        HEAPGLOT_RETURN_IF_ERROR(Dangling(field, token));
      break;
    }
    case FieldType::kStringId:
      bits = StringIndexOf(token);
      form = bits == 0 ? pb::V_DANGLING : pb::V_STRING_ID;
      if (bits != 0) break;
      bits = BitsOf(token);
      HEAPGLOT_RETURN_IF_ERROR(Dangling(field, token));
      break;
    case FieldType::kF64:
      form = pb::V_DOUBLE;
      ReadDouble(token, &bits);
      break;
    case FieldType::kBool:
      form = pb::V_BOOL;
      bits = token.kind == TokenKind::kTrue ? 1 : 0;
      break;
    case FieldType::kInlineString:
    case FieldType::kUtf8:
    case FieldType::kBase64: {
      form = pb::V_JSON;
      std::string made;
      HEAPGLOT_RETURN_IF_ERROR(MakeString(UsualJsonOf(token, &made), &bits));
      break;
    }
    case FieldType::kJson:
      form = pb::V_JSON;
      HEAPGLOT_RETURN_IF_ERROR(MakeString(JsonOf(token), &bits));
      break;
    default:
      ReadInteger(token, &integer);
      bits = integer.bits();
      if (integer.negative) form = pb::V_INT;
      if (integer.spelling == Integer::Spelling::kHex) encoding = pb::HEX_TEXT;
  }
  return AddRow(space, {.owner = owner,
                        .key = field.key,
                        .form = form,
                        .bits = bits,
                        .encoding = encoding});
}

// An undeclared subtype becomes a value, because all undeclared ones share a
// kind: a number as it is, a name as JSON. In our own files, it means nothing.
Status Pass::AddUnknownSubtype(pb::Values::Owner space, std::uint64_t owner,
                               const Field& field, const Token& token) {
  if (index_.is_own) return {};
  if (token.kind != TokenKind::kString)
    return AddValue(space, owner, field, token);
  std::string made;
  std::uint64_t value = 0;
  HEAPGLOT_RETURN_IF_ERROR(MakeString(UsualJsonOf(token, &made), &value));
  return AddRow(
      space,
      {.owner = owner, .key = field.key, .form = pb::V_JSON, .bits = value});
}

// Adds what is in the record but not in its layout.
Status Pass::AddUnknownFields(pb::Values::Owner space, std::uint64_t owner) {
  if (!record_.HasUnknownFields()) return {};
  std::string made;
  const auto add = [&](std::string_view key, const Token& token) -> Status {
    std::uint64_t name = 0;
    std::uint64_t value = 0;
    if (!key.empty()) HEAPGLOT_RETURN_IF_ERROR(MakeString(key, &name));
    HEAPGLOT_RETURN_IF_ERROR(MakeString(UsualJsonOf(token, &made), &value));
    return AddRow(
        space,
        {.owner = owner, .key = name, .form = pb::V_JSON, .bits = value});
  };
  for (std::size_t i = 0; i < record_.surplus.size(); ++i) {
    const std::size_t slot = record_.layout->fields.size() + i;
    HEAPGLOT_RETURN_IF_ERROR(
        add("#" + std::to_string(slot), record_.surplus[i]));
  }
  if (record_.is_array) return {};
  for (const Record::Pair& pair : record_.pairs)
    if (!pair.used) HEAPGLOT_RETURN_IF_ERROR(add(pair.key, pair.value));
  return {};
}

// ----------------------------------------------------------------- hg.value

const Token& Pass::FieldOf(std::string_view name) const {
  static const Token kNone;
  const std::vector<Field>& fields = record_.layout->fields;
  for (std::size_t slot = 0; slot < fields.size(); ++slot)
    if (fields[slot].name == name) return record_.fields[slot];
  return kNone;
}

// Sets the index of the record's owner in its space. False if there is no such
// owner, or not yet.
bool Pass::OwnerOf(std::uint64_t space, std::uint64_t* owner) const {
  const std::uint64_t number = BitsOf(FieldOf("owner"));
  *owner = number;
  switch (space) {
    case pb::Values::OF_NODE: {
      const std::uint64_t position = index_.nodes.Find(number);
      *owner = position - section_->first_node;
      return position != IdMap::kNone && section_->HasNode(position);
    }
    case pb::Values::OF_STRING:
      *owner = StringIndexOf(FieldOf("owner"));
      return *owner != 0 || index_.IsEmptyHelper(number);
    case pb::Values::OF_EDGE:
      return number < counts_.edges;
    case pb::Values::OF_TYPE:
      return number < type_rows_;
    case pb::Values::OF_ROOT:
      return number < root_rows_;
    default:
      return space == pb::Values::OF_GRAPH && number == 0;
  }
}

Status Pass::AddOwnRow() {
  const std::uint64_t space = BitsOf(FieldOf("space"));
  ValueRow row;
  if (!OwnerOf(space, &row.owner)) {
    return Warn(index_.form.Code("value.owner"), [&] {
      return index_.form.Say(
          "the owner of a value is missing; the value is left out");
    });
  }
  OwnValue value = {.form = BitsOf(FieldOf("form")),
                    .encoding = BitsOf(FieldOf("encoding")),
                    .bits = BitsOf(FieldOf("value"))};
  HEAPGLOT_RETURN_IF_ERROR(ReadOwnText("key", FieldOf("key"), &row.key));
  HEAPGLOT_RETURN_IF_ERROR(ReadOwnText("text", FieldOf("text"), &value.text));
  HEAPGLOT_RETURN_IF_ERROR(CheckOwnValue(&value));
  row.form = value.Form();
  row.encoding = static_cast<std::uint32_t>(value.encoding);
  row.bits = IsStringForm(row.form) ? value.text : value.bits;
  row.length = BitsOf(FieldOf("length"));
  return AddRow(static_cast<pb::Values::Owner>(space), row);
}

}  // namespace heapglot::draft
