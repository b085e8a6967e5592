#include "writers/draft/draft_rows.h"

#include <bit>

#include "core/column.h"
#include "core/ir/index_columns.h"
#include "core/ir/node_id.h"

namespace heapglot::draft {
namespace {

// Where the value of a node goes.
struct Place {
  // The field of the draft that holds all of it, or nearly all; kOther: there
  // is none. A layout may have more such fields, for nodes of other kinds.
  Role natural = Role::kOther;
  bool has_form = false;               // hg.form
  bool has_bits = false;               // hg.value
  bool has_text = false;               // hg.text
  std::uint32_t encoding = pb::USUAL;  // the one that needs no hg.encoding
};

Role NaturalRole(std::uint32_t form, std::uint64_t value) {
  switch (form) {
    case pb::V_NULL:
      return Role::kOddball;
    case pb::V_BOOL:
      return value <= 1 ? Role::kOddball : Role::kOther;
    case pb::V_DOUBLE:
    case pb::V_INT:
      return Role::kNumber;
    case pb::V_LENGTH:
      return Role::kArrayLength;
    case pb::V_LATIN1:
    case pb::V_UTF16:
    case pb::V_UTF8:
      return Role::kData;
    default:
      return Role::kOther;
  }
}

// The field of `layout` that holds a timestamp or an address with its encoding.
// In a database, where nodes of all kinds share a layout, a number stays a
// number.
Role SpecialRole(const Layout& layout, std::uint32_t form,
                 std::uint32_t encoding) {
  const auto has = [&](Role role) { return layout.Slot(role) >= 0; };
  if (has(Role::kAddress) && IsAddress(form, encoding)) return Role::kAddress;
  if (has(Role::kNumber) || !has(Role::kTimestamp)) return Role::kOther;
  const auto slot = static_cast<std::size_t>(layout.Slot(Role::kTimestamp));
  return TimestampType(form, encoding) == layout.fields[slot].type
             ? Role::kTimestamp
             : Role::kOther;
}

Place PlaceOf(const pb::Nodes& nodes, int row, const Layout& layout) {
  const std::uint32_t form = At(nodes.value_form(), row);
  const std::uint64_t value = At(nodes.value(), row);
  const std::uint32_t encoding = At(nodes.value_encoding(), row);
  Place place;
  if (form == pb::V_NONE) return place;
  const Role special = SpecialRole(layout, form, encoding);
  if (special != Role::kOther) {
    place.natural = special;
    place.encoding = encoding;
    return place;
  }
  const Role natural = NaturalRole(form, value);
  if (natural != Role::kOther && layout.Slot(natural) >= 0)
    place.natural = natural;
  if (form == pb::V_INT) {
    // Also rounded in the field of the draft, so that other programs see a
    // number.
    place.has_form = place.has_bits = true;
  } else if (place.natural != Role::kOther) {
    place.has_form = form == pb::V_LATIN1 || form == pb::V_UTF16;
  } else {
    place.has_form = true;
    place.has_text = IsStringForm(form);
    place.has_bits = !place.has_text && value != 0;
  }
  return place;
}

// An oddball is called null, true or false by its value, else by its name.
bool WriteOddball(const pb::Nodes& nodes, int row, bool is_constant,
                  const OwnIds& ids, RecordWriter* out) {
  const std::uint64_t name = At(nodes.name(), row);
  if (is_constant) {
    const bool is_null = At(nodes.value_form(), row) == pb::V_NULL;
    out->StringId(ids.Of(is_null                       ? kNullText
                         : At(nodes.value(), row) != 0 ? kTrueText
                                                       : kFalseText));
  } else if (name != 0) {
    out->StringId(ids.String(name));
  }
  return is_constant || name != 0;
}

bool WriteNatural(const pb::Nodes& nodes, int row, Role role, const OwnIds& ids,
                  RecordWriter* out) {
  const std::uint32_t form = At(nodes.value_form(), row);
  const std::uint64_t value = At(nodes.value(), row);
  switch (role) {
    case Role::kNumber:
      out->Double(form == pb::V_INT
                      ? std::bit_cast<std::uint64_t>(static_cast<double>(
                            static_cast<std::int64_t>(value)))
                      : value);
      return true;
    case Role::kArrayLength:
      out->Uint(value);
      return true;
    case Role::kTimestamp:
      if (form == pb::V_DOUBLE)
        out->Double(value);
      else
        out->Int(static_cast<std::int64_t>(value));
      return true;
    case Role::kAddress:
      out->Hex(value);
      return true;
    default:
      out->StringId(ids.Reference(value));
      return true;
  }
}

bool WriteNumber(std::uint64_t number, RecordWriter* out) {
  if (number == 0) return false;
  out->Uint(number);
  return true;
}

}  // namespace

std::optional<FieldType> TimestampType(std::uint32_t form,
                                       std::uint32_t encoding) {
  if (form == pb::V_DOUBLE && encoding == pb::USUAL) return FieldType::kF64;
  if (form == pb::V_INT && encoding == pb::UNTAGGED) return FieldType::kI64;
  return std::nullopt;
}

std::string OwnMetadataKey(std::string_view key) {
  std::string own;
  if (IsAboutFile(key)) own = kEscapedPrefix;
  return own.append(key);
}

bool WriteOwnField(const pb::Nodes& nodes, int row, Role role,
                   const Layout& layout, const OwnIds& ids, RecordWriter* out) {
  switch (role) {
    case Role::kSize:
      return WriteNumber(At(nodes.self_size(), row), out);
    case Role::kHgType:
      return WriteNumber(At(nodes.type_ref(), row), out);
    case Role::kHgName:
      if (At(nodes.name(), row) == 0) return false;
      out->StringId(ids.String(nodes.name(row)));
      return true;
    case Role::kHgId:
      if (nodes.id().empty() && !ids.has_node_ids) return false;
      // If the column is absent, the id is the index + 1.
      out->Uint(NodeIdAt(nodes, row));
      return true;
    case Role::kHgHash:
      return WriteNumber(At(nodes.identity_hash(), row), out);
    case Role::kHgTraceNode:
      return WriteNumber(At(nodes.trace_node(), row), out);
    case Role::kHgDetachedness:
      return WriteNumber(At(nodes.detachedness(), row), out);
    case Role::kHgFlags:
      return WriteNumber(At(nodes.flags(), row), out);
    case Role::kHgHeapSpace:
      return WriteNumber(At(nodes.heap_space_ref(), row), out);
    case Role::kHgStackFrame:
      return WriteNumber(At(nodes.stack_frame_ref(), row), out);
    case Role::kHgLength:
      return WriteNumber(At(nodes.value_length(), row), out);
    default:
      break;
  }
  const Place place = PlaceOf(nodes, row, layout);
  switch (role) {
    case Role::kHgEncoding: {
      const std::uint32_t encoding = At(nodes.value_encoding(), row);
      return encoding != place.encoding && WriteNumber(encoding, out);
    }
    case Role::kHgForm:
      if (!place.has_form) return false;
      out->Uint(At(nodes.value_form(), row));
      return true;
    case Role::kHgValue:
      return place.has_bits && WriteNumber(At(nodes.value(), row), out);
    case Role::kHgText:
      if (!place.has_text || At(nodes.value(), row) == 0) return false;
      out->StringId(ids.String(nodes.value(row)));
      return true;
    case Role::kData:
    case Role::kNumber:
    case Role::kArrayLength:
    case Role::kTimestamp:
    case Role::kAddress:
      return place.natural == role && WriteNatural(nodes, row, role, ids, out);
    case Role::kOddball:
      return WriteOddball(nodes, row, place.natural == role, ids, out);
    default:
      return false;
  }
}

}  // namespace heapglot::draft
