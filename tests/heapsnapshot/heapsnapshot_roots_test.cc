#include "writers/heapsnapshot/heapsnapshot_roots.h"

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <map>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/checked_passes.h"
#include "tests/core/text_stream.h"
#include "tests/no_temporary_files.h"
#include "writers/heapsnapshot/heapsnapshot_writer.h"

namespace heapglot {
namespace {

using heapsnapshot::RootLists;

constexpr std::size_t kMemory = std::size_t{16} << 10;

using Nodes = std::vector<std::uint64_t>;

Nodes NodesOf(RootLists& roots, const RootLists::List& list) {
  Nodes nodes;
  roots.ForEach(list, [&nodes](std::uint64_t node) { nodes.push_back(node); });
  return nodes;
}

TEST(RootLists, AreAsIfEachWereKeptByItself) {
  std::mt19937_64 random(1);
  for (const std::uint32_t kinds : {1u, 2u, 40u}) {
    for (const unsigned run : {1u, 100u, 50'000u}) {
      SCOPED_TRACE(std::to_string(kinds) + " kinds, up to " +
                   std::to_string(run) + " in a row");
      RootLists roots(kMemory);
      std::map<std::pair<std::uint32_t, std::uint32_t>, Nodes> expected;
      std::uint64_t node = 0;
      for (unsigned i = 0; i < 200'000;) {
        const auto kind = static_cast<std::uint32_t>(random() % kinds);
        const auto distance = static_cast<std::uint32_t>(random() % 2 * 7);
        // Ascending, as entry points are, or random.
        const bool ascends = random() % 2 == 0;
        for (auto rest = 1 + random() % run; rest > 0; --rest, ++i) {
          node = ascends ? node + random() % 100 : random() >> random() % 64;
          roots.Add({kind, distance}, node);
          expected[{kind, distance}].push_back(node);
        }
      }
      ASSERT_EQ(roots.lists().size(), expected.size());
      auto next = expected.begin();
      for (const auto& [key, list] : roots.lists()) {
        EXPECT_EQ(key.kind, next->first.first);
        EXPECT_EQ(key.distance, next->first.second);
        EXPECT_EQ(list.count(), next->second.size());
        EXPECT_TRUE(NodesOf(roots, list) == next->second) << key.kind;
        ++next;
      }
      EXPECT_TRUE(roots.status().ok());
    }
  }
}

TEST(RootLists, KeepsEveryNumberAndEveryDifference) {
  const Nodes nodes = {
      ~std::uint64_t{0},    0, 0, std::uint64_t{1} << 63, 1, 0, 63, 127,
      ~std::uint64_t{0} - 1};
  RootLists roots;
  for (const std::uint64_t node : nodes) roots.Add({1, 2}, node);
  ASSERT_EQ(roots.lists().size(), 1u);
  EXPECT_EQ(NodesOf(roots, roots.lists().begin()->second), nodes);
}

TEST(RootLists, SaysWhenThereIsNoFile) {
  const NoTemporaryFiles none;
  RootLists roots(kMemory);
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) roots.Add({0, 0}, random());
  EXPECT_EQ(roots.status().code(), Code::kOutput);
  EXPECT_LT(NodesOf(roots, roots.lists().begin()->second).size(), 20'000u);
}

// ------------------------------------------------------------------- groups

constexpr std::uint32_t kNodes = 50'000;

struct Root {
  std::uint32_t kind;
  std::uint32_t distance;
  std::uint64_t node;
};

// A heap of nodes without edges, with roots of three kinds; the second is weak.
std::vector<pb::Chunk> HeapOf(const std::vector<Root>& roots) {
  const std::string nodes = std::to_string(kNodes);
  std::vector<pb::Chunk> chunks = ParseStream(
      "header { }\n"
      "graph { edges_grouped: true }\n"
      "vocabulary { space: ROOT_KIND known: [4, 13, 17] }\n"
      "nodes { count: " +
      nodes + " }\n");
  for (std::size_t first = 0; first < roots.size(); first += kChunkRows) {
    pb::Roots& chunk = *chunks.emplace_back().mutable_roots();
    const auto end = std::min<std::size_t>(first + kChunkRows, roots.size());
    chunk.set_first(first);
    chunk.set_count(static_cast<std::uint32_t>(end - first));
    for (std::size_t i = first; i < end; ++i) {
      chunk.add_to(roots[i].node);
      chunk.add_kind(roots[i].kind);
      chunk.add_distance(roots[i].distance);
    }
  }
  for (pb::Chunk& end : ParseStream("graph_end { nodes: " + nodes +
                                    " roots: " + std::to_string(roots.size()) +
                                    " }\nfooter { graphs: 1 strings: 1 }\n"))
    chunks.push_back(std::move(end));
  return chunks;
}

std::vector<Root> MixedRoots() {
  std::mt19937_64 random(1);
  std::vector<Root> roots;
  for (int i = 0; i < 600'000; ++i) {
    const auto kind = static_cast<std::uint32_t>(random() % 3);
    const auto distance = static_cast<std::uint32_t>(kind == 2 ? 5 : 0);
    roots.push_back({kind, distance, random() % kNodes});
  }
  return roots;
}

Status Write(const std::vector<Root>& roots, std::string* json) {
  VectorReader reader(HeapOf(roots));
  const auto sink = ByteSink::ToString(json);
  Context context;
  const auto writer = kHeapsnapshotWriter.make(*sink, WriterOptions(), context);
  return CheckedPasses(reader, *writer);
}

// More than is kept in memory.
TEST(HeapsnapshotRoots, AreTheChildrenOfTheirGroups) {
  const std::vector<Root> roots = MixedRoots();
  std::string json;
  const Status status = Write(roots, &json);
  ASSERT_TRUE(status.ok()) << status.ToString();
  rapidjson::Document document;
  document.Parse(json.c_str());
  ASSERT_FALSE(document.HasParseError());
  // Type, number and target, in the order of the groups.
  std::vector<std::tuple<unsigned, unsigned, unsigned>> expected;
  for (std::uint32_t kind = 0; kind < 3; ++kind) {
    unsigned number = 0;
    for (const Root& root : roots) {
      if (root.kind != kind) continue;
      const auto to = static_cast<unsigned>(root.node + 2) * 7;
      ++number;
      expected.emplace_back(kind == 1 ? 6 : 1, kind == 1 ? 0 : number, to);
    }
  }
  const rapidjson::Value& nodes = document["nodes"];
  const rapidjson::Value& edges = document["edges"];
  EXPECT_EQ(document["snapshot"]["edge_count"].GetUint64(), edges.Size() / 3);
  std::uint64_t counted = 0;
  for (rapidjson::SizeType i = 4; i < nodes.Size(); i += 7)
    counted += nodes[i].GetUint64();
  EXPECT_EQ(counted, edges.Size() / 3);
  std::vector<std::tuple<unsigned, unsigned, unsigned>> found;
  for (rapidjson::SizeType i = 0; i < edges.Size(); i += 3) {
    const unsigned to = edges[i + 2].GetUint();
    if (to < 2 * 7 || to >= (2 + kNodes) * 7) continue;  // to a group
    const bool is_weak = edges[i].GetUint() == 6;
    found.emplace_back(edges[i].GetUint(), is_weak ? 0 : edges[i + 1].GetUint(),
                       to);
  }
  EXPECT_TRUE(found == expected);
}

TEST(HeapsnapshotRoots, FailTheWriterWhereTheyCannotBeKept) {
  const NoTemporaryFiles none;
  std::string json;
  EXPECT_EQ(Write(MixedRoots(), &json).code(), Code::kOutput);
}

}  // namespace
}  // namespace heapglot
