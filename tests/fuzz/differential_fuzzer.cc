// Reads heap snapshots twice: with our reader, and independently with
// RapidJSON. What our reader accepts must be JSON, and it must send the same
// numbers of nodes and edges and the same strings.
#include <rapidjson/document.h>
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/column.h"
#include "tests/fuzz/require.h"

namespace heapglot::fuzz {
namespace {

using Numbers = std::vector<std::uint64_t>;  // negative: in two's complement
using Json = rapidjson::Value;

// ----------------------------------------------------------------------- ours

// Rebuilds the arrays of a file from the stream.
class TableSink : public ChunkSink {
 public:
  Status Accept(const pb::Chunk& chunk) override {
    if (chunk.has_graph()) graph_ = chunk.graph();
    if (chunk.has_vocabulary())
      vocabularies_[chunk.vocabulary().space()] = chunk.vocabulary();
    if (chunk.has_nodes()) AddNodes(chunk.nodes());
    if (chunk.has_edges()) AddEdges(chunk.edges());
    if (chunk.has_strings()) AddStrings(chunk.strings());
    return {};
  }

  // The last `count` strings of the stream are those of the file.
  void SetStringCount(std::size_t count) {
    Require(count < strings_.size(), "strings are missing");
    first_string_ = strings_.size() - count;
    for (const std::size_t at : names_in_nodes_) nodes_[at] -= first_string_;
    for (const std::size_t at : names_in_edges_) edges_[at] -= first_string_;
  }

  const pb::Graph& graph() const { return graph_; }
  const Numbers& nodes() const { return nodes_; }
  const Numbers& edges() const { return edges_; }
  std::string_view string(std::size_t i) const {
    return strings_[first_string_ + i];
  }

 private:
  // The number that the file has for a kind.
  std::uint64_t CodeOf(pb::Vocabulary::Space space, std::uint32_t kind) const {
    const pb::Vocabulary& words = vocabularies_[space];
    return words.source_code().empty()
               ? kind
               : words.source_code(static_cast<int>(kind));
  }

  void AddNodes(const pb::Nodes& nodes) {
    for (int row = 0; row < static_cast<int>(nodes.count()); ++row) {
      int extra = 0;
      for (const pb::Graph::Field& field : graph_.node_schema()) {
        if (field.name() == "name") names_in_nodes_.push_back(nodes_.size());
        nodes_.push_back(NodeNumber(nodes, row, field.name(), &extra));
      }
    }
  }

  // The number in the file. If it is an index of a string, adds `place` to
  // `names`.
  std::uint64_t ExtraNumber(const pb::ExtraColumn& extra, int row,
                            std::size_t place,
                            std::vector<std::size_t>* names) const {
    if (const std::uint64_t string = At(extra.strings(), row); string != 0) {
      names->push_back(place);
      return string;
    }
    const std::uint64_t ref = At(extra.node_refs(), row);
    return ref != 0 ? (ref - 1) * graph_.node_schema_size()
                    : At(extra.ints(), row);
  }

  std::uint64_t NodeNumber(const pb::Nodes& nodes, int row,
                           std::string_view field, int* extra) {
    if (field == "type")
      return CodeOf(pb::Vocabulary::NODE_KIND, At(nodes.kind(), row));
    if (field == "name") return At(nodes.name(), row);
    if (field == "id") return At(nodes.id(), row);
    if (field == "self_size") return At(nodes.self_size(), row);
    if (field == "edge_count") return At(nodes.edge_count(), row);
    if (field == "trace_node_id") return At(nodes.trace_node(), row);
    if (field == "detachedness") return At(nodes.detachedness(), row);
    return ExtraNumber(nodes.extra((*extra)++), row, nodes_.size(),
                       &names_in_nodes_);
  }

  void AddEdges(const pb::Edges& edges) {
    for (int row = 0; row < static_cast<int>(edges.count()); ++row) {
      int extra = 0;
      for (const pb::Graph::Field& field : graph_.edge_schema())
        edges_.push_back(EdgeNumber(edges, row, field.name(), &extra));
    }
  }

  std::uint64_t EdgeNumber(const pb::Edges& edges, int row,
                           std::string_view field, int* extra) {
    const std::uint32_t kind = At(edges.kind(), row);
    if (field == "type") return CodeOf(pb::Vocabulary::EDGE_KIND, kind);
    if (field == "name_or_index") {
      const auto form = vocabularies_[pb::Vocabulary::EDGE_KIND].name_form(
          static_cast<int>(kind));
      if (form == pb::NAME_STRING) names_in_edges_.push_back(edges_.size());
      return At(edges.name(), row);
    }
    if (field != "to_node") {
      return ExtraNumber(edges.extra((*extra)++), row, edges_.size(),
                         &names_in_edges_);
    }
    const std::uint64_t to = At(edges.to(), row);
    return At(edges.to_form(), row) == pb::TO_DANGLING
               ? to
               : to * graph_.node_schema_size();
  }

  void AddStrings(const pb::Strings& strings) {
    std::string_view rest = strings.data();
    for (const std::uint32_t length : strings.length()) {
      if (!continued_) strings_.emplace_back();
      strings_.back() += rest.substr(0, length);
      rest.remove_prefix(length);
      continued_ = false;
    }
    continued_ = strings.continued();
  }

