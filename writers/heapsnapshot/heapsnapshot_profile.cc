// The text form of a layout (heapsnapshot_profile.h).
#include "writers/heapsnapshot/heapsnapshot_profile.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>

#include "core/text/number.h"

namespace heapglot::heapsnapshot {
namespace {

constexpr std::string_view kVersion = "1";
constexpr std::size_t kMaxProfile = 8192;
constexpr std::size_t kMaxSpace = 256;  // bytes of white space in one place

// Letters of white space, and of sections.
constexpr std::pair<char, char> kSpaceLetters[] = {
    {' ', 's'}, {'\t', 't'}, {'\n', 'n'}, {'\r', 'r'}};
constexpr std::pair<SectionKind, char> kKindLetters[] = {
    {SectionKind::kSnapshot, 'S'},  {SectionKind::kNodes, 'N'},
    {SectionKind::kEdges, 'E'},     {SectionKind::kTraceFunctions, 'F'},
    {SectionKind::kTraceTree, 'T'}, {SectionKind::kSamples, 'P'},
    {SectionKind::kLocations, 'L'}, {SectionKind::kStrings, 'G'},
    {SectionKind::kTable, 'X'},     {SectionKind::kJson, 'J'}};

bool IsArray(SectionKind kind) {
  return kind != SectionKind::kSnapshot && kind != SectionKind::kJson;
}

// The places of a member, in the order of the profile.
template <typename Member>
auto PlacesOf(Member& member) {
  return std::array{&member.before_key, &member.before_colon,
                    &member.after_colon, &member.after_value};
}
template <typename Array>
auto ArrayPlacesOf(Array& array) {
  return std::array{&array.first,        &array.column.before,
                    &array.column.after, &array.row.before,
                    &array.row.after,    &array.last,
                    &array.empty};
}

// A letter for each byte, and how often it occurs if more than once.
void AppendSpace(std::string_view space, std::string* out) {
  while (!space.empty()) {
    const std::size_t run =
        std::min(space.find_first_not_of(space[0]), space.size());
    for (const auto& [byte, letter] : kSpaceLetters) {
      if (byte == space[0]) out->push_back(letter);
    }
    if (run > 1) AppendUnsigned(run, out);
    space.remove_prefix(run);
  }
}

bool ParseSpace(std::string_view text, std::string* space) {
  while (!text.empty()) {
    char byte = 0;
    for (const auto& [known, letter] : kSpaceLetters) {
      if (letter == text[0]) byte = known;
    }
    if (byte == 0) return false;
    text.remove_prefix(1);
    std::size_t run = 1;
    const auto number =
        std::from_chars(text.data(), text.data() + text.size(), run);
    if (number.ec == std::errc::result_out_of_range) return false;
    if (number.ec == std::errc())
      text.remove_prefix(static_cast<std::size_t>(number.ptr - text.data()));
    if (run > kMaxSpace || space->size() + run > kMaxSpace) return false;
    space->append(run, byte);
  }
  return true;
}

// Takes the text up to the next `separator`, and removes that, too.
std::string_view TakeUpTo(char separator, std::string_view* rest) {
  const std::size_t size = rest->find(separator);
  const std::string_view part = rest->substr(0, size);
  rest->remove_prefix(size == std::string_view::npos ? rest->size() : size + 1);
  return part;
}

bool ParseMember(std::string_view text, SectionKind kind, FileLayout* layout) {
  MemberLayout member;
  member.kind = kind;
  for (std::string* const place : PlacesOf(member)) {
    if (text.empty() || !ParseSpace(TakeUpTo(',', &text), place)) return false;
  }
  if (IsArray(kind)) {
    for (std::string* const place : ArrayPlacesOf(member.array)) {
      if (text.empty() || !ParseSpace(TakeUpTo(',', &text), place))
        return false;
    }
  }
  // No key may occur twice: nodes would be written as often as it does.
  const bool is_twice =
      kind != SectionKind::kTable && kind != SectionKind::kJson &&
      std::any_of(
          layout->members.begin(), layout->members.end(),
          [kind](const MemberLayout& other) { return other.kind == kind; });
  layout->members.push_back(std::move(member));
  return text.empty() && !is_twice && layout->members.size() <= kMaxSections;
}

bool ParseStyle(std::string_view text, TextStyle* style) {
  style->upper_hex = false;
  style->letters.clear();
  for (const char letter : text) {
    switch (letter) {
      case 'U':
        style->upper_hex = true;
        break;
      case 'R':
        style->raw = true;
        break;
      case 'D':
        style->escape_del = true;
        break;
      case '/':
        style->short_slash = true;
        break;
      case 'b':
      case 'f':
      case 'n':
      case 'r':
      case 't':
        style->letters.push_back(letter);
        break;
      default:
        return false;
    }
  }
  return true;
}

bool ParseItem(std::string_view item, FileLayout* layout) {
  if (item == "M") return layout->has_bom = true;
  const std::string_view value = item.size() < 2 ? "" : item.substr(2);
  if (item.starts_with("A=")) return ParseSpace(value, &layout->before);
  if (item.starts_with("Z=")) return ParseSpace(value, &layout->after);
  if (item.starts_with("Q=")) return ParseStyle(value, &layout->text);
  for (const auto& [kind, letter] : kKindLetters) {
    if (item.size() >= 2 && item[0] == letter && item[1] == '=')
      return ParseMember(value, kind, layout);
  }
  return false;
}

}  // namespace

std::string FormatProfile(const FileLayout& layout) {
  std::string out(kVersion);
  if (layout.has_bom) out += ";M";
  out += ";A=";
  AppendSpace(layout.before, &out);
  for (const MemberLayout& member : layout.members) {
    out += ';';
    for (const auto& [kind, letter] : kKindLetters) {
      if (kind == member.kind) out += letter;
    }
    out += '=';
    for (const std::string* const place : PlacesOf(member)) {
      AppendSpace(*place, &out);
      out += ',';
    }
    if (!IsArray(member.kind)) continue;
    for (const std::string* const place : ArrayPlacesOf(member.array)) {
      AppendSpace(*place, &out);
      out += ',';
    }
  }
  out += ";Z=";
  AppendSpace(layout.after, &out);
  out += ";Q=";
  if (layout.text.upper_hex) out += 'U';
  if (layout.text.raw) out += 'R';
  if (layout.text.escape_del) out += 'D';
  if (layout.text.short_slash) out += '/';
  out += layout.text.letters;
  return out.size() <= kMaxProfile ? out : std::string();
}

std::optional<FileLayout> ParseProfile(std::string_view profile) {
  if (profile.size() > kMaxProfile) return std::nullopt;
  if (TakeUpTo(';', &profile) != kVersion) return std::nullopt;
  FileLayout layout;
  while (!profile.empty()) {
    if (!ParseItem(TakeUpTo(';', &profile), &layout)) return std::nullopt;
  }
  return layout;
}

MemberLayout UsualMember(SectionKind kind) {
  MemberLayout member;
  member.kind = kind;
  member.before_key = kind == SectionKind::kSnapshot ? "" : "\n";
  const bool is_line_before_comma =
      IsArray(kind) && kind != SectionKind::kStrings &&
      kind != SectionKind::kTraceTree && kind != SectionKind::kTable;
  if (is_line_before_comma) {
    member.array.row.before = "\n";
    member.array.last = "\n";
  } else if (kind == SectionKind::kStrings) {
    member.array.row.after = "\n";
  }
  return member;
}

FileLayout UsualLayout(const std::vector<SectionKind>& kinds) {
  FileLayout layout;
  for (const SectionKind kind : kinds)
    layout.members.push_back(UsualMember(kind));
  return layout;
}

}  // namespace heapglot::heapsnapshot
