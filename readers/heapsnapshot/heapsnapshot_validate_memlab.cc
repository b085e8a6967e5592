#include "readers/heapsnapshot/heapsnapshot_validate_memlab.h"

#include <string>

#include "readers/heapsnapshot/heapsnapshot_json.h"
#include "readers/heapsnapshot/heapsnapshot_rules.h"
#include "readers/heapsnapshot/heapsnapshot_walk.h"

namespace heapglot::heapsnapshot {
namespace {

std::string TextOfKey(std::string_view name) {
  return "\"" + std::string(name) + "\":";
}

// Whether there may be a key in the section. Numbers have none, and in strings,
// all quotes are escaped.
bool HasKeys(const Section& section) {
  return section.kind == SectionKind::kSnapshot ||
         section.kind == SectionKind::kTraceTree ||
         section.kind == SectionKind::kJson;
}

// Whether an array begins at `begin` that ends with the first "]".
bool IsFlatArray(const ByteSource& source, const Limits& limits,
                 std::uint64_t begin) {
  const std::string_view bytes = source.bytes();
  while (begin < bytes.size() && IsSpace(bytes[begin])) ++begin;
  if (begin == bytes.size() || bytes[begin] != '[') return false;
  const auto end = FindText(source, "]", {begin, bytes.size()});
  if (!end) return false;
  const std::string_view array = TextOf(bytes, {begin, *end + 1});
  JsonChecker json(limits.max_depth);
  return json.Feed(array) == array.size() && json.IsWhole();
}

}  // namespace

std::optional<std::uint64_t> FindShadowForMemlab(const ByteSource& source,
                                                 const Sections& sections,
                                                 std::string_view name) {
  const std::string key = TextOfKey(name);
  for (const Section& section : sections.list) {
    if (section.name == name) return std::nullopt;
    if (!HasKeys(section)) continue;
    const auto found = FindText(source, key, section.value);
    if (found) return found;
  }
  return std::nullopt;
}

void CheckCutsOfMemlab(const ByteSource& source, const Limits& limits,
                       const Sections& sections, FindingLog& log) {
  for (const Section& section : sections.list) {
    if (!HasKeys(section)) continue;
    for (const char* const name : {"nodes", "edges", "locations"}) {
      const std::string key = TextOfKey(name);
      Span rest = {section.key.begin, section.value.end};
      while (const auto found = FindText(source, key, rest)) {
        rest.begin = *found + key.size();
        if (IsFlatArray(source, limits, rest.begin)) continue;
        log.Add(RuleFor("key.cut"),
                "what follows " + key + " is not a flat array",
                Where::Byte(*found));
        // In nested arrays with such keys, each "]" may be far away.
        break;
      }
    }
  }
}

}  // namespace heapglot::heapsnapshot
