#include "core/canonical/graph_digest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "heapglot/stream.h"

namespace heapglot {
namespace {

constexpr std::uint64_t kNodes = 20'000;  // enough for threads
constexpr std::uint64_t kEdges = 60'000;

enum class Order { kAny, kBySource, kGrouped };

// The identity of a graph in which many nodes are alike and some were made by a
// converter.
GraphIdentity IdentityOf(Order in, unsigned threads) {
  std::mt19937_64 random(3);
  GraphDigest digest;
  pb::Chunk graph;
  graph.mutable_graph()->set_node_count(kNodes);
  graph.mutable_graph()->set_edge_count(kEdges);
  graph.mutable_graph()->set_edges_grouped(in == Order::kGrouped);
  EXPECT_TRUE(digest.Accept(graph).ok());
  pb::Chunk nodes;
  nodes.mutable_nodes()->set_count(kNodes);
  for (std::uint64_t node = 0; node < kNodes; ++node) {
    nodes.mutable_nodes()->add_self_size(random() % 16);
    nodes.mutable_nodes()->add_flags(node % 97 == 5 ? pb::NODE_SYNTHESIZED : 0);
  }
  EXPECT_TRUE(digest.Accept(nodes).ok());
  // The second half of the nodes has no edges.
  std::vector<std::uint64_t> from(kEdges);
  for (std::uint64_t& node : from) node = random() % (kNodes / 2);
  std::vector<std::uint64_t> order(kEdges);
  for (std::uint64_t i = 0; i < kEdges; ++i) order[i] = i;
  if (in != Order::kAny) {
    std::stable_sort(
        order.begin(), order.end(),
        [&](std::uint64_t a, std::uint64_t b) { return from[a] < from[b]; });
  }
  pb::Chunk edges;
  edges.mutable_edges()->set_count(kEdges);
  std::vector<std::uint32_t> counts(kNodes);
  for (const std::uint64_t node : from) ++counts[node];
  if (in == Order::kGrouped)
    edges.mutable_edges()->mutable_edges_per_node()->Assign(counts.begin(),
                                                            counts.end());
  for (const std::uint64_t edge : order) {
    if (in != Order::kGrouped) edges.mutable_edges()->add_from(from[edge]);
    edges.mutable_edges()->add_to(edge * 7919 % kNodes);
  }
  EXPECT_TRUE(digest.Accept(edges).ok());
  return digest.Finish(threads);
}

TEST(GraphDigestTest, IsTheSameInSeveralThreadsAndInAnyOrder) {
  // Edges have no names, but keep their order within each node.
  const GraphIdentity expected = IdentityOf(Order::kGrouped, 1);
  EXPECT_GT(expected.ties, 0U);
  for (const Order order : {Order::kAny, Order::kBySource, Order::kGrouped}) {
    for (const unsigned threads : {0U, 1U, 2U, 5U}) {
      const GraphIdentity identity = IdentityOf(order, threads);
      EXPECT_EQ(identity.digest, expected.digest) << threads;
      EXPECT_EQ(identity.ties, expected.ties) << threads;
    }
  }
}

}  // namespace
}  // namespace heapglot
