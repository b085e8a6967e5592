// What happens if a program's own reader or writer breaks the rules.
#include "core/checked_reader.h"

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heapglot/convert.h"
#include "heapglot/format.h"
#include "heapglot/validate.h"
#include "tests/core/text_stream.h"

namespace heapglot {
namespace {

// Sends what its input says, one chunk per line. After a line "again" comes
// what it sends from the second pass on. The first lines may say what else it
// does.
class ToldReader : public Reader {
 public:
  ToldReader(const ByteSource& source, Context& context) : context_(context) {
    std::string text(source.bytes());
    ignores_wanted_ = Take("ignores wanted\n", &text);
    ignores_errors_ = Take("ignores errors\n", &text);
    warns_ = Take("warns\n", &text);
    const std::size_t again = text.find("again\n");
    first_ = ParseStream(text.substr(0, again));
    later_ = again == std::string::npos ? first_
                                        : ParseStream(text.substr(again + 6));
  }

  Status Read(ChunkSet wanted, ChunkSink& out) override {
    if (warns_ && is_first_) {
      for (const char* const what : {"a", "b"})
        HEAPGLOT_RETURN_IF_ERROR(
            context_.Warn("told.odd", what, Where::Byte(3)));
    }
    for (const pb::Chunk& chunk : is_first_ ? first_ : later_) {
      if (!ignores_wanted_ && !wanted.Includes(chunk)) continue;
      const Status status = out.Accept(chunk);
      if (!status.ok() && !ignores_errors_) return status;
    }
    is_first_ = false;
    return {};
  }
  std::optional<FeatureCounts> CountedRows() const override {
    FeatureCounts wrong;
    wrong[Feature::kTrace] = 99;
    return wrong;
  }

 private:
  static bool Take(std::string_view flag, std::string* text) {
    if (!text->starts_with(flag)) return false;
    text->erase(0, flag.size());
    return true;
  }