  pb::Graph graph_;
  pb::Vocabulary vocabularies_[pb::Vocabulary::Space_ARRAYSIZE];
  Numbers nodes_;
  Numbers edges_;
  std::vector<std::size_t> names_in_nodes_;  // positions of indices of strings
  std::vector<std::size_t> names_in_edges_;
  std::vector<std::string> strings_ = {""};
  std::size_t first_string_ = 0;
  bool continued_ = false;
};

// --------------------------------------------------------------------- theirs

std::string_view TextOf(const Json& value) {
  return {value.GetString(), value.GetStringLength()};
}

// If a key occurs twice, the last one counts, as in JavaScript.
const Json& Member(const Json& object, std::string_view key) {
  Require(object.IsObject(), "no object around " + std::string(key));
  const Json* found = nullptr;
  for (const auto& member : object.GetObject()) {
    if (TextOf(member.name) == key) found = &member.value;
  }
  Require(found != nullptr, "no " + std::string(key));
  return *found;
}

// nullopt for a number that RapidJSON has rounded.
std::optional<std::uint64_t> NumberOf(const Json& value) {
  constexpr double kMaxExact = 9007199254740992;
  Require(value.IsNumber(), "no number");
  if (value.IsUint64()) return value.GetUint64();
  if (value.IsInt64()) return static_cast<std::uint64_t>(value.GetInt64());
  if (std::abs(value.GetDouble()) >= kMaxExact) return std::nullopt;
  const auto number = static_cast<std::int64_t>(value.GetDouble());
  Require(static_cast<double>(number) == value.GetDouble(), "a fraction");
  return static_cast<std::uint64_t>(number);
}

// Whether our reader may take what RapidJSON refuses.
bool IsExcused(rapidjson::ParseErrorCode error) {
  // An escaped lone surrogate; a number such as 1e400.
  return error == rapidjson::kParseErrorStringUnicodeSurrogateInvalid ||
         error == rapidjson::kParseErrorNumberTooBig;
}

// -------------------------------------------------------------------- compare

void CompareFields(const Json& names, const auto& schema) {
  Require(names.IsArray(), "fields are no array");
  Require(names.Size() == static_cast<unsigned>(schema.size()),
          "another number of fields");
  for (unsigned i = 0; i < names.Size(); ++i) {
    Require(TextOf(names[i]) == schema[static_cast<int>(i)].name(),
            "another field");
  }
}

void CompareNumbers(const char* what, const Json& theirs, const Numbers& ours) {
  Require(theirs.IsArray() && theirs.Size() == ours.size(),
          std::string(what) + ": another size");
  for (unsigned i = 0; i < theirs.Size(); ++i) {
    const std::optional<std::uint64_t> number = NumberOf(theirs[i]);
    Require(number.value_or(ours[i]) == ours[i],
            std::string(what) + ": number " + std::to_string(i) + " is " +
                std::to_string(ours[i]));
  }
}

void CompareStrings(const Json& theirs, const TableSink& ours) {
  for (unsigned i = 0; i < theirs.Size(); ++i) {
    Require(TextOf(theirs[i]) == ours.string(i),
            "string " + std::to_string(i) + " is '" +
                std::string(ours.string(i)) + "'");
  }
}

void Compare(std::string_view json, TableSink& ours) {
  constexpr unsigned kFlags =
      rapidjson::kParseIterativeFlag | rapidjson::kParseFullPrecisionFlag;
  rapidjson::MemoryStream stream(json.data(), json.size());
  rapidjson::Document theirs;
  theirs.ParseStream<kFlags>(stream);
  if (theirs.HasParseError()) {
    Require(IsExcused(theirs.GetParseError()),
            rapidjson::GetParseError_En(theirs.GetParseError()));
    return;
  }
  const Json& strings = Member(theirs, "strings");
  Require(strings.IsArray(), "strings are no array");
  ours.SetStringCount(strings.Size());
  const Json& meta = Member(Member(theirs, "snapshot"), "meta");
  CompareFields(Member(meta, "node_fields"), ours.graph().node_schema());
  CompareFields(Member(meta, "edge_fields"), ours.graph().edge_schema());
  CompareNumbers("nodes", Member(theirs, "nodes"), ours.nodes());
  CompareNumbers("edges", Member(theirs, "edges"), ours.edges());
  CompareStrings(strings, ours);
}

}  // namespace

void Fuzz(std::string_view bytes) {
  static const ReaderInfo& format = *FindReader("heapsnapshot");
  const auto source = ByteSource::FromMemory(bytes);
  Context context;
  const auto reader = format.make(*source, context);
  TableSink ours;
  if (!ReadChecked(*reader, bytes.size(), ChunkSet::All(), &ours).ok()) return;
  // Our reader also accepts a byte order mark and trailing NULs around the
  // JSON.
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.remove_prefix(3);
  while (bytes.ends_with('\0')) bytes.remove_suffix(1);
  Compare(bytes, ours);
}

}  // namespace heapglot::fuzz
