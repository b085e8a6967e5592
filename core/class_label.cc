#include "core/class_label.h"

namespace heapglot {

std::string ClassName(ClassLabel::What what, std::string_view text) {
  switch (what) {
    case ClassLabel::What::kUndefinedType:
      return "(undefined class)";
    case ClassLabel::What::kKind:
      return std::string("(").append(text.empty() ? "no class" : text) + ")";
    case ClassLabel::What::kType:
      break;
  }
  return text.empty() ? "(unnamed class)" : std::string(text);
}

}  // namespace heapglot
