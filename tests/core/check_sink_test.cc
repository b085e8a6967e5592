#include "core/check_sink.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "tests/core/text_stream.h"

namespace heapglot {
namespace {

using Body = pb::Chunk::BodyCase;

// A stream that has some of everything and breaks no rule.
constexpr char kGood[] = R"(
header { format: "test" }
source_image { method: EMBEDDED size: 3 data: "ab" continued: true }
source_image { data: "c" }
graph { root_ref: 1 edges_grouped: true }
strings { first: 1 data: "objectitem" length: [6, 4] names: true }
vocabulary { space: NODE_KIND name: 1 known: 4 }
vocabulary { space: EDGE_KIND name: [2, 0] known: [3, 7] name_form: [1, 0] }
vocabulary { space: ROOT_KIND known: 6 }
vocabulary { space: HEAP_SPACE name: 1 }
types { count: 1 name: 1 field_count: 2 field_name: [2, 2] field_slot: [0, 1] }
nodes { count: 2 type_ref: [1, 9] flags: [0, 4] edge_count: [2, 1] }
edges { count: 1 edges_per_node: 1 name: 2 to: 2 }
nodes { first: 2 count: 1 self_size: 7 value_form: 9 value: 3 }
trace_nodes { count: 2 child_count: [2, 0] }
strings { first: 3 data: "abc" length: 3 continued: true }
strings { first: 3 data: "d\355\240\200" length: [1, 3] encoding: [UTF8, WTF8] }
edges { first: 1 count: 2 edges_per_node: [1, 1] kind: [1, 0] to_form: [0, 1] to: [2, 0] }
strings { first: 5 data: "\377" length: 1 encoding: BYTES }
roots { count: 1 to: 0 }
trace_nodes { first: 2 count: 2 child_count: [0, 0] }
record_order { body: [8, 9] run: [1, 2] }
values { count: 2 owner: [0, 2] key: [2, 2] form: [3, 11] value: [5, 1] }
values { first: 2 count: 1 owner_space: OF_EDGE owner: 1 }
externals { count: 1 to: 1 size: 100 name: 4 }
stack_frames { count: 1 function: 1 }
threads { count: 1 top_frame_ref: 1 node_ref: 3 }
metadata { entry { key { data: "k" } value { data: "v" } } }
extra { data: "a" continued: true }
extra { data: "b" }
extra_table { name: "t" count: 1 column { name: "c" strings: 5 } }
extra_table { name: "u" count: 1 column { name: "c" ints: 5 } column { name: "d" node_refs: 3 } }
extra_table { name: "t" first: 1 count: 1 }
graph_end { types: 1 nodes: 3 edges: 3 roots: 1 values: 3 externals: 1 stack_frames: 1 threads: 1 trace_nodes: 4 id_limit: 4 self_size_total: 7 external_size_total: 100 edges_omitted: 1 }
footer { graphs: 1 strings: 6 }
)";

Status CheckStream(const std::string& text, ChunkSet wanted) {
  VectorReader reader(ParseStream(text));
  CheckSink check(wanted);
  HEAPGLOT_RETURN_IF_ERROR(reader.Read(wanted, check));
  return check.Finish();
}

TEST(CheckSinkTest, TakesAnImageBehindTheGraphs) {
  const std::string_view image =
      "source_image { method: EMBEDDED size: 3 data: \"ab\" continued: true }\n"
      "source_image { data: \"c\" }\n";
  std::string text = kGood;
  text.erase(text.find(image), image.size());
  text.insert(text.find("footer"), image);
  for (const ChunkSet wanted :
       {ChunkSet::All(), ChunkSet{Body::kGraph, Body::kSourceImage},
        ChunkSet{Body::kSourceImage, Body::kFooter}})
    EXPECT_TRUE(CheckStream(text, wanted).ok());
  std::string between = text;
  between.insert(between.find("footer"), "graph { }\ngraph_end { }\n");
  EXPECT_NE(CheckStream(between, ChunkSet::All())
                .message()
                .find("comes after the source's image"),
            std::string::npos);
  text.insert(text.find(" }", text.find("data: \"c\"")), " continued: true");
  EXPECT_NE(CheckStream(text, ChunkSet::All()).message().find("is not whole"),
            std::string::npos);
}

TEST(CheckSinkTest, PassesOnWhatIsRight) {
  VectorReader reader(ParseStream(kGood));
  VectorSink all;
  CheckSink check(ChunkSet::All(), &all);
  EXPECT_EQ(reader.Read(ChunkSet::All(), check).ToString(), "");
  EXPECT_EQ(check.Finish().ToString(), "");
  EXPECT_EQ(all.chunks().size(), ParseStream(kGood).size());
}

// Before the row is used, and not only at the end of the graph.
TEST(CheckSinkTest, FindsWhatIsMoreThanWasAnnounced) {
  struct Case {
    const char* end;
    const char* chunk;
    const char* expected;
  };
  const Case cases[] = {
      {"nodes: 2", "nodes { count: 3 }", "more than graph_end and footer say"},
      {"nodes: 3000000000", "nodes { count: 3000000000 }",
       "there are 3000000000 rows; at most 1048576"},
      {"nodes: 2 edges: 1", "nodes { count: 2 edge_count: [1, 1] }",
       "more than graph_end and footer say"},
      {"nodes: 2 id_limit: 5", "nodes { count: 1 id: 5 }",
       "more than graph_end and footer say"},
      {"nodes: 2", "nodes { count: 1 type_ref: 1 }",
       "index 0 in column type_ref of chunk 3 (nodes) points past the total"},
      {"nodes: 2", "nodes { count: 1 name: 3 }",
       "index 3 in column name of chunk 3 (nodes) points past the total"},
      {"nodes: 2", "strings { first: 1 data: \"ab\" length: [1, 1] }",
       "more than graph_end and footer say"},
      {"nodes: 2", "edges { count: 1 edges_per_node: 1 }",
       "more than graph_end and footer say"},
      {"nodes: 2 edges: 1", "edges { count: 1 edges_per_node: 1 to: 2 }",
       "index 2 in column to of chunk 3 (edges) points past the total"},
      {"nodes: 2 edges: 1",
       "edges { count: 1 first_node: 2 edges_per_node: 1 }",
       "index 2 in column edges_per_node of chunk 3 (edges) points past"},
  };
  constexpr std::uint64_t kStrings = 2;
  for (const Case& test : cases) {
    const pb::Chunk end =
        ParseStream("graph_end { " + std::string(test.end) + " }").front();
    // Edges come after their nodes, if both are wanted.
    CheckSink check(ChunkSet::All().Without(
        std::string_view(test.chunk).starts_with("edges")
            ? ChunkSet{Body::kNodes}
            : ChunkSet{}));
    check.Announce(end.graph_end(), kStrings);
    const auto chunks =
        ParseStream("header { }\ngraph { edges_grouped: true }\n" +
                    std::string(test.chunk));
    ASSERT_TRUE(check.Accept(chunks[0]).ok());
    ASSERT_TRUE(check.Accept(chunks[1]).ok());
    const Status status = check.Accept(chunks[2]);
    EXPECT_NE(status.message().find(test.expected), std::string::npos)
        << test.chunk << ": " << status.message();
  }
}

// Whatever pair of kinds a pass wants, kinds that it does not bring are not
// missed.
TEST(CheckSinkTest, AcceptsEverySelection) {
  for (int a = Body::kHeader; a <= Body::kExtraTable; ++a) {
    for (int b = a; b <= Body::kExtraTable; ++b) {
      const ChunkSet wanted{static_cast<Body>(a), static_cast<Body>(b)};
      EXPECT_EQ(CheckStream(kGood, wanted).ToString(), "") << a << " " << b;
    }
  }
}

// Together the pieces are not text, as one of them says.
TEST(CheckSinkTest, BytesAreCutAnywhere) {
  constexpr char kPieces[] = R"(
header { }
graph { }
strings { first: 1 data: "\355\240\275" length: 3 encoding: BYTES continued: true }
strings { first: 1 data: "\355\270\200" length: 3 encoding: WTF8 }
graph_end { }
footer { graphs: 1 strings: 2 }
)";
  EXPECT_EQ(CheckStream(kPieces, ChunkSet::All()).ToString(), "");
}

