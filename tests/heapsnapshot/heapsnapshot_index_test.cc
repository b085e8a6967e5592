#include "readers/heapsnapshot/heapsnapshot_index.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "heapglot/bytes.h"
#include "readers/heapsnapshot/heapsnapshot_dialect.h"

namespace heapglot::heapsnapshot {
namespace {

constexpr std::uint64_t kNodes = 200'000;

// The members of a file. Each node is named by a string of its own, in reverse
// order, and refers to the next node.
std::vector<std::string> Members() {
  std::string nodes;
  std::string edges;
  std::string strings;
  for (std::uint64_t i = 0; i < kNodes; ++i) {
    const std::string comma = i == 0 ? "" : ",\n";
    nodes += comma + std::to_string(i % 2) + "," +
             std::to_string(kNodes - 1 - i) + "," + std::to_string(2 * i + 1) +
             "," + std::to_string(i % 3) + ",1";
    edges += comma + std::to_string(i % 2) + "," + std::to_string(i) + "," +
             std::to_string((i + 1) % kNodes * 5);
    strings += comma + "\"s\"";
  }
  return {
      R"("snapshot":{"meta":{"node_fields":["type","name","id","self_size",)"
      R"("edge_count"],"node_types":[["object","string"],"string","number",)"
      R"("number","number"],"edge_fields":["type","name_or_index","to_node"],)"
      R"("edge_types":[["property","element"],"string_or_number","node"]}})",
      "\"nodes\":[" + nodes + "]", "\"edges\":[" + edges + "]",
      "\"strings\":[" + strings + "]"};
}

std::string File(const std::vector<std::string>& members) {
  std::string file;
  for (const std::string& member : members)
    file += (file.empty() ? "{" : ",") + member;
  return file + "}";
}

struct Built {
  Status status;
  Index index;
};

Built Build(const std::vector<std::string>& members) {
  const std::string file = File(members);
  const std::unique_ptr<ByteSource> source = ByteSource::FromMemory(file);
  Context context;
  Built built;
  built.status = BuildIndex(*source, context, &built.index);
  return built;
}

void Replace(std::string* text, const std::string& old, const std::string& by) {
  const std::size_t at = text->find(old);
  ASSERT_NE(at, std::string::npos) << old;
  text->replace(at, old.size(), by);
}

TEST(HeapsnapshotIndex, IsTheSameInAnyOrder) {
  const std::vector<std::string> parts = Members();
  for (const std::vector<std::size_t>& order :
       {std::vector<std::size_t>{0, 1, 2, 3},
        {1, 0, 2, 3},
        {3, 2, 1, 0},
        {2, 0, 1, 3},
        {0, 2, 1, 3},
        {0, 1, 3, 2}}) {
    std::vector<std::string> members;
    for (const std::size_t part : order) members.push_back(parts[part]);
    const Built built = Build(members);
    ASSERT_TRUE(built.status.ok()) << built.status.message();
    const Index& index = built.index;
    EXPECT_EQ(index.node_count, kNodes);
    EXPECT_EQ(index.edge_count, kNodes);
    EXPECT_EQ(index.nodes_of_type,
              (std::vector<std::uint64_t>{kNodes / 2, kNodes / 2}));
    EXPECT_EQ(index.nodes_with_size, kNodes - (kNodes + 2) / 3);
    EXPECT_EQ(index.self_sizes, 199'999);
    EXPECT_EQ(index.edges_by_number, kNodes / 2);
    EXPECT_EQ(index.edges_of_kind, kNodes);
    EXPECT_EQ(index.id_limit, 2 * kNodes);
    EXPECT_EQ(index.dangling, 0);
    EXPECT_EQ(index.class_names.size(), kNodes);
    EXPECT_EQ(index.class_names.members(), kNodes / 2);
  }
}

// The first error in the file is reported, and nothing is counted twice.
TEST(HeapsnapshotIndex, TellsOfTheFirstTrouble) {
  std::vector<std::string> members = Members();
  Replace(&members[1], "0,199999,1,", "0,200000,1,");
  Built built = Build(members);
  EXPECT_EQ(built.status.code(), Code::kMalformed);
  EXPECT_EQ(built.status.message(),
            "nodes: the name of node 0 is string 200000 of 200000");

  members = Members();
  Replace(&members[2], "0,199998,", "0,200000,");
  built = Build(members);
  EXPECT_EQ(built.status.message(),
            "edges: the name of edge 199998 is string 200000 of 200000");

  members = Members();
  Replace(&members[1], "1,199998,3,", "1,199998,1,");
  Replace(&members[2], "0,199998,", "0,200000,");
  built = Build(members);
  EXPECT_EQ(built.status.message(), "nodes: the id 1 comes twice");

  members = Members();
  Replace(&members[2], "1,199999,0", "1,199999,1");
  built = Build(members);
  ASSERT_TRUE(built.status.ok()) << built.status.message();
  EXPECT_EQ(built.index.dangling, 1);
  EXPECT_EQ(built.index.node_count, kNodes);
  EXPECT_EQ(built.index.edge_count, kNodes);
  EXPECT_EQ(built.index.nodes_of_type[0], kNodes / 2);
  EXPECT_EQ(built.index.self_sizes, 199'999);

  members = Members();
  members[3].pop_back();
  built = Build(members);
  EXPECT_EQ(built.status.code(), Code::kMalformed);
}

TEST(HeapsnapshotDialect, SniffsWhateverKeyComesFirst) {
  for (const std::string key :
       {"snapshot", "nodes", "edges", "trace_function_infos", "trace_tree",
        "samples", "locations", "strings"}) {
    EXPECT_EQ(SniffHeapsnapshot("{\"" + key + "\":"), Sniff::kYes) << key;
    EXPECT_EQ(SniffHeapsnapshot(" {\n \"" + key), Sniff::kMaybe) << key;
  }
  EXPECT_EQ(SniffHeapsnapshot("{\"type\":\"metadata\""), Sniff::kNo);
  EXPECT_EQ(SniffHeapsnapshot("{\"sample\":1}"), Sniff::kNo);
  EXPECT_EQ(SniffHeapsnapshot("[]"), Sniff::kNo);
}

}  // namespace
}  // namespace heapglot::heapsnapshot
