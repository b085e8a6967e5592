// Snapshots that return to their own format.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "core/canonical/canonical_reader.h"
#include "heapglot/bytes.h"
#include "heapglot/convert.h"
#include "heapglot/format.h"
#include "tests/checked_passes.h"
#include "tests/collect_sink.h"
#include "tests/core/text_stream.h"
#include "tests/heapir/heapir_file.h"
#include "writers/heapsnapshot/heapsnapshot_profile.h"
#include "writers/heapsnapshot/heapsnapshot_writer.h"

namespace heapglot {
namespace {

namespace fs = std::filesystem;

struct Written {
  Status status;
  std::string json;
};

Written WriteNative(Reader& reader, const std::string& profile,
                    Context& context) {
  Written written;
  const auto sink = ByteSink::ToString(&written.json);
  const auto writer = kHeapsnapshotWriter.make(
      *sink, {.native = true, .profile = profile}, context);
  written.status = CheckedPasses(reader, *writer);
  return written;
}

Written RoundTrip(const ByteSource& source, const std::string& profile) {
  Context context;
  const auto reader = FindReader("heapsnapshot")->make(source, context);
  return WriteNative(*reader, profile, context);
}

// Whether a file is odd in one place only, and not throughout.
bool IsOneOff(const fs::path& path) {
  const std::string name = path.filename().string();
  return name == "keys-escaped.heapsnapshot" ||
         name == "numbers-odd.heapsnapshot" ||
         name == "trailing-zeros.heapsnapshot";
}

TEST(HeapsnapshotNative, CorpusComesBackByProfileAlone) {
  const fs::path corpus = fs::path(HEAPGLOT_CORPUS_DIR) / "heapsnapshot/good";
  int files = 0;
  for (const fs::directory_entry& file : fs::directory_iterator(corpus)) {
    const auto source = ByteSource::Open(file.path().string(), Limits());
    ASSERT_TRUE(source.ok()) << source.status().ToString();
    const std::string_view bytes = (*source)->bytes();
    const std::string profile = kHeapsnapshotWriter.profile(**source);
    EXPECT_NE(profile, "") << file.path();
    const Written written = RoundTrip(**source, profile);
    ASSERT_TRUE(written.status.ok()) << written.status.ToString();
    if (IsOneOff(file.path())) continue;
    EXPECT_TRUE(written.json == bytes)
        << file.path() << "\n"
        << profile
        << (bytes.size() < 4096 ? "\n" + written.json : std::string());
    ++files;
  }
  EXPECT_GT(files, 20);
}

// A sink that accepts output ahead of its place, too.
class SideBySideSink : public ByteSink {
 public:
  Status Write(std::string_view bytes) override { return text_->Write(bytes); }
  Status Close() override { return {}; }
  std::uint64_t position() const override { return text_->position(); }
  ByteSink* Ahead() override { return part_.get(); }
  Status TakeAhead() override {
    ++parts_;
    return Write(part);
  }
  int parts() const { return parts_; }

  std::string text, part;

 private:
  const std::unique_ptr<ByteSink> text_ = ByteSink::ToString(&text);
  const std::unique_ptr<ByteSink> part_ = ByteSink::ToString(&part);
  int parts_ = 0;
};

// Counts the passes of a reader that want nodes, edges, or both.
class RowPassCounter : public Reader {
 public:
  explicit RowPassCounter(Reader& upstream) : upstream_(upstream) {}
  Status Read(ChunkSet wanted, ChunkSink& out) override {
    passes_ +=
        wanted.Has(pb::Chunk::kNodes) || wanted.Has(pb::Chunk::kEdges) ? 1 : 0;
    return upstream_.Read(wanted, out);
  }
  int passes() const { return passes_; }

