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

}  // namespace heapglot::heapsnapshot
