// What the corpus does not cover: places of errors, and findings.
#include "readers/ndjson/ndjson_reader.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "core/check_sink.h"
#include "tests/core/text_stream.h"
#include "tests/ndjson/ndjson_graph.h"

namespace heapglot {
namespace {

constexpr char kDraft[] =
    R"({"type":"metadata","key":"version_major","value":"1"}
{"type":"type","code":2,"name":"node","fields":[["identifier","id"],["subtype","u32"]]}
{"type":"subtype","of":"node","code":1,"name":"flat string","fields":[["length","value"],["data","stringid"]]}
{"type":"subtype","of":"node","code":2,"name":"sliced string","fields":[["length","value"],["source","value"],["offset","value"]]}
{"type":"type","code":4,"name":"string","fields":[["id","stringid"],["data","utf8"]]}
)";

constexpr char kOwn[] =
    R"({"type":"metadata","key":"version_major","value":"1"}
{"type":"metadata","key":"hg.stream","value":"1"}
{"type":"metadata","key":"hg.strings","value":"2"}
{"type":"type","code":2,"name":"node","fields":[["identifier","id"],["subtype","u32"]]}
{"type":"subtype","of":"node","code":0,"name":"object","fields":[]}
{"type":"type","code":4,"name":"string","fields":[["id","stringid"],["data","utf8"]]}
{"type":"type","code":15,"name":"hg.value","fields":[["space","u32"],["owner","u64"],["key","stringid"],["form","u32"],["value","u64"]]}
[4,2,"key"]
[2,3,0]
[2,5,0]
)";

struct Answer {
  Status status;
  std::vector<std::string> findings;  // "code line"
  std::vector<std::uint64_t> counts;  // of the findings
  std::uint64_t values = 0;
  std::uint64_t edges_omitted = 0;
};

Answer Read(const std::string& file) {
  const auto source = ByteSource::FromMemory(file);
  Context context;
  context.examples = 2;
  VectorSink chunks;
  CheckSink check(ChunkSet::All(), &chunks);
  Answer answer;
  answer.status =
      kNdjsonReader.make(*source, context)->Read(ChunkSet::All(), check);
  if (answer.status.ok()) {
    EXPECT_TRUE(check.Finish().ok()) << check.Finish().ToString();
  }
  for (const Finding& finding : context.findings()) {
    if (finding.code == "ndjson.trailer.missing") continue;
    answer.findings.push_back(finding.code + " " +
                              std::to_string(finding.where.line));
    answer.counts.push_back(finding.count);
    for (const auto& other : finding.others) EXPECT_NE(other.message, "");
  }
  for (const pb::Chunk& chunk : chunks.chunks()) {
    answer.values += chunk.values().count();
    answer.edges_omitted += chunk.graph_end().edges_omitted();
  }
  return answer;
}

using Findings = std::vector<std::string>;

TEST(NdjsonReader, TwinsHaveALineAndAColumn) {
  const Status nodes =
      Read(std::string(kDraft) + "[2,5,1]\n[2,3,1]\n[2, 5,1]\n").status;
  EXPECT_EQ(nodes.code(), Code::kMalformed);
  EXPECT_EQ(nodes.where().line, 8U);
  EXPECT_EQ(nodes.where().column, 5U);
  const Status strings =
      Read(std::string(kDraft) + "[4,2,\"a\"]\n[4,2,\"b\"]\n").status;
  EXPECT_EQ(strings.code(), Code::kMalformed);
  EXPECT_EQ(strings.where().line, 7U);
  EXPECT_EQ(strings.where().column, 4U);
}