 private:
  Reader& upstream_;
  int passes_ = 0;
};

TEST(HeapsnapshotNative, CorpusIsTheSameSideBySide) {
  const fs::path corpus = fs::path(HEAPGLOT_CORPUS_DIR) / "heapsnapshot/good";
  int parts = 0;
  for (const fs::directory_entry& file : fs::directory_iterator(corpus)) {
    const auto source = ByteSource::Open(file.path().string(), Limits());
    ASSERT_TRUE(source.ok()) << source.status().ToString();
    const std::string profile = kHeapsnapshotWriter.profile(**source);
    Context context;
    const auto reader = FindReader("heapsnapshot")->make(**source, context);
    RowPassCounter counter(*reader);
    SideBySideSink sink;
    const auto writer = kHeapsnapshotWriter.make(
        sink, {.native = true, .profile = profile}, context);
    ASSERT_TRUE(CheckedPasses(counter, *writer).ok()) << file.path();
    EXPECT_TRUE(sink.text == RoundTrip(**source, profile).json) << file.path();
    EXPECT_LE(counter.passes(), sink.parts() > 0 ? 1 : 2) << file.path();
    parts += sink.parts();
  }
  EXPECT_GT(parts, 20);
}

TEST(HeapsnapshotNative, ProfilesComeBack) {
  using heapsnapshot::FormatProfile;
  using heapsnapshot::ParseProfile;
  for (const std::string profile :
       {"1;A=;S=,,,,;N=n,,,,,,,n,,n,,;Z=;Q=Ubfnrt",
        "1;M;A=s;S=,s,s,n,;J=n4,,,,;X=,,,,n2,,ns3,,rn,t,,;Z=n;Q=R",
        "1;A=;Z=;Q=UD/b"}) {
    const auto layout = ParseProfile(profile);
    ASSERT_TRUE(layout.has_value()) << profile;
    EXPECT_EQ(FormatProfile(*layout), profile);
  }
  // Invalid profiles, which a file may contain.
  for (const std::string profile :
       {"", "2;A=", "1;A=q", "1;N=,", "1;?=", "1;N", "1;A=s257",
        "1;A=s99s99s99", "1;A=n18446744073709551616", "1;S=,,,,,", "1;Q=x",
        "1;S=,,,,;S=,,,,", "1;N=,,,,,,,,,,,;J=,,,,;N=,,,,,,,,,,,"}) {
    EXPECT_FALSE(ParseProfile(profile).has_value() &&
                 !ParseProfile(profile)->members.empty())
        << profile;
  }
  EXPECT_FALSE(ParseProfile("1;" + std::string(9000, ';')).has_value());
}

// A handmade stream like those of the reader.
std::string Stream(const std::string& graph, const std::string& extra) {
  return "header { format: 'heapsnapshot' }\n"
         "graph { id_space: OPAQUE edges_grouped: true root_ref: 1 " +
         graph +
         " }\n"
         "strings { first: 1 data: 'objectproperty' length: [6, 8] names: true "
         "}\n"
         "vocabulary { space: NODE_KIND name: [1] known: [4] }\n"
         "vocabulary { space: EDGE_KIND name: [2] known: [3] name_form: [1] "
         "}\n" +
         extra +
         "nodes { first: 0 count: 2 id: [1, 3] name: [3, 0] edge_count: [1, 0] "
         "}\n"
         "edges { first: 0 count: 1 first_node: 0 edges_per_node: [1, 0] kind: "
         "[0] name: [4] to: [1] }\n"
         "strings { first: 3 data: 'ab' length: [1, 1] }\n"
         "graph_end { nodes: 2 edges: 1 }\n"
         "footer { graphs: 1 strings: 5 }\n";
}

constexpr char kSchema[] =
    "node_schema { name: 'type' type: 'enum' } "
    "node_schema { name: 'name' type: 'string' } "
    "node_schema { name: 'id' type: 'number' } "
    "node_schema { name: 'edge_count' type: 'number' } "
    "edge_schema { name: 'type' type: 'enum' } "
    "edge_schema { name: 'name_or_index' type: 'string_or_number' } "
    "edge_schema { name: 'to_node' type: 'node' }";

constexpr char kMeta[] =
    R"({"meta":{"node_fields":["type","name","id","edge_count"],)"
    R"("node_types":[["object"],"string","number","number"],)"
    R"("edge_fields":["type","name_or_index","to_node"],)"
    R"("edge_types":[["property"],"string_or_number","node"]},"node_count":7})";

Written WriteStream(const std::string& text) {
  VectorReader reader(ParseStream(text));
  Context context;
  return WriteNative(reader, "", context);
}

std::string SnapshotExtra(const std::string& data) {
  return "extra { format: 'heapsnapshot' section: 'heapsnapshot.snapshot' "
         "data: '" +
         data + "' }\n";
}

// Strings that the stream uses as names come after its other strings.
constexpr char kTables[] =
    ",\n\"nodes\":[0,0,1,1\n,0,2,3,0\n],\n\"edges\":[0,1,4\n],\n"
    "\"trace_function_infos\":[],\n\"trace_tree\":[],\n\"samples\":[],\n"
    "\"strings\":[\"a\",\n\"b\",\n\"\",\n\"object\",\n\"property\"]}";

std::unique_ptr<ByteSource> OpenGood(const std::string& name) {
  Result<std::unique_ptr<ByteSource>> source = ByteSource::Open(
      (fs::path(HEAPGLOT_CORPUS_DIR) / "heapsnapshot/good" / name).string(),
      Limits());
  EXPECT_TRUE(source.ok()) << source.status().ToString();
  return source.ok() ? *std::move(source) : nullptr;
}

std::string WithoutSpace(std::string json) {
  std::erase_if(json, [](char byte) { return byte == '\n' || byte == ' '; });
  return json;
}

// The text from `key` to the end of the array.
std::string ArrayOf(const std::string& json, const std::string& key) {
  const std::size_t begin = json.find('"' + key + "\":[");
  if (begin == std::string::npos) return "none";
  return json.substr(begin, json.find(']', begin) + 1 - begin);
}

// Dropping nodes changes the offsets of all scripts and objects.
TEST(HeapsnapshotNative, TablesFollowTheNodes) {
  const auto source = OpenGood("scopes-unreachable.heapsnapshot");
  std::string json;
  const auto sink = ByteSink::ToString(&json);
  Context context;
  ASSERT_TRUE(
      Convert(*source, *sink,
              {.to = &kHeapsnapshotWriter, .unreachable = Unreachable::kDrop},
              context)
          .ok());
  const auto expected = OpenGood("chromium156-scopes.heapsnapshot");
  const std::string tables = WithoutSpace(std::string(expected->bytes()));
  json = WithoutSpace(json);
  for (const char* const key : {"nodes", "edges", "locations", "scopes",
                                "scope_context_vars", "scope_uses"})
    EXPECT_EQ(ArrayOf(json, key), ArrayOf(tables, key));
}

// DevTools expects the tables in V8's order, and needs those that meta
// describes. The canonical form has tables and strings in an order of its own.
TEST(HeapsnapshotNative, TablesComeFromTheCanonicalFormInV8sOrder) {
  const auto source = OpenGood("scopes-odd.heapsnapshot");
  Context context;
  const auto reader = FindReader("heapsnapshot")->make(*source, context);
  const auto canonical = MakeCanonicalReader(*reader, context);
  const Written written = WriteNative(*canonical, "", context);
  ASSERT_TRUE(written.status.ok()) << written.status.ToString();
  const std::string json = WithoutSpace(written.json);
  EXPECT_EQ(ArrayOf(json, "locations"),
            R"("locations":[14,7,-1,0,9,3,21,7,21,0,0,0])");
  EXPECT_EQ(ArrayOf(json, "scopes"),
            R"("scopes":[21,-2,0,2,0,21,8,0,1,0,8,9,0,0,0,-1,10,0,0,0])");
  EXPECT_EQ(ArrayOf(json, "scope_uses"), R"("scope_uses":[])");
  EXPECT_EQ(ArrayOf(json, "marks"), R"("marks":[5,7,0,0])");
  std::size_t at = 0;
  for (const char* const key : {"locations", "scopes", "scope_context_vars",
                                "scope_uses", "marks", "strings"}) {
    const std::size_t next = json.find('"' + std::string(key) + "\":[");
    EXPECT_GT(next, at) << key;
    at = next;
  }
  // Indices of strings are compared by text; an index of no string, as a
  // number.
  std::vector<std::string> strings;
  std::istringstream texts(ArrayOf(json, "strings").substr(11));
  for (std::string text; std::getline(texts, text, ',');)
    strings.push_back(text);
  std::vector<std::string> names;
  std::istringstream numbers(ArrayOf(json, "scope_context_vars").substr(22));
  for (std::string number; std::getline(numbers, number, ',');) {
    const auto index = static_cast<std::size_t>(std::stoi(number));
    names.push_back(index < strings.size() ? strings[index] : number);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"\"x\"", "\"\"", "99]"}));
}

