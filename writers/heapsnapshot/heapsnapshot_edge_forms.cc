#include "writers/heapsnapshot/heapsnapshot_edge_forms.h"

namespace heapglot::heapsnapshot {

EdgeForm EdgeFormOf(std::uint32_t known, std::uint32_t name_form) {
  using Name = EdgeForm::Name;
  if (name_form == pb::NAME_NUMBER) {
    if (known == pb::EDGE_HIDDEN) return {EdgeType::kHidden, Name::kNumber};
    if (known == pb::EDGE_WEAK) return {EdgeType::kWeak, Name::kFixed};
    return {EdgeType::kElement, Name::kNumber};
  }
  if (name_form == pb::NAME_NONE && known != pb::EDGE_WEAK)
    return {EdgeType::kElement, Name::kPosition};
  const Name name = name_form == pb::NAME_STRING ? Name::kString : Name::kFixed;
  switch (known) {
    case pb::EDGE_CONTEXT:
      return {EdgeType::kContext, name};
    case pb::EDGE_ELEMENT:
    case pb::EDGE_PROPERTY:
      return {EdgeType::kProperty, name};
    case pb::EDGE_SHORTCUT:
      return {EdgeType::kShortcut, name};
    case pb::EDGE_WEAK:
      return {EdgeType::kWeak, name};
    default:
      return {EdgeType::kInternal, name};
  }
}

void PlainEdges::Begin(std::span<const EdgeForm> forms,
                       const StringNumbers& numbers, std::uint64_t shift) {
  shift_ = shift;
  forms_.clear();
  for (const EdgeForm& from : forms) {
    EdgeRowForm form;
    form.type = static_cast<std::uint64_t>(from.type);
    if (from.name == EdgeForm::Name::kNumber) {
      form.max_name = kMaxShownIndex;
      form.is_plain = true;
    } else if (from.name == EdgeForm::Name::kString) {
      form.name_shift = numbers.OfStream(1) - 1;
      form.of_zero = numbers.OfStream(0);
      form.max_name = ~std::uint64_t{0};
      form.is_plain = true;
    }
    forms_.push_back(form);
  }
}

bool PlainEdges::Fill(const pb::Edges& edges, int row, int rows,
                      std::uint64_t* out) const {
  return JoinEdgeRows(forms_, shift_,
                      {edges.kind().data() + row, edges.name().data() + row,
                       edges.to().data() + row, static_cast<std::size_t>(rows)},
                      out);
}

}  // namespace heapglot::heapsnapshot