// The trailer is the sixth line.
TEST(NdjsonReader, TrailersSayWhatIsThere) {
  const auto message_of = [](const std::string& fields) {
    const Status status =
        Read(std::string(kDraft) + R"({"type":"hg.trailer")" + fields + "}\n")
            .status;
    EXPECT_EQ(status.code(), Code::kMalformed) << fields;
    EXPECT_EQ(status.where().line, 6U) << fields;
    return status.message();
  };
  const std::string bytes = std::to_string(std::strlen(kDraft));
  EXPECT_EQ(message_of(""),
            "ndjson: the trailer has no \"records\", there are 5");
  EXPECT_EQ(message_of(R"(,"records":"5")"),
            "ndjson: the trailer says records \"5\", there are 5");
  EXPECT_EQ(message_of(R"(,"records":5)"),
            "ndjson: the trailer has no \"bytes\", there are " + bytes);
  EXPECT_EQ(message_of(R"(,"records":5,"bytes":7)"),
            "ndjson: the trailer says bytes 7, there are " + bytes);
  const std::string sum = message_of(R"(,"records":5,"bytes":)" + bytes);
  const std::string_view begin =
      "ndjson: the trailer has no \"crc32\", but it is \"";
  EXPECT_TRUE(sum.starts_with(begin)) << sum;
  EXPECT_EQ(sum.size(), begin.size() + 9) << sum;
}

TEST(NdjsonReader, DeclarationsComeFirst) {
  constexpr char kLate[] =
      R"({"type":"type","code":9,"name":"my.e","fields":[["a","u32"]]}
{"type":"subtype","of":"node","code":3,"name":"code","fields":[]}
)";
  EXPECT_EQ(Read(std::string(kDraft) + kLate + "[2,3,3]\n").findings,
            Findings());
  const Answer late = Read(std::string(kDraft) + "[2,3,1]\n" + kLate);
  EXPECT_EQ(late.findings, Findings{"ndjson.type.late 7"});
  EXPECT_EQ(late.counts, std::vector<std::uint64_t>{2});
}

// The reader compares few keys one by one, and many by hash.
TEST(NdjsonReader, NoKeyStandsThereTwice) {
  for (const int count : {2, 30, 31, 32, 33, 1000}) {
    std::string line = R"({"type":"node","identifier":3,"subtype":1)";
    for (int i = 0; i < count; ++i)
      line += ",\"x.k" + std::to_string(i) + "\":1";
    EXPECT_TRUE(Read(std::string(kDraft) + line + "}\n").status.ok()) << count;
    const Status status =
        Read(std::string(kDraft) + line + ",\"x.k1\":77,\"x.k0\":2}\n").status;
    EXPECT_EQ(status.code(), Code::kMalformed) << count;
    EXPECT_EQ(status.message(), "ndjson: the key \"x.k1\" occurs twice");
    EXPECT_EQ(status.where().column, line.size() + 9) << count;
  }
}

TEST(NdjsonReader, SlicesBeginInTheirStrings) {
  const std::string file = std::string(kDraft) + "[2,3,1,10]\n";
  EXPECT_EQ(Read(file + "[2,5,2,4,3,10]\n").findings, Findings());
  EXPECT_EQ(Read(file + "[2,5,2,4,3,12]\n").findings,
            Findings{"ndjson.slice.offset 7"});
  EXPECT_EQ(Read(file + "[2,5,2,4,3,-2]\n").findings,
            Findings{"ndjson.slice.offset 7"});
  // A slice of itself, and of nothing.
  EXPECT_EQ(Read(file + "[2,5,2,4,5,4]\n").findings, Findings());
  EXPECT_EQ(Read(file + "[2,5,2,4,null,4]\n").findings, Findings());
}

// The identifier 1 means nothing unless a node has it.
TEST(NdjsonReader, EdgesToNothingAreOmitted) {
  const std::string edges =
      R"({"type":"type","code":3,"name":"edge","fields":[["source","value"],["dest","value"],["subtype","u32"]]}
{"type":"subtype","of":"edge","code":1,"name":"object property","fields":[]}
)";
  const struct {
    const char* lines;
    std::uint64_t omitted;
  } cases[] = {
      {"[2,3,1]\n[3,3,1,1]\n[3,3,1,1]\n[3,3,3,1]\n", 2},
      {"[2,3,1]\n{\"type\":\"edge\",\"source\":3,\"dest\":1,\"subtype\":1}\n",
       1},
      {"[2,3,1]\n[3,3,null,1]\n[3,3,1,1]\n", 2},
      {"[2,1,1]\n[2,3,1]\n[3,3,1,1]\n", 0},
  };
  for (const auto& test : cases) {
    const Answer answer = Read(kDraft + edges + test.lines);
    EXPECT_TRUE(answer.status.ok()) << answer.status.ToString();
    EXPECT_EQ(answer.edges_omitted, test.omitted) << test.lines;
  }
}

