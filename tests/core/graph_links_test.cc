#include "core/canonical/graph_links.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "core/canonical/label_cache.h"

namespace heapglot {
namespace {

constexpr std::uint32_t kNodes = 50;

struct Link {
  std::uint64_t label;
  std::uint32_t from;
  std::uint32_t to;
};

// Links of which some labels are frequent, and some of these begin alike. In
// rows of links of one node, or in any order.
std::vector<Link> SomeLinks(std::size_t count, bool in_rows) {
  constexpr std::uint64_t kOften[] = {0, 1, 2, ~std::uint64_t{0},
                                      std::uint64_t{1} << 63};
  std::mt19937_64 random(3);
  std::vector<Link> links;
  std::uint32_t from = 0;
  while (links.size() < count) {
    if (!in_rows || random() % 3 == 0)
      from = static_cast<std::uint32_t>(random() % kNodes);
    const std::uint64_t label =
        random() % 4 == 0 ? random() : kOften[random() % std::size(kOften)];
    links.push_back(
        {label, from, static_cast<std::uint32_t>(random() % kNodes)});
  }
  return links;
}

// Adds links in batches of any size.
void AddAll(const std::vector<Link>& links, GraphLinks* to) {
  std::size_t size = 1;
  for (std::size_t at = 0; at < links.size(); size = size % 200 + 37) {
    std::vector<std::uint64_t> labels;
    std::vector<std::uint32_t> from_nodes, to_nodes;
    for (; at < links.size() && labels.size() < size; ++at) {
      labels.push_back(links[at].label);
      from_nodes.push_back(links[at].from);
      to_nodes.push_back(links[at].to);
    }
    to->Add(labels, from_nodes.data(), to_nodes.data());
  }
}

std::vector<Hash128> Signatures() {
  std::mt19937_64 random(4);
  std::vector<Hash128> signatures(kNodes);
  for (Hash128& signature : signatures) signature = {random(), random()};
  return signatures;
}

std::vector<Hash128> SumsOf(const std::vector<Link>& links) {
  const std::vector<Hash128> signatures = Signatures();
  std::vector<Hash128> sums(kNodes);
  for (const Link& link : links) {
    const Hash128& to = signatures[link.to];
    const std::uint64_t numbers[] = {link.label, to.low, to.high};
    char bytes[sizeof numbers];
    std::memcpy(bytes, numbers, sizeof numbers);
    sums[link.from] += Hash128Of({bytes, sizeof bytes});
  }
  return sums;
}

std::vector<Hash128> SumsOf(const GraphLinks& links) {
  std::vector<Hash128> sums(kNodes);
  links.AddHashes(Signatures(), sums.data());
  return sums;
}

TEST(GraphLinks, AddsWhatLinksLeadTo) {
  for (const bool in_rows : {false, true}) {
    for (const std::size_t count : {0, 1, 127, 128, 129, 1000}) {
      const std::vector<Link> links = SomeLinks(count, in_rows);
      GraphLinks graph;
      AddAll(links, &graph);
      EXPECT_EQ(SumsOf(graph), SumsOf(links)) << count << ", " << in_rows;
    }
  }
}

// More than fit into one block.
TEST(GraphLinks, TakesMany) {
  const std::vector<Link> links = SomeLinks((1 << 19) + 1000, true);
  GraphLinks graph;
  graph.Expect(links.size());
  AddAll(links, &graph);
  EXPECT_EQ(SumsOf(graph), SumsOf(links));
}

// More than fit into one block, in the order of their nodes, some of which have
// many.
TEST(GraphLinks, AddsThoseOfSomeNodes) {
  std::vector<Link> links = SomeLinks((1 << 19) + 1000, true);
  std::stable_sort(
      links.begin(), links.end(),
      [](const Link& a, const Link& b) { return a.from < b.from; });
  // The nodes from 20 up to 30 have none.
  std::erase_if(links, [](const Link& link) {
    return link.from >= 20 && link.from < 30;
  });
  links.insert(links.end(), 100'000, {7, 45, 8});
  links.insert(links.end(), 9, {7, 48, 9});
  GraphLinks graph;
  AddAll(links, &graph);
  EXPECT_FALSE(graph.AreInOrder());
  std::stable_sort(
      links.begin(), links.end(),
      [](const Link& a, const Link& b) { return a.from < b.from; });
  GraphLinks ordered;
  AddAll(links, &ordered);
  ASSERT_TRUE(ordered.AreInOrder());

  const std::vector<Hash128> signatures = Signatures();
  const std::vector<Hash128> expected = SumsOf(links);
  EXPECT_EQ(SumsOf(ordered), expected);
  for (const std::uint32_t step : {1U, 7U, 49U, 50U, 64U}) {
    std::vector<Hash128> sums(kNodes);
    for (std::uint32_t first = 0; first < kNodes; first += step) {
      // Other nodes are not touched.
      std::vector<Hash128> some(kNodes);
      ordered.AddHashes(first, first + step, signatures, some.data());
      for (std::uint32_t node = 0; node < kNodes; ++node) {
        EXPECT_TRUE((node >= first && node < first + step) ||
                    some[node] == Hash128());
        sums[node] += some[node];
      }
    }
    EXPECT_EQ(sums, expected) << step;
  }
  EXPECT_TRUE(GraphLinks().AreInOrder());
}

TEST(GraphLinks, DropsSome) {
  const auto is_left_out = [](std::uint32_t from, std::uint32_t to) {
    return from >= kNodes || to >= kNodes || from % 7 == 0 || to % 3 == 0;
  };
  std::vector<Link> links = SomeLinks(1000, true);
  GraphLinks graph;
  AddAll(links, &graph);
  EXPECT_EQ(graph.node_limit(), kNodes);
  graph.Add(5, 1, std::uint64_t{1} << 40);
  graph.Add(5, ~std::uint64_t{0}, 1);
  EXPECT_EQ(graph.node_limit(), GraphLinks::kMaxNodes + 1);
  graph.DropIf(is_left_out);
  std::erase_if(
      links, [&](const Link& link) { return is_left_out(link.from, link.to); });
  EXPECT_EQ(SumsOf(graph), SumsOf(links));
}

TEST(LabelCache, HasTheLastOnes) {
  LabelCache cache;
  std::uint64_t label = 0;
  const auto key = LabelCache::KeyOf(1, 2, 3);
  EXPECT_NE(key, LabelCache::KeyOf(2, 1, 3));
  EXPECT_FALSE(cache.Find(key, &label));
  cache.Add(key, 9);
  ASSERT_TRUE(cache.Find(key, &label));
  EXPECT_EQ(label, 9u);
  // Too large to be distinguished from others.
  const auto none = LabelCache::KeyOf(1, 2, ~std::uint64_t{0});
  cache.Add(none, 9);
  EXPECT_FALSE(cache.Find(none, &label));
  cache.Clear();
  EXPECT_FALSE(cache.Find(key, &label));
}

}  // namespace
}  // namespace heapglot
