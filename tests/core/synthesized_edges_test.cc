#include "core/ir/synthesized_edges.h"

#include <gtest/gtest.h>

namespace heapglot {
namespace {

// A vocabulary of `count` kinds, of which one is synthesized.
pb::Vocabulary Kinds(int count, int synthesized) {
  pb::Vocabulary kinds;
  kinds.set_space(pb::Vocabulary::EDGE_KIND);
  kinds.mutable_known()->Resize(count, pb::EDGE_OTHER);
  kinds.mutable_edge_flags()->Resize(count, 0);
  kinds.set_edge_flags(synthesized, pb::EDGE_SYNTHESIZED);
  return kinds;
}

TEST(SynthesizedEdges, AreThoseOfSomeKinds) {
  SynthesizedEdges synthesized;
  EXPECT_FALSE(synthesized.has_kinds());
  pb::Vocabulary plain;
  plain.set_space(pb::Vocabulary::EDGE_KIND);
  plain.add_name(1);
  plain.add_name(2);
  synthesized.Add(plain);
  EXPECT_FALSE(synthesized.has_kinds());
  EXPECT_EQ(synthesized.first_kind(), 2U);
  synthesized.Add(Kinds(3, 1));
  synthesized.Add(Kinds(2, 0));
  EXPECT_TRUE(synthesized.has_kinds());
  EXPECT_EQ(synthesized.first_kind(), 3U);
  std::string all;
  for (std::uint32_t kind = 0; kind < 9; ++kind)
    all += synthesized.HasKind(kind) ? '+' : '-';
  EXPECT_EQ(all, "---+-+---");
  pb::Edges edges;
  edges.set_count(4);
  EXPECT_EQ(synthesized.CountIn(edges), 0U);
  for (const std::uint32_t kind : {3U, 4U, 5U, 9U}) edges.add_kind(kind);
  EXPECT_EQ(synthesized.CountIn(edges), 2U);
  edges.mutable_flags()->Resize(4, 0);
  edges.set_flags(3, pb::EDGE_SYNTHESIZED);
  EXPECT_EQ(synthesized.CountIn(edges), 3U);
  EXPECT_TRUE(synthesized.Has(edges, 3));
  EXPECT_FALSE(synthesized.Has(edges, 1));
}

TEST(SynthesizedEdges, MayBeAll) {
  SynthesizedEdges synthesized;
  pb::Vocabulary nodes = Kinds(2, 1);
  nodes.set_space(pb::Vocabulary::NODE_KIND);
  synthesized.Add(nodes);
  synthesized.Add(Kinds(1, 0));
  pb::Edges edges;
  edges.set_count(4);
  EXPECT_EQ(synthesized.CountIn(edges), 4U);
}

}  // namespace
}  // namespace heapglot
