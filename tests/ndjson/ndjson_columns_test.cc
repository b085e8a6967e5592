// Columns and tables that only the source format has: hg.column.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "core/check_sink.h"
#include "readers/ndjson/ndjson_reader.h"
#include "tests/checked_passes.h"
#include "tests/core/text_stream.h"
#include "writers/ndjson/ndjson_writer.h"

namespace heapglot {
namespace {

// A dialect with columns beyond those of the IR in every kind of table, and
// with a table of its own.
constexpr char kStream[] = R"(
header { format: "test" }
graph { edges_grouped: true edge_schema { name: "type" } edge_schema { name: "name" } edge_schema { name: "to" } edge_schema { name: "age" } }
types { count: 2 field_count: [2, 1] field_name: [0, 0, 0] field_slot: [0, 1, 0] extra { name: "pool" ints: [3, 0] } field_extra { name: "unboxed" type: "flag" ints: [1, 0, 1] } }
roots { count: 1 to: 1 extra { name: "why" type: "string" strings: 2 } }
strings { first: 1 data: "abcde" length: [3, 2] }
nodes { count: 3 edge_count: [2, 0, 0] extra { name: "cost" type: "number" ints: [-9223372036854775808, 0, 9007199254740993] } extra { name: "alias" strings: [0, 1, 2] } extra { name: "weight" bits: [4607182418800017408, 0, 9221120237041090560] } extra { name: "void" } extra { name: "of" type: "node" node_refs: [3, 0, 1] ints: [0, -1, 0] } }
edges { count: 2 first_node: 0 edges_per_node: 2 to: [1, 2] extra { name: "age" type: "number" ints: [7, -8] } }
locations { count: 1 to: 2 extra { name: "end_line" ints: 12 } }
extra_table { name: "scopes" count: 2 column { name: "kind" ints: [1, 2] } column { name: "name" strings: [1, 0] } }
extra_table { name: "empty" count: 3 }
extra_table { name: "none" }
extra_table { name: "scopes" first: 2 count: 1 column { name: "kind" ints: -3 } column { name: "of" node_refs: 2 } }
graph_end { types: 2 nodes: 3 edges: 2 roots: 1 locations: 1 id_limit: 4 }
footer { graphs: 1 strings: 3 }
)";

std::string Write(Reader& reader, const WriterOptions& options,
                  Context* context) {
  std::string output;
  const auto sink = ByteSink::ToString(&output);
  const auto writer = kNdjsonWriter.make(*sink, options, *context);
  const Status status = CheckedPasses(reader, *writer);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return output;
}

std::string WriteStream(const std::vector<pb::Chunk>& chunks,
                        const std::string& profile = {}) {
  VectorReader reader(chunks);
  Context context;
  std::string file = Write(reader, {.profile = profile}, &context);
  EXPECT_TRUE(context.loss.items().empty());
  return file;
}

Status Read(const std::string& file, ChunkSet wanted, Context* context,
            std::vector<pb::Chunk>* chunks) {
  const auto source = ByteSource::FromMemory(file);
  VectorSink sink;
  CheckSink check(wanted, &sink);
  HEAPGLOT_RETURN_IF_ERROR(
      kNdjsonReader.make(*source, *context)->Read(wanted, check));
  EXPECT_TRUE(check.Finish().ok()) << check.Finish().ToString();
  *chunks = sink.chunks();
  return {};
}

std::vector<pb::Chunk> Read(const std::string& file,
                            ChunkSet wanted = ChunkSet::All()) {
  Context context;
  std::vector<pb::Chunk> chunks;
  const Status status = Read(file, wanted, &context, &chunks);
  EXPECT_TRUE(status.ok()) << status.ToString();
  for (const Finding& finding : context.findings())
    ADD_FAILURE() << finding.code << ": " << finding.message;
  return chunks;
}

// Extra columns of a table as text.
template <typename Columns>
std::string Text(const char* table, const Columns& columns) {
  std::string text;
  for (const pb::ExtraColumn& column : columns)
    text += std::string(table) + ": " + column.ShortDebugString() + "\n";
  return text;
}

// Renumbers the strings as if no names came before them.
std::vector<pb::Chunk> WithoutNames(std::vector<pb::Chunk> chunks) {
  std::uint64_t names = 0;
  const auto renumber = [&names](auto* columns) {
    for (pb::ExtraColumn& column : *columns)
      for (std::uint64_t& cell : *column.mutable_strings())
        if (cell != 0) cell -= names;
  };
  for (pb::Chunk& chunk : chunks) {
    if (chunk.has_strings() && chunk.strings().names())
      names += static_cast<std::uint64_t>(chunk.strings().length_size());
    if (chunk.has_nodes()) renumber(chunk.mutable_nodes()->mutable_extra());
    if (chunk.has_roots()) renumber(chunk.mutable_roots()->mutable_extra());
    if (chunk.has_extra_table())
      renumber(chunk.mutable_extra_table()->mutable_column());
  }
  return chunks;
}

std::string ColumnsOf(const std::vector<pb::Chunk>& chunks) {
  std::string text;
  for (const pb::Chunk& chunk : chunks) {
    text += Text("type", chunk.types().extra());
    text += Text("field", chunk.types().field_extra());
    text += Text("root", chunk.roots().extra());
    text += Text("node", chunk.nodes().extra());
    text += Text("edge", chunk.edges().extra());
    text += Text("location", chunk.locations().extra());
  }
  return text;
}

std::string TablesOf(const std::vector<pb::Chunk>& chunks) {
  std::string text;
  for (const pb::Chunk& chunk : chunks)
    if (chunk.has_extra_table())
      text += chunk.extra_table().ShortDebugString() + "\n";
  return text;
}

TEST(NdjsonColumns, ComeBack) {
  const auto before = ParseStream(kStream);
  for (const char* profile : {"", "1;shape=object"}) {
    const auto after = WithoutNames(Read(WriteStream(before, profile)));
    // A file has some tables in another order.
    const auto sorted = [](const std::string& text) {
      std::multiset<std::string> lines;
      std::istringstream in(text);
      for (std::string line; std::getline(in, line);) lines.insert(line);
      return lines;
    };
    EXPECT_EQ(sorted(ColumnsOf(before)), sorted(ColumnsOf(after)));
    EXPECT_EQ(TablesOf(before), TablesOf(after));
  }
}

TEST(NdjsonColumns, TheirFilesComeBack) {
  for (const char* profile : {"", "1;shape=object"}) {
    const std::string file = WriteStream(ParseStream(kStream), profile);
    const auto source = ByteSource::FromMemory(file);
    Context context;
    const auto reader = kNdjsonReader.make(*source, context);
    EXPECT_EQ(Write(*reader,
                    {.native = true, .profile = kNdjsonWriter.profile(*source)},
                    &context),
              file);
  }
}

// Reading a file gives other chunks than those that were written.
TEST(NdjsonColumns, RowsKeepTheirCells) {
  constexpr int kNodes = 30'000;
  constexpr int kRows = 7'000;
  auto chunks = ParseStream("header { }\ngraph { }\n");
  for (int first = 0; first < kNodes; first += kRows) {
    pb::Nodes& nodes = *chunks.emplace_back().mutable_nodes();
    const int rows = std::min(kRows, kNodes - first);
    nodes.set_first(static_cast<std::uint64_t>(first));
    nodes.set_count(static_cast<std::uint32_t>(rows));
    // The third chunk has no cells.
    if (first == 2 * kRows) continue;
    pb::ExtraColumn& column = *nodes.add_extra();
    column.set_name("number");
    for (int row = 0; row < rows; ++row) column.add_ints(first + row + 1);
  }
  const auto end = ParseStream(
      "graph_end { nodes: 30000 id_limit: 30001 }\n"
      "footer { graphs: 1 strings: 1 }");
  chunks.insert(chunks.end(), end.begin(), end.end());
  const std::string file = WriteStream(chunks);
  // Also in a pass that wants nothing else.
  for (const ChunkSet wanted : {ChunkSet::All(), ChunkSet{pb::Chunk::kNodes}}) {
    std::uint64_t seen = 0;
    for (const pb::Chunk& chunk : Read(file, wanted)) {
      if (!chunk.has_nodes()) continue;
      const pb::Nodes& nodes = chunk.nodes();
      for (int row = 0; row < static_cast<int>(nodes.count()); ++row, ++seen) {
        const bool has_none = seen >= 2 * kRows && seen < 3 * kRows;
        const std::int64_t cell =
            nodes.extra().empty() ? 0 : nodes.extra(0).ints(row);
        ASSERT_EQ(cell, has_none ? 0 : static_cast<std::int64_t>(seen) + 1);
      }
    }
    EXPECT_EQ(seen, static_cast<std::uint64_t>(kNodes));
  }
}

TEST(NdjsonColumns, OfEdgesWithoutSchemaAreLost) {
  VectorReader reader(ParseStream(R"(
header { }
graph { edges_grouped: true }
nodes { count: 1 edge_count: 1 }
edges { count: 1 edges_per_node: 1 extra { name: "age" ints: 5 } }
graph_end { nodes: 1 edges: 1 id_limit: 2 }
footer { graphs: 1 strings: 1 }
)"));
  Context context;
  const std::string file = Write(reader, {}, &context);
  ASSERT_EQ(context.loss.items().size(), 1U);
  EXPECT_EQ(context.loss.items()[0].code, "ndjson.edge.extra.excess");
  EXPECT_EQ(context.loss.items()[0].count, 1U);
  EXPECT_EQ(ColumnsOf(Read(file)), "");
}

// ------------------------------------------------------------ bad records

constexpr char kHead[] =
    R"({"type":"metadata","key":"version_major","value":"1"}
{"type":"metadata","key":"hg.stream","value":"1"}
{"type":"metadata","key":"hg.strings","value":"1"}
{"type":"type","code":2,"name":"node","fields":[["identifier","id"]]}
{"type":"type","code":16,"name":"hg.column","fields":[["table","inline_string"],["of","inline_string"],["first","u64"],["count","u32"],["name","inline_string"],["field_type","inline_string"],["ints","json"],["strings","json"],["bits","json"],["nodes","json"]]}
)";

Status ReadRecords(const std::string& records, Context* context) {
  std::vector<pb::Chunk> chunks;
  return Read(kHead + records, ChunkSet::All(), context, &chunks);
}

// How often the reader left out cells.
std::uint64_t LeftOut(const Context& context) {
  for (const Finding& finding : context.findings())
    if (finding.code == "ndjson.column.order") return finding.count;
  return 0;
}

TEST(NdjsonColumns, RefusesWhatTheyCannotBe) {
  for (const char* record :
       {R"([16,"nodes",null,0,1,"a","",[1]])",
        R"([16,null,null,0,1,"a","",[1]])",
        R"([16,"node",null,0,2,"a","",[1]])",
        R"([16,"node",null,0,1,"a","",[1,2]])",
        R"([16,"node",null,0,1,"a","",["x"]])",
        R"([16,"node",null,0,1,"a","",{"b":1}])",
        R"([16,"node",null,0,1,5,"",[1]])",
        R"([16,"node",null,0,65537,"a",""])",
        R"([16,"node",null,"0xffffffffffffffff",1,"a","",[1]])",
        R"([16,"node",null,"x",1,"a","",[1]])"}) {
    Context context;
    const Status status = ReadRecords(std::string(record) + "\n", &context);
    EXPECT_EQ(status.code(), Code::kMalformed) << record;
    EXPECT_EQ(status.where().line, 6U) << record;
  }
}

TEST(NdjsonColumns, RefusesTooManyOfATable) {
  std::string records;
  for (int i = 0; i <= 32; ++i)
    records += R"([16,"hg.type",null,0,1,")" + std::to_string(i) + "\"]\n";
  Context context;
  const Status status = ReadRecords(records, &context);
  EXPECT_EQ(status.code(), Code::kMalformed);
  EXPECT_EQ(status.where().line, 5U + 33);
}

