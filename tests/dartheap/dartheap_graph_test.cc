// Random graphs of no particular format, written as dartheap and read back.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/check_sink.h"
#include "readers/dartheap/dartheap_reader.h"
#include "tests/checked_passes.h"
#include "tests/collect_sink.h"
#include "tests/core/text_stream.h"
#include "writers/dartheap/dartheap_writer.h"

namespace heapglot {
namespace {

using testing::CollectSink;

constexpr std::uint64_t kTypes = 5;
constexpr std::uint64_t kNames = 7;
constexpr std::uint64_t kMissing = 1'000'000;

struct Edge {
  std::string name;  // empty: an element
  bool is_weak = false;
  std::uint32_t form = 0;
  std::uint64_t to = 0;
};

struct Node {
  std::uint32_t kind = 0;
  std::uint64_t type_ref = 0;
  std::uint64_t size = 0;
  std::uint64_t hash = 0;
  std::uint32_t form = 0;
  std::uint64_t value = 0;
  std::string text;
  std::vector<Edge> edges;
};

class RandomGraph {
 public:
  explicit RandomGraph(std::uint32_t seed) : random_(seed) {
    const std::uint64_t nodes = 1 + Below(300);
    for (std::uint64_t i = 0; i < nodes; ++i) AddNode(nodes);
    if (Below(2) == 0) root_ref_ = 1 + Below(nodes);
    if (Below(3) == 0)
      for (std::uint64_t i = Below(5); i > 0; --i)
        roots_.push_back(Below(nodes));
  }

  // All nodes come before all edges, and strings last, as in V8's files.
  std::vector<pb::Chunk> Chunks() const;

  const std::vector<Node>& nodes() const { return nodes_; }
  bool makes_root() const { return root_ref_ != 1 || !roots_.empty(); }
  std::uint64_t root_ref() const { return root_ref_; }
  const std::vector<std::uint64_t>& roots() const { return roots_; }

 private:
  std::uint64_t Below(std::uint64_t limit) { return random_() % limit; }
  void AddNode(std::uint64_t nodes);
  void AddValue(Node& node);
  static std::string FieldName(std::uint64_t name) {
    return "field" + std::to_string(name);
  }