// The encoding of an array is the type of its elements.
TEST(CheckSinkTest, ElementsOfAnArrayHaveABasicType) {
  const auto check = [](pb::ValueForm form, int encoding) {
    const std::string value =
        std::to_string(form) + " value_encoding: " + std::to_string(encoding);
    const std::string start = R"(
header { }
graph { }
strings { first: 1 data: "abcd" length: 4 }
nodes { count: 1 value: 1 value_form: )";
    const std::string end = R"( }
graph_end { nodes: 1 }
footer { graphs: 1 strings: 2 }
)";
    return CheckStream(start + value + end, ChunkSet::All()).message();
  };
  EXPECT_EQ(check(pb::V_ARRAY, pb::TYPE_INT), "");
  EXPECT_EQ(check(pb::V_ARRAY, pb::TYPE_UNKNOWN), "");
  EXPECT_EQ(check(pb::V_ARRAY, 1), "chunk 4 (nodes): a value has encoding 1");
  EXPECT_EQ(check(pb::V_INT, pb::HEX_TEXT), "");
  EXPECT_EQ(check(pb::V_INT, pb::TYPE_INT),
            "chunk 4 (nodes): a value has encoding 10");
}

TEST(CheckSinkTest, TwoGraphsCountByThemselves) {
  constexpr char kTwo[] = R"(
header { }
graph { }
nodes { count: 1 }
edges { count: 1 }
graph_end { nodes: 1 edges: 1 }
graph { }
nodes { count: 2 }
graph_end { nodes: 2 }
footer { graphs: 2 strings: 1 }
)";
  EXPECT_EQ(CheckStream(kTwo, ChunkSet::All()).ToString(), "");
  EXPECT_EQ(CheckStream(kTwo, {Body::kNodes}).ToString(), "");
  EXPECT_EQ(CheckStream(kTwo, {Body::kNodes, Body::kGraphEnd}).ToString(), "");
}