// The snapshot written for a stream in text form, without spaces.
std::string JsonOf(const std::string& stream) {
  VectorReader reader(ParseStream(stream));
  Context context;
  const Written written = WriteNative(reader, "", context);
  EXPECT_TRUE(written.status.ok()) << written.status.ToString();
  return WithoutSpace(written.json);
}

// The writer takes as many passes as needed, for tables and for other JSON.
TEST(HeapsnapshotNative, SectionsComeInTheirOrderWhateverTheStreams) {
  const std::string json = JsonOf(R"(
header { format: "heapsnapshot" }
graph { edges_grouped: true node_schema { name: "type" } node_schema { name: "name" } node_schema { name: "id" } node_schema { name: "edge_count" } edge_schema { name: "type" } edge_schema { name: "name_or_index" } edge_schema { name: "to_node" } }
extra { format: "heapsnapshot" section: "heapsnapshot.section" data: "\"b\":true" }
extra { format: "heapsnapshot" section: "heapsnapshot.section" data: "\"trace_tree\":{}" }
extra { format: "heapsnapshot" section: "heapsnapshot.section" data: "\"trace_function_infos\":{}" }
extra_table { name: "a" count: 1 column { name: "value" ints: 1 } }
extra_table { name: "locations" count: 1 column { name: "value" ints: 2 } }
extra_table { name: "samples" count: 1 column { name: "value" ints: 3 } }
extra_table { name: "scope_uses" count: 1 column { name: "value" ints: 4 } }
extra_table { name: "scopes" count: 1 column { name: "value" ints: 5 } }
graph_end { }
footer { graphs: 1 strings: 1 }
)");
  EXPECT_EQ(json.substr(json.find("\"trace_function_infos")),
            R"("trace_function_infos":{},"trace_tree":{},"samples":[3],)"
            R"("locations":[2],"scopes":[5],"scope_uses":[4],"a":[1],)"
            R"("b":true,"strings":[]})");
}

