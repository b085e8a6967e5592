// What the classes of a dump are called when they are counted by name.
#ifndef HEAPGLOT_CORE_CLASS_LABEL_H_
#define HEAPGLOT_CORE_CLASS_LABEL_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace heapglot {

// What nodes are counted under, before the strings are known: their class, or
// their kind if they have none.
struct ClassLabel {
  enum class What : std::uint8_t { kType, kKind, kUndefinedType };
  What what = What::kType;
  std::uint64_t name = 0;     // index of a string
  std::uint64_t library = 0;  // index of a string
};

// The name to show: "Name", "(kind)", "(unnamed class)", "(undefined class)".
// `text` is the text of label.name.
std::string ClassName(ClassLabel::What what, std::string_view text);

// Appends the library to names that more than one of `rows` has. The rows have
// a `name` and a `library` and are sorted by name.
template <typename Rows>
void TellApart(Rows& rows) {
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t end = i + 1;
    while (end < rows.size() && rows[end].name == rows[i].name) ++end;
    for (std::size_t j = i; end - i > 1 && j < end; ++j) {
      if (!rows[j].library.empty()) {
        rows[j].name += " (" + rows[j].library + ")";
      }
    }
    i = end;
  }
}

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_CLASS_LABEL_H_
