#include "core/bytes/sha256.h"
#include "tools/info_page.h"
#include "tools/json.h"

namespace heapglot::tool {
namespace {

void AddGraph(const DumpSummary::OneGraph& graph, Json& json) {
  const pb::Graph& stated = graph.stated;
  const pb::GraphEnd& totals = graph.totals;
  json.BeginObject();
  json.Add("name", stated.name().data());
  json.Add("nodes", totals.nodes());
  json.Add("edges", totals.edges());
  json.Add("roots", totals.roots());
  json.Add("types", totals.types());
  json.Add("self_size_total", totals.self_size_total());
  json.Add("external_size_total", totals.external_size_total());
  // What the source says about itself.
  json.Key("stated");
  json.BeginObject();
  if (stated.has_node_count()) json.Add("nodes", stated.node_count());
  if (stated.has_edge_count()) json.Add("edges", stated.edge_count());
  if (stated.has_self_size_total()) {
    json.Add("self_size_total", stated.self_size_total());
  }
  if (stated.has_external_size_total()) {
    json.Add("external_size_total", stated.external_size_total());
  }
  if (stated.has_capacity()) json.Add("capacity", stated.capacity());
  json.EndObject();
  json.EndObject();
}

// Where an IR file comes from, and whether that can be restored.
void AddSource(const DumpSummary& summary, Json& json) {
  json.Key("source");
  json.BeginObject();
  json.Add("format", summary.header.format());
  // A dump in canonical form does not say how large its source was.
  if (summary.header.source_size() > 0)
    json.Add("size", summary.header.source_size());
  json.AddBool("byte_identical", IsByteIdentical(summary.image));
  json.Add("byte_identity", ImageWord(summary.image));
  if (!summary.image.xxh3_128().empty())
    json.Add("xxh3_128", Hex(summary.image.xxh3_128()));
  if (!summary.image.sha256().empty())
    json.Add("sha256", Hex(summary.image.sha256()));
  json.EndObject();
}

void AddLeftovers(const DumpSummary& summary, Json& json) {
  if (summary.leftovers.state == LeftoversVerdict::kNone) return;
  json.Key("leftovers");
  json.BeginObject();
  json.Add("state", LeftoversWord(summary.leftovers));
  json.Add("format", summary.leftovers.origin);
  json.Add("size", summary.leftovers_size);
  json.EndObject();
}

void AddTopTypes(const DumpSummary& summary, std::size_t top, Json& json) {
  json.Key("top_types");
  json.BeginArray();
  for (std::size_t i = 0; i < summary.types.size() && i < top; ++i) {
    const TypeSummary& type = summary.types[i];
    json.BeginObject();
    json.Add("name", type.name);
    json.Add("library", type.library);
    json.Add("count", type.count);
    json.Add("self_size", type.self_size);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace

std::string InfoJson(const DumpSummary& summary, const OpenInput& input,
                     std::size_t top) {
  const pb::GraphEnd& totals = summary.totals;
  Json json;
  json.BeginObject();
  json.Add("format", input.format->name);
  json.Add("dialect", summary.header.dialect());
  json.Add("compression", ToString(input.source->compression()));
  json.Add("size", input.source->bytes().size());
  if (summary.header.format() != input.format->name) AddSource(summary, json);
  AddLeftovers(summary, json);
  json.Key("graphs");
  json.BeginArray();
  for (const DumpSummary::OneGraph& graph : summary.graphs) {
    AddGraph(graph, json);
  }
  json.EndArray();
  json.Add("nodes", totals.nodes());
  json.Add("edges", totals.edges());
  json.Add("strings", summary.strings);
  json.Add("types", totals.types());
  json.Add("roots", totals.roots());
  json.Add("self_size_total", totals.self_size_total());
  json.Add("external_size_total", totals.external_size_total());
  AddTopTypes(summary, top, json);
  json.EndObject();
  return json.Take();
}

}  // namespace heapglot::tool