  std::mt19937_64 random_;
  std::vector<Node> nodes_;
  std::uint64_t root_ref_ = 0;
  std::vector<std::uint64_t> roots_;
};

void RandomGraph::AddNode(std::uint64_t nodes) {
  Node node;
  node.type_ref = Below(2) == 0 ? 1 + Below(kTypes) : 0;
  node.size = 8 * Below(100);
  node.hash = Below(4) == 0 ? random_() : 0;
  AddValue(node);
  for (std::uint64_t i = Below(6); i > 0; --i) {
    Edge edge;
    if (Below(3) != 0) edge.name = FieldName(Below(kNames));
    edge.is_weak = Below(5) == 0;
    edge.form = static_cast<std::uint32_t>(
        Below(10) == 0 ? 1 + Below(3) : std::uint64_t{pb::TO_NODE});
    edge.to = edge.form == pb::TO_NODE      ? Below(nodes)
              : edge.form == pb::TO_OMITTED ? 0
                                            : kMissing + Below(3);
    node.edges.push_back(edge);
  }
  nodes_.push_back(node);
}

void RandomGraph::AddValue(Node& node) {
  static constexpr std::string_view kTexts[] = {"plain", "caf\xc3\xa9",
                                                "\xe2\x82\xac", "a\xed\xa0\xbd",
                                                "\xf0\x9f\x98\x80"};
  switch (Below(6)) {
    case 0:
      node.kind = pb::NODE_STRING;
      node.form = pb::V_UTF8;
      node.text = kTexts[Below(std::size(kTexts))];
      break;
    case 1:
      node.kind = pb::NODE_NUMBER;
      node.form = pb::V_INT;
      node.value = static_cast<std::uint64_t>(
          static_cast<std::int64_t>(random_()) >> Below(64));
      break;
    case 2:
      node.kind = pb::NODE_NUMBER;
      node.form = pb::V_DOUBLE;
      node.value = random_();
      break;
    case 3:
      node.kind = pb::NODE_OBJECT;
      node.form = pb::V_LENGTH;
      node.value = random_() >> Below(64);
      break;
    default:
      node.kind = pb::NODE_OBJECT;
      break;
  }
}

std::vector<pb::Chunk> RandomGraph::Chunks() const {
  const std::uint32_t kinds[] = {pb::NODE_OBJECT, pb::NODE_STRING,
                                 pb::NODE_NUMBER};
  std::vector<pb::Chunk> chunks(2);
  chunks[0].mutable_header()->set_format("test");
  pb::Graph& graph = *chunks[1].mutable_graph();
  graph.set_edges_grouped(true);
  graph.set_root_ref(root_ref_);
  std::uint64_t string = 1;

  pb::Strings& names = *chunks.emplace_back().mutable_strings();
  names.set_first(string);
  names.set_names(true);
  for (std::uint64_t i = 0; i < kTypes; ++i, ++string) {
    names.mutable_data()->push_back(static_cast<char>('A' + i));
    names.add_length(1);
  }
  pb::Vocabulary& words = *chunks.emplace_back().mutable_vocabulary();
  words.set_space(pb::Vocabulary::NODE_KIND);
  for (const std::uint32_t kind : kinds) {
    words.add_name(0);
    words.add_known(kind);
  }
  pb::Vocabulary& edge_words = *chunks.emplace_back().mutable_vocabulary();
  edge_words.set_space(pb::Vocabulary::EDGE_KIND);
  for (const std::uint32_t known :
       {pb::EDGE_PROPERTY, pb::EDGE_WEAK, pb::EDGE_ELEMENT, pb::EDGE_WEAK}) {
    edge_words.add_name(0);
    edge_words.add_known(known);
    edge_words.add_name_form(edge_words.known_size() <= 2 ? pb::NAME_STRING
                                                          : pb::NAME_NUMBER);
  }
  pb::Types& types = *chunks.emplace_back().mutable_types();
  types.set_count(kTypes);
  for (std::uint64_t i = 1; i <= kTypes; ++i) types.add_name(i);

  const std::uint64_t first_name = string;
  string += kNames;
  pb::Chunk strings;
  strings.mutable_strings()->set_first(first_name);
  const auto add_string = [&](const std::string& text) {
    strings.mutable_strings()->mutable_data()->append(text);
    strings.mutable_strings()->add_length(
        static_cast<std::uint32_t>(text.size()));
    strings.mutable_strings()->add_encoding(
        text.find('\xed') != std::string::npos ? pb::WTF8 : pb::UTF8);
  };
  for (std::uint64_t i = 0; i < kNames; ++i) add_string(FieldName(i));

  pb::Chunk nodes_chunk, edges_chunk;
  pb::Nodes& nodes = *nodes_chunk.mutable_nodes();
  pb::Edges& edges = *edges_chunk.mutable_edges();
  pb::GraphEnd end;
  for (const Node& node : nodes_) {
    nodes.add_kind(static_cast<std::uint32_t>(
        std::find(std::begin(kinds), std::end(kinds), node.kind) - kinds));
    nodes.add_type_ref(node.type_ref);
    nodes.add_self_size(node.size);
    end.set_self_size_total(end.self_size_total() + node.size);
    nodes.add_identity_hash(node.hash);
    nodes.add_value_form(node.form);
    if (node.text.empty()) {
      nodes.add_value(node.value);
    } else {
      nodes.add_value(string++);
      add_string(node.text);
    }
    nodes.add_edge_count(node.edges.size());
    edges.add_edges_per_node(static_cast<std::uint32_t>(node.edges.size()));
    for (const Edge& edge : node.edges) {
      const bool named = !edge.name.empty();
      edges.add_kind((named ? 0 : 2) + (edge.is_weak ? 1 : 0));
      edges.add_name(named ? first_name + std::stoull(edge.name.substr(5)) : 0);
      edges.add_to_form(edge.form);
      edges.add_to(edge.to);
      end.set_edges_omitted(end.edges_omitted() +
                            (edge.form == pb::TO_OMITTED));
      end.set_edges_dangling(end.edges_dangling() +
                             (edge.form == pb::TO_DANGLING));
      end.set_edges_immediate(end.edges_immediate() +
                              (edge.form == pb::TO_IMMEDIATE));
    }
  }
  nodes.set_count(static_cast<std::uint32_t>(nodes_.size()));
  edges.set_count(static_cast<std::uint32_t>(edges.to_size()));
  end.set_types(kTypes);
  end.set_nodes(nodes_.size());
  end.set_edges(edges.count());
  end.set_roots(roots_.size());
  chunks.push_back(nodes_chunk);
  chunks.push_back(edges_chunk);
  if (!roots_.empty()) {
    pb::Roots& roots = *chunks.emplace_back().mutable_roots();
    roots.set_count(static_cast<std::uint32_t>(roots_.size()));
    for (const std::uint64_t root : roots_) roots.add_to(root);
  }
  chunks.push_back(strings);
  *chunks.emplace_back().mutable_graph_end() = end;
  pb::Footer& footer = *chunks.emplace_back().mutable_footer();
  footer.set_graphs(1);
  footer.set_strings(string);
  return chunks;
}

// Reads the graph of a dartheap file.
void ReadBack(const std::string& bytes, CollectSink* out) {
  const auto source = ByteSource::FromMemory(bytes);
  Context context;
  context.strict = true;  // no reference may lead beyond the last object
  const auto reader = kDartheapReader.make(*source, context);
  CheckSink check(ChunkSet::All(), out);
  const Status status = reader->Read(ChunkSet::All(), check);
  ASSERT_TRUE(status.ok()) << status.ToString();
  ASSERT_TRUE(check.Finish().ok());
}

void ExpectNode(const Node& expected, const CollectSink::Node& node,
                bool is_root) {
  EXPECT_EQ(node.size, expected.size);
  EXPECT_EQ(node.hash, expected.hash);
  if (expected.form == pb::V_UTF8) {
    EXPECT_EQ(node.text, expected.text);
    EXPECT_TRUE(node.form == pb::V_LATIN1 || node.form == pb::V_UTF16);
  } else {
    EXPECT_EQ(node.form, expected.form);
    EXPECT_EQ(node.value, expected.value);
  }
  if (!is_root && expected.type_ref == 0 && expected.form != pb::V_NONE) {
    EXPECT_EQ(node.kind, expected.kind);
  }
}

void ExpectEdges(const Node& expected, const CollectSink& graph,
                 std::uint64_t node, std::uint64_t shift) {
  // The file has fields before elements.
  std::vector<Edge> edges = expected.edges;
  std::stable_sort(edges.begin(), edges.end(),
                   [](const Edge& a, const Edge& b) {
                     return !a.name.empty() && b.name.empty();
                   });
  const std::vector<CollectSink::Edge> found = graph.EdgesOf(node + shift);
  ASSERT_EQ(found.size(), edges.size());
  std::uint64_t element = 0;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    EXPECT_EQ(found[i].name, edges[i].name.empty()
                                 ? "[" + std::to_string(element++) + "]"
                                 : edges[i].name);
    if (edges[i].form == pb::TO_NODE) {
      EXPECT_EQ(found[i].to, edges[i].to + shift);
      continue;
    }
    if (edges[i].form == pb::TO_OMITTED) {
      EXPECT_EQ(found[i].to_form, pb::TO_OMITTED);
      continue;
    }
    const CollectSink::Node& stand_in = graph.nodes.at(found[i].to);
    if (edges[i].form == pb::TO_IMMEDIATE) {
      EXPECT_EQ(stand_in.form, pb::V_INT);
      EXPECT_EQ(stand_in.value, edges[i].to);
    } else {
      EXPECT_EQ(stand_in.text, std::to_string(edges[i].to));
    }
  }
}

class DartheapGraph : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(DartheapGraph, IsTheSameAgain) {
  const RandomGraph graph(GetParam());
  VectorReader reader(graph.Chunks());
  std::string bytes;
  const auto sink = ByteSink::ToString(&bytes);
  Context context;
  const auto writer = kDartheapWriter.make(*sink, WriterOptions(), context);
  const Status status = CheckedPasses(reader, *writer);
  ASSERT_TRUE(status.ok()) << status.ToString();

  CollectSink found;
  ReadBack(bytes, &found);
  const std::uint64_t shift = graph.makes_root() ? 1 : 0;
  ASSERT_GE(found.nodes.size(), graph.nodes().size() + shift);
  for (std::uint64_t i = 0; i < graph.nodes().size(); ++i) {
    ExpectNode(graph.nodes()[i], found.nodes[i + shift], i + shift == 0);
    ExpectEdges(graph.nodes()[i], found, i, shift);
  }
  if (!graph.makes_root()) return;
  std::vector<std::uint64_t> roots = graph.roots();
  if (graph.root_ref() != 0) roots.insert(roots.begin(), graph.root_ref() - 1);
  const std::vector<CollectSink::Edge> edges = found.EdgesOf(0);
  ASSERT_EQ(edges.size(), roots.size());
  for (std::size_t i = 0; i < roots.size(); ++i)
    EXPECT_EQ(edges[i].to, roots[i] + 1);
}

INSTANTIATE_TEST_SUITE_P(Seeds, DartheapGraph,
                         ::testing::Range(std::uint32_t{0}, std::uint32_t{40}));

}  // namespace
}  // namespace heapglot
