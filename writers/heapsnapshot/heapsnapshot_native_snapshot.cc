#include "writers/heapsnapshot/heapsnapshot_native_snapshot.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "core/bytes/buffered_out.h"
#include "core/text/number.h"
#include "core/text/utf.h"
#include "readers/heapsnapshot/heapsnapshot_json.h"
#include "readers/heapsnapshot/heapsnapshot_wire.h"
#include "writers/heapsnapshot/heapsnapshot_native_text.h"

namespace heapglot::heapsnapshot {
namespace {

using Schema = google::protobuf::RepeatedPtrField<pb::Graph::Field>;

bool SameFields(const std::vector<MetaField>& fields, const Schema& schema) {
  return std::equal(fields.begin(), fields.end(), schema.begin(), schema.end(),
                    [](const MetaField& a, const pb::Graph::Field& b) {
                      return a.name == b.name();
                    });
}

bool Describes(const Meta& meta, const pb::Graph& graph) {
  return SameFields(meta.node_fields, graph.node_schema()) &&
         SameFields(meta.edge_fields, graph.edge_schema()) &&
         SameFields(meta.location_fields, graph.location_schema()) &&
         SameFields(meta.sample_fields, graph.sample_schema()) &&
         SameFields(meta.trace_function_fields,
                    graph.trace_function_schema()) &&
         SameFields(meta.trace_node_fields, graph.trace_node_schema());
}

Status DoesNotFit(const char* why) {
  return {
      Code::kMalformed,
      std::string("heapsnapshot: the snapshot object that was kept ") + why};
}

// The number that `key` in the object must have now; nullopt if it stays as it
// is.
std::optional<std::uint64_t> NewNumber(std::string_view key, const Meta& meta,
                                       const pb::Graph& graph,
                                       const pb::GraphEnd& totals) {
  // What the graph states now; if it states nothing, the actual count.
  const auto count = [](bool is_stated, std::uint64_t stated,
                        std::uint64_t real,
                        const std::optional<std::uint64_t>& kept) {
    const std::uint64_t now = is_stated ? stated : real;
    return kept == now ? std::nullopt : std::optional(now);
  };
  if (key == "node_count")
    return count(graph.has_node_count(), graph.node_count(), totals.nodes(),
                 meta.node_count);
  if (key == "edge_count")
    return count(graph.has_edge_count(), graph.edge_count(), totals.edges(),
                 meta.edge_count);
  if (key == "trace_function_count")
    return count(graph.has_trace_function_count(), graph.trace_function_count(),
                 totals.trace_functions(), meta.trace_function_count);
  if (key == "root_index" && meta.root_index && graph.root_ref() != 0) {
    const std::uint64_t root =
        (graph.root_ref() - 1) *
        static_cast<std::uint64_t>(graph.node_schema_size());
    // An index that is not a node's stays: the reader took it for node 0.
    const bool is_node =
        *meta.root_index % meta.node_fields.size() == 0 || root != 0;
    if (is_node && root != *meta.root_index) return root;
  }
  return std::nullopt;
}

void AppendQuoted(std::string_view text, std::string* out) {
  const auto sink = ByteSink::ToString(out);
  BufferedOut quoted(*sink);
  quoted.Write('"');
  NativeText(TextStyle()).Write(text, ClassifyUtf8(text), quoted);
  quoted.Write('"');
  quoted.Flush();
}

template <typename Names, typename Text>
void AppendList(const Names& names, Text text, std::string* out) {
  *out += '[';
  bool is_first = true;
  for (const auto& name : names) {
    if (!is_first) *out += ',';
    is_first = false;
    AppendQuoted(text(name), out);
  }
  *out += ']';
}

void AppendFields(const char* key, const Schema& schema, std::string* out) {
  if (schema.empty()) return;
  if (out->back() != '{') *out += ',';
  AppendQuoted(key, out);
  *out += ':';
  AppendList(
      schema, [](const auto& field) { return field.name(); }, out);
}

void AppendTypes(const char* key, const Schema& schema,
                 const std::vector<std::string>& types, std::string* out) {
  *out += ',';
  AppendQuoted(key, out);
  *out += ":[";
  for (int i = 0; i < schema.size(); ++i) {
    if (i > 0) *out += ',';
    if (schema[i].name() == kType)
      AppendList(
          types, [](const std::string& type) { return type; }, out);
    else
      AppendQuoted(schema[i].type(), out);
  }
  *out += ']';
}

}  // namespace

Status EditSnapshotObject(std::string_view kept, const pb::Graph& graph,
                          const pb::GraphEnd& totals, std::string* out) {
  JsonChecker checker(std::numeric_limits<std::uint64_t>::max());
  const bool is_whole = kept.starts_with('{') &&
                        checker.Feed(kept) == kept.size() &&
                        checker.state() == JsonChecker::State::kDone;
  if (!is_whole) return DoesNotFit("is not a JSON object");
  Meta meta;
  const auto ignore = [](std::uint64_t) { return Status(); };
  if (!ParseMeta(kept, {0, kept.size()}, ignore, &meta).ok() ||
      !Describes(meta, graph))
    return DoesNotFit("does not describe the tables that come with it");
  out->clear();
  const char* done = kept.data();
  for (JsonItems items(kept); items.Next();) {
    const auto number = NewNumber(items.key(), meta, graph, totals);
    if (!number) continue;
    out->append(done, items.value().data());
    AppendUnsigned(*number, out);
    done = items.value().data() + items.value().size();
  }
  out->append(done, kept.data() + kept.size());
  return {};
}

std::string MakeSnapshotObject(const pb::Graph& graph,
                               const pb::GraphEnd& totals,
                               const std::vector<std::string>& node_types,
                               const std::vector<std::string>& edge_types) {
  std::string out = R"({"meta":{)";
  AppendFields("node_fields", graph.node_schema(), &out);
  AppendTypes("node_types", graph.node_schema(), node_types, &out);
  AppendFields("edge_fields", graph.edge_schema(), &out);
  AppendTypes("edge_types", graph.edge_schema(), edge_types, &out);
  AppendFields("trace_function_info_fields", graph.trace_function_schema(),
               &out);
  AppendFields("trace_node_fields", graph.trace_node_schema(), &out);
  AppendFields("sample_fields", graph.sample_schema(), &out);
  AppendFields("location_fields", graph.location_schema(), &out);
  out += R"(},"node_count":)";
  AppendUnsigned(totals.nodes(), &out);
  out += R"(,"edge_count":)";
  AppendUnsigned(totals.edges(), &out);
  out += R"(,"trace_function_count":)";
  AppendUnsigned(totals.trace_functions(), &out);
  if (graph.has_extra_native_bytes()) {
    out += R"(,"extra_native_bytes":)";
    AppendUnsigned(graph.extra_native_bytes(), &out);
  }
  out += '}';
  return out;
}

}  // namespace heapglot::heapsnapshot
