// Takes a stream apart, for tests.
#ifndef HEAPGLOT_TESTS_COLLECT_SINK_H_
#define HEAPGLOT_TESTS_COLLECT_SINK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/column.h"
#include "heapglot/stream.h"

namespace heapglot::testing {

// Keeps a whole stream in rows. For small streams.
class CollectSink : public ChunkSink {
 public:
  struct Node {
    std::uint32_t kind = 0;  // NodeKind
    std::uint64_t type_ref = 0;
    std::string name;
    std::uint64_t size = 0;
    std::uint32_t form = 0;
    std::uint64_t value = 0;
    std::string text;  // if the value is a string
    std::uint64_t length = 0;
    std::uint32_t encoding = 0;
    std::uint64_t hash = 0;
    std::uint32_t flags = 0;
  };
  struct Edge {
    std::uint64_t from = 0;
    std::uint32_t kind = 0;  // EdgeKind
    std::string name;        // "[3]" for numbers
    std::uint32_t to_form = 0;
    std::uint64_t to = 0;
    bool synthesized = false;
  };

  Status Accept(const pb::Chunk& chunk) override {
    if (chunk.has_strings()) AddStrings(chunk.strings());
    if (chunk.has_vocabulary()) AddVocabulary(chunk.vocabulary());
    if (chunk.has_nodes()) AddNodes(chunk.nodes());
    if (chunk.has_edges()) AddEdges(chunk.edges());
    if (chunk.has_graph()) graph = chunk.graph();
    if (chunk.has_graph_end()) end = chunk.graph_end();
    if (chunk.has_header()) header = chunk.header();
    if (chunk.has_externals()) externals.push_back(chunk.externals());
    if (chunk.has_types()) types.push_back(chunk.types());
    if (chunk.has_extra()) extra += chunk.extra().data();
    return {};
  }

  std::vector<Edge> EdgesOf(std::uint64_t node) const {
    std::vector<Edge> found;
    for (const Edge& edge : edges)
      if (edge.from == node) found.push_back(edge);
    return found;
  }

  pb::Header header;
  pb::Graph graph;
  pb::GraphEnd end;
  std::vector<pb::Types> types;
  std::vector<pb::Externals> externals;
  std::vector<std::string> strings = {""};
  std::vector<int> encodings = {pb::UTF8};
  std::vector<Node> nodes;
  std::vector<Edge> edges;
  std::string extra;

 private:
  void AddStrings(const pb::Strings& chunk) {
    std::size_t begin = 0;
    for (int i = 0; i < chunk.length_size(); ++i) {
      const std::string text = chunk.data().substr(begin, chunk.length(i));
      begin += chunk.length(i);
      if (continued_) {
        strings.back() += text;
      } else {
        strings.push_back(text);
        encodings.push_back(At(chunk.encoding(), i));
      }
      continued_ = false;
    }
    continued_ = chunk.continued();
  }
  void AddVocabulary(const pb::Vocabulary& chunk) {
    vocabulary_[chunk.space()] = chunk;
  }
  void AddNodes(const pb::Nodes& chunk) {
    for (int i = 0; i < static_cast<int>(chunk.count()); ++i) {
      Node node;
      node.kind = vocabulary_[pb::Vocabulary::NODE_KIND].known(
          static_cast<int>(At(chunk.kind(), i)));
      node.type_ref = At(chunk.type_ref(), i);
      node.name = strings.at(At(chunk.name(), i));
      node.size = At(chunk.self_size(), i);
      node.form = At(chunk.value_form(), i);
      node.value = At(chunk.value(), i);
      if (node.form == pb::V_LATIN1 || node.form == pb::V_UTF16 ||
          node.form == pb::V_NAME)
        node.text = strings.at(node.value);
      node.length = At(chunk.value_length(), i);
      node.encoding = At(chunk.value_encoding(), i);
      node.hash = At(chunk.identity_hash(), i);
      node.flags = At(chunk.flags(), i);
      nodes.push_back(node);
    }
  }
  void AddEdges(const pb::Edges& chunk) {
    const pb::Vocabulary& words = vocabulary_[pb::Vocabulary::EDGE_KIND];
    std::uint64_t from = chunk.first_node();
    int row = 0;
    for (const std::uint32_t count : chunk.edges_per_node()) {
      for (const int last = row + static_cast<int>(count); row < last; ++row) {
        const int word = static_cast<int>(At(chunk.kind(), row));
        const std::uint64_t name = At(chunk.name(), row);
        edges.push_back({from, words.known(word),
                         words.name_form(word) == pb::NAME_NUMBER
                             ? "[" + std::to_string(name) + "]"
                             : strings.at(name),
                         At(chunk.to_form(), row), At(chunk.to(), row),
                         At(words.edge_flags(), word) != 0});
      }
      ++from;
    }
  }

  pb::Vocabulary vocabulary_[4];
  bool continued_ = false;
};

}  // namespace heapglot::testing

#endif  // HEAPGLOT_TESTS_COLLECT_SINK_H_
