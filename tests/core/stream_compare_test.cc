#include "core/compare/stream_compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/check_sink.h"
#include "core/compare/chunk_pull.h"
#include "tests/core/text_stream.h"

namespace heapglot {
namespace {

using Body = pb::Chunk::BodyCase;

// A small stream with something in most tables.
constexpr char kStream[] = R"(
header { format: "test" dialect: "one" }
graph { name { data: "app" } id_space: OPAQUE edges_grouped: true capacity: 99 }
strings { first: 1 data: "objectpropT" length: [6, 4, 1] names: true }
vocabulary { space: NODE_KIND name: [1] known: [4] }
vocabulary { space: EDGE_KIND name: [2, 0] known: [3, 2] name_form: [1, 2] }
types { count: 1 name: [3] field_count: [1] field_flags: [1] field_slot: [0] field_name: [2] }
strings { first: 4 data: "abxy" length: [1, 1, 1, 1] }
nodes { count: 3 id: [10, 20, 30] kind: [0, 0, 0] type_ref: [1, 1, 0] self_size: [16, 8, 8] edge_count: [2, 1, 0] value_form: [9, 9, 3] value: [4, 5, 7] }
edges { count: 3 edges_per_node: [2, 1, 0] kind: [0, 1, 0] name: [6, 3, 7] to: [1, 2, 2] }
roots { count: 1 to: [0] }
values { count: 2 owner: [0, 2] key: [6, 7] form: [3, 3] value: [1, 2] }
externals { count: 1 to: [2] size: [5] name: [3] }
locations { count: 1 to: [1] line: [-4] }
metadata { entry { key { data: "time" } value { data: "now" } } }
extra { format: "test" section: "test.tail" position: 3 data: "ab" continued: true }
extra { data: "cd" }
extra_table { name: "scopes" count: 2 column { name: "start" ints: [1, 2] } column { name: "of" node_refs: [0, 3] } }
graph_end { types: 1 nodes: 3 edges: 3 roots: 1 values: 2 externals: 1 locations: 1 self_size_total: 32 external_size_total: 5 id_limit: 31 }
footer { graphs: 1 strings: 8 }
)";

// The same content: strings and kinds numbered otherwise, rows cut elsewhere,
// edges with their sources, tables in another order, defaults written down.
constexpr char kSameStream[] = R"(
header { format: "test" dialect: "one" source_size: 7 }
graph { name { data: "app" } id_space: OPAQUE capacity: 99 }
strings { first: 1 data: "Tunusedpropobject" length: [1, 6, 4, 6] names: true }
vocabulary { space: NODE_KIND name: [2, 4] known: [7, 4] }
vocabulary { space: EDGE_KIND name: [0, 3] known: [2, 3] name_form: [2, 1] }
types { count: 1 id: [1] name: [1] field_count: [1] field_flags: [1] field_slot: [0] field_name: [3] }
metadata { entry { key { data: "time" } value { data: "now" } } }
extra { format: "test" section: "test.tail" position: 3 data: "abcd" }
extra_table { name: "scopes" count: 1 column { name: "start" ints: [1] } }
extra_table { name: "scopes" first: 1 count: 1 column { name: "of" node_refs: [3] } column { name: "start" ints: [2] } }
nodes { count: 1 id: [10] kind: [1] type_ref: [1] self_size: [16] value_form: [9] value: [8] }
nodes { first: 1 count: 2 id: [20, 30] kind: [1, 1] type_ref: [1, 0] self_size: [8, 8] flags: [0, 0] value_form: [9, 3] value: [7, 7] }
strings { first: 5 data: "yxba" length: [1, 1, 1, 1] }
values { count: 1 owner: [0] key: [6] form: [3] value: [1] }
edges { count: 2 from: [0, 0] kind: [1, 0] name: [6, 3] to: [1, 2] }
edges { first: 2 count: 1 from: [1] kind: [1] name_form: [1] name: [5] to_form: [0] to: [2] }
values { first: 1 count: 1 owner: [2] key: [5] form: [3] value: [2] }
locations { count: 1 to: [1] line: [-4] }
externals { count: 1 to: [2] size: [5] name: [1] }
roots { count: 1 to: [0] }
record_order { body: [8] run: [1] }
graph_end { types: 1 nodes: 3 edges: 3 roots: 1 values: 2 externals: 1 locations: 1 self_size_total: 32 external_size_total: 5 id_limit: 31 }
footer { graphs: 1 strings: 9 }
)";

