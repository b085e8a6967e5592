#include "core/canonical/compact_json.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace heapglot {
namespace {

bool IsJsonSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Two of these with white space between them are two tokens, which is not JSON.
bool IsJsonWord(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z') || c == '-' || c == '+' || c == '.';
}

// The end of the string that begins at `begin`; npos if it has none.
std::size_t EndOfJsonString(std::string_view text, std::size_t begin) {
  for (std::size_t at = begin + 1; at < text.size(); ++at) {
    if (text[at] == '"') return at + 1;
    if (text[at] == '\\') ++at;
  }
  return std::string_view::npos;
}

// Nothing if `text` is neither a single object or array nor blank.
std::optional<std::string> CompactOne(std::string_view text) {
  std::string compact;
  std::string open;  // brackets that would close what is open
  bool was_space = false;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (IsJsonSpace(c)) {
      was_space = true;
      ++at;
      continue;
    }
    const bool is_over = !compact.empty() && open.empty();
    const bool joins = was_space && !compact.empty() && IsJsonWord(c) &&
                       IsJsonWord(compact.back());
    const bool begins_odd = compact.empty() && c != '{' && c != '[';
    if (is_over || joins || begins_odd) return std::nullopt;
    was_space = false;
    std::size_t end = at + 1;
    if (c == '"') {
      end = EndOfJsonString(text, at);
      if (end == std::string_view::npos) return std::nullopt;
    } else if (c == '{' || c == '[') {
      open += c == '{' ? '}' : ']';
    } else if (c == '}' || c == ']') {
      if (open.back() != c) return std::nullopt;
      open.pop_back();
    }
    compact.append(text.substr(at, end - at));
    at = end;
  }
  if (!open.empty()) return std::nullopt;
  return compact;
}

std::optional<std::string> CompactLines(std::string_view text) {
  std::string compact;
  while (!text.empty()) {
    const std::size_t feed = text.find('\n');
    const std::string_view line = text.substr(0, feed);
    if (!std::all_of(line.begin(), line.end(), IsJsonSpace)) {
      const std::optional<std::string> one = CompactOne(line);
      if (!one) return std::nullopt;
      compact += *one;
    }
    if (feed == std::string_view::npos) break;
    compact += '\n';
    text.remove_prefix(feed + 1);
  }
  return compact;
}

}  // namespace

std::string CompactJson(std::string_view text) {
  if (std::optional<std::string> one = CompactOne(text)) return *std::move(one);
  std::optional<std::string> lines = CompactLines(text);
  return lines ? *std::move(lines) : std::string(text);
}

}  // namespace heapglot
