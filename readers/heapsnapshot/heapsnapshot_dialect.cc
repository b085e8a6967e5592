#include "readers/heapsnapshot/heapsnapshot_dialect.h"

#include <algorithm>
#include <string>

#include "readers/heapsnapshot/heapsnapshot_json.h"
#include "readers/heapsnapshot/heapsnapshot_strings.h"

namespace heapglot::heapsnapshot {
namespace {

// The keys that a snapshot's object may begin with; JSON does not fix their
// order.
constexpr std::string_view kFirstKeys[] = {
    "snapshot",  "strings",   "nodes",      "edges",  "trace_function_infos",
    "samples",   "locations", "trace_tree", "scopes", "scope_context_vars",
    "scope_uses"};

bool HasFields(const Meta& meta, std::string_view table) {
  return std::any_of(
      meta.other_fields.begin(), meta.other_fields.end(),
      [table](const auto& fields) { return fields.first == table; });
}

// The dialect of a file without tables of traces, which V8 always writes.
std::string_view DialectWithoutTraces(const Index& index) {
  if (index.sections.list.front().kind == SectionKind::kStrings) return "arkts";
  if (index.meta.has_node_types_only) return "dart-aot-profile";
  constexpr std::uint64_t kMaxV8Id = 0xffff'ffff;
  return index.id_limit > kMaxV8Id ? "julia" : "";
}

// The text from the first number of "nodes" to the end of its first row.
std::string_view FirstRow(std::string_view bytes, const Index& index) {
  const Span span = index.sections.Find(SectionKind::kNodes)->value;
  std::string_view text = TextOf(bytes, span);
  std::size_t commas = 0;
  std::size_t end = 0;
  for (; end < text.size() && commas < index.node.width; ++end)
    commas += text[end] == ',' || text[end] == ']' ? 1 : 0;
  return text.substr(0, end);
}

std::string_view DialectOfV8(std::string_view bytes, const Index& index) {
  if (HasFields(index.meta, "scope")) return "chromium";
  const std::string_view row = FirstRow(bytes, index);
  if (row.find(' ') != std::string_view::npos) return "";
  return row.ends_with("\n,") || row.ends_with("\n]") ? "v8-lines"
                                                      : "v8-compact";
}

}  // namespace

std::string_view DialectOf(std::string_view bytes, const Index& index) {
  const bool has_traces =
      index.sections.Find(SectionKind::kTraceFunctions) != nullptr;
  if (!has_traces) return DialectWithoutTraces(index);
  if (index.meta.node_count == 0 && index.node_count > 0) return "hermes";
  if (index.string_count() == 0 || index.node_count == 0) return "";
  StringCursor strings(bytes, index.sections);
  if (!strings.Seek(0)) return "";
  if (strings.token().raw.empty()) return "bun";
  if (strings.token().raw == "<dummy>") return DialectOfV8(bytes, index);
  return index.sections.list.front().kind == SectionKind::kStrings ? "arkts"
                                                                   : "";
}

Sniff SniffHeapsnapshot(std::string_view head) {
  if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);
  const auto skip = [&head] {
    while (!head.empty() && IsSpace(head.front())) head.remove_prefix(1);
  };
  skip();
  if (!head.starts_with('{')) return Sniff::kNo;
  const bool has_meta = head.find("\"node_fields\"") != std::string_view::npos;
  const bool has_snapshot = head.find("\"snapshot\"") != std::string_view::npos;
  head.remove_prefix(1);
  skip();
  for (const std::string_view key : kFirstKeys) {
    const std::string quoted = '"' + std::string(key) + '"';
    if (head.starts_with(quoted)) return Sniff::kYes;
    // All that is left of a truncated file.
    if (head.size() < quoted.size() && quoted.starts_with(head))
      return Sniff::kMaybe;
  }
  if (has_meta) return Sniff::kYes;
  const bool is_profile = head.starts_with("\"head\"") &&
                          head.find("\"callFrame\"") != std::string_view::npos;
  return has_snapshot || is_profile ? Sniff::kMaybe : Sniff::kNo;
}

}  // namespace heapglot::heapsnapshot