VectorReader StreamOf(const std::string& text) {
  return VectorReader(ParseStream(text));
}

TEST(StreamCompare, TheStreamsOfThisTestKeepTheGrammar) {
  for (const char* text : {kStream, kSameStream}) {
    CheckSink check(ChunkSet::All());
    const Status status = StreamOf(text).Read(ChunkSet::All(), check);
    EXPECT_TRUE(status.ok()) << status.ToString();
    EXPECT_TRUE(check.Finish().ok());
  }
}

StreamDifference Compare(const std::string& before, const std::string& after) {
  VectorReader a = StreamOf(before);
  VectorReader b = StreamOf(after);
  const Result<StreamDifference> difference = CompareStreams(a, b);
  EXPECT_TRUE(difference.ok()) << difference.status().ToString();
  return difference.ok() ? difference.value() : StreamDifference();
}

// kStream with `from` in place of `to`.
std::string Edited(const std::string& from, const std::string& to) {
  std::string text = kStream;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// "COLUMN: BEFORE -> AFTER" of everything that an edit changes.
std::vector<std::string> Changes(const std::string& from,
                                 const std::string& to) {
  const StreamDifference difference = Compare(kStream, Edited(from, to));
  std::vector<std::string> changes;
  for (const StreamDifference::Table& table : difference.tables) {
    changes.push_back(table.name + ": " + std::to_string(table.rows_before) +
                      " -> " + std::to_string(table.rows_after));
  }
  for (const StreamDifference::Column& column : difference.columns) {
    for (const StreamDifference::Example& example : column.examples) {
      changes.push_back(column.name + "[" + std::to_string(example.row) +
                        "]: " + example.before + " -> " + example.after);
    }
  }
  return changes;
}

using Strings = std::vector<std::string>;

TEST(StreamCompare, AStreamIsEqualToItself) {
  EXPECT_TRUE(Compare(kStream, kStream).empty());
}

TEST(StreamCompare, NumberingAndCutsDoNotMatter) {
  const StreamDifference difference = Compare(kStream, kSameStream);
  EXPECT_EQ(difference.Names(), Strings());
  EXPECT_EQ(Compare(kSameStream, kStream).Names(), Strings());
}

TEST(StreamCompare, SaysWhichCellChangedAndHow) {
  EXPECT_EQ(Changes("16, 8, 8", "16, 9, 8"),
            Strings{"nodes.self_size[1]: 8 -> 9"});
  EXPECT_EQ(Changes("id: [10, 20, 30]", "id: [10, 21, 30]"),
            Strings{"nodes.id[1]: 20 -> 21"});
  EXPECT_EQ(Changes("type_ref: [1, 1, 0]", "type_ref: [1, 0, 0]"),
            Strings{"nodes.type_ref[1]: 0 -> (none)"});
  EXPECT_EQ(Changes("known: [4]", "known: [5]").size(), 3u);
  EXPECT_EQ(Changes("value: [4, 5, 7]", "value: [4, 6, 7]"),
            Strings{R"(nodes.value[1]: "b" -> "x")"});
  EXPECT_EQ(Changes("value_form: [9, 9, 3]", "value_form: [9, 5, 3]"),
            Strings{"nodes.value_form[1]: V_UTF8 -> V_LATIN1"});
  EXPECT_EQ(Changes("to: [1, 2, 2]", "to: [1, 2, 0]"),
            Strings{"edges.to[2]: node 2 -> node 0"});
  EXPECT_EQ(Changes("name: [6, 3, 7]", "name: [7, 3, 7]"),
            Strings{R"(edges.name[0]: "x" -> "y")"});
  EXPECT_EQ(Changes("name: [6, 3, 7]", "name: [6, 4, 7]"),
            Strings{"edges.name[1]: [3] -> [4]"});
  EXPECT_EQ(Changes("field_flags: [1]", "field_flags: [0]"),
            Strings{"fields.flags[0]: 1 -> 0"});
  EXPECT_EQ(Changes("value: [1, 2]", "value: [1, 3]"),
            Strings{"node_values.value[1]: 2 -> 3"});
  EXPECT_EQ(Changes("line: [-4]", "line: [-5]"),
            Strings{"locations.line[0]: -4 -> -5"});
  EXPECT_EQ(Changes("capacity: 99", "capacity: 0"),
            Strings{"graph.capacity[0]: 99 -> 0"});
  EXPECT_EQ(Changes("capacity: 99", ""), Strings{"graph.capacity[0]: 99 -> "});
  EXPECT_EQ(Changes("\"now\"", "\"then\""),
            Strings{"metadata.value[0]: now -> then"});
  EXPECT_EQ(Changes("ints: [1, 2]", "ints: [1, 4]"),
            Strings{"extra_tables.scopes.start[1]: 2 -> 4"});
  EXPECT_EQ(Changes("node_refs: [0, 3]", "node_refs: [0, 2]"),
            Strings{"extra_tables.scopes.of[1]: 2 -> 1"});
  EXPECT_EQ(Changes("dialect: \"one\"", "dialect: \"two\""), Strings());
  EXPECT_EQ(Changes("format: \"test\" d", "format: \"other\" d"),
            Strings{"header.format[0]: test -> other"});
  const Strings extra = Changes("\"cd\"", "\"ce\"");
  ASSERT_EQ(extra.size(), 1u);
  EXPECT_TRUE(extra[0].starts_with("extra.data[0]: 88d4266fd4e6338d"))
      << extra[0];  // sha256sum of "abcd"
  EXPECT_TRUE(extra[0].ends_with(" (SHA-256 of 4 bytes)"));
}

TEST(StreamCompare, FieldsMayBeClaimedInAnyNumber) {
  const std::string none = "field_count: [4294967295]";
  const std::string columns =
      "field_count: [1] field_flags: [1] field_slot: [0] field_name: [2]";
  EXPECT_TRUE(Compare(Edited(columns, none), Edited(columns, none)).empty());
  const std::vector<std::string> names =
      Compare(kStream, Edited(columns, none)).Names();
  EXPECT_NE(std::find(names.begin(), names.end(), "types.field_count"),
            names.end());
}

TEST(StreamCompare, FormsOfTargetsAreTold) {
  EXPECT_EQ(Changes("to: [1, 2, 2]", "to_form: [0, 1, 0] to: [1, 0, 2]").at(0),
            "edges.to[1]: node 2 -> (omitted)");
}

TEST(StreamCompare, AColumnThatIsGoneIsAllDefaults) {
  EXPECT_EQ(
      Changes("self_size: [16, 8, 8]", ""),
      (Strings{"nodes.self_size[0]: 16 -> 0", "nodes.self_size[1]: 8 -> 0",
               "nodes.self_size[2]: 8 -> 0"}));
  // The default of an id is the position.
  EXPECT_EQ(Changes("id: [10, 20, 30]", "").at(2), "nodes.id[2]: 30 -> 3");
}

TEST(StreamCompare, FlagsMayStandInTheVocabulary) {
  const std::string in_rows =
      Edited("to: [1, 2, 2]", "to: [1, 2, 2] flags: [1, 0, 1]");
  const std::string in_kinds =
      Edited("name_form: [1, 2]", "name_form: [1, 2] edge_flags: [1, 0]");
  EXPECT_EQ(Compare(in_rows, in_kinds).Names(), Strings());
  EXPECT_EQ(Compare(kStream, in_kinds).Names(), Strings{"edges.flags"});
}

TEST(StreamCompare, CountsRowsThatAreTooManyOrMissing) {
  std::string more =
      Edited("roots { count: 1 to: [0] }", "roots { count: 3 to: [0, 1, 2] }");
  more.replace(more.find("roots: 1"), 8, "roots: 3");
  const StreamDifference added = Compare(kStream, more);
  ASSERT_EQ(added.tables.size(), 1u);
  EXPECT_EQ(added.tables[0].name, "roots");
  EXPECT_EQ(added.tables[0].rows_before, 1u);
  EXPECT_EQ(added.tables[0].rows_after, 3u);
  EXPECT_EQ(added.tables[0].added, 2u);
  EXPECT_TRUE(added.columns.empty());
  EXPECT_EQ(added.Names(), Strings{"roots+"});
  EXPECT_EQ(Compare(more, kStream).Names(), Strings{"roots-"});
}

TEST(StreamCompare, CountsAllRowsAndShowsAFew) {
  std::string sizes;
  for (int i = 0; i < 5000; ++i) sizes += (i == 0 ? "7" : ", 7");
  const std::string begin = "header { format: \"t\" }\ngraph { }\n";
  const std::string end =
      "graph_end { nodes: 5000 id_limit: 5001 self_size_total: ";
  const std::string a = begin + "nodes { count: 5000 self_size: [" + sizes +
                        "] }\n" + end +
                        "35000 }\nfooter { graphs: 1 strings: 1 }";
  const std::string b = begin +
                        "nodes { count: 4000 }\nnodes { first: 4000 "
                        "count: 1000 }\n" +
                        end + "0 }\nfooter { graphs: 1 strings: 1 }";
  const StreamDifference difference = Compare(a, b);
  ASSERT_EQ(difference.columns.size(), 1u);
  EXPECT_EQ(difference.columns[0].rows, 5000u);
  EXPECT_EQ(difference.columns[0].examples.size(),
            StreamCompareOptions().max_examples);
}

TEST(StreamCompare, TheNameOfATableIsComparedOnceForAllRows) {
  const auto stream = [](const std::string& name) {
    return "header { format: \"t\" }\ngraph { }\nextra_table { name: \"" +
           name +
           "\" count: 1000000 }\ngraph_end { }\nfooter { graphs: 1 "
           "strings: 1 }";
  };
  // 400 GB for each comparison, if it were done for each row.
  const std::string name(400'000, 'x');
  EXPECT_TRUE(Compare(stream(name), stream(name)).empty());
  const StreamDifference difference =
      Compare(stream(name), stream(name.substr(1) + "y"));
  ASSERT_EQ(difference.columns.size(), 1u);
  EXPECT_EQ(difference.columns[0].rows, 1'000'000u);
  EXPECT_EQ(difference.columns[0].examples.size(),
            StreamCompareOptions().max_examples);
}

TEST(StreamCompare, GraphsAreComparedOneByOne) {
  const std::string first =
      "header { format: \"t\" }\ngraph { }\nnodes { count: 1 }\n"
      "graph_end { nodes: 1 id_limit: 2 }\n";
  const std::string second =
      "graph { }\nnodes { count: 1 self_size: [5] }\n"
      "graph_end { nodes: 1 id_limit: 2 self_size_total: 5 }\n";
  const std::string both = first + second + "footer { graphs: 2 strings: 1 }";
  EXPECT_EQ(Compare(both, first + "footer { graphs: 1 strings: 1 }").Names(),
            (Strings{"graph-", "nodes-"}));
  const std::string twice = first +
                            "graph { }\nnodes { count: 1 self_size: [6] }\n"
                            "graph_end { nodes: 1 id_limit: 2 self_size_total: "
                            "6 }\nfooter { graphs: 2 strings: 1 }";
  const StreamDifference difference = Compare(both, twice);
  ASSERT_EQ(difference.Names(), Strings{"nodes.self_size"});
  EXPECT_EQ(difference.columns[0].examples[0].graph, 1u);
}

TEST(StreamCompare, LongTextsAreComparedWholeAndShownCut) {
  const std::string text(300'000, 'x');
  const auto stream = [](const std::string& value) {
    return "header { format: \"t\" }\ngraph { }\nstrings { first: 1 data: \"" +
           value + "\" length: [" + std::to_string(value.size()) +
           "] }\nnodes { count: 1 value_form: [9] value: [1] }\ngraph_end { "
           "nodes: 1 id_limit: 2 }\nfooter { graphs: 1 strings: 2 }";
  };
  EXPECT_TRUE(Compare(stream(text), stream(text)).empty());
  const StreamDifference difference =
      Compare(stream(text), stream(text.substr(1) + "y"));
  ASSERT_EQ(difference.Names(), Strings{"nodes.value"});
  EXPECT_LT(difference.columns[0].examples[0].before.size(), 150u);
  EXPECT_TRUE(
      difference.columns[0].examples[0].before.ends_with("(300000 bytes)"));
}

TEST(StreamCompare, StringsWithAnIdOfTheirOwnAreRows) {
  const auto stream = [](const char* ids) {
    return std::string(
               "header { format: \"t\" }\ngraph { }\nstrings { first: "
               "1 data: \"abc\" length: [1, 1, 1] source_id: [") +
           ids +
           "] }\ngraph_end { id_limit: 0 }\nfooter { graphs: 1 "
           "strings: 4 }";
  };
  EXPECT_TRUE(Compare(stream("7, 0, 9"), stream("7, 0, 9")).empty());
  EXPECT_EQ(Compare(stream("7, 0, 9"), stream("7, 0, 8")).Names(),
            Strings{"strings.source_id"});
  EXPECT_EQ(Compare(stream("7, 0, 9"), stream("7, 9, 0")).Names(),
            Strings{"strings.text"});
}

// ----------------------------------------------------------- reading in turns

class FailingReader : public Reader {
 public:
  Status Read(ChunkSet, ChunkSink& out) override {
    pb::Chunk chunk;
    chunk.mutable_header();
    HEAPGLOT_RETURN_IF_ERROR(out.Accept(chunk));
    return {Code::kTruncated, "it ends", Where::Byte(5)};
  }
};

class ThrowingReader : public Reader {
 public:
  Status Read(ChunkSet, ChunkSink&) override { throw std::bad_alloc(); }
};

TEST(StreamCompare, ErrorsOfTheReadersComeThrough) {
  VectorReader good = StreamOf(kStream);
  FailingReader bad;
  EXPECT_EQ(CompareStreams(good, bad).status().where().byte, 5u);
  EXPECT_EQ(CompareStreams(bad, good).status().code(), Code::kTruncated);
}

TEST(ChunkPull, BringsChunkAfterChunk) {
  VectorReader reader = StreamOf(kStream);
  ChunkPull pull(reader, {Body::kNodes, Body::kFooter});
  Result<const pb::Chunk*> chunk = pull.Next();
  ASSERT_TRUE(chunk.ok());
  EXPECT_TRUE((*chunk)->has_nodes());
  chunk = pull.Next();
  ASSERT_TRUE(chunk.ok());
  EXPECT_TRUE((*chunk)->has_footer());
  for (int i = 0; i < 3; ++i) {
    chunk = pull.Next();
    ASSERT_TRUE(chunk.ok());
    EXPECT_EQ(*chunk, nullptr);
  }
}

TEST(ChunkPull, CanBeLeftAtAnyTime) {
  for (int taken = 0; taken < 5; ++taken) {
    VectorReader reader = StreamOf(kStream);
    ChunkPull pull(reader, ChunkSet::All());
    for (int i = 0; i < taken; ++i) ASSERT_TRUE(pull.Next().ok());
  }
}

TEST(ChunkPull, ErrorsComeInTheirTurn) {
  FailingReader reader;
  ChunkPull pull(reader, ChunkSet::All());
  EXPECT_TRUE(pull.Next().ok());
  EXPECT_EQ(pull.Next().status().code(), Code::kTruncated);
  EXPECT_EQ(pull.Next().status().code(), Code::kTruncated);
}

TEST(ChunkPull, MemoryThatRunsOutIsAnError) {
  ThrowingReader reader;
  ChunkPull pull(reader, ChunkSet::All());
  EXPECT_EQ(pull.Next().status().code(), Code::kLimit);
}

}  // namespace
}  // namespace heapglot
