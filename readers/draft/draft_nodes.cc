// Nodes: columns, values and the edges made from their fields.
#include <algorithm>
#include <limits>
#include <utility>

#include "core/chunk_builder.h"
#include "core/draft/draft_values.h"
#include "core/ir/index_columns.h"
#include "core/text/utf.h"
#include "readers/draft/draft_pass.h"

namespace heapglot::draft {
namespace {

// Oddballs and functions whose names are kept, at most: bounds on what a file
// can make us keep.
constexpr std::size_t kMaxOddballs = 65'536;
// Sliced strings that are compared with their sources, which takes a look at
// another place in the file.
constexpr std::uint64_t kMaxSlices = 65'536;
constexpr std::size_t kMaxFunctions = std::size_t{1} << 20;

}  // namespace

// -------------------------------------------------------------------- nodes

void Pass::SetValue(std::uint32_t form, std::uint64_t bits) {
  pb::Nodes& nodes = *nodes_.mutable_nodes();
  SetNode(nodes.mutable_value_form(), form);
  SetNode(nodes.mutable_value(), bits);
}

Status Pass::AddNode() {
  HEAPGLOT_RETURN_IF_ERROR(FlushGap(node_ - section_->first_node));
  Note(pb::Chunk::kNodes);
  const std::uint64_t position = node_++;
  local_ = position - section_->first_node;
  const bool needed = survey_ || Wants(pb::Chunk::kNodes) ||
                      Wants(pb::Chunk::kEdges) || Wants(pb::Chunk::kValues);
  if (!needed && index_.made_strings.empty()) return {};
  if (survey_) index_.edge_counts.push_back(0);
  pb::Nodes& nodes = *nodes_.mutable_nodes();
  SetNode(nodes.mutable_kind(), section_->NodeRow(record_.subtype));
  if (!index_.is_own) {
    const std::uint64_t id = BitsOf(record_.At(Role::kIdentifier));
    SetNode(nodes.mutable_id(), id);
    counts_.AddId(id);
  } else if (section_->first_new_id != 0 && record_.At(Role::kHgId).is_null()) {
    SetNode(nodes.mutable_id(), next_new_id_);
    next_new_id_ += 2;
  }
  const std::vector<Field>& fields = record_.layout->fields;
  for (std::size_t slot = 0; slot < fields.size(); ++slot) {
    const Token& token = record_.fields[slot];
    if (!token.is_null())
      HEAPGLOT_RETURN_IF_ERROR(AddNodeField(fields[slot], token));
  }
  HEAPGLOT_RETURN_IF_ERROR(AddUnknownFields(pb::Values::OF_NODE, local_));
  if (own_type_ != 0) HEAPGLOT_RETURN_IF_ERROR(CheckOwnType());
  has_dangling_type_ = false;
  if (!own_value_.empty()) HEAPGLOT_RETURN_IF_ERROR(AddOwnValue());
  if (!survey_ && section_->grouped)
    SetNode(nodes.mutable_edge_count(), index_.EdgeCount(position));
  ++row_;
  return {};
}

Status Pass::AddNodeField(const Field& field, const Token& token) {
  pb::Nodes& nodes = *nodes_.mutable_nodes();
  switch (field.role) {
    case Role::kIdentifier:
      return {};
    case Role::kSubtype:
      if (record_.subtype != nullptr) return {};
      return AddUnknownSubtype(pb::Values::OF_NODE, local_, field, token);
    case Role::kSize: {
      Integer size;
      ReadInteger(token, &size);
      if (size.negative) return AddNodeValue(field, token);
      SetNode(nodes.mutable_self_size(), size.bits());
      counts_.AddSelfSize(size.bits());
      return {};
    }
    case Role::kNumber: {
      if (!keeps_nodes_) return {};
      std::uint64_t bits = 0;
      ReadDouble(token, &bits);
      SetValue(pb::V_DOUBLE, bits);
      return {};
    }
    case Role::kOddball:
      return AddOddball(token);
    case Role::kTimestamp:
      return AddTimestamp(field, token);
    case Role::kAddress:
      SetValue(pb::V_UINT, BitsOf(token));
      SetNode(nodes.mutable_value_encoding(),
              static_cast<std::uint32_t>(pb::HEX_TEXT));
      return {};
    case Role::kData:
      if (index_.IsHelper(BitsOf(token))) {
        SetValue(pb::V_UTF8, 0);
        return {};
      }
      if (const std::uint64_t index = StringIndexOf(token); index != 0) {
        SetValue(pb::V_UTF8, index);
        return {};
      }
      return AddNodeValue(field, token);
    case Role::kArrayLength: {
      if (field.type == FieldType::kValue) {
        const Value length = Resolve(token);
        if (length.form != pb::V_INT ||
            static_cast<std::int64_t>(length.bits) < 0)
          return AddNodeValue(field, token);
        SetValue(pb::V_LENGTH, length.bits);
        return {};
      }
      Integer integer;
      ReadInteger(token, &integer);
      if (integer.negative) return AddNodeValue(field, token);
      SetValue(pb::V_LENGTH, integer.bits());
      return {};
    }
    case Role::kSliceOffset:
      HEAPGLOT_RETURN_IF_ERROR(CheckSlice());
      return AddNodeValue(field, token);
    case Role::kOther:
    case Role::kSliceSource:
    case Role::kConstructor:
    case Role::kMetadata:
    case Role::kFunction:
    case Role::kPattern:
      return AddNodeValue(field, token);
    default:
      // Fields that have a meaning only with hg.stream.
      if (!index_.is_own) return AddNodeValue(field, token);
      return AddOwnField(field, token);
  }
}

// A slice cannot begin past the end of its source string.
Status Pass::CheckSlice() {
  if (!survey_ || slices_ == kMaxSlices) return {};
  ++slices_;
  const Value offset = Resolve(record_.At(Role::kSliceOffset));
  const std::uint64_t source = lookup_.Target(record_.At(Role::kSliceSource));
  if (offset.form != pb::V_INT || source == IdMap::kNone) return {};
  const std::uint64_t length = lookup_.LengthOf(source);
  if (length == IdMap::kNone || offset.bits <= length) return {};
  return Warn(index_.form.Code("slice.offset"), [&] {
    return index_.form.Say("a sliced string begins at ") +
           std::to_string(static_cast<std::int64_t>(offset.bits)) +
           " of a string whose length is " + std::to_string(length);
  });
}

// Sets `*which` to 1, 2 or 3 if the string at `position` is null, false or
// true, and to 0 for any other name.
Status Pass::FindOddball(std::uint64_t position, std::uint32_t* which) {
  const auto known = oddballs_.find(position);
  if (known != oddballs_.end()) {
    *which = known->second;
    return {};
  }
  std::string name;
  lookup_.AppendName(position, &name);
  *which = name == "null" ? 1 : name == "false" ? 2 : name == "true" ? 3 : 0;
  if (oddballs_.size() < kMaxOddballs) oddballs_[position] = *which;
  if (*which != 0 || name == "undefined" || name == "the_hole") return {};
  return Warn(index_.form.Code("oddball.unknown"), [&] {
    return index_.form.Say("an oddball called \"") + name + "\"";
  });
}

Status Pass::AddOddball(const Token& token) {
  const std::uint64_t id = BitsOf(token);
  if (index_.IsHelper(id)) {
    // In the order of the helpers: "", null, false, true.
    const std::uint64_t which = (id >> 1) - index_.own_strings;
    if (which == 1) SetValue(pb::V_NULL, 0);
    if (which == 2 || which == 3) SetValue(pb::V_BOOL, which - 2);
    return {};
  }
  if (index_.is_own) {
    // Its name, which is also in hg.name, is not a value there.
    if (record_.At(Role::kHgName).is_null())
      SetNode(nodes_.mutable_nodes()->mutable_name(), StringIndexOf(token));
    return {};
  }
  const std::uint64_t position = index_.strings.Find(id);
  if (position == IdMap::kNone)
    return AddNodeValue(
        *std::find_if(
            record_.layout->fields.begin(), record_.layout->fields.end(),
            [](const Field& field) { return field.role == Role::kOddball; }),
        token);
  std::uint32_t which = 0;
  HEAPGLOT_RETURN_IF_ERROR(FindOddball(position, &which));
  const std::uint64_t index = index_.StringIndex(position);
  if (which == 0) {
    SetNode(nodes_.mutable_nodes()->mutable_name(), index);
  } else if (which == 1) {
    SetValue(pb::V_NULL, 0);
  } else {
    SetValue(pb::V_BOOL, which - 2);
  }
  const int slot = record_.layout->Slot(Role::kOddball);
  const std::uint64_t key =
      record_.layout->fields[static_cast<std::size_t>(slot)].key;
  return AddRow(
      pb::Values::OF_NODE,
      {.owner = local_, .key = key, .form = pb::V_STRING_ID, .bits = index});
}

Status Pass::AddTimestamp(const Field& field, const Token& token) {
  std::uint64_t bits = 0;
  std::uint32_t form = pb::V_INT;
  if (field.type == FieldType::kF64) {
    form = pb::V_DOUBLE;
    ReadDouble(token, &bits);
  } else if (field.type == FieldType::kValue) {
    const Value value = Resolve(token);
    if (value.form != pb::V_INT) return AddNodeValue(field, token);
    bits = value.bits;
  } else {
    bits = BitsOf(token);
    SetNode(nodes_.mutable_nodes()->mutable_value_encoding(),
            static_cast<std::uint32_t>(pb::UNTAGGED));
  }
  SetValue(form, bits);
  return {};
}

// A field that is kept as such, and is also an edge if it refers to a node.
Status Pass::AddNodeValue(const Field& field, const Token& token) {
  HEAPGLOT_RETURN_IF_ERROR(AddValue(pb::Values::OF_NODE, local_, field, token));
  if (field.role == Role::kFunction && field.type == FieldType::kStringId)
    SetNode(nodes_.mutable_nodes()->mutable_name(), StringIndexOf(token));
  if (field.role == Role::kPattern && field.type == FieldType::kStringId) {
    if (const std::uint64_t text = StringIndexOf(token); text != 0)
      SetValue(pb::V_UTF8, text);
  }
  if (field.type != FieldType::kValue) return {};
  const Value value = Resolve(token);
  if (field.role == Role::kConstructor) SetType(value);
  if (value.form != pb::V_NODE) {
    if (field.role != Role::kMetadata || value.form == pb::V_DANGLING)
      return {};
    return Warn(index_.form.Code("closure.metadata"), [&] {
      return index_.form.Say("the metadata of a closure is a small integer");
    });
  }
  if (field.role == Role::kMetadata || field.role == Role::kFunction) {
    const std::uint64_t name = FunctionName(section_->first_node + value.bits);
    SetNode(nodes_.mutable_nodes()->mutable_name(), name);
  } else if (field.role == Role::kPattern) {
    const std::uint64_t text = FunctionName(section_->first_node + value.bits);
    if (text != 0) SetValue(pb::V_UTF8, text);
  }
  return AddFieldEdge(field, value.bits);
}

// String index of the name of a function, or of the text of a string.
std::uint64_t Pass::FunctionName(std::uint64_t node) {
  if (survey_) return 0;
  const auto known = index_.function_names.find(node);
  std::uint64_t string = IdMap::kNone;
  if (known != index_.function_names.end()) {
    string = known->second;
  } else {
    string = lookup_.TextOfNode(node);
    if (index_.function_names.size() < kMaxFunctions)
      index_.function_names[node] = string;
  }
  return string == IdMap::kNone ? 0 : index_.StringIndex(string);
}

void Pass::SetType(const Value& constructor) {
  if (constructor.form != pb::V_NODE) return;
  const std::uint64_t node = section_->first_node + constructor.bits;
  auto& known = index_.constructors;
  auto found = known.find(node);
  if (found == known.end()) {
    if (!survey_ || known.size() >= Index::kMaxConstructors) return;
    section_->types.push_back({.name = 0, .node = node});
    found = known.emplace(node, section_->types.size()).first;
  }
  SetNode(nodes_.mutable_nodes()->mutable_type_ref(), found->second);
}

Status Pass::AddFieldEdge(const Field& field, std::uint64_t target) {
  int row = 0;
  HEAPGLOT_RETURN_IF_ERROR(BeginEdge(local_, section_->field_edge_row, &row));
  if (!Wants(pb::Chunk::kEdges)) return {};
  SetSparse(edge_chunk_.mutable_edges()->mutable_name(), row, field.edge_key);
  SetTarget(row, pb::TO_NODE, target);
  return {};
}

// ------------------------------------------------- fields of our own files

Status Pass::AddOwnField(const Field& field, const Token& token) {
  pb::Nodes& nodes = *nodes_.mutable_nodes();
  const std::uint64_t bits = BitsOf(token);
  switch (field.role) {
    case Role::kHgType:
      own_type_ = bits;
      return {};
    case Role::kHgName: {
      std::uint64_t name = 0;
      HEAPGLOT_RETURN_IF_ERROR(ReadOwnText(field.name, token, &name));
      SetNode(nodes.mutable_name(), name);
      return {};
    }
    case Role::kHgId:
      // 0 is an id, too: without the column, the id would be the index + 1.
      if (keeps_nodes_) {
        nodes.mutable_id()->Resize(row_, 0);
        nodes.mutable_id()->Add(bits);
      }
      counts_.AddId(bits);
      return {};
    case Role::kHgHash:
      SetNode(nodes.mutable_identity_hash(), bits);
      return {};
    case Role::kHgTraceNode:
      SetNode(nodes.mutable_trace_node(), bits);
      return {};
    case Role::kHgDetachedness:
      SetNode(nodes.mutable_detachedness(), bits);
      return {};
    case Role::kHgFlags:
      SetNode(nodes.mutable_flags(), static_cast<std::uint32_t>(bits));
      has_dangling_type_ = (bits & pb::NODE_TYPE_DANGLING) != 0;
      return {};
    case Role::kHgHeapSpace:
      if (bits > section_->Words(pb::Vocabulary::HEAP_SPACE).size())
        return NoSuchRow(field.name, bits);
      SetNode(nodes.mutable_heap_space_ref(), bits);
      return {};
    case Role::kHgStackFrame:
      if (bits > frame_rows_) return NoSuchRow(field.name, bits);
      SetNode(nodes.mutable_stack_frame_ref(), bits);
      return {};
    case Role::kHgLength:
      SetNode(nodes.mutable_value_length(), bits);
      return {};
    case Role::kHgForm:
      own_value_.form = bits;
      return {};
    case Role::kHgValue:
      own_value_.bits = bits;
      return {};
    case Role::kHgText:
      return ReadOwnText(field.name, token, &own_value_.text);
    case Role::kHgEncoding:
      own_value_.encoding = bits;
      return {};
    default:
      return {};
  }
}

Status Pass::CheckOwnType() {
  const std::uint64_t type = std::exchange(own_type_, 0);
  const std::uint64_t types =
      section_->types.empty() ? type_rows_ : section_->types.size();
  if (type > types && !has_dangling_type_) return NoSuchRow("hg.type", type);
  SetNode(nodes_.mutable_nodes()->mutable_type_ref(), type);
  return {};
}

Status Pass::CheckOwnValue(OwnValue* value) {
  if (!value->IsSound()) {
    HEAPGLOT_RETURN_IF_ERROR(Warn(index_.form.Code("value.form"), [&] {
      return index_.form.Say(
          "a value has an unknown form or encoding, or parts that do not match "
          "its form; these are left out");
    }));
  }
  if (!value->HasKnownForm()) value->form = pb::V_NONE;
  if (!IsEncodingOf(value->Form(), value->encoding))
    value->encoding = pb::USUAL;
  if (value->form == pb::V_NODE && value->bits >= section_->node_count) {
    value->form = pb::V_UINT;
    return Warn(index_.form.Code("row.reference"), [&] {
      return index_.form.Say("a value is node ") + std::to_string(value->bits) +
             ", which is missing; it is taken as a number";
    });
  }
  return {};
}

// Names come right before their nodes; otherwise they are plain texts.
Status Pass::CheckOwnName(OwnValue* value) {
  if (value->form != pb::V_NAME) return {};
  const Token& data = record_.At(Role::kData);
  if (value->text == 0 && !data.is_null()) value->text = StringIndexOf(data);
  const std::uint64_t name = value->text;
  if (name == 0 || (name >= first_string_ && name < NextString())) return {};
  value->form = pb::V_UTF8;
  return Warn(index_.form.Code("name.order"), [&] {
    return index_.form.Say(
        "a value is a name whose string is not right before its node; "
        "it is taken for a text");
  });
}

Status Pass::AddOwnValue() {
  OwnValue own = std::exchange(own_value_, {});
  HEAPGLOT_RETURN_IF_ERROR(CheckOwnValue(&own));
  HEAPGLOT_RETURN_IF_ERROR(CheckOwnName(&own));
  if (!keeps_nodes_) return {};
  pb::Nodes& nodes = *nodes_.mutable_nodes();
  if (own.encoding != pb::USUAL) {
    // A field of the draft may have set it.
    nodes.mutable_value_encoding()->Resize(row_, 0);
    SetNode(nodes.mutable_value_encoding(),
            static_cast<std::uint32_t>(own.encoding));
  }
  if (own.form == pb::V_NONE) return {};
  std::uint64_t bits = own.bits;
  if (IsStringForm(own.Form())) {
    const bool has_other =
        own.form != pb::V_NAME && nodes.value_size() == row_ + 1;
    const std::uint64_t natural = has_other ? nodes.value(row_) : 0;
    bits = own.text != 0 ? own.text : natural;
  }
  nodes.mutable_value_form()->Resize(row_, 0);
  nodes.mutable_value()->Resize(row_, 0);
  SetValue(own.Form(), bits);
  return {};
}

}  // namespace heapglot::draft