// Owners start over with each graph, except for strings, which are the
// stream's.
TEST(CheckSinkTest, OwnersComeInOrder) {
  const auto two = [](const char* space) {
    const std::string values = std::string("values { count: 1 owner_space: ") +
                               space + " owner: 1 }\n";
    const std::string again = std::string("values { count: 1 owner_space: ") +
                              space + " owner: 0 }\n";
    return "header { }\ngraph { }\nnodes { count: 2 }\n" +
           ("strings { first: 1 data: \"a\" length: 1 }\n" + values) +
           "graph_end { nodes: 2 values: 1 }\ngraph { }\nnodes { count: 2 }\n" +
           again +
           "graph_end { nodes: 2 values: 1 }\n"
           "footer { graphs: 2 strings: 2 }\n";
  };
  EXPECT_EQ(CheckStream(two("OF_NODE"), ChunkSet::All()).ToString(), "");
  EXPECT_EQ(CheckStream(two("OF_STRING"), ChunkSet::All()).message(),
            "chunk 9 (values): owner 0 comes after owner 1");
  EXPECT_EQ(CheckStream(two("OF_STRING"), {Body::kValues}).message(),
            "chunk 2 (values): owner 0 comes after owner 1");
}

TEST(CheckSinkTest, WhatNobodyAskedForIsWrong) {
  VectorReader reader(ParseStream(kGood));
  CheckSink check({Body::kHeader});
  const Status status = reader.Read(ChunkSet::All(), check);
  EXPECT_EQ(status.code(), Code::kInternal);
  EXPECT_EQ(status.message(), "chunk 2 (source_image): nobody asked for it");
}

// kGood with one thing changed.
struct Case {
  const char* name;
  const char* old_text;
  const char* new_text;
  const char* error;
};
void PrintTo(const Case& test, std::ostream* out) { *out << test.name; }

class BrokenStreamTest : public testing::TestWithParam<Case> {};

TEST_P(BrokenStreamTest, IsRefused) {
  const Case& test = GetParam();
  std::string text = kGood;
  const std::size_t place = text.find(test.old_text);
  ASSERT_NE(place, std::string::npos);
  text.replace(place, std::string(test.old_text).size(), test.new_text);
  const Status status = CheckStream(text, ChunkSet::All());
  EXPECT_EQ(status.code(), Code::kInternal);
  EXPECT_NE(status.message().find(test.error), std::string::npos)
      << status.message();
}

