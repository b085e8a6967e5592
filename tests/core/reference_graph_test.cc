#include "core/transforms/reference_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <random>
#include <set>
#include <vector>

#include "core/transforms/work_set.h"

namespace heapglot {
namespace {

using Edges = std::vector<std::vector<std::int64_t>>;  // -1 = holds nothing

// A simple model of a ReferenceGraph.
class Model {
 public:
  Model(const Edges& edges, std::int64_t top,
        const std::vector<std::uint64_t>& roots)
      : edges_(edges), reached_(edges.size()) {
    distance_.assign(edges.size(), 64);
    if (top >= 0) Walk({static_cast<std::uint64_t>(top)}, 1, &reached_);
    Walk(roots, 2, &reached_);
  }

  const std::vector<bool>& reached() const { return reached_; }

  // The first node of each source among the strongly connected components of
  // what is not reached.
  std::vector<bool> Entries() const {
    std::vector<bool> entries(edges_.size());
    for (std::uint64_t node = 0; node < edges_.size(); ++node) {
      if (reached_[node]) continue;
      const std::vector<bool> from = Reach(node);
      bool is_entry = true;
      for (std::uint64_t other = 0; other < edges_.size(); ++other) {
        if (reached_[other] || other == node) continue;
        const bool to_node = Reach(other)[node];
        if (to_node && (!from[other] || other < node)) is_entry = false;
      }
      entries[node] = is_entry;
    }
    return entries;
  }

  int EntryDistance(const std::vector<bool>& entries) {
    std::vector<std::uint64_t> starts;
    for (std::uint64_t node = 0; node < edges_.size(); ++node)
      if (entries[node]) starts.push_back(node);
    std::vector<bool> all = reached_;
    const std::vector<int> before = distance_;
    Walk(starts, 0, &all, &reached_);
    int farthest = 1;
    for (std::uint64_t node = 0; node < edges_.size(); ++node) {
      if (reached_[node]) continue;
      for (const std::int64_t target : edges_[node])
        if (target >= 0 && reached_[target])
          farthest = std::max(farthest, before[target] - distance_[node] - 1);
    }
    return farthest;
  }

 private:
  std::vector<bool> Reach(std::uint64_t from) const {
    std::vector<bool> seen(edges_.size());
    std::vector<std::uint64_t> todo = {from};
    seen[from] = true;
    while (!todo.empty()) {
      const std::uint64_t node = todo.back();
      todo.pop_back();
      for (const std::int64_t target : edges_[node]) {
        if (target < 0 || seen[target] || reached_[target]) continue;
        seen[target] = true;
        todo.push_back(static_cast<std::uint64_t>(target));
      }
    }
    return seen;
  }

  void Walk(const std::vector<std::uint64_t>& starts, int at,
            std::vector<bool>* seen, const std::vector<bool>* outside = {}) {
    std::deque<std::uint64_t> todo;
    for (const std::uint64_t node : starts) {
      (*seen)[node] = true;
      if (distance_[node] <= at) continue;
      distance_[node] = at;
      todo.push_back(node);
    }
    for (; !todo.empty(); todo.pop_front()) {
      const int next = distance_[todo.front()] + 1;
      for (const std::int64_t target : edges_[todo.front()]) {
        if (target < 0) continue;
        if (outside != nullptr && (*outside)[target]) continue;
        const bool is_new = !(*seen)[target];
        (*seen)[target] = true;
        const bool is_nearer = distance_[target] > next;
        if (is_nearer) distance_[target] = next;
        if (is_new || is_nearer)
          todo.push_back(static_cast<std::uint64_t>(target));
      }
    }
  }