// A scan does not count columns: one of our own files with a column is
// surveyed. The column here has no cells.
TEST(NdjsonReader, ScansCountAsSurveysDo) {
  const std::string declaration =
      R"({"type":"type","code":250,"name":"hg.column","fields":[["table","inline_string"],["count","u32"]]}
)";
  const std::string column = R"({"type":"hg.column","table":"edge","count":0}
)";
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           HEAPGLOT_CORPUS_DIR "/../tests/golden")) {
    if (entry.path().extension() != ".ndjson") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    std::string file{std::istreambuf_iterator<char>(in), {}};
    const std::size_t trailer = file.find(R"({"type":"hg.trailer")");
    const bool is_own = file.find(R"("key":"hg.stream")") < trailer;
    if (!is_own || trailer == std::string::npos) continue;
    file.resize(trailer);
    if (file.find(R"("name":"hg.column")") == std::string::npos)
      file += declaration;
    const NdjsonGraph scanned = ReadNdjson(file);
    EXPECT_TRUE(scanned.status.ok()) << scanned.status.ToString();
    EXPECT_EQ(ReadNdjson(file + column).text, scanned.text) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 100);
}

// The reader notices that heaps are one graph after it has made some findings.
TEST(NdjsonReader, HeapsThatAreOneGraphAreSurveyedOnce) {
  const std::string file =
      R"({"type":"metadata","key":"version_major","value":"1"}
{"type":"type","code":2,"name":"node","fields":[["identifier","id"],["subtype","u32"],["hg.heap","u32"]]}
{"type":"subtype","of":"node","code":1,"name":"object","fields":[]}
{"type":"type","code":3,"name":"edge","fields":[["subtype","u32"],["source","value"],["dest","value"]]}
{"type":"subtype","of":"edge","code":1,"name":"object property","fields":[]}
[2,3,1,0]
[3,1,99,3]
[3,1,3,5]
[2,5,1,1]
)";
  const Answer answer = Read(file);
  EXPECT_TRUE(answer.status.ok()) << answer.status.ToString();
  EXPECT_EQ(answer.findings,
            (Findings{"ndjson.heap.mixed 0", "ndjson.edge.source 7"}));
  EXPECT_EQ(answer.counts, (std::vector<std::uint64_t>{1, 1}));
}

// The first graph has no words. The second one has; their rows are the codes of
// the subtypes.
constexpr char kWordsOfOneGraph[] =
    R"({"type":"metadata","key":"version_major","value":"1"}
{"type":"metadata","key":"hg.stream","value":"1"}
{"type":"metadata","key":"hg.strings","value":"4"}
{"type":"type","code":2,"name":"node","fields":[["identifier","id"],["subtype","u32"]]}
{"type":"subtype","of":"node","code":2,"name":"code","fields":[]}
{"type":"subtype","of":"node","code":1,"name":"object","fields":[]}
{"type":"type","code":3,"name":"edge","fields":[["subtype","u32"],["source","value"],["dest","value"]]}
{"type":"subtype","of":"edge","code":2,"name":"object property","fields":[]}
{"type":"subtype","of":"edge","code":0,"name":"array element","fields":[]}
{"type":"type","code":4,"name":"string","fields":[["id","stringid"],["data","utf8"]]}
{"type":"type","code":10,"name":"hg.graph","fields":[]}
{"type":"type","code":12,"name":"hg.word","fields":[["space","u32"],["name","stringid"],["known","u64"]]}
[4,2,"a"]
[4,4,"b"]
[4,6,"c"]
[10]
[2,3,1]
[3,0,3,3]
[10]
[12,0,2,1]
[12,0,4,2]
[12,0,6,3]
[12,1,2,1]
[12,1,4,2]
[12,1,6,3]
[2,5,1]
[2,7,2]
[3,2,7,5]
)";

