// The records of the way back.
#include <algorithm>
#include <string_view>

#include "core/column.h"
#include "core/ir/string_id.h"
#include "writers/draft/draft_native.h"

namespace heapglot::draft {

// ------------------------------------------------------------------ strings

bool NativeWriter::WriteString() {
  const auto rows = [](const pb::Chunk& chunk) {
    return chunk.strings().length_size();
  };
  while (strings_.Next(rows)) {
    const pb::Strings* strings = &strings_.chunk().strings();
    std::uint64_t id = 0;  // that of the last piece
    int encoding = pb::UTF8;
    std::string_view text;
    for (;;) {
      const std::uint64_t index =
          strings->first() + static_cast<std::uint64_t>(strings_.row());
      encoding =
          std::max<int>(encoding, At(strings->encoding(), strings_.row()));
      id = At(strings->source_id(), strings_.row());
      const bool goes_on =
          strings->continued() && strings_.row() + 1 == strings->length_size();
      // made_ has joined the pieces. It is asked once for all of them, since a
      // long string has many.
      if (!goes_on) {
        text = made_.Find(index);
        break;
      }
      if (!strings_.Next(rows)) break;
      strings = &strings_.chunk().strings();
    }
    if (id == kNoStringId) continue;
    WriteStringRecord(id, text, encoding);
    return true;
  }
  return false;
}

void NativeWriter::WriteStringRecord(std::uint64_t id, std::string_view text,
                                     int encoding) {
  const Type& type = *TypeOf("string");
  // Where a file declares no field for what is not Unicode, the text itself has
  // it.
  const bool is_alone =
      (encoding == pb::WTF8 && type.layout.Slot(Role::kUtf16) < 0) ||
      (encoding == pb::BYTES && type.layout.Slot(Role::kBytes) < 0);
  out_->Begin(type, nullptr);
  for (const Field& field : type.layout.fields) {
    if (field.role == Role::kStringId)
      out_->StringId(id);
    else if (field.role == Role::kData && is_alone)
      out_->ExactText(text);
    else if (field.role == Role::kData)
      out_->Text(text);
    else if (field.role == Role::kUtf16 && encoding == pb::WTF8)
      out_->Base64(Utf16Of(text));
    else if (field.role == Role::kBytes && encoding == pb::BYTES)
      out_->Base64(text);
    else
      out_->Absent();
  }
  out_->End();
}

// ---------------------------------------------------------- nodes and edges

// Whether there is an undeclared field whose name an array would lose. If the
// record was an array, such a field is called "#3" by its place, and the
// subtype is not declared either.
bool NativeWriter::HasNamedField(const Type& type, const Subtype* subtype,
                                 ValueRows& values, std::uint64_t owner) const {
  std::size_t place = type.layout.fields.size();
  const bool may_be_array =
      subtype == nullptr && type.layout.Slot(Role::kSubtype) >= 0;
  const auto has_name = [&](const pb::Values& rows, int row) {
    const std::uint64_t key = At(rows.key(), row);
    if (At(rows.form(), row) != pb::V_JSON || !names_.Find(key).empty())
      return false;
    return !may_be_array || made_.Find(key) != "#" + std::to_string(place++);
  };
  return values.AnyOf(owner, has_name);
}

// An undeclared subtype is a value, which may have been lost on the way; but a
// record must have a subtype.
void NativeWriter::WriteSubtype(const Subtype* subtype, ValueRows& values,
                                std::uint64_t owner, const Field& field) {
  if (subtype != nullptr)
    out_->SubtypeField();
  else if (!WriteValueOf(values, owner, field))
    out_->Uint(kUnknownSubtype);
}

// -------------------------------------------------------------------- nodes

const Subtype* NativeWriter::SubtypeOf(Type* type,
                                       const std::vector<Kind>& kinds,
                                       std::uint32_t kind) const {
  // In our own files the code is the row, even in a graph without a vocabulary.
  if (is_own_) return type->FindSubtype(kind);
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
  BeginRecord(*type, subtype, node_values_, node);
  for (const Field& field : layout.fields) {
    if (field.role == Role::kIdentifier)
      out_->Id(NodeId(node));
    else if (field.role == Role::kSubtype)
      WriteSubtype(subtype, node_values_, node, field);
    else if (!WriteNodeField(nodes, row, field, layout) &&
             !WriteValueOf(node_values_, node, field))
      out_->Absent();
  }
  WriteRest(node_values_, node);
  out_->End();
  return true;
}

bool NativeWriter::WriteNodeField(const pb::Nodes& nodes, int row,
                                  const Field& field, const Layout& layout) {
  if (!is_own_) return WriteForeignField(nodes, row, field);
  if (field.role == Role::kHgHeap) {
    out_->Uint(graph_ - 1);
    return true;
  }
  return WriteOwnField(nodes, row, field.role, layout, ids_, out_.get());
}

bool NativeWriter::WriteForeignField(const pb::Nodes& nodes, int row,
                                     const Field& field) {
  const std::uint32_t form = At(nodes.value_form(), row);
  const std::uint64_t value = At(nodes.value(), row);
  switch (field.role) {
    case Role::kSize: {
      const std::uint64_t size = At(nodes.self_size(), row);
      // A negative size is a value.
      const std::uint64_t node = nodes.first() + static_cast<unsigned>(row);
      if (size == 0 && WriteValueOf(node_values_, node, field)) return true;
      out_->Uint(size);
      return true;
    }
    case Role::kData:
      if (form != pb::V_UTF8) return false;
      out_->StringId(StringId(value));
      return true;
    case Role::kNumber:
      if (form != pb::V_DOUBLE) return false;
      out_->Double(value);
      return true;
    case Role::kArrayLength:
      if (form != pb::V_LENGTH) return false;
      if (field.type == FieldType::kValue)
        out_->Value(value << 1);
      else
        out_->Uint(value);
      return true;
    case Role::kAddress:
      if (form != pb::V_UINT) return false;
      out_->Hex(value);
      return true;
    case Role::kTimestamp:
      if (form == pb::V_DOUBLE)
        out_->Double(value);
      else if (form == pb::V_INT && field.type == FieldType::kValue)
        out_->Value(value << 1);
      else if (form == pb::V_INT)
        out_->Int(static_cast<std::int64_t>(value));
      else
        return false;
      return true;
    default:
      return false;
  }
}

// ------------------------------------------------------------------- values

// Writes the next value of the owner, if it belongs to this field.
bool NativeWriter::WriteValueOf(ValueRows& values, std::uint64_t owner,
                                const Field& field) {
  if (!values.Has(owner)) return false;
  const int row = values.row();
  if (names_.Find(At(values.values().key(), row)) != field.name) return false;
  const std::uint64_t bits = At(values.values().value(), row);
  const bool hex = At(values.values().encoding(), row) == pb::HEX_TEXT;
  switch (At(values.values().form(), row)) {
    case pb::V_NODE:
      out_->Value(NodeId(bits));
      break;
    case pb::V_STRING_ID:
      out_->StringId(StringId(bits));
      break;
    case pb::V_DANGLING:
      if (field.type == FieldType::kStringId)
        out_->StringId(bits);
      else
        out_->Id(bits);
      break;
    case pb::V_INT:
      if (field.type == FieldType::kValue)
        out_->Value(bits << 1);
      else
        out_->Int(static_cast<std::int64_t>(bits));
      break;
    case pb::V_DOUBLE:
      out_->Double(bits);
      break;
    case pb::V_BOOL:
      out_->Bool(bits != 0);
      break;
    case pb::V_JSON:
      out_->Raw(made_.Find(bits));
      break;
    default:
      if (hex || field.type == FieldType::kAddr)
        out_->Hex(bits);
      else
        out_->Uint(bits);
  }
  values.Take();
  return true;
}

// Writes the values of undeclared fields.
void NativeWriter::WriteRest(ValueRows& values, std::uint64_t owner) {
  for (; values.Has(owner); values.Take()) {
    const int row = values.row();
    const std::string_view json = made_.Find(At(values.values().value(), row));
    if (json.empty()) continue;
    if (out_->is_object())
      out_->Pair(made_.Find(At(values.values().key(), row)), json);
    else
      out_->Surplus(json);
  }
}

// -------------------------------------------------------------------- edges

std::uint32_t NativeWriter::NameFormOf(const pb::Edges& edges, int row) const {
  if (!edges.name_form().empty()) return edges.name_form(row);
  const std::uint32_t kind = At(edges.kind(), row);
  return kind < edge_kinds_.size() ? edge_kinds_[kind].name_form : 0;
}

bool NativeWriter::WriteEdge() {
  const auto rows = [](const pb::Chunk& chunk) {
    return static_cast<int>(chunk.edges().count());
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

// False, and nothing is written, if the reader made the edge.
bool NativeWriter::WriteEdgeRecord(const pb::Edges& edges, int row,
                                   std::uint64_t from) {
  const std::uint32_t kind = At(edges.kind(), row);
  if (!is_own_ && synthesized_.HasKind(kind)) return false;
  Type* const type = TypeOf("edge");
  const Subtype* const subtype = SubtypeOf(type, edge_kinds_, kind);
  const Layout& layout = subtype != nullptr ? subtype->layout : type->layout;
  const std::uint64_t edge = edges.first() + static_cast<std::uint64_t>(row);
  BeginRecord(*type, subtype, edge_values_, edge);
  for (const Field& field : layout.fields) {
    if (field.role == Role::kSubtype)
      WriteSubtype(subtype, edge_values_, edge, field);
    else if (!WriteEdgeField(edges, row, field, from) &&
             !WriteValueOf(edge_values_, edge, field))
      out_->Absent();
  }
  WriteRest(edge_values_, edge);
  out_->End();
  return true;
}

bool NativeWriter::WriteEdgeField(const pb::Edges& edges, int row,
                                  const Field& field, std::uint64_t from) {
  const std::uint32_t form = NameFormOf(edges, row);
  const std::uint64_t name = At(edges.name(), row);
  const bool far = form == pb::NAME_NUMBER && name > OwnIds::kMaxDecimal;
  switch (field.role) {
    case Role::kSource:
      out_->Id(NodeId(from));
      return true;
    case Role::kDest:
      return WriteDest(edges, row);
    case Role::kLabel:
      return WriteLabel(edges, row);
    case Role::kHgDangling:
      if (At(edges.to_form(), row) != pb::TO_DANGLING) return false;
      out_->Uint(At(edges.to(), row));
      return true;
    case Role::kHgNumber:
      if (is_own_ && far) out_->Int(static_cast<std::int64_t>(name));
      return is_own_ && far;
    case Role::kHgNameForm: {
      const std::uint32_t kind = At(edges.kind(), row);
      const bool odd = form == pb::NAME_NONE && kind < edge_kinds_.size() &&
                       edge_kinds_[kind].name_form != pb::NAME_NONE;
      if (odd) out_->Uint(form);
      return odd;
    }
    case Role::kHgFlags:
      if (At(edges.flags(), row) == 0) return false;
      out_->Uint(edges.flags(row));
      return true;
    default:
      return false;
  }
}

bool NativeWriter::WriteDest(const pb::Edges& edges, int row) {
  const std::uint64_t to = At(edges.to(), row);
  switch (At(edges.to_form(), row)) {
    case pb::TO_NODE:
      out_->Id(NodeId(to));
      return true;
    case pb::TO_IMMEDIATE:
      out_->Value(to << 1);
      return true;
    case pb::TO_DANGLING:
      if (is_own_) return false;
      out_->Id(to);
      return true;
    default:
      if (is_own_) return false;
      out_->Id(kOmittedId);
      return true;
  }
}

bool NativeWriter::WriteLabel(const pb::Edges& edges, int row) {
  const std::uint32_t form = NameFormOf(edges, row);
  const std::uint64_t name = At(edges.name(), row);
  if (form == pb::NAME_STRING && is_own_) {
    out_->StringId(ids_.Reference(name));
    return true;
  }
  if (form == pb::NAME_STRING) {
    out_->StringId(StringId(name));
    return true;
  }
  if (form != pb::NAME_NUMBER) return false;
  if (is_own_) {
    if (name > OwnIds::kMaxDecimal) return false;
    out_->StringId(OwnIds::Decimal(name));
    return true;
  }
  if (edges.extra().empty()) return false;
  out_->StringId(StringId(At(edges.extra(0).strings(), row)));
  return true;
}

}  // namespace heapglot::draft