  const Edges& edges_;
  std::vector<bool> reached_;
  std::vector<int> distance_;
};

// -1: an edge that holds nothing.
void AddNode(std::uint64_t node, const std::vector<std::int64_t>& targets,
             ReferenceGraph* graph) {
  const auto count = static_cast<std::uint32_t>(targets.size());
  graph->AddNodes(node, {&count, 1},
                  [&](std::uint64_t row, std::size_t rows, std::uint32_t* to) {
                    for (std::size_t i = 0; i < rows; ++i)
                      to[i] = static_cast<std::uint32_t>(targets[row + i] + 1);
                  });
}

void Fill(const Edges& edges, std::int64_t top,
          const std::vector<std::uint64_t>& roots, ReferenceGraph* graph) {
  if (top >= 0) graph->SetTop(static_cast<std::uint64_t>(top));
  for (const std::uint64_t node : roots) graph->AddRoot(node);
  for (std::uint64_t node = 0; node < edges.size(); ++node) {
    if (!edges[node].empty()) AddNode(node, edges[node], graph);
  }
  ASSERT_TRUE(graph->Finish(edges.size()).ok());
}

// The same in calls of AddNodes() that begin and end anywhere, and with the
// roots before, between, or after the edges.
void FillInBulk(const Edges& edges, std::int64_t top,
                const std::vector<std::uint64_t>& roots, std::mt19937& random,
                ReferenceGraph* graph) {
  // Each edge, and where each node ends.
  std::vector<std::uint32_t> refs;
  std::vector<std::size_t> ends;
  for (const std::vector<std::int64_t>& of : edges) {
    for (const std::int64_t target : of)
      refs.push_back(static_cast<std::uint32_t>(target + 1));
    ends.push_back(refs.size());
  }
  std::size_t next_root = 0;
  const auto add_roots = [&](std::size_t end) {
    for (; next_root < end; ++next_root) graph->AddRoot(roots[next_root]);
  };
  if (top >= 0 && random() % 2 == 0)
    graph->SetTop(static_cast<std::uint64_t>(top));
  std::size_t edge = 0;
  std::uint64_t node = 0;
  while (node < edges.size()) {
    if (random() % 4 == 0) add_roots(random() % (roots.size() + 1));
    const std::size_t begin = edge;
    const std::uint64_t first = node;
    const std::size_t most = random() % (random() % 8 == 0 ? 100'000 : 300);
    std::vector<std::uint32_t> counts;
    for (std::uint64_t i = random() % 200; i > 0 && node < edges.size(); --i) {
      const std::size_t end = std::min(ends[node], begin + most);
      counts.push_back(static_cast<std::uint32_t>(end - edge));
      edge = end;
      if (end < ends[node]) break;
      ++node;
    }
    graph->AddNodes(
        first, counts,
        [&](std::uint64_t row, std::size_t rows, std::uint32_t* to) {
          ASSERT_LE(begin + row + rows, edge);
          std::copy_n(refs.data() + begin + row, rows, to);
        });
  }
  if (top >= 0) graph->SetTop(static_cast<std::uint64_t>(top));
  add_roots(roots.size());
  ASSERT_TRUE(graph->Finish(edges.size()).ok());
}

std::vector<bool> Members(const RankBitmap& set) {
  std::vector<bool> members(set.size());
  for (std::uint64_t i = 0; i < set.size(); ++i) members[i] = set.Has(i);
  return members;
}

TEST(ReferenceGraphTest, IsAsByTheBook) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const std::uint64_t nodes = 1 + random() % 150;
    Edges edges(nodes);
    for (std::uint64_t i = random() % (2 * nodes); i > 0; --i) {
      edges[random() % nodes].push_back(
          random() % 9 == 0 ? -1 : static_cast<std::int64_t>(random() % nodes));
    }
    const std::int64_t top =
        random() % 2 == 0 ? -1 : static_cast<std::int64_t>(random() % nodes);
    std::vector<std::uint64_t> roots(random() % 4);
    for (std::uint64_t& root : roots) root = random() % nodes;

    ReferenceGraph graph;
    Fill(edges, top, roots, &graph);
    Model model(edges, top, roots);
    const RankBitmap reached = graph.Reached();
    ASSERT_EQ(Members(reached), model.reached()) << round;
    const auto [entries, distance] = graph.EntryPoints(reached, 2);
    ASSERT_EQ(Members(entries), model.Entries()) << round;
    ASSERT_EQ(static_cast<int>(distance), model.EntryDistance(Members(entries)))
        << round;
  }
}

// Nodes in orders that are good, bad, or useless for marking while they are
// added; some of them have many edges.
TEST(ReferenceGraphTest, IsTheSameInBulk) {
  std::mt19937 random(11);
  for (int round = 0; round < 60; ++round) {
    const std::uint64_t nodes = 1 + random() % 3000;
    Edges edges(nodes);
    const auto leads_on = [&](std::uint64_t node) {
      switch (round % 4) {
        case 0:
          return node + 1 + random() % 3;
        case 1:
          return node - 1 - random() % 3;
        case 2:
          return node + random() % 129 - 64;
        default:
          return std::uint64_t{random()};
      }
    };
    for (std::uint64_t i = random() % (3 * nodes); i > 0; --i) {
      const std::uint64_t node = random() % nodes;
      const std::uint64_t target = leads_on(node);
      edges[node].push_back(target < nodes || round % 4 == 3
                                ? static_cast<std::int64_t>(target % nodes)
                                : -1);
    }
    for (int many = round % 3; many > 0; --many)
      edges[random() % nodes].resize(random() % 40'000, -1);
    std::vector<std::uint64_t> roots(random() % 9);
    for (std::uint64_t& root : roots) root = random() % nodes;

    ReferenceGraph graph;
    Fill(edges, -1, roots, &graph);
    const RankBitmap reached = graph.Reached();
    const auto [entries, distance] = graph.EntryPoints(reached, 3);
    ReferenceGraph bulk;
    FillInBulk(edges, -1, roots, random, &bulk);
    ASSERT_EQ(bulk.edges(), graph.edges());
    ASSERT_EQ(Members(bulk.Reached()), Members(reached)) << round;
    ASSERT_EQ(Members(reached), Model(edges, -1, roots).reached()) << round;
    ASSERT_EQ(Members(bulk.EdgesOf(reached)), Members(graph.EdgesOf(reached)));
    const auto [bulk_entries, bulk_distance] = bulk.EntryPoints(reached, 3);
    ASSERT_EQ(Members(bulk_entries), Members(entries)) << round;
    ASSERT_EQ(bulk_distance, distance) << round;
  }
}

// A list that is followed against the order of nodes must not cost a scan of
// all nodes for each of them: this test would not end.
TEST(ReferenceGraphTest, GoesBackwards) {
  constexpr std::uint64_t kNodes = 2'000'000;
  ReferenceGraph graph;
  for (std::uint64_t node = 0; node < kNodes; ++node) {
    std::vector<std::int64_t> targets;
    if (node >= 100) targets.push_back(static_cast<std::int64_t>(node) - 100);
    AddNode(node, targets, &graph);
  }
  graph.AddRoot(kNodes - 1);
  ASSERT_TRUE(graph.Finish(kNodes).ok());
  EXPECT_EQ(graph.Reached().members(), kNodes / 100);
}

// A list of nodes, some of which have many edges with only one that leads on.
TEST(ReferenceGraphTest, FollowsTheOneEdgeOfMany) {
  constexpr std::uint64_t kNodes = 200;
  for (const std::size_t many :
       {1U, 255U, 256U, 8191U, 8192U, 8193U, 16'320U, 16'321U, 40'000U}) {
    for (const std::size_t heavy : {0U, 63U, 64U, 100U, 199U}) {
      for (const std::size_t place : {std::size_t{0}, many / 2, many - 1}) {
        Edges edges(kNodes);
        for (std::uint64_t node = 0; node < kNodes; ++node) {
          const bool is_heavy = node == heavy || node == heavy + 2;
          edges[node].assign(is_heavy ? many : 1, -1);
          edges[node][is_heavy ? place : 0] =
              static_cast<std::int64_t>((node + 1) % kNodes);
        }
        ReferenceGraph graph;
        Fill(edges, -1, {7}, &graph);
        const RankBitmap reached = graph.Reached();
        ASSERT_EQ(reached.members(), kNodes) << many << ' ' << heavy;
        ASSERT_EQ(graph.EdgesOf(reached).members(), graph.edges());
      }
    }
  }
}

TEST(ReferenceGraphTest, KnowsWhoseEdgesAreWhose) {
  ReferenceGraph graph;
  Fill({{1, -1}, {}, {0, 0, 2}, {}}, -1, {0}, &graph);
  EXPECT_EQ(graph.edges(), 5U);
  const RankBitmap edges = graph.EdgesOf(graph.Reached());
  EXPECT_EQ(Members(edges),
            (std::vector<bool>{true, true, false, false, false}));
  EXPECT_EQ(edges.members(), 2U);
}

// More than fits into memory, with a node that has many edges, and a list that
// goes back and forth between the ends.
TEST(ReferenceGraphTest, ReadsFromAFile) {
  constexpr std::int64_t kNodes = 100'000;
  constexpr std::int64_t kMany = 9'000'000;
  ReferenceGraph graph;
  graph.SetTop(0);
  for (std::int64_t node = 0; node < kNodes; ++node) {
    std::vector<std::int64_t> targets;
    if (node == 5)
      for (std::int64_t i = 0; i < kMany; ++i) targets.push_back(i % 10);
    const bool is_last = node == kNodes / 2;
    const bool is_first_half = node < kNodes / 2;
    if (!is_last)
      targets.push_back(is_first_half ? kNodes - 1 - node : kNodes - node);
    AddNode(static_cast<std::uint64_t>(node), targets, &graph);
  }
  ASSERT_TRUE(graph.Finish(kNodes).ok());
  const RankBitmap reached = graph.Reached();
  EXPECT_TRUE(graph.status().ok());
  EXPECT_EQ(reached.members(), static_cast<std::uint64_t>(kNodes));
  EXPECT_EQ(graph.EdgesOf(reached).members(), graph.edges());
}

TEST(ReferenceGraphTest, NothingReachesAnything) {
  constexpr std::uint64_t kNodes = 1000;
  ReferenceGraph graph;
  ASSERT_TRUE(graph.Finish(kNodes).ok());
  const RankBitmap reached = graph.Reached();
  EXPECT_EQ(reached.members(), 0U);
  const auto [entries, distance] = graph.EntryPoints(reached, 3);
  EXPECT_EQ(entries.members(), kNodes);
  EXPECT_EQ(distance, 1U);
}

TEST(ReferenceGraphTest, RefusesWhatPointsPastTheEnd) {
  {
    ReferenceGraph graph;
    AddNode(0, {2}, &graph);
    EXPECT_EQ(graph.Finish(2).code(), Code::kInternal);
  }
  {
    ReferenceGraph graph;
    graph.AddRoot(2);
    EXPECT_EQ(graph.Finish(2).code(), Code::kInternal);
  }
  {
    ReferenceGraph graph;
    graph.AddRoot(~std::uint64_t{0});
    EXPECT_EQ(graph.Finish(2).code(), Code::kInternal);
  }
  {
    ReferenceGraph graph;
    AddNode(2, {}, &graph);
    EXPECT_EQ(graph.Finish(2).code(), Code::kInternal);
  }
  ReferenceGraph graph;
  EXPECT_TRUE(graph.Finish(0).ok());
  EXPECT_EQ(graph.Reached().members(), 0U);
}

TEST(WorkSetTest, BeginsWithMembers) {
  for (const std::size_t words : {1U, 2U, 64U, 65U, 5000U}) {
    std::vector<std::uint64_t> members(words);
    for (std::size_t i = 0; i < words; i += 1 + i / 3) members[i] = i + 1;
    WorkSet set(members);
    for (std::size_t i = 0; i < words; ++i) {
      if (members[i] == 0) continue;
      ASSERT_EQ(set.NextWord(0), i);
      ASSERT_EQ(set.Take(i), members[i]);
    }
    ASSERT_EQ(set.NextWord(0), WorkSet::kNone);
  }
}

TEST(WorkSetTest, IsASet) {
  std::mt19937_64 random(3);
  for (const std::uint64_t size :
       {1U, 2U, 63U, 64U, 65U, 4095U, 4096U, 4097U, 300'000U}) {
    WorkSet set(size);
    std::set<std::uint64_t> model;
    for (int step = 0; step < 2000; ++step) {
      const std::uint64_t number =
          step % 2 == 0 ? random() % size : random() % std::min(size, 9UL);
      if (step % 3 != 0) {
        set.Add(number);
        model.insert(number);
        continue;
      }
      const auto found = model.lower_bound(number / 64 * 64);
      const std::uint64_t word = set.NextWord(number / 64);
      if (found == model.end()) {
        ASSERT_EQ(word, WorkSet::kNone);
        continue;
      }
      ASSERT_EQ(word, *found / 64);
      std::uint64_t bits = 0;
      for (auto it = found; it != model.end() && *it / 64 == word;
           it = model.erase(it))
        bits |= std::uint64_t{1} << (*it % 64);
      ASSERT_EQ(set.Take(word), bits);
    }
  }
  EXPECT_EQ(WorkSet(0).NextWord(0), WorkSet::kNone);
  EXPECT_EQ(WorkSet(64).NextWord(5), WorkSet::kNone);
}

}  // namespace
}  // namespace heapglot
