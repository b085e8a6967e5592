#include "readers/draft/draft_tally.h"

#include "core/draft/draft_values.h"
#include "readers/draft/draft_tables.h"

namespace heapglot::draft {
namespace {

// Whether there are fields that become Values of an edge.
bool HasOtherFields(const Record& record) {
  const std::vector<Field>& fields = record.layout->fields;
  for (std::size_t slot = 0; slot < fields.size(); ++slot) {
    if (fields[slot].role == Role::kOther && !record.fields[slot].is_null())
      return true;
  }
  return false;
}

}  // namespace

void Tally::GiveUp() {
  if (!is_on_) return;
  is_on_ = false;
  counts_.grouped = false;  // from here on, nothing is counted by node
  index_.ForgetSurvey();
  constructors_ = {};
  constructor_ids_ = {};
}

// -------------------------------------------------------------------- nodes

void Tally::AddNodeId(std::uint64_t id) {
  if (count_ == 0) first_id_ = id;
  if (count_ == 1 && std::has_single_bit(id - first_id_))
    shift_ = static_cast<unsigned>(std::countr_zero(id - first_id_));
  if (id != first_id_ + (count_ << shift_)) GiveUp();
  ++count_;
  if (is_on_) index_.edge_counts.push_back(0);
  if (!index_.is_own) counts_.AddId(id);
}

void Tally::AddNode(const NumberRecord& record) {
  if (!is_on_) return;
  AddNodeId(record.At(Role::kIdentifier));
  const std::vector<Field>& fields = record.layout->fields;
  for (std::size_t slot = 0; slot < record.fields.size(); ++slot)
    AddField(fields[slot], record.fields[slot]);
  if (!own_value_.empty()) EndNode();
}

void Tally::AddNode(const Record& record) {
  if (!is_on_) return;
  if (record.HasUnknownFields() || record.HasUnknownSubtype()) {
    GiveUp();
    return;
  }
  AddNodeId(BitsOf(record.At(Role::kIdentifier)));
  const std::vector<Field>& fields = record.layout->fields;
  for (std::size_t slot = 0; slot < fields.size(); ++slot) {
    const Token& token = record.fields[slot];
    if (token.is_null()) continue;
    // A negative number becomes a value; "-0" can be in an unsigned field, too.
    const FieldType type = fields[slot].type;
    const bool may_be_negative = fields[slot].role == Role::kArrayLength ||
                                 fields[slot].role == Role::kSize;
    if (may_be_negative && token.kind != TokenKind::kUint) GiveUp();
    const bool is_integer = type != FieldType::kF64;
    AddField(fields[slot], is_integer ? BitsOf(token) : 0);
  }
  if (!own_value_.empty()) EndNode();
}

// Counts what Pass::AddNodeField() does.
void Tally::AddField(const Field& field, std::uint64_t value) {
  switch (field.role) {
    case Role::kIdentifier:
    case Role::kSubtype:
    case Role::kNumber:
    case Role::kAddress:
      break;
    case Role::kArrayLength:
      // It is not a small integer that can be a length.
      if (field.type == FieldType::kValue && (value % 2 != 0 || value >> 63))
        GiveUp();
      break;
    case Role::kSize:
      counts_.AddSelfSize(value);
      break;
    case Role::kData:
      AddText(value);
      break;
    case Role::kOddball:
      // The names of oddballs are looked at, except in our own files.
      if (!index_.is_own) GiveUp();
      break;
    case Role::kTimestamp:
      if (field.type == FieldType::kValue && value % 2 != 0)
        AddValue(field, value);
      break;
    case Role::kMetadata:
      if (value % 2 == 0) GiveUp();
      AddValue(field, value);
      break;
    case Role::kSliceOffset:
      GiveUp();
      break;
    case Role::kOther:
    case Role::kConstructor:
    case Role::kFunction:
    case Role::kPattern:
    case Role::kSliceSource:
      AddValue(field, value);
      break;
    default:
      if (index_.is_own)
        AddOwnField(field, value);
      else
        AddValue(field, value);
  }
}

// Notes what Pass::AddOwnField() looks at.
void Tally::AddOwnField(const Field& field, std::uint64_t value) {
  switch (field.role) {
    case Role::kHgId:
      counts_.AddId(value);
      break;
    case Role::kHgType:
      last_type_ = std::max(last_type_, value);
      break;
    case Role::kHgHeapSpace:
      last_space_ = std::max(last_space_, value);
      break;
    case Role::kHgStackFrame:
      last_frame_ = std::max(last_frame_, value);
      break;
    case Role::kHgForm:
      own_value_.form = value;
      break;
    case Role::kHgEncoding:
      own_value_.encoding = value;
      break;
    case Role::kHgValue:
      own_value_.bits = value;
      break;
    case Role::kHgText:
      own_value_.text = value;
      [[fallthrough]];
    case Role::kHgName:
      if (!index_.IsEmptyHelper(value)) strings_.Add(value);
      break;
    default:
      break;
  }
}

void Tally::EndNode() {
  if (!own_value_.IsSound()) GiveUp();
  if (own_value_.form == pb::V_NODE)
    last_value_ = std::max(last_value_, own_value_.bits);
  own_value_ = {};
}

// Counts a field that becomes a row of Values.
void Tally::AddValue(const Field& field, std::uint64_t value) {
  ++counts_.values;
  switch (field.type) {
    case FieldType::kValue:
      if (value % 2 == 0) break;
      if (field.role == Role::kConstructor) AddConstructor(value);
      AddReference(value);
      break;
    case FieldType::kStringId:
      strings_.Add(value);
      break;
    case FieldType::kInlineString:
    case FieldType::kUtf8:
    case FieldType::kBase64:
    case FieldType::kJson:
      GiveUp();  // it becomes a string
      break;
    default:
      break;
  }
}

// Counts an edge of the current node.
void Tally::AddReference(std::uint64_t id) {
  if (!is_on_) return;
  nodes_.Add(id);
  ++edges_of_fields_;
  CountEdge(count_ - 1);
}

void Tally::AddConstructor(std::uint64_t id) {
  if (constructors_.contains(id) ||
      constructors_.size() == Index::kMaxConstructors)
    return;
  constructor_ids_.push_back(id);
  constructors_.emplace(id, constructor_ids_.size());
}

// -------------------------------------------------------------------- edges

void Tally::AddOtherEdge(const NumberRecord& record) {
  index_.parser.Expand(record, &expanded_);
  AddEdge(expanded_);
}

// Counts what Pass::AddEdge() does.
void Tally::AddEdge(const Record& record) {
  if (!is_on_) return;
  if (record.HasUnknownFields() || record.HasUnknownSubtype() ||
      HasOtherFields(record)) {
    GiveUp();
    return;
  }
  CountKind(record.subtype);
  AddSource(BitsOf(record.At(Role::kSource)));
  const Token& target = record.At(Role::kDest);
  if (!record.At(Role::kHgDangling).is_null())
    ++counts_.edges_dangling;
  else if (target.is_null())
    ++counts_.edges_omitted;
  else
    AddTarget(BitsOf(target));
  const Token& label = record.At(Role::kLabel);
  if (!label.is_null() && record.At(Role::kHgNumber).is_null())
    AddText(BitsOf(label));
}

// -------------------------------------------------------------------- the end

// Which kinds are synthesized may become known only now.
std::uint64_t Tally::CountMade(const Section& section) const {
  std::uint64_t made = 0;
  const auto add = [&](std::uint32_t kind, std::uint64_t edges) {
    if (section.IsMade(kind)) made += edges;
  };
  for (const Type& type : index_.schema.types()) {
    if (type.kind != RecordKind::kEdge) continue;
    for (const Subtype& subtype : type.subtypes)
      add(section.EdgeRow(&subtype), subtype.edges);
  }
  add(section.unknown_edge_row, edges_without_kind_);
  add(section.field_edge_row, edges_of_fields_);
  return made;
}

// Whether everything that our own fields refer to is there.
bool Tally::HasAllRows(const Section& section) const {
  return last_type_ <= CountRows(section, pb::Chunk::kTypesFieldNumber) &&
         last_frame_ <=
             CountRows(section, pb::Chunk::kStackFramesFieldNumber) &&
         last_space_ <= section.Words(pb::Vocabulary::HEAP_SPACE).size() &&
         (last_value_ == 0 || last_value_ < section.node_count);
}

bool Tally::Settle() {
  const bool is_told =
      is_on_ && !index_.is_version0 && index_.nodes.HasAll(nodes_) &&
      index_.strings.HasAll(strings_) && HasAllRows(index_.sections.front());
  if (!is_told) {
    GiveUp();
    return false;
  }
  if (index_.nodes.Find(kOmittedId) == IdMap::kNone)
    counts_.edges_omitted += omitted_ids_;
  Section& section = index_.sections.front();
  for (std::size_t row = 0; row < constructor_ids_.size(); ++row) {
    const std::uint64_t node = index_.nodes.Find(constructor_ids_[row]);
    section.types.push_back({.name = 0, .node = node});
    index_.constructors.emplace(node, row + 1);
  }
  counts_.edges_synthesized = CountMade(section);
  counts_.Store(&section);
  return true;
}

}  // namespace heapglot::draft
