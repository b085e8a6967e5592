#include <gtest/gtest.h>

#include <string>

#include "core/validate/common_rules.h"
#include "heapglot/context.h"
#include "heapglot/validate.h"

namespace heapglot {
namespace {

TEST(FindingLog, KeepsTheFirstPlacesAndCountsTheRest) {
  FindingLog log(2);
  int made = 0;
  for (std::uint64_t i = 0; i < 5; ++i) {
    log.Add(CommonRule("heap.nodes.none"), [&] {
      ++made;
      return FindingLog::Example{std::to_string(i), Where::Byte(i), i};
    });
  }
  log.AddMore(CommonRule("heap.nodes.none"), 10);
  ASSERT_EQ(log.groups().size(), 1u);
  EXPECT_EQ(log.groups()[0].count, 15u);
  EXPECT_EQ(log.groups()[0].examples.size(), 2u);
  EXPECT_EQ(log.groups()[0].examples[1].message, "1");
  EXPECT_EQ(made, 2);
}

TEST(FindingLog, SortsBySeverityThenPlace) {
  FindingLog log(1);
  log.Add(CommonRule("heap.roots.none"), "note", {});
  log.Add(CommonRule("heap.file.limit"), "late error", Where::Byte(9));
  log.Add(CommonRule("heap.nodes.none"), "warning", Where::Byte(0));
  log.Add(CommonRule("heap.file.malformed"), "early error", Where::Byte(3));
  log.Sort();
  std::string order;
  for (const FindingLog::Group& group : log.groups())
    order += group.examples[0].message + "; ";
  EXPECT_EQ(order, "early error; late error; warning; note; ");
}

TEST(FindingLog, KnowsPlacesOfWhichItKeepsNoExamples) {
  for (const std::uint64_t examples : {0, 1, 5}) {
    FindingLog log(examples);
    for (std::uint64_t i = 0; i < 5; ++i)
      log.Add(CommonRule("heap.file.malformed"), "", Where::Byte(i));
    EXPECT_TRUE(log.HasErrorAt(Where::Byte(4))) << examples;
    EXPECT_FALSE(log.HasErrorAt(Where::Byte(5))) << examples;
    EXPECT_EQ(log.groups()[0].examples.size(), examples);
  }
}

TEST(FindingLog, KnowsPlaces) {
  FindingLog log(1);
  log.Add(CommonRule("heap.roots.none"), "no error", Where::Byte(3));
  EXPECT_FALSE(log.HasErrorAt(Where::Byte(3)));
  log.Add(CommonRule("heap.file.malformed"), "", Where::Line(4, 2));
  EXPECT_TRUE(log.HasErrorAt(Where::Line(4, 2)));
  EXPECT_FALSE(log.HasErrorAt(Where::Line(4, 3)));
  EXPECT_TRUE(log.Has(CommonRule("heap.roots.none")));
  EXPECT_FALSE(log.Has(CommonRule("heap.nodes.none")));
}

TEST(Context, KeepsSeveralPlacesOfACode) {
  Context context;
  context.examples = 3;
  int made = 0;
  for (std::uint64_t i = 0; i < 5; ++i) {
    ASSERT_TRUE(context
                    .Warn("x.y", Where::Byte(i),
                          [&] {
                            ++made;
                            return std::to_string(i);
                          })
                    .ok());
  }
  ASSERT_EQ(context.findings().size(), 1u);
  const Finding& finding = context.findings()[0];
  EXPECT_EQ(finding.count, 5u);
  EXPECT_EQ(finding.message, "0");
  ASSERT_EQ(finding.others.size(), 2u);
  EXPECT_EQ(finding.others[1].message, "2");
  EXPECT_EQ(finding.others[1].where.byte, 2u);
  EXPECT_EQ(made, 3);
}

TEST(ValidateUnopened, SaysWhatTheInputHasDone) {
  const Result<Validation> unknown = ValidateUnopened(
      {Code::kMalformed, "no known format", Where::Byte(0)}, 1);
  ASSERT_TRUE(unknown.ok());
  EXPECT_EQ(unknown->log.groups()[0].rule->id, "heap.file.unknown");
  EXPECT_EQ(unknown->Count(Severity::kError), 1u);
  EXPECT_FALSE(ValidateUnopened({Code::kInput, "no such file"}, 1).ok());
}

}  // namespace
}  // namespace heapglot
