// Edges.
#include <algorithm>
#include <limits>
#include <string>

#include "core/chunk_builder.h"
#include "core/column.h"
#include "core/draft/draft_values.h"
#include "readers/draft/draft_pass.h"

namespace heapglot::draft {
namespace {

// How edges of a kind are named.
std::uint32_t NameFormOf(const std::vector<Word>& words, std::uint32_t kind) {
  return kind < words.size() ? words[kind].name_form : 0;
}

// A gap of this many nodes without edges begins a new chunk instead.
constexpr std::uint64_t kMaxGap = 4096;
// The string that is the label of an element, which its number alone does not
// tell.
constexpr std::string_view kLabelColumn = "heapglot:label";

}  // namespace

void Pass::CountEdge(std::uint64_t source, std::uint32_t kind) {
  ++counts_.edges;
  if (!survey_) return;
  counts_.edges_synthesized += section_->IsMade(kind) ? 1 : 0;
  counts_.AddSource(source, node_ - section_->first_node);
  if (counts_.grouped) index_.CountEdgeOf(section_->first_node + source);
}

// Ends the chunk of edges if `source` is far after its nodes.
Status Pass::FlushGap(std::uint64_t source) {
  const pb::Edges& edges = edge_chunk_.edges();
  if (!section_->grouped || edges.count() == 0) return {};
  const std::uint64_t next =
      edges.first_node() +
      static_cast<std::uint64_t>(edges.edges_per_node_size());
  return source >= next + kMaxGap ? Flush() : Status();
}

Status Pass::BeginEdge(std::uint64_t source, std::uint32_t kind, int* row) {
  CountEdge(source, kind);
  if (!Wants(pb::Chunk::kEdges)) return {};
  pb::Edges& edges = *edge_chunk_.mutable_edges();
  if (section_->grouped) {
    if (edges.count() == 0) edges.set_first_node(source);
    const auto nodes = static_cast<int>(source - edges.first_node()) + 1;
    // Mostly one: Resize() would call memset() for it.
    while (edges.edges_per_node_size() < nodes) edges.add_edges_per_node(0);
    edges.set_edges_per_node(nodes - 1, edges.edges_per_node(nodes - 1) + 1);
  }
  *row = static_cast<int>(edges.count());
  edges.set_count(edges.count() + 1);
  if (!section_->grouped) AddSparse(edges.mutable_from(), *row, source);
  AddSparse(edges.mutable_kind(), *row, kind);
  return {};
}

void Pass::SetTarget(int row, std::uint32_t form, std::uint64_t to) {
  pb::Edges& edges = *edge_chunk_.mutable_edges();
  AddSparse(edges.mutable_to_form(), row, form);
  AddSparse(edges.mutable_to(), row, to);
}

bool Pass::EdgeSource(std::uint64_t* source) {
  const Value value = Resolve(record_.At(Role::kSource));
  *source = value.bits;
  return value.form == pb::V_NODE;
}

// Whether this pass looks at edges.
bool Pass::NeedsEdges() const {
  return survey_ || Wants(pb::Chunk::kEdges) || Wants(pb::Chunk::kValues) ||
         Wants(pb::Chunk::kExtra) || Wants(pb::Chunk::kRecordOrder) ||
         !index_.made_strings.empty();
}

// False: the edge has something that only AddEdge() handles.
bool Pass::ReadEdge(const NumberRecord& record, Edge* edge) {
  if (record.fields.size() > record.layout->edge_fields ||
      !record.Has(Role::kSource) || !record.Has(Role::kDest))
    return false;
  const Value source = Resolve(record.At(Role::kSource));
  if (source.form != pb::V_NODE) return false;
  const Value target = Resolve(record.At(Role::kDest));
  if (target.form == pb::V_DANGLING) return false;
  edge->source = source.bits;
  edge->kind = section_->EdgeRow(record.subtype);
  edge->to_form = target.form == pb::V_NODE ? pb::TO_NODE : pb::TO_IMMEDIATE;
  edge->to = target.bits;
  return !record.Has(Role::kLabel) || ReadLabel(record.At(Role::kLabel), edge);
}

Status Pass::AddNumberEdge(const Edge& edge) {
  HEAPGLOT_RETURN_IF_ERROR(FlushGap(edge.source));
  Note(pb::Chunk::kEdges);
  int row = 0;
  HEAPGLOT_RETURN_IF_ERROR(BeginEdge(edge.source, edge.kind, &row));
  counts_.edges_immediate += edge.to_form == pb::TO_IMMEDIATE ? 1 : 0;
  if (!Wants(pb::Chunk::kEdges)) return {};
  SetTarget(row, edge.to_form, edge.to);
  AddEdgeName(row, edge);
  return {};
}

Status Pass::AddNumbers(const NumberRecord& record) {
  Edge edge;
  if (record.type->kind == RecordKind::kEdge) {
    if (!needs_edges_) return {};
    if (ReadEdge(record, &edge)) return AddNumberEdge(edge);
  }
  index_.parser.Expand(record, &record_);
  return AddRecord();
}

Status Pass::AddEdge() {
  if (!needs_edges_) return {};
  std::uint64_t source = 0;
  if (!EdgeSource(&source)) {
    HEAPGLOT_RETURN_IF_ERROR(Warn(index_.form.Code("edge.source"), [&] {
      return index_.form.Say("the source of an edge is ") +
             TextOf(record_.At(Role::kSource)) +
             ", which is not a node; the record is kept as it is";
    }));
    index_.edges_are_plain = false;
    return AddVerbatim();
  }
  const std::uint64_t others = counts_.values + made_;
  HEAPGLOT_RETURN_IF_ERROR(FlushGap(source));
  Note(pb::Chunk::kEdges);
  const std::uint32_t kind = section_->EdgeRow(record_.subtype);
  int row = 0;
  HEAPGLOT_RETURN_IF_ERROR(BeginEdge(source, kind, &row));
  HEAPGLOT_RETURN_IF_ERROR(AddEdgeTarget(row));
  Edge edge = {.kind = kind};
  ReadEdgeName(&edge);
  if (Wants(pb::Chunk::kEdges)) AddEdgeName(row, edge);
  HEAPGLOT_RETURN_IF_ERROR(AddEdgeFields(edge));
  if (counts_.values + made_ != others) index_.edges_are_plain = false;
  return {};
}

// After the offset, lines that begin like this may be skipped: edges in array
// shape, if nobody wants them.
Pass::Lines Pass::UnwantedEdges() const {
  const bool is_needed = survey_ || Wants(pb::Chunk::kEdges) ||
                         Wants(pb::Chunk::kRecordOrder) ||
                         !index_.edges_are_plain;
  if (is_needed) return {};
  for (const Type& type : index_.schema.types()) {
    if (type.kind == RecordKind::kEdge && type.has_code)
      return {"[" + std::to_string(type.code) + ",", type.declared_at};
  }
  return {};
}

Status Pass::AddEdgeTarget(int row) {
  const bool wanted = Wants(pb::Chunk::kEdges);
  const Token& dest = record_.At(Role::kDest);
  const Token& raw = record_.At(Role::kHgDangling);
  std::uint32_t form = pb::TO_OMITTED;
  std::uint64_t to = 0;
  if (!raw.is_null()) {
    Integer integer;
    ReadInteger(raw, &integer);
    form = pb::TO_DANGLING;
    to = integer.bits();
  } else if (!dest.is_null()) {
    const Value value = Resolve(dest);
    to = value.bits;
    form = value.form == pb::V_NODE  ? pb::TO_NODE
           : value.form == pb::V_INT ? pb::TO_IMMEDIATE
                                     : pb::TO_DANGLING;
    if (form == pb::TO_DANGLING && to == kOmittedId) {
      form = pb::TO_OMITTED;
      to = 0;
    } else if (form == pb::TO_DANGLING) {
      HEAPGLOT_RETURN_IF_ERROR(
          Dangling(record_.layout->fields[static_cast<std::size_t>(
                       record_.layout->Slot(Role::kDest))],
                   dest));
    }
  }
  counts_.edges_omitted += form == pb::TO_OMITTED ? 1 : 0;
  counts_.edges_dangling += form == pb::TO_DANGLING ? 1 : 0;
  counts_.edges_immediate += form == pb::TO_IMMEDIATE ? 1 : 0;
  if (wanted) SetTarget(row, form, to);
  return {};
}

// Rows up to `rows` that have no name form get the one of their word.
void Pass::FillNameForms(int rows) {
  pb::Edges& edges = *edge_chunk_.mutable_edges();
  const auto& words = section_->Words(pb::Vocabulary::EDGE_KIND);
  for (int row = edges.name_form_size(); row < rows; ++row) {
    // The column may end before a row whose kind is 0.
    const std::uint32_t kind = row < edges.kind_size() ? edges.kind(row) : 0;
    edges.add_name_form(NameFormOf(words, kind));
  }
}

std::uint32_t Pass::UsualNameForm(std::uint32_t kind) const {
  return NameFormOf(section_->Words(pb::Vocabulary::EDGE_KIND), kind);
}

// Sets the name that a label gives the edge. False: there is no such string.
bool Pass::ReadLabel(std::uint64_t id, Edge* edge) const {
  if (index_.IsHelper(id)) {
    const bool odd = id % 2 != 0;
    edge->name_form = odd ? pb::NAME_NUMBER : pb::NAME_STRING;
    edge->name = odd ? id >> 1 : 0;
    return true;
  }
  const std::uint64_t position = index_.strings.Find(id);
  if (position == IdMap::kNone) return false;
  if (!Wants(pb::Chunk::kEdges)) return true;
  edge->label = index_.StringIndex(position);
  const std::uint64_t decimal = UsualNameForm(edge->kind) == pb::NAME_NUMBER
                                    ? index_.DecimalOf(position)
                                    : IdMap::kNone;
  const bool is_number = decimal != IdMap::kNone;
  edge->name_form = is_number ? pb::NAME_NUMBER : pb::NAME_STRING;
  edge->name = is_number ? decimal : edge->label;
  return true;
}

// Sets the name of the edge.
void Pass::ReadEdgeName(Edge* edge) const {
  const Token& label = record_.At(Role::kLabel);
  const Token& number = record_.At(Role::kHgNumber);
  Integer integer;
  if (!number.is_null()) {
    ReadInteger(number, &integer);
    edge->name_form = pb::NAME_NUMBER;
    edge->name = integer.bits();
    return;
  }
  edge->has_dangling_label =
      !label.is_null() && !ReadLabel(BitsOf(label), edge);
}

void Pass::AddEdgeName(int row, const Edge& edge) {
  pb::Edges& edges = *edge_chunk_.mutable_edges();
  if (edge.name_form != UsualNameForm(edge.kind) ||
      !edges.name_form().empty()) {
    FillNameForms(row);
    edges.add_name_form(edge.name_form);
  }
  AddSparse(edges.mutable_name(), row, edge.name);
  if (edge.name_form != pb::NAME_NUMBER || edge.label == 0 || index_.is_own)
    return;
  if (edges.extra().empty()) edges.add_extra()->set_name(kLabelColumn.data());
  SetSparse(edges.mutable_extra(0)->mutable_strings(), row, edge.label);
}

// In the order of the layout, in which the way back expects the values.
Status Pass::AddEdgeFields(const Edge& edge) {
  const std::vector<Field>& fields = record_.layout->fields;
  const std::uint64_t number = counts_.edges - 1;
  for (std::size_t slot = 0; slot < fields.size(); ++slot) {
    const Token& token = record_.fields[slot];
    if (token.is_null()) continue;
    if (fields[slot].role == Role::kHgFlags) {
      Integer flags;
      ReadInteger(token, &flags);
      counts_.edges_synthesized += (flags.bits() & pb::EDGE_SYNTHESIZED) != 0 &&
                                   !section_->IsMade(edge.kind);
      if (!Wants(pb::Chunk::kEdges)) continue;
      pb::Edges& edges = *edge_chunk_.mutable_edges();
      SetSparse(edges.mutable_flags(), static_cast<int>(edges.count()) - 1,
                static_cast<std::uint32_t>(flags.bits()));
    } else if (fields[slot].role == Role::kSubtype &&
               record_.subtype == nullptr) {
      HEAPGLOT_RETURN_IF_ERROR(
          AddUnknownSubtype(pb::Values::OF_EDGE, number, fields[slot], token));
    } else if (fields[slot].role == Role::kOther ||
               (fields[slot].role == Role::kLabel && edge.has_dangling_label)) {
      // For the draft's own type, AddValue() reports it.
      if (fields[slot].role == Role::kLabel &&
          fields[slot].type != FieldType::kStringId)
        HEAPGLOT_RETURN_IF_ERROR(Dangling(fields[slot], token));
      HEAPGLOT_RETURN_IF_ERROR(
          AddValue(pb::Values::OF_EDGE, number, fields[slot], token));
    }
  }
  return AddUnknownFields(pb::Values::OF_EDGE, number);
}

}  // namespace heapglot::draft