// The kinds of all nodes and edges.
std::string KindsOf(const std::string& file) {
  const auto source = ByteSource::FromMemory(file);
  Context context;
  VectorSink chunks;
  const Status status =
      kNdjsonReader.make(*source, context)->Read(ChunkSet::All(), chunks);
  EXPECT_TRUE(status.ok()) << status.ToString();
  std::string kinds;
  const auto add = [&](char table, std::uint32_t count, const auto& column) {
    for (int row = 0; row < static_cast<int>(count); ++row)
      kinds.append(" ").append(1, table).append(
          std::to_string(row < column.size() ? column.Get(row) : 0));
  };
  for (const pb::Chunk& chunk : chunks.chunks()) {
    if (chunk.has_graph()) kinds += " |";
    add('n', chunk.nodes().count(), chunk.nodes().kind());
    add('e', chunk.edges().count(), chunk.edges().kind());
  }
  return kinds;
}

TEST(NdjsonReader, EachGraphGoesByItsOwnWords) {
  const std::string file = kWordsOfOneGraph;
  EXPECT_EQ(KindsOf(file), " | n0 e0 | n1 n2 e2");
  // With the graphs in reverse order.
  const std::size_t first = file.find("[10]");
  const std::size_t second = file.find("[10]", first + 1);
  EXPECT_EQ(KindsOf(file.substr(0, first) + file.substr(second) +
                    file.substr(first, second - first)),
            " | n1 n2 e2 | n0 e0");
}

TEST(NdjsonReader, GraphsThatBecomeOneGoByTheWordsOfTheFirstThatHasSome) {
  const std::string file = std::string(kWordsOfOneGraph) + "[3,2,7,3]\n";
  EXPECT_EQ(KindsOf(file), " | n1 n1 n2 e0 e2 e2");
  EXPECT_EQ(Read(file).findings,
            (Findings{"ndjson.heap.mixed 0", "ndjson.heap.words 0"}));
}

// Equal words of two graphs cause no finding.
TEST(NdjsonReader, GraphsThatBecomeOneAgreeOnTheirWordsOrNot) {
  std::string file = kWordsOfOneGraph;
  const std::string words = "[12,0,2,1]\n[12,0,4,2]\n[12,1,2,1]\n";
  file.insert(file.find("[2,3,1]"), words);
  file += "[3,2,7,3]\n";
  EXPECT_EQ(Read(file).findings, Findings{"ndjson.heap.mixed 0"});
  file.replace(file.find("[12,0,4,2]"), 10, "[12,0,4,3]");
  EXPECT_EQ(Read(file).findings,
            (Findings{"ndjson.heap.mixed 0", "ndjson.heap.words 0"}));
}

TEST(NdjsonReader, ValuesNeedAnOwner) {
  const Answer good = Read(std::string(kOwn) + "[15,0,3,2,10,7]\n" +
                           "[15,0,5,2,10,7]\n[15,5,0,2,10,7]\n" +
                           "[15,4,4,2,10,7]\n[15,4,2,2,10,7]\n");
  EXPECT_EQ(good.findings, Findings());
  EXPECT_EQ(good.values, 5U);
  const Answer bad =
      Read(std::string(kOwn) + "[15,0,5,2,10,7]\n[15,0,3]\n[15,0,7]\n" +
           "[15,1,0]\n[15,2,0]\n[15,3,0]\n[15,4,8]\n[15,5,1]\n[15,6,0]\n");
  // A finding has the place of the first of its kind.
  const Findings expected = {"ndjson.value.order 12", "ndjson.value.owner 13"};
  EXPECT_TRUE(bad.status.ok()) << bad.status.ToString();
  EXPECT_EQ(bad.values, 1U);
  EXPECT_EQ(bad.findings, expected);
}

// The kind of a root, the class of its container, and the frame of its thread.
TEST(NdjsonReader, RowsOfTablesReferToOthers) {
  std::string file = kOwn;
  const std::string types =
      R"({"type":"type","code":21,"name":"hg.root","fields":[["to","value"],["kind","u64"],["container","u64"],["thread","u64"]]}
{"type":"type","code":22,"name":"hg.stack_frame","fields":[["id","u64"],["parent","u64"]]}
{"type":"type","code":23,"name":"hg.stack_thread","fields":[["id","u64"],["top_frame","u64"]]}
)";
  file.insert(file.find("[4,2"), types);
  const std::string frames = "[22,1,0]\n[22,2,1]\n[23,1,2]\n";
  const Answer good = Read(file + frames + "[21,3,0,0,1]\n");
  EXPECT_EQ(good.findings, Findings());
  const Answer bad = Read(file + frames + "[22,3,4]\n[21,3,1,1,2]\n");
  EXPECT_TRUE(bad.status.ok()) << bad.status.ToString();
  EXPECT_EQ(bad.findings, Findings{"ndjson.row.reference 0"});
  EXPECT_EQ(bad.counts, std::vector<std::uint64_t>{4});
}