constexpr Case kCases[] = {
    // The order.
    {"NoHeader", "header { format: \"test\" }", "", "header must be the first"},
    {"TwoHeaders", "graph {", "header { }\ngraph {", "only that"},
    {"NoFooter", "footer { graphs: 1 strings: 6 }", "", "without a footer"},
    {"AfterFooter", "strings: 6 }", "strings: 6 }\nmetadata { }",
     "after the footer"},
    {"NoGraphEnd", "graph_end {", "footer { }\ngraph_end {", "has no end"},
    {"NestedGraph", "types {", "graph { }\ntypes {", "has no end"},
    {"OutsideGraph", "graph {", "metadata { }\ngraph {", "outside a graph"},
    {"LateVocabulary", "roots {", "vocabulary { }\nroots {",
     "after the first table"},
    {"NoBody", "metadata {", "\n \nmetadata {", "it has no body"},
    {"GraphCount", "graphs: 1", "graphs: 2", "graphs is 2"},
    // Rows.
    {"Gap", "nodes { first: 2", "nodes { first: 3", "first is 3 after 2 rows"},
    {"Overlap", "values { first: 2", "values { first: 1", "first is 1"},
    {"ExtraTableGap", "extra_table { name: \"t\" first: 1",
     "extra_table { name: \"t\"", "first of t is 0 after 1"},
    {"ColumnLength", "type_ref: [1, 9]", "type_ref: [1]",
     "column type_ref has 1 entries for 2 rows"},
    {"FieldColumnLength", "field_slot: [0, 1]", "field_slot: [0]",
     "column field_slot has 1 entries for 2 rows"},
    {"VocabularyColumnLength", "known: [3, 7]", "known: [3]",
     "column known has 1"},
    {"ExtraColumnLength", "ints: 5", "ints: [5, 6]", "column c has 2"},
    {"ExtraColumnOfNodes", "node_refs: 3", "node_refs: [3, 0]",
     "column d has 2"},
    {"ExtraColumnPastNodes", "node_refs: 3", "node_refs: 4",
     "index 3 in column d"},
    // Indices.
    {"TypeRef", "type_ref: [1, 9]", "type_ref: [2, 9]",
     "index 1 in column "
     "type_ref of chunk 11 (nodes) points past the total, which is 1"},
    {"RootRef", "root_ref: 1", "root_ref: 4", "index 3 in column root_ref"},
    {"EdgeTarget", "name: 2 to: 2", "name: 2 to: 3", "index 3 in column to"},
    {"EdgeName", "name: 2 to: 2", "name: 6 to: 2", "index 6 in column name"},
    {"OmittedTarget", "to: [2, 0]", "to: [2, 1]", "an omitted target is 1"},
    {"TargetForm", "to_form: [0, 1]", "to_form: [0, 4]", "has form 4"},
    {"RootTarget", "roots { count: 1 to: 0", "roots { count: 1 to: 3",
     "index 3 in column to"},
    {"Value", "value_form: 9 value: 3", "value_form: 9 value: 6",
     "index 6 in column value"},
    {"ValueForm", "value_form: 9", "value_form: 99", "has form 99"},
    {"ValueNode", "value: [5, 1]", "value: [5, 3]", "index 3 in column value"},
    {"Owner", "owner_space: OF_EDGE owner: 1", "owner_space: OF_EDGE owner: 3",
     "index 3 in column owner"},
    {"OwnerOrder", "owner: [0, 2]", "owner: [2, 0]", "owner 0 comes after"},
    {"ThreadNode", "node_ref: 3", "node_ref: 4", "index 3 in column node_ref"},
    {"ExtraString", "strings: 5", "strings: 6", "index 6 in column c"},
    // Text.
    {"NameOfKind", "NODE_KIND name: 1", "NODE_KIND name: 3",
     "does not stand in a chunk of names"},
    {"NameOfField", "field_name: [2, 2]", "field_name: [2, 3]",
     "does not stand in a chunk of names"},
    {"NamesUnmarked", "names: true", "", "after the first table"},
    {"StringGap", "strings { first: 5", "strings { first: 6", "expected 5"},
    {"StringZero", "strings { first: 1", "strings { first: 0", "expected 1"},
    {"NotContinued", "strings { first: 3 data: \"d",
     "strings { first: 4 data: \"d", "expected 3"},
    {"CutAtTheEnd", "encoding: BYTES", "encoding: BYTES continued: true",
     "the last string is not whole"},
    {"RowsInAString", "continued: true }\nstrings {",
     "continued: true }\nlocations { }\nstrings {",
     "the last string is not whole"},
    {"GraphEndsInAString", "continued: true }\nstrings {",
     "continued: true }\ngraph_end { }\nstrings {",
     "the last string is not whole"},
    {"NameGoesOnAsNone", "names: true }",
     "names: true continued: true }\nstrings { first: 2 length: 0 }",
     "goes on in a chunk with another `names`"},
    {"PairInTwoPieces", R"(data: "abc" length: 3 continued: true })",
     R"(data: "abc\355\240\275" length: 6 encoding: WTF8 continued: true }
strings { first: 3 length: 0 continued: true }
strings { first: 3 data: "\355\270\200" length: 3 encoding: WTF8 continued: true })",
     "a pair of surrogates is cut in two"},
    {"NothingContinues", "roots {",
     "strings { first: 6 continued: true }\nroots {",
     "no string that could go on"},
    {"TextLength", "length: [6, 4]", "length: [6, 5]", "add up to 11"},
    {"NotUtf8", "length: 1 encoding: BYTES", "length: 1", "is not UTF8"},
    {"NotWtf8", "encoding: BYTES", "encoding: WTF8", "is not WTF8"},
    {"NoSurrogate", "[UTF8, WTF8]", "[WTF8, WTF8]", "is not WTF8"},
    {"NotBytes", "[UTF8, WTF8]", "[BYTES, WTF8]", "is not BYTES"},
    {"PairInHalves", R"(d\355\240\200" length: [1, 3])",
     R"(d\355\240\200\355\260\200" length: [1, 6])", "is not WTF8"},
    {"WordOfTheHeader", R"(format: "test")", R"(format: "t\377")",
     "Header.format is no UTF-8"},
    {"WordOfAnExtra", R"(extra { data: "b")", R"(extra { section: "\377")",
     "Extra.section is no UTF-8"},
    {"WordOfAColumn", R"(name: "d" node_refs)", R"(name: "\377" node_refs)",
     "ExtraColumn.name is no UTF-8"},
    {"RowsOfAnExtraTable", R"(name: "t" first: 1 count: 1)",
     R"(name: "t" first: 1 count: 1048577)", "at most 1048576"},
    {"MetadataText", R"(data: "v")", R"(data: "\377")", "a value is not UTF8"},
    {"StringCount", "strings: 6 }", "strings: 7 }", "strings is 7"},
    {"ExtraCut", "extra { data: \"b\" }", "", "extra data is not whole"},
    // Words.
    {"NodeKind", "count: 2 type_ref", "count: 2 kind: [0, 1] type_ref",
     "kind 1 is not in the vocabulary, which has 1"},
    {"EdgeKind", "kind: [1, 0]", "kind: [2, 0]", "which has 2"},
    {"RootKind", "roots { count: 1", "roots { count: 1 kind: 1", "kind 1"},
    {"HeapSpace", "nodes { first: 2 count: 1",
     "nodes { first: 2 count: 1 heap_space_ref: 2", "heap_space_ref"},
    {"KnownKind", "known: 6", "known: 18", "known is 18"},
    {"NameFormOfNode", "NODE_KIND name: 1", "NODE_KIND name: 1 name_form: 1",
     "are for kinds of edge"},
    {"IdSpace", "graph { root_ref: 1", "graph { root_ref: 1 id_space: 77",
     "id_space is 77"},
    // Edges and their nodes.
    {"EdgesPerNode", "edges_per_node: [1, 1]", "edges_per_node: [1, 2]",
     "adds up to 3 for 2 edges"},
    {"EdgeCount", "edge_count: [2, 1]", "edge_count: [1, 2]",
     "node 0 has 2 edges, but its edge_count is 1"},
    {"EdgesMissing", "self_size: 7", "self_size: 7 edge_count: 1",
     "edges is 3, but the stream has 4"},
    {"EdgesSkipped", "edges { first: 1 count: 2 edges_per_node: [1, 1]",
     "edges { first: 1 count: 2 first_node: 1 edges_per_node: [2]",
     "node 0 has 1 edges"},
    {"EdgeOrder", "roots {",
     "edges { first: 3 count: 1 edges_per_node: 1 }\nroots {",
     "edges of node 0 come after those of node 1"},
    {"EdgesBeforeNode", "edges { count: 1 edges_per_node: 1",
     "edges { count: 1 edges_per_node: [1, 0, 0]", "come before the node"},
    {"FirstNodeOfNoEdges", "roots {",
     "edges { first: 3 first_node: 1 }\nroots {",
     "first_node without edges_per_node"},
    {"GroupedFrom", "edges_per_node: 1", "edges_per_node: 1 from: 0",
     "have no from"},
    {"UngroupedCount", "edges_grouped: true", "", "is for grouped edges"},
    {"FirstNodeWraps", "edges { count: 1 edges_per_node: 1",
     "edges { count: 1 first_node: 18446744073709551615 "
     "edges_per_node: [1, 0]",
     "come before the node"},
    // Names of nodes.
    {"ValueNameTooEarly", "value_form: 9 value: 3", "value_form: 8 value: 1",
     "since the nodes before"},
    {"ValueNameTooLate", "value_form: 9 value: 3", "value_form: 8 value: 3",
     "since the nodes before"},
    // Trees and layouts.
    {"TraceChildMissing", "first: 2 count: 2 child_count: [0, 0]",
     "first: 2 count: 2 child_count: [0, 1]", "children that miss"},
    {"TraceOverflow", "first: 2 count: 2 child_count: [0, 0]",
     "first: 2 count: 2 child_count: [18446744073709551615, 0]",
     "children that miss"},
    {"RecordOrder", "run: [1, 2]", "run: [1]", "2 bodies and 1 runs"},
    {"ImageTooLong", "data: \"c\" }", "data: \"cd\" }",
     "has 4 bytes of data, expected 3"},
    {"ImageCut", "data: \"c\" }", "data: \"c\" continued: true }",
     "image is not whole"},
    {"ImageGoesOn", "size: 3 data: \"ab\" continued: true }",
     "size: 2 data: \"ab\" }", "follows the last piece"},
    {"ImageTwice", "source_image { data: \"c\" }",
     "source_image { size: 3 data: \"c\" }", "only the first piece"},
    {"ImageInGraph", "record_order {", "source_image { }\nrecord_order {",
     "it stands in a graph"},
    {"ImageOnBothEnds", "footer {", "source_image { size: 1 }\nfooter {",
     "follows the last piece"},
    {"PatchColumns", "source_image { data: \"c\" }",
     "source_image { data: \"c\" copy: 1 }", "differ in length"},
    {"PatchOfEmbedded", "source_image { data: \"c\" }",
     "source_image { data: \"c\" copy: 1 remove: 0 insert: 0 }",
     "for the method PATCHED"},
    {"PatchTooLong", "method: EMBEDDED size: 3 data: \"ab\" continued: true",
     "method: PATCHED size: 3 data: \"ab\" copy: [1, 18446744073709551615] "
     "remove: [0, 0] insert: [2, 1] continued: true",
     "more than the 3 bytes"},
    {"IdLimit", "id_limit: 4", "id_limit: 3",
     "id_limit is 3, but there is the id 3"},
    // Totals.
    {"Total", "values: 3", "values: 4", "values is 4, but the stream has 3"},
    {"SelfSize", "self_size_total: 7", "self_size_total: 8",
     "self_size_total is 8"},
    {"ExternalSize", "external_size_total: 100", "",
     "external_size_total is 0"},
    {"Omitted", "edges_omitted: 1", "", "edges_omitted is 0"},
    {"Synthesized", "edges_omitted: 1", "edges_omitted: 1 edges_synthesized: 1",
     "edges_synthesized is 1"},
};

INSTANTIATE_TEST_SUITE_P(All, BrokenStreamTest, testing::ValuesIn(kCases),
                         [](const testing::TestParamInfo<Case>& test) {
                           return test.param.name;
                         });

}  // namespace
}  // namespace heapglot