// `count` tables `x` and as much JSON `j`, in turn, or all tables first.
std::string StreamOfSections(int count, bool in_turn) {
  std::string tables;
  std::string rest;
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    tables += "extra_table { name: 'x" + number +
              "' count: 1 column { name: 'value' ints: " + number + " } }\n";
    (in_turn ? tables : rest) +=
        "extra { format: 'heapsnapshot' section: 'heapsnapshot.section' "
        "data: '\"j" +
        number + "\":true' }\n";
  }
  return Stream(kSchema, tables + rest);
}

constexpr char kArray[] = "=,,,,,,,,,,,";

// The layout of a file with `count` tables and JSON sections in turn.
std::string ProfileOfSections(int count) {
  std::string profile = std::string("1;S=,,,,;N") + kArray + ";E" + kArray;
  for (int i = 0; i < count; ++i)
    profile += std::string(";X") + kArray + ";J=,,,,";
  return profile + ";G" + kArray;
}

// Counts passes.
class PassCounter : public Reader {
 public:
  explicit PassCounter(const std::string& stream)
      : reader_(ParseStream(stream)) {}
  Status Read(ChunkSet wanted, ChunkSink& out) override {
    ++passes_;
    return reader_.Read(wanted, out);
  }
  int passes() const { return passes_; }

