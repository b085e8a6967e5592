#include "core/ir/edge_prediction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>

namespace heapglot {
namespace {

struct Row {
  std::uint32_t kind;
  std::uint64_t name;
  std::uint64_t to;
};

void Add(pb::Edges* edges, const Row& row) {
  edges->add_kind(row.kind);
  edges->add_name(row.name);
  edges->add_to(row.to);
  edges->set_count(edges->count() + 1);
}

// What a reader has before it decodes the edges.
pb::Edges WithoutForeseen(const pb::Edges& edges,
                          const EdgePrediction& prediction) {
  pb::Edges rest = edges;
  rest.clear_kind();
  const auto names = prediction.missed_names();
  rest.mutable_name()->Assign(names.begin(), names.end());
  const auto targets = prediction.missed_targets();
  rest.mutable_to()->Assign(targets.begin(), targets.end());
  return rest;
}

// One object is used for everything: earlier chunks must not show.
class EdgePredictionTest : public ::testing::Test {
 protected:
  void ExpectRoundTrip(const pb::Edges& edges) {
    ASSERT_TRUE(encoder_.Encode(edges));
    EXPECT_EQ(encoder_.labels().size(), edges.count());
    EXPECT_EQ(encoder_.targets().size(), edges.count());
    EdgePrediction other;
    ASSERT_TRUE(other.Encode(edges));
    EXPECT_EQ(encoder_.labels(), other.labels());
    EXPECT_EQ(encoder_.targets(), other.targets());
    pb::Edges back = WithoutForeseen(edges, encoder_);
    EXPECT_EQ(decoder_.Decode(encoder_.labels(), encoder_.targets(), &back),
              "");
    EXPECT_EQ(back.SerializeAsString(), edges.SerializeAsString());
  }