TEST(NdjsonColumns, LeavesOutCellsOfRowsThatAreThere) {
  Context context;
  ASSERT_TRUE(
      ReadRecords("[2,3]\n[16,\"node\",null,0,1,\"a\",\"\",[1]]\n", &context)
          .ok());
  EXPECT_EQ(LeftOut(context), 1U);
}

// Many cells of rows that never come.
TEST(NdjsonColumns, DoesNotPileUp) {
  std::string records;
  for (int i = 0; i < 5000; ++i) {
    records += "[16,\"node\",null,";
    records += std::to_string(i + 1) + ",1,\"a\",\"\",[1]]\n";
  }
  Context context;
  ASSERT_TRUE(ReadRecords(records + "[2,3]\n", &context).ok());
  EXPECT_EQ(LeftOut(context), 5000U);
}

// One table has fewer rows, and the other cannot have such columns.
TEST(NdjsonColumns, LeavesOutCellsOfRowsThatTablesDoNotHave) {
  const std::string tables =
      R"({"type":"type","code":21,"name":"hg.trace_function","fields":[["id","u64"]]}
{"type":"type","code":22,"name":"hg.stack_frame","fields":[["id","u64"]]}
[21,7]
[22,7]
)";
  const auto left_out = [&](const char* table, const char* cells) {
    Context context;
    const std::string record =
        R"([16,")" + std::string(table) + R"(",null,0,)" + cells + "]\n";
    EXPECT_TRUE(ReadRecords(tables + record, &context).ok());
    return LeftOut(context);
  };
  EXPECT_EQ(left_out("hg.trace_function", R"(1,"a","",[1])"), 0U);
  EXPECT_EQ(left_out("hg.trace_function", R"(2,"a","",[1,2])"), 1U);
  EXPECT_EQ(left_out("hg.stack_frame", R"(1,"a","",[1])"), 1U);
}

}  // namespace
}  // namespace heapglot