 private:
  VectorReader reader_;
  int passes_ = 0;
};

TEST(HeapsnapshotNative, TablesAndJsonInTurnTakeOnePass) {
  int passes[2];
  for (const int count : {1, 100}) {
    PassCounter reader(StreamOfSections(count, true));
    Context context;
    const Written written =
        WriteNative(reader, ProfileOfSections(count), context);
    ASSERT_TRUE(written.status.ok()) << written.status.ToString();
    EXPECT_NE(written.json.find(R"("x0":[0],"j0":true,)"), std::string::npos)
        << written.json;
    passes[count == 1 ? 0 : 1] = reader.passes();
  }
  EXPECT_EQ(passes[0], passes[1]);
}

// A table whose name is the key of a JSON section.
TEST(HeapsnapshotNative, ATableIsNotTakenForJson) {
  const std::string extra =
      R"(extra { format: 'heapsnapshot' section: 'heapsnapshot.section' data: '"a":true' })"
      "\n"
      R"(extra_table { name: '"a":' count: 1 column { name: 'value' ints: 7 } })"
      "\n";
  VectorReader reader(ParseStream(Stream(kSchema, extra)));
  Context context;
  const std::string profile = std::string("1;S=,,,,;N") + kArray + ";E" +
                              kArray + ";J=,,,,;X" + kArray + ";G" + kArray;
  const Written written = WriteNative(reader, profile, context);
  ASSERT_TRUE(written.status.ok()) << written.status.ToString();
  EXPECT_NE(written.json.find(R"("a":true,"\"a\":":[7])"), std::string::npos)
      << written.json;
}

TEST(HeapsnapshotNative, RefusesWhatWouldTakeManyPasses) {
  for (const auto& [count, code] :
       {std::pair(16, Code::kOk), std::pair(17, Code::kLimit)}) {
    VectorReader reader(ParseStream(StreamOfSections(count, false)));
    Context context;
    EXPECT_EQ(
        WriteNative(reader, ProfileOfSections(count), context).status.code(),
        code);
  }
}

TEST(HeapsnapshotNative, RefusesMoreSectionsThanASnapshotHas) {
  EXPECT_TRUE(WriteStream(StreamOfSections(128, true)).status.ok());
  EXPECT_EQ(WriteStream(StreamOfSections(129, true)).status.code(),
            Code::kLimit);
  for (const auto& [size, code] :
       {std::pair(64 << 10, Code::kOk), std::pair(65 << 10, Code::kLimit)}) {
    EXPECT_EQ(WriteStream(Stream(kSchema, "extra_table { name: '" +
                                              std::string(size, 'n') + "' }\n"))
                  .status.code(),
              code);
  }
  // Without a schema they are not written, and the limit does not apply.
  std::string foreign = StreamOfSections(129, true);
  foreign.erase(foreign.find(kSchema), std::string(kSchema).size());
  EXPECT_TRUE(WriteStream(foreign).status.ok());
}

// Older streams have plain numbers.
TEST(HeapsnapshotNative, ReferencesThatAreNumbersStayNumbers) {
  const std::string json = JsonOf(R"(
header { format: "heapsnapshot" }
graph { edges_grouped: true node_schema { name: "type" } node_schema { name: "name" } node_schema { name: "id" } node_schema { name: "edge_count" } node_schema { name: "hint" type: "string" } edge_schema { name: "type" } edge_schema { name: "name_or_index" } edge_schema { name: "to_node" } location_schema { name: "object_index" } location_schema { name: "script_object_index" } }
nodes { count: 1 extra { name: "hint" type: "string" ints: 1 } }
locations { count: 1 to: 0 extra { name: "script_object_index" ints: 5 } }
extra_table { name: "scopes" count: 1 column { name: "script_node_index" ints: 5 } }
graph_end { nodes: 1 locations: 1 }
footer { graphs: 1 strings: 1 }
)");
  EXPECT_EQ(ArrayOf(json, "nodes"), R"("nodes":[0,0,1,0,1])");
  EXPECT_EQ(ArrayOf(json, "locations"), R"("locations":[0,5])");
  EXPECT_EQ(ArrayOf(json, "scopes"), R"("scopes":[5])");
}

TEST(HeapsnapshotNative, MakesTheSnapshotObjectIfThereIsNone) {
  const Written written = WriteStream(Stream(kSchema, ""));
  ASSERT_TRUE(written.status.ok()) << written.status.ToString();
  EXPECT_EQ(written.json,
            R"({"snapshot":{"meta":{)"
            R"("node_fields":["type","name","id","edge_count"],)"
            R"("node_types":[["object"],"string","number","number"],)"
            R"("edge_fields":["type","name_or_index","to_node"],)"
            R"("edge_types":[["property"],"string_or_number","node"]},)"
            R"("node_count":2,"edge_count":1,"trace_function_count":0})" +
                std::string(kTables));
}

TEST(HeapsnapshotNative, PutsCountsRightThatNobodyStates) {
  const Written changed = WriteStream(Stream(kSchema, SnapshotExtra(kMeta)));
  ASSERT_TRUE(changed.status.ok()) << changed.status.ToString();
  std::string meta = kMeta;
  meta.replace(meta.find(":7}") + 1, 1, "2");
  EXPECT_EQ(changed.json, "{\"snapshot\":" + meta + kTables);

  const Written stated = WriteStream(
      Stream(std::string("node_count: 7 ") + kSchema, SnapshotExtra(kMeta)));
  ASSERT_TRUE(stated.status.ok()) << stated.status.ToString();
  EXPECT_EQ(stated.json, "{\"snapshot\":" + std::string(kMeta) + kTables);
}

TEST(HeapsnapshotNative, RefusesWhatWouldBreakTheFile) {
  for (const std::string& kept :
       {std::string("}"), std::string("{}"), std::string("[]"),
        kMeta + std::string("}"),
        std::string(kMeta).replace(std::string(kMeta).find("\"id\""), 4,
                                   "\"x\"")}) {
    EXPECT_EQ(WriteStream(Stream(kSchema, SnapshotExtra(kept))).status.code(),
              Code::kMalformed)
        << kept;
  }
  for (const char* const kept : {"", "x", "\"a\"", "\"a\":", "\"a\":1}",
                                 "\"a\":1,\"b\":2", "\"a\":[", "\"a\":1 2"}) {
    const std::string extra =
        "extra { format: 'heapsnapshot' section: 'heapsnapshot.section' data: "
        "'" +
        std::string(kept) + "' }\n";
    EXPECT_EQ(WriteStream(Stream(kSchema, extra)).status.code(),
              Code::kMalformed)
        << kept;
  }
}

TEST(HeapsnapshotNative, FallsBackWithoutASchema) {
  const Written written = WriteStream(Stream("", ""));
  ASSERT_TRUE(written.status.ok()) << written.status.ToString();
  EXPECT_NE(written.json.find("(GC roots)"), std::string::npos);

  // The report says what that loses.
  for (const auto& [schema, loss_class] :
       {std::pair(kSchema, LossClass::kExact),
        std::pair("", LossClass::kDropped)}) {
    const std::string file =
        testing::WriteFile(ParseStream(Stream(schema, SnapshotExtra(kMeta))));
    std::string json;
    const auto sink = ByteSink::ToString(&json);
    Context context;
    const Status status = Convert(
        *ByteSource::FromMemory(file, "file"), *sink,
        {.from = FindReader("heapir"), .to = &kHeapsnapshotWriter}, context);
    ASSERT_TRUE(status.ok()) << status.ToString();
    const auto& items = context.loss.items();
    const auto extra = std::find_if(
        items.begin(), items.end(),
        [](const auto& item) { return item.code == "heapsnapshot.extra"; });
    ASSERT_NE(extra, items.end()) << json;
    EXPECT_EQ(extra->loss_class, loss_class);
  }
}

}  // namespace
}  // namespace heapglot