  EdgePrediction encoder_;
  EdgePrediction decoder_;
};

TEST_F(EdgePredictionTest, NoEdges) {
  ExpectRoundTrip({});
  pb::Edges edges;
  edges.add_edges_per_node(0);
  edges.add_edges_per_node(0);
  ExpectRoundTrip(edges);
}

// Nodes of two sorts: an element of a list, and what it holds.
TEST_F(EdgePredictionTest, WhatRepeatsIsForeseen) {
  pb::Edges edges;
  edges.set_first_node(1000);
  for (std::uint64_t i = 0; i < 500; ++i) {
    edges.add_edges_per_node(3);
    Add(&edges, {1, 70, 5000 + i});      // same distance from source: guess 2
    Add(&edges, {1, 71, 5050 + i});      // same distance from previous: guess 1
    Add(&edges, {2, 1'000'000'000, 5});  // the same: guess 0
  }
  ExpectRoundTrip(edges);
  const std::string labels(encoder_.labels());
  EXPECT_EQ(labels.substr(0, 3), "\2\2\3");
  EXPECT_EQ(labels.find_first_not_of('\0', 3), std::string::npos);
  EXPECT_EQ(encoder_.missed_names().size(), 3u);
  const std::string targets(encoder_.targets());
  EXPECT_EQ(targets.substr(3 * 100, 3), std::string("\2\1\0", 3));
  EXPECT_LT(encoder_.missed_targets().size(), 10u);
}

TEST_F(EdgePredictionTest, NeighboursAndTheLastButOne) {
  pb::Edges edges;
  edges.set_first_node(10);
  edges.add_edges_per_node(2);
  Add(&edges, {0, 1, 11});  // the one after the source
  Add(&edges, {0, 2, 12});  // the one after the previous target
  for (const std::uint64_t to : {900, 800, 900, 800}) {
    edges.add_edges_per_node(1);
    Add(&edges, {0, 3, to});
  }
  ExpectRoundTrip(edges);
  EXPECT_EQ(encoder_.targets(), std::string_view("\4\3\6\6\5\5", 6));
}

// Packed into one number, both labels are the same.
TEST_F(EdgePredictionTest, NamesThatDifferInTheirUpperBits) {
  constexpr std::uint64_t kOther = 7 + (std::uint64_t{1} << 56);
  pb::Edges edges;
  for (const std::uint64_t name :
       {std::uint64_t{7}, kOther, kOther, std::uint64_t{7}, kOther,
        ~std::uint64_t{0}, ~std::uint64_t{0}}) {
    edges.add_edges_per_node(1);
    Add(&edges, {3, name, 100});
  }
  ExpectRoundTrip(edges);
  EXPECT_EQ(encoder_.labels(), std::string_view("\4\4\0\4\4\4\0", 7));
}

// The state is reset in another way after many edges than after few.
TEST_F(EdgePredictionTest, ChunksOfAnySize) {
  std::mt19937_64 random(3);
  for (const std::uint32_t nodes :
       {2u, 20'000u, 30u, 4000u, 20'000u, 20'000u, 1u, 4096u, 4095u, 7u}) {
    pb::Edges edges;
    for (std::uint32_t node = 0; node < nodes; ++node) {
      edges.add_edges_per_node(2);
      Add(&edges, {1, random() % 2000, random() % 3});
      Add(&edges, {2, random() % 3, node + random() % 4});
    }
    ExpectRoundTrip(edges);
  }
}

TEST_F(EdgePredictionTest, AnyNumbersComeBack) {
  std::mt19937_64 random(1);
  for (int run = 0; run < 200; ++run) {
    pb::Edges edges;
    edges.set_first_node(random() >> (random() % 64));
    const std::uint64_t few = random() % 64;
    for (std::uint64_t nodes = random() % 300; nodes > 0; --nodes) {
      const auto count = static_cast<std::uint32_t>(random() % 5);
      edges.add_edges_per_node(count);
      for (std::uint32_t i = 0; i < count; ++i) {
        Add(&edges, {static_cast<std::uint32_t>(random() % 255),
                     random() >> few, random() >> few});
      }
    }
    ExpectRoundTrip(edges);
  }
}

TEST_F(EdgePredictionTest, WhatItCannotPredict) {
  pb::Edges usual;
  usual.add_edges_per_node(1);
  Add(&usual, {254, 7, 8});
  ExpectRoundTrip(usual);
  pb::Edges edges = usual;
  edges.set_kind(0, 255);  // would be no byte
  EXPECT_FALSE(encoder_.Encode(edges));
  edges = usual;
  edges.clear_kind();
  EXPECT_FALSE(encoder_.Encode(edges));
  edges = usual;
  edges.clear_name();
  EXPECT_FALSE(encoder_.Encode(edges));
  edges = usual;
  edges.clear_to();
  EXPECT_FALSE(encoder_.Encode(edges));
  edges = usual;
  edges.clear_edges_per_node();
  EXPECT_FALSE(encoder_.Encode(edges));
  edges = usual;
  edges.add_edges_per_node(~std::uint32_t{0});
  EXPECT_FALSE(encoder_.Encode(edges));
}

// The same as files: corpus/heapir/bad. Nothing is read past an end.
TEST_F(EdgePredictionTest, AnyBytesAreRefusedOrDecoded) {
  std::mt19937_64 random(2);
  int decoded = 0;
  for (int run = 0; run < 20'000; ++run) {
    pb::Edges edges;
    const std::size_t rows = random() % 6;
    edges.set_count(static_cast<std::uint32_t>(rows));
    edges.add_edges_per_node(static_cast<std::uint32_t>(rows));
    std::string labels(rows, '\0');
    std::string targets(rows, '\0');
    for (char& label : labels) label = static_cast<char>(random() % 3);
    for (char& target : targets) target = static_cast<char>(random() % 8);
    for (std::size_t i = random() % 4; i > 0; --i) edges.add_name(random());
    for (std::size_t i = random() % 3; i > 0; --i) edges.add_to(random());
    if (decoder_.Decode(labels, targets, &edges).empty()) {
      ++decoded;
      EXPECT_EQ(edges.name_size(), static_cast<int>(rows));
      EXPECT_EQ(edges.to_size(), static_cast<int>(rows));
    }
  }
  EXPECT_GT(decoded, 100);
}

}  // namespace
}  // namespace heapglot