// Fields and values of nodes in our own files. A file without such mistakes
// takes one scan, any other a second one.
TEST(NdjsonReader, FieldsOfNodesReferToWhatIsThere) {
  std::string file = kOwn;
  file.replace(
      file.find(R"("fields":[]}
)"),
      12,
      R"("fields":[["hg.type","u64"],["hg.name","stringid"],)"
      R"(["hg.text","stringid"],["hg.heap_space","u64"],)"
      R"(["hg.stack_frame","u64"],["hg.form","u32"],)"
      R"(["hg.encoding","u32"],["hg.value","u64"],["hg.flags","u32"]]})");
  const std::string types =
      R"({"type":"type","code":21,"name":"hg.type","fields":[["name","stringid"]]}
{"type":"type","code":22,"name":"hg.word","fields":[["space","u32"],["name","stringid"]]}
{"type":"type","code":23,"name":"hg.stack_frame","fields":[["id","u64"]]}
[21,2]
[22,3,2]
[23,7]
)";
  file.insert(file.find("[4,2"), types);
  struct {
    const char*
        fields;        // hg.type, name, text, space, frame, form, encoding, ...
    const char* code;  // nullptr: nothing is wrong
  } const kCases[] = {
      {"1,2,null,1,1", nullptr},
      {"0,4,2,0,0,9", nullptr},  // the name "", and V_UTF8
      {"0,null,null,0,0,1,2,7", nullptr},
      {"2", "row.reference"},
      {"0,6", "row.reference"},
      {"0,5", "row.reference"},  // odd: the text of a number, not a name
      {"0,2,8,0,0,9", "row.reference"},
      {"0,2,null,2", "row.reference"},
      {"0,2,null,0,2", "row.reference"},
      {"0,2,null,0,0,99,0,7", "value.form"},
      {"0,2,null,0,0,4294967295", "value.form"},
      {"0,2,null,0,0,1,99,7", "value.form"},
      {"0,2,null,0,0,0,99", "value.form"},
      {"0,2,null,0,0,0,0,7", "value.form"},
      {"0,2,2", "value.form"},
      {"0,2,2,0,0,1,0,7", "value.form"},
      {"0,2,2,0,0,9,0,7", "value.form"},
      {"0,2,2,0,0,8", nullptr},  // its string is the last before both nodes
  };
  for (const auto& it : kCases) {
    SCOPED_TRACE(it.fields);
    const Answer answer =
        Read(file + "[2,7,0," + it.fields + "]\n[2,9,0," + it.fields + "]\n");
    EXPECT_TRUE(answer.status.ok()) << answer.status.ToString();
    if (it.code == nullptr) {
      EXPECT_EQ(answer.findings, Findings());
      continue;
    }
    EXPECT_EQ(answer.findings,
              Findings{"ndjson." + std::string(it.code) + " 17"});
    EXPECT_EQ(answer.counts, std::vector<std::uint64_t>{2});
  }
}

// If the string is anywhere else, the same text is not a name.
TEST(NdjsonReader, NamesStandRightBeforeTheirNodes) {
  std::string file = kOwn;
  file.replace(file.find(R"("fields":[]}
)"),
               12, R"("fields":[["hg.text","stringid"],["hg.form","u32"]]})");
  const std::string name = "[2,7,0,2,8]\n";
  const std::string text = "[2,9,0,2,9]\n";
  struct {
    std::string nodes;
    std::vector<std::string> findings;
  } const kCases[] = {
      {name + text, {}},
      {text + "[4,14,\"b\"]\n[2,7,0,14,8]\n", {}},
      {text + "[4,14,\"b\"]\n" + name, {"ndjson.name.order 13"}},
  };
  for (const auto& it : kCases) {
    const Answer answer = Read(file + it.nodes);
    EXPECT_TRUE(answer.status.ok()) << answer.status.ToString();
    EXPECT_EQ(answer.findings, it.findings) << it.nodes;
  }
}

}  // namespace
}  // namespace heapglot
