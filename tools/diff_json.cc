#include <algorithm>
#include <cstdint>
#include <limits>

#include "tools/diff_page.h"
#include "tools/json.h"

namespace heapglot::tool {
namespace {

constexpr std::string_view MatchWord(MatchedBy matched_by) {
  switch (matched_by) {
    case MatchedBy::kBytes:
      return "bytes";
    case MatchedBy::kPosition:
      return "order";
    case MatchedBy::kIds:
      return "ids";
    case MatchedBy::kStructure:
      break;
  }
  return "structure";
}

constexpr std::string_view IdsWord(GraphComparison::Ids ids) {
  switch (ids) {
    case GraphComparison::Ids::kSame:
      return "same";
    case GraphComparison::Ids::kDifferent:
      return "different";
    case GraphComparison::Ids::kNotComparable:
      break;
  }
  return "not comparable";
}

// b - a, limited to the range of 64 bits.
std::int64_t Delta(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  return b >= a ? static_cast<std::int64_t>(std::min(b - a, kMost))
                : -static_cast<std::int64_t>(std::min(a - b, kMost));
}

void AddDelta(Json& json, std::string_view key, std::uint64_t a,
              std::uint64_t b) {
  json.Key(key);
  json.Signed(Delta(a, b));
}

void AddInput(Json& json, std::string_view key, const OpenInput& input,
              const pb::Header& header) {
  json.Key(key);
  json.BeginObject();
  json.Add("format", input.format->name);
  json.Add("source_format", header.format());
  json.Add("dialect", header.dialect());
  json.Add("compression", ToString(input.source->compression()));
  json.Add("size", input.source->bytes().size());
  json.EndObject();
}

void AddTotal(Json& json, std::string_view key, std::uint64_t a,
              std::uint64_t b) {
  json.Key(key);
  json.BeginObject();
  json.Add("a", a);
  json.Add("b", b);
  AddDelta(json, "delta", a, b);
  json.EndObject();
}

void AddTotals(Json& json, const GraphTotals& a, const GraphTotals& b) {
  json.Key("totals");
  json.BeginObject();
  AddTotal(json, "nodes", a.nodes, b.nodes);
  AddTotal(json, "edges", a.edges, b.edges);
  AddTotal(json, "roots", a.roots, b.roots);
  AddTotal(json, "strings", a.strings, b.strings);
  AddTotal(json, "types", a.classes, b.classes);
  AddTotal(json, "self_size_total", a.self_size, b.self_size);
  AddTotal(json, "external_size_total", a.external_size, b.external_size);
  json.EndObject();
}

void AddChanges(Json& json, const NodeChanges& changes) {
  json.Add("added", changes.added);
  json.Add("removed", changes.removed);
  json.Add("grown", changes.grown);
  json.Add("shrunk", changes.shrunk);
  json.Add("changed", changes.changed);
}

void AddTypes(Json& json, const GraphComparison& comparison, std::size_t top) {
  const bool by_id = comparison.matched_by == MatchedBy::kIds;
  json.Key("types");
  json.BeginArray();
  for (const ClassDifference& type : comparison.classes) {
    if (!type.differs() || top == 0) continue;
    --top;
    json.BeginObject();
    json.Add("name", type.name);
    json.Add("library", type.library);
    json.Add("count_a", type.a.count);
    json.Add("count_b", type.b.count);
    AddDelta(json, "count_delta", type.a.count, type.b.count);
    json.Add("size_a", type.a.self_size);
    json.Add("size_b", type.b.self_size);
    AddDelta(json, "size_delta", type.a.self_size, type.b.self_size);
    if (by_id) AddChanges(json, type.changes);
    json.EndObject();
  }
  json.EndArray();
}

void AddNodes(Json& json, const GraphComparison& comparison) {
  json.Key("nodes");
  json.BeginArray();
  for (const NodeDifference& node : comparison.nodes) {
    const ClassDifference& type = comparison.classes[node.class_index];
    json.BeginObject();
    json.Add("change", ToString(node.what));
    json.Add("id", node.id);
    json.Add("type", type.name);
    json.Add("library", type.library);
    json.Add("size_a", node.size_a);
    json.Add("size_b", node.size_b);
    AddDelta(json, "size_delta", node.size_a, node.size_b);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace

std::string DiffJson(const GraphComparison& comparison, const OpenInput& a,
                     const OpenInput& b, std::size_t top) {
  Json json;
  json.BeginObject();
  json.AddBool("same", comparison.same);
  json.Add("level", MatchWord(comparison.matched_by));
  if (comparison.matched_by == MatchedBy::kStructure) {
    json.Add("depth", static_cast<std::uint64_t>(comparison.depth));
  }
  json.Add("ids", IdsWord(comparison.ids));
  json.Key("differs");
  json.BeginArray();
  for (std::size_t i = 0; i < kAspects; ++i) {
    if (comparison.differs[i]) json.String(kAspectNames[i]);
  }
  json.EndArray();
  AddInput(json, "a", a, comparison.header_a);
  AddInput(json, "b", b, comparison.header_b);
  AddTotals(json, comparison.a, comparison.b);
  if (comparison.matched_by == MatchedBy::kIds) {
    json.Key("changes");
    json.BeginObject();
    AddChanges(json, comparison.changes);
    json.EndObject();
  }
  json.Add("types_that_differ",
           static_cast<std::uint64_t>(std::ranges::count_if(
               comparison.classes, &ClassDifference::differs)));
  AddTypes(json, comparison, top);
  if (comparison.matched_by == MatchedBy::kIds) AddNodes(json, comparison);
  json.EndObject();
  return json.Take();
}

}  // namespace heapglot::tool
