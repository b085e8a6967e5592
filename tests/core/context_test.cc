#include "heapglot/context.h"

#include <gtest/gtest.h>

namespace heapglot {
namespace {

TEST(LossReportTest, CountsPerCodeInOrderOfFirstUse) {
  LossReport report;
  report.Add("b", LossClass::kApproximated, 2, "first", {1, 2, 3});
  report.Add("a", LossClass::kExact, 1, "other");
  report.Add("b", LossClass::kApproximated, 3, "second", {4, 5, 6});
  ASSERT_EQ(report.items().size(), 2u);
  const LossReport::Item& b = report.items()[0];
  EXPECT_EQ(b.code, "b");
  EXPECT_EQ(b.count, 5u);
  EXPECT_EQ(b.detail, "first");
  EXPECT_EQ(b.examples, (std::vector<std::uint64_t>{1, 2, 3, 4, 5}));
  EXPECT_EQ(report.items()[1].code, "a");
}

TEST(LossReportTest, WorstIgnoresWhatWasSynthesized) {
  LossReport report;
  EXPECT_EQ(report.worst(), LossClass::kExact);
  report.AddSynthesized("ids", 7, "numbered");
  EXPECT_EQ(report.worst(), LossClass::kExact);
  report.Add("a", LossClass::kEmbedded, 1, "");
  report.Add("b", LossClass::kEquivalent, 1, "");
  EXPECT_EQ(report.worst(), LossClass::kEmbedded);
  report.Add("b", LossClass::kDropped, 1, "");
  EXPECT_EQ(report.worst(), LossClass::kDropped);
  EXPECT_EQ(report.items().size(), 2u);
  ASSERT_EQ(report.synthesized().size(), 1u);
  EXPECT_EQ(report.synthesized()[0].count, 7u);
}

TEST(LossReportTest, NoCasesNoItem) {
  LossReport report;
  report.Add("a", LossClass::kDropped, 0, "");
  report.AddSynthesized("b", 0, "");
  EXPECT_TRUE(report.items().empty());
  EXPECT_TRUE(report.synthesized().empty());
}

TEST(LossClassTest, Names) {
  EXPECT_EQ(ToString(LossClass::kExact), "exact");
  EXPECT_EQ(ToString(LossClass::kEquivalent), "equivalent");
  EXPECT_EQ(ToString(LossClass::kEmbedded), "embedded");
  EXPECT_EQ(ToString(LossClass::kApproximated), "approximated");
  EXPECT_EQ(ToString(LossClass::kDropped), "dropped");
}

TEST(ContextTest, KeepsTheFirstFindingOfEachCode) {
  Context context;
  EXPECT_TRUE(context.Warn("x", "one", Where::Byte(1)).ok());
  EXPECT_TRUE(context.Warn("y", "two", Where::Byte(2)).ok());
  EXPECT_TRUE(context.Warn("x", "three", Where::Byte(3)).ok());
  ASSERT_EQ(context.findings().size(), 2u);
  EXPECT_EQ(context.findings()[0].code, "x");
  EXPECT_EQ(context.findings()[0].message, "one");
  EXPECT_EQ(context.findings()[0].where.byte, 1u);
  EXPECT_EQ(context.findings()[0].count, 2u);
  EXPECT_EQ(context.findings()[1].count, 1u);
}

TEST(ContextTest, BuildsAMessageOnlyOnce) {
  Context context;
  int built = 0;
  const auto make = [&built] {
    ++built;
    return std::string("message");
  };
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(context.Warn("x", Where::Byte(1), make).ok());
  }
  EXPECT_EQ(built, 1);
  EXPECT_EQ(context.findings()[0].count, 3u);
}

TEST(ContextTest, StrictMakesEveryFindingAnError) {
  Context context;
  EXPECT_TRUE(context.Warn("x", "one", Where::Byte(1)).ok());
  context.strict = true;
  const Status status =
      context.Warn("x", Where::Byte(9), [] { return std::string("again"); });
  EXPECT_EQ(status.code(), Code::kMalformed);
  EXPECT_EQ(status.message(), "again");
  EXPECT_EQ(status.where().byte, 9u);
  EXPECT_EQ(context.findings()[0].count, 2u);
}

}  // namespace
}  // namespace heapglot
