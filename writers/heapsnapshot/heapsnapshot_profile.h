// The layout of a .heapsnapshot file: everything in which producers differ and
// that its content does not tell. Written as a short text, the profile.
#ifndef HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_PROFILE_H_
#define HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_PROFILE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "readers/heapsnapshot/heapsnapshot_wire.h"

namespace heapglot::heapsnapshot {

// White space around a comma.
struct Gap {
  std::string before;
  std::string after;
};

// White space within an array. In one of strings or single numbers, only `row`
// counts; in the tree of traces, a row is a node.
struct ArrayLayout {
  std::string first;  // after "["
  Gap column;         // between the numbers of a row
  Gap row;            // between rows
  std::string last;   // before "]"
  std::string empty;  // if there are no rows
};

// A member of the file's object.
struct MemberLayout {
  SectionKind kind = SectionKind::kJson;
  std::string before_key;
  std::string before_colon;
  std::string after_colon;
  std::string after_value;
  ArrayLayout array;
};

// How the text of strings is written.
struct TextStyle {
  bool upper_hex = true;     // \u00E9, not \u00e9
  bool raw = false;          // UTF-8, not \u
  bool short_slash = false;  // \/
  bool escape_del = false;   // \u007f
  // Which of the control characters that have a letter are written with it.
  std::string letters = "bfnrt";
};

struct FileLayout {
  bool has_bom = false;
  std::string before;  // "{"
  std::vector<MemberLayout> members;
  std::string after;  // "}"
  TextStyle text;
};

// Node 22's layout for these sections. DevTools needs V8's order.
FileLayout UsualLayout(const std::vector<SectionKind>& kinds);
MemberLayout UsualMember(SectionKind kind);

// The layout of `source`, as its first rows and strings show it; nullopt if it
// is not a snapshot. Reads all of it once, and the strings again; `progress`
// gets the offset that is reached.
std::optional<FileLayout> DetectLayout(
    std::string_view source,
    const std::function<void(std::uint64_t)>& progress);

// The profile, some hundred bytes; grammar: README.md beside this. Empty if it
// would be unreasonably long.
std::string FormatProfile(const FileLayout& layout);
// nullopt if `profile` is not one: it may come from a file.
std::optional<FileLayout> ParseProfile(std::string_view profile);

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_PROFILE_H_