  Context& context_;
  std::vector<pb::Chunk> first_;
  std::vector<pb::Chunk> later_;
  bool is_first_ = true;
  bool ignores_wanted_ = false;
  bool ignores_errors_ = false;
  bool warns_ = false;
};

constexpr ReaderInfo kTold = {
    .name = "told",
    .title = "what it is told",
    .extensions = "told",
    .produces = {Feature::kNode, Feature::kNodeKind, Feature::kNodeId,
                 Feature::kNodeSelfSize, Feature::kType, Feature::kValueName,
                 Feature::kEdge, Feature::kEdgeName, Feature::kEdgeOrder,
                 Feature::kEdgeKind, Feature::kRoot, Feature::kRootKind},
    .sniff = [](std::string_view) { return Sniff::kNo; },
    .make = [](const ByteSource& source,
               Context& context) -> std::unique_ptr<Reader> {
      return std::make_unique<ToldReader>(source, context);
    }};

// Breaks no rule.
constexpr char kGood[] = R"(
header { format: "told" }
graph { edges_grouped: true id_space: OPAQUE }
strings { first: 1 data: "objectitem" length: [6, 4] names: true }
vocabulary { space: NODE_KIND name: 1 known: 4 }
vocabulary { space: EDGE_KIND name: 2 known: 3 name_form: 1 }
vocabulary { space: ROOT_KIND known: 6 }
types { count: 1 name: 1 }
strings { first: 3 data: "f" length: 1 }
nodes { count: 2 id: [3, 5] type_ref: [1, 1] self_size: [8, 16] value_form: [8, 0] value: [3, 0] edge_count: [1, 1] }
edges { count: 2 edges_per_node: [1, 1] name: [2, 2] to: [1, 0] }
roots { count: 1 to: 0 kind: 0 }
graph_end { types: 1 nodes: 2 edges: 2 roots: 1 id_limit: 6 self_size_total: 24 }
footer { graphs: 1 strings: 4 }
)";

// kGood with one thing changed.
struct Case {
  const char* name;
  const char* old_text;
  const char* new_text;
  const char* error;
};
void PrintTo(const Case& test, std::ostream* out) { *out << test.name; }

std::string Broken(const Case& test) {
  std::string text = kGood;
  const std::size_t place = text.find(test.old_text);
  EXPECT_NE(place, std::string::npos);
  return text.replace(place, std::string(test.old_text).size(), test.new_text);
}

struct Outcome {
  Status status;
  std::string output;
  Context context;
};

Outcome ConvertTo(const WriterInfo& to, const std::string& input) {
  Outcome outcome;
  const auto source = ByteSource::FromMemory(input);
  const auto sink = ByteSink::ToString(&outcome.output);
  outcome.status =
      Convert(*source, *sink, {.from = &kTold, .to = &to}, outcome.context);
  return outcome;
}

Status Check(const std::string& input) {
  Context context;
  return CheckReader(kTold, *ByteSource::FromMemory(input), context);
}

TEST(CheckedReaderTest, WhatIsRightPasses) {
  for (const WriterInfo* const to : Writers())
    EXPECT_EQ(ConvertTo(*to, kGood).status.ToString(), "") << to->name;
  EXPECT_EQ(Check(kGood).ToString(), "");
}

class BrokenReaderTest : public testing::TestWithParam<Case> {};

// Before anything is written, in any format.
TEST_P(BrokenReaderTest, IsBlamed) {
  const std::string input = Broken(GetParam());
  const std::string error =
      std::string("the reader of told: ") + GetParam().error;
  for (const WriterInfo* const to : Writers()) {
    const Outcome outcome = ConvertTo(*to, input);
    EXPECT_EQ(outcome.status.code(), Code::kInternal) << to->name;
    EXPECT_EQ(outcome.status.message(), error) << to->name;
    EXPECT_EQ(outcome.output, "") << to->name;
  }
  Context context;
  const auto source = ByteSource::FromMemory(input);
  EXPECT_EQ(Validate(*source, kTold, context).status().message(), error);
  EXPECT_EQ(Check(input).message(), error);
}

constexpr Case kCases[] = {
    {"NoHeader", "header { format: \"told\" }", "",
     "chunk 1 (graph): the header must be the first chunk, and only that"},
    {"NoFormat", "format: \"told\"", "",
     "chunk 1 (header): format is '', but that is not its name"},
    {"OtherFormat", "format: \"told\"", "format: \"dartheap\"",
     "chunk 1 (header): format is 'dartheap', but that is not its name"},
    {"NoGraph", "graph { edges_grouped: true id_space: OPAQUE }", "",
     "chunk 2 (strings): it stands outside a graph"},
    {"NoBody", "types {", "\n \ntypes {", "chunk 7 (nothing): it has no body"},
    {"NoGraphEnd", "graph_end {", "footer { }\ngraph_end {",
     "chunk 12 (footer): the graph before it has no end"},
    {"NoFooter", "footer { graphs: 1 strings: 4 }", "",
     "the stream ends without a footer"},
    {"ShortColumn", "self_size: [8, 16]", "self_size: 8",
     "chunk 9 (nodes): column self_size has 1 entries for 2 rows"},
    {"ShortRootKind", "roots { count: 1 to: 0 kind: 0 }",
     "roots { count: 2 to: [0, 0] kind: 0 }",
     "chunk 11 (roots): column kind has 1 entries for 2 rows"},
    {"ShortTypeName", "types { count: 1", "types { count: 2",
     "chunk 7 (types): column name has 1 entries for 2 rows"},
    {"ShortKnown", "known: 4", "known: [4, 4]",
     "chunk 4 (vocabulary): column name has 1 entries for 2 rows"},
    {"HugeCount", "nodes { count: 2", "nodes { count: 4294967295",
     "chunk 9 (nodes): there are 4294967295 rows; at most 1048576"},
    {"RowsMissing", "nodes { count: 2", "nodes { first: 3 count: 2",
     "chunk 9 (nodes): first is 3 after 0 rows"},
    {"NodeKind", "nodes { count: 2", "nodes { count: 2 kind: [0, 7]",
     "chunk 9 (nodes): kind 7 is not in the vocabulary, which has 1"},
    {"EdgeTarget", "to: [1, 0]", "to: [1, 9]",
     "chunk 12 (graph_end): index 9 in column to of chunk 10 (edges) points "
     "past the total, which is 2"},
    {"EdgesBeforeNodes", "strings { first: 3",
     "edges { count: 2 edges_per_node: [1, 1] }\nstrings { first: 3",
     "chunk 8 (edges): edges of node 1 come before the node"},
    {"EdgeCount", "edge_count: [1, 1]", "edge_count: [2, 0]",
     "chunk 10 (edges): node 0 has 1 edges, but its edge_count is 2"},
    {"NamesUnmarked", "names: true", "",
     "chunk 4 (vocabulary): it comes after the first table"},
    // All strings once, and first.
    {"NameOfNodeTooEarly", "nodes { count: 2 id",
     "nodes { }\nnodes { count: 2 id",
     "chunk 10 (nodes): the name 3 of a node does not stand in the strings "
     "since the nodes before"},
    {"Text", "data: \"f\"", "data: \"\\377\"",
     "chunk 8 (strings): a string is not UTF8, as it says"},
    {"IdTwice", "id: [3, 5]", "id: [3, 3]",
     "chunk 9 (nodes): the id 3 comes twice"},
    {"Total", "graph_end { types: 1 nodes: 2", "graph_end { types: 1 nodes: 3",
     "chunk 12 (graph_end): nodes is 3, but the stream has 2"},
    {"ErrorsIgnored", "\nheader { format: \"told\" }",
     "ignores errors\nheader { format: \"\" }",
     "chunk 1 (header): format is '', but that is not its name"},
};

INSTANTIATE_TEST_SUITE_P(All, BrokenReaderTest, testing::ValuesIn(kCases),
                         [](const testing::TestParamInfo<Case>& test) {
                           return test.param.name;
                         });

class OtherPassTest : public testing::TestWithParam<Case> {};

// The error can be seen only in a later pass.
TEST_P(OtherPassTest, IsBlamed) {
  const std::string input = kGood + ("again\n" + Broken(GetParam()));
  const std::string error =
      std::string("the reader of told: ") + GetParam().error;
  for (const WriterInfo* const to : Writers()) {
    const Outcome outcome = ConvertTo(*to, input);
    EXPECT_EQ(outcome.status.code(), Code::kInternal) << to->name;
    EXPECT_NE(outcome.status.message().find("the reader of told: "),
              std::string::npos)
        << to->name << ": " << outcome.status.message();
  }
  EXPECT_EQ(Check(input).message(), error);
}

constexpr Case kOtherPasses[] = {
    {"Rows", "nodes: 2 edges: 2", "nodes: 3 edges: 2",
     "chunk 11 (graph_end): nodes is 3, but the stream has 2"},
    {"Totals", "id_limit: 6", "id_limit: 7",
     "the graphs or totals of a later pass are not those of the first one"},
    {"Indices", "to: [1, 0]", "to: [1, 2]",
     "chunk 11 (graph_end): index 2 in column to of chunk 9 (edges) points "
     "past "
     "the total, which is 2"},
    {"Kinds", "nodes { count: 2", "nodes { count: 2 kind: [0, 7]",
     "chunk 8 (nodes): kind 7 is not in the vocabulary, which has 1"},
};

INSTANTIATE_TEST_SUITE_P(All, OtherPassTest, testing::ValuesIn(kOtherPasses),
                         [](const testing::TestParamInfo<Case>& test) {
                           return test.param.name;
                         });

TEST(CheckedReaderTest, WhatNobodyAskedForIsWrong) {
  const std::string input = std::string("ignores wanted\n") + (kGood + 1);
  EXPECT_EQ(ConvertTo(*FindWriter("heapsnapshot"), input).status.message(),
            "the reader of told: chunk 7 (types): nobody asked for it");
}

// What a reader itself has counted may be wrong, too, and a copy would trust
// it.
TEST(CheckedReaderTest, FeaturesAreCounted) {
  static constexpr FidelityRow kRows[] = {
      {Feature::kNode, "told.node", LossClass::kExact, "a node"},
      {Feature::kTrace, "told.trace", LossClass::kExact, "a trace"}};
  static constexpr WriterInfo kCopy = {.name = "told",
                                       .title = "the same",
                                       .extensions = "told",
                                       .fidelity = kRows,
                                       .make = nullptr};
  const Outcome outcome = ConvertTo(kCopy, kGood);
  EXPECT_EQ(outcome.status.ToString(), "");
  EXPECT_EQ(outcome.output, kGood);
  const auto& items = outcome.context.loss.items();
  const auto found =
      std::ranges::find(items, "told.node", &LossReport::Item::code);
  ASSERT_NE(found, items.end());
  EXPECT_EQ(found->count, 2U);
  EXPECT_EQ(std::ranges::count(items, "told.trace", &LossReport::Item::code),
            0);
}

TEST(CheckedReaderTest, FeaturesAreDeclared) {
  const std::string input = Broken(
      {"", "graph { edges_grouped", "graph { root_ref: 1 edges_grouped", ""});
  EXPECT_EQ(Check(input).message(),
            "the reader of told: `produces` lacks 'graph.root'");
}

// ------------------------------------------------------------------- validate

TEST(ValidateTest, FindingsWithoutARuleAreTold) {
  const std::string input = std::string("warns\n") + (kGood + 1);
  const auto source = ByteSource::FromMemory(input);
  Result<Validation> found = Status();
  {
    Context context;
    context.examples = 2;
    found = Validate(*source, kTold, context);
  }
  ASSERT_TRUE(found.ok()) << found.status().ToString();
  const Validation copy = *found;
  found = Status();
  EXPECT_EQ(copy.Count(Severity::kWarning), 2U);
  const FindingLog::Group& group = copy.log.groups().front();
  EXPECT_EQ(group.rule->id, "told.odd");
  ASSERT_EQ(group.examples.size(), 2U);
  EXPECT_EQ(group.examples[0].message, "a");
  EXPECT_EQ(group.examples[1].message, "b");
  EXPECT_TRUE(copy.is_whole);
}

// ------------------------------------------------------------------ leftovers

// Writes nothing, not even leftovers.
class IdleWriter : public Writer {
 public:
  ChunkSet Wanted(int) override { return {}; }
  Status Accept(const pb::Chunk&) override { return {}; }
  Status Finish() override { return {}; }
};

constexpr WriterInfo kIdle = {.name = "idle",
                              .title = "nothing",
                              .extensions = "idle",
                              .max_leftovers = kAnySize,
                              .fidelity = {},
                              .make = [](ByteSink&, const WriterOptions&,
                                         Context&) -> std::unique_ptr<Writer> {
                                return std::make_unique<IdleWriter>();
                              }};

TEST(ConvertTest, LeftoversMustBeSent) {
  EXPECT_EQ(ConvertTo(kIdle, kGood).status.message(),
            "the writer of idle did not send the leftovers");
}

}  // namespace
}  // namespace heapglot
