// Lines of nothing but numbers take a fast path, which must give the same
// results as the other one.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "readers/draft/draft_scan.h"
#include "readers/draft/draft_tally.h"
#include "readers/ndjson/ndjson_form.h"
#include "tests/ndjson/same_with_spaces.h"
#include "tests/ndjson/spaced_lines.h"
#include "tests/sanitized.h"

namespace heapglot::ndjson_numbers {
namespace {

using Random = std::mt19937_64;

constexpr const char* kFieldTypes[] = {"id",  "value", "stringid", "u32",
                                       "i32", "u64",   "i64",      "addr",
                                       "f64", "bool",  "utf8",     "json"};
constexpr const char* kNodeSubtypes[] = {
    "object",   "flat string",         "sliced string",      "array", "closure",
    "oddball",  "function metadata",   "regular expression", "date",  "native",
    "a.hidden", "concatenated string", "heap number"};
constexpr const char* kNodeFields[] = {
    "constructor", "data",  "length",  "source",   "offset",    "metadata",
    "name",        "s1",    "flags",   "address",  "gen.size",  "hg.heap",
    "hg.type",     "hg.id", "hg.form", "hg.value", "gen.other", "timestamp"};

template <typename T, std::size_t kSize>
std::string OneOf(Random& random, const T (&of)[kSize]) {
  return of[random() % kSize];
}

// Random declared fields after `fields`, most of them integers.
std::string Fields(Random& random, std::string fields) {
  for (std::size_t i = random() % 4; i > 0; --i) {
    const std::size_t types =
        random() % 4 == 0 ? std::size(kFieldTypes) : std::size_t{7};
    fields += std::string(fields.empty() ? "" : ",") + R"([")" +
              OneOf(random, kNodeFields) + R"(",")" +
              kFieldTypes[random() % types] + R"("])";
  }
  return R"(,"fields":[)" + fields + "]}\n";
}

std::string Declarations(Random& random) {
  std::string file = R"({"type":"metadata","key":"version_major","value":"1"})"
                     "\n";
  if (random() % 4 == 0) {
    file += R"({"type":"metadata","key":"hg.stream","value":"1"})"
            "\n"
            R"({"type":"metadata","key":"hg.strings","value":"16"})"
            "\n";
  }
  file += R"({"type":"type","code":2,"name":"node")" +
          Fields(random, R"(["identifier","id"],["subtype","u32"])");
  const std::size_t first = random();
  for (std::size_t code = 0; code < 4; ++code) {
    file += R"({"type":"subtype","of":"node","code":)" + std::to_string(code) +
            R"(,"name":")" +
            kNodeSubtypes[(first % 97 + code) % std::size(kNodeSubtypes)] +
            R"(")" + Fields(random, "");
  }
  file += R"({"type":"type","code":3,"name":"edge")" +
          Fields(random, R"(["subtype","u32"],["source","value"],)"
                         R"(["dest","value"],["label","stringid"])");
  for (const char* const subtype :
       {R"(0,"name":"object property")", R"(1,"name":"array element")"})
    file += std::string(R"({"type":"subtype","of":"edge","code":)") + subtype +
            R"(,"fields":[]})"
            "\n";
  return file + R"({"type":"type","code":4,"name":"string","fields":)"
                R"([["id","stringid"],["data","utf8"]]})"
                "\n";
}

// A number in a record, mostly the id of a node or string that exists.
std::string Number(Random& random, bool is_tidy) {
  switch (random() % (is_tidy ? 2000 : 40)) {
    case 0:
      return "-" + std::to_string(random() % 9);
    case 1:
      return "null";
    case 2:
      return "1.5";
    case 3:
      return std::to_string(random());
    case 4:
      return "2147483648";
    case 5:
      return "0" + std::to_string(random() % 9);
    default:
      return std::to_string(random() % 30);
  }
}

std::string RandomFile(Random& random) {
  std::string file = Declarations(random);
  const bool is_tidy = random() % 2 == 0;
  const std::uint64_t step = 2 * (1 + random() % 3);
  std::uint64_t node = 0;
  std::uint64_t string = 0;
  for (std::size_t i = random() % 60; i > 0; --i) {
    const std::uint64_t last = 3 + step * (node == 0 ? 0 : node - 1);
    switch (random() % 8) {
      case 0:
      case 1:
        file += "[2," + std::to_string(3 + step * node++) + "," +
                std::to_string(random() % (is_tidy ? 4 : 5));
        break;
      case 2:
        file += "[4," + std::to_string(2 * string++) + R"(,")" +
                std::to_string(random() % 20) + R"(")";
        break;
      case 3:
        if (is_tidy) continue;
        file += random() % 9 == 0 ? Fields(random, "")
                                  : "[" + Number(random, is_tidy);
        break;
      default:
        file += "[3," + std::to_string(random() % 2) + "," +
                std::to_string(is_tidy ? last : last - random() % 9);
        break;
    }
    for (std::size_t k = random() % (is_tidy ? 3 : 4); k > 0; --k)
      file += "," + Number(random, is_tidy);
    file += "]\n";
  }
  // So that most numbers mean something.
  for (; is_tidy && string < 15; ++string)
    file += "[4," + std::to_string(2 * string) +
            R"(,"x"])"
            "\n";
  for (; is_tidy && node < 15; ++node)
    file += "[2," + std::to_string(3 + step * node) + ",1]\n";
  return file;
}

TEST(NdjsonNumbers, AreReadAsOtherLinesAre) {
  Random random(1);
  ExpectSameWithSpaces(Rounds(20'000), Rounds(2'000),
                       [&] { return RandomFile(random); });
}

// What an index knows about its graph, as text.
std::string Found(const draft::Index& index) {
  const draft::Section& section = index.sections.front();
  std::string text = section.totals.ShortDebugString();
  text += section.grouped ? " grouped" : "";
  for (const draft::FoundType& type : section.types) {
    text += " t" + std::to_string(type.node);
    EXPECT_EQ(index.constructors.at(type.node),
              static_cast<std::size_t>(&type - section.types.data()) + 1);
  }
  for (std::uint64_t node = 0; section.grouped && node < section.node_count;
       ++node)
    text += " " + std::to_string(index.EdgeCount(node));
  return text + (index.edges_are_plain ? " plain" : "");
}

// Whether the first scan of the file suffices. If so, expects a survey to
// confirm the index.
bool NeedsNoSurvey(const std::string& file) {
  const auto source = ByteSource::FromMemory(file);
  const Context none;
  Context scanning;
  draft::Index scanned(ndjson::kForm, none.limits.max_depth);
  scanned.bytes = source->bytes();
  draft::Tally tally(&scanned);
  const bool is_settled =
      draft::Scanner(*source, scanning, &scanned, &tally).Run().ok() &&
      tally.Settle();
  if (!is_settled) return false;
  Context context;
  draft::Index index(ndjson::kForm, none.limits.max_depth);
  EXPECT_TRUE(draft::BuildIndex(*source, context, &index).ok());
  const std::string found = Found(index);
  const std::size_t findings = context.findings().size();
  bool crosses = false;
  EXPECT_TRUE(draft::Survey(*source, context, &index, &crosses).ok());
  EXPECT_EQ(found, Found(index)) << file;
  EXPECT_EQ(context.findings().size(), findings) << file;
  EXPECT_FALSE(crosses);
  return true;
}

TEST(NdjsonNumbers, AreCountedAsTheyAreScanned) {
  Random random(2);
  int count = 0;
  for (int round = 0; round < Rounds(40'000); ++round)
    count += NeedsNoSurvey(RandomFile(random)) ? 1 : 0;
  EXPECT_GT(count, Rounds(1'000));
}

// Files of various programs, and our own files in the goldens.
TEST(NdjsonNumbers, AreCountedSoInFilesOfTheCorpus) {
  namespace fs = std::filesystem;
  int own = 0;
  int foreign = 0;
  for (const char* const folder : {"/ndjson/good", "/../tests/golden"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(
             std::string(HEAPGLOT_CORPUS_DIR) + folder)) {
      if (entry.path().extension() != ".ndjson") continue;
      SCOPED_TRACE(entry.path().string());
      std::ifstream in(entry.path(), std::ios::binary);
      const std::string file{std::istreambuf_iterator<char>(in), {}};
      if (!NeedsNoSurvey(file)) continue;
      const bool is_own = file.find("hg.stream") != std::string::npos;
      ++(is_own ? own : foreign);
    }
  }
  EXPECT_GT(own, 100);
  EXPECT_GT(foreign, 3);
}

constexpr char kForeign[] =
    R"({"type":"metadata","key":"version_major","value":"1"}
{"type":"type","code":2,"name":"node","fields":[["identifier","id"],["subtype","u32"]]}
{"type":"subtype","of":"node","code":0,"name":"native","fields":[]}
{"type":"subtype","of":"node","code":1,"name":"object","fields":[["constructor","value"]]}
{"type":"subtype","of":"node","code":2,"name":"array","fields":[["length","value"]]}
{"type":"subtype","of":"node","code":3,"name":"date","fields":[["timestamp","value"]]}
{"type":"subtype","of":"node","code":4,"name":"closure","fields":[["metadata","value"]]}
{"type":"subtype","of":"node","code":5,"name":"oddball","fields":[["name","stringid"]]}
{"type":"subtype","of":"node","code":6,"name":"a.note","fields":[["a.text","utf8"],["a.size","i32"]]}
{"type":"subtype","of":"node","code":7,"name":"a.sized","fields":[["a.size","u32"]]}
{"type":"type","code":3,"name":"edge","fields":[["subtype","u32"],["source","value"],["dest","value"],["label","stringid"],["a.hits","u32"]]}
{"type":"subtype","of":"edge","code":1,"name":"object property","fields":[]}
{"type":"type","code":4,"name":"string","fields":[["id","stringid"],["data","utf8"]]}
[4,2,"a"]
)";

constexpr char kOwn[] =
    R"({"type":"metadata","key":"version_major","value":"1"}
{"type":"metadata","key":"hg.stream","value":"1"}
{"type":"metadata","key":"hg.strings","value":"2"}
{"type":"type","code":2,"name":"node","fields":[["identifier","id"],["subtype","u32"]]}
{"type":"subtype","of":"node","code":0,"name":"object","fields":[]}
{"type":"type","code":3,"name":"edge","fields":[["subtype","u32"],["source","value"],["dest","value"],["label","stringid"],["hg.dangling","u64"],["hg.number","i64"]]}
{"type":"subtype","of":"edge","code":0,"name":"object property","fields":[]}
{"type":"subtype","of":"edge","code":1,"name":"array element","fields":[]}
{"type":"type","code":4,"name":"string","fields":[["id","stringid"],["data","utf8"]]}
{"type":"type","code":10,"name":"hg.graph","fields":[]}
{"type":"type","code":12,"name":"hg.word","fields":[["space","u32"],["known","u64"],["name_form","u64"],["edge_flags","u64"]]}
[4,2,"a"]
[10]
)";

constexpr char kOwnWithoutKinds[] =
    R"({"type":"metadata","key":"version_major","value":"1"}
{"type":"metadata","key":"hg.stream","value":"1"}
{"type":"type","code":2,"name":"node","fields":[["identifier","id"]]}
{"type":"type","code":3,"name":"edge","fields":[["source","value"],["dest","value"]]}
{"type":"type","code":10,"name":"hg.graph","fields":[]}
{"type":"type","code":12,"name":"hg.word","fields":[["space","u32"],["known","u64"],["name_form","u64"],["edge_flags","u64"]]}
[10]
)";

constexpr char kVersion0[] =
    R"({"type":"metadata","key":"version_major","value":"0"}
)";

TEST(NdjsonNumbers, AreCountedSoUnlessThereIsMoreToTell) {
  const struct {
    const char* file;
    const char* lines;
    bool is_settled;
  } cases[] = {
      // Constructors, which are edges, too.
      {kForeign, "[2,3,1,5]\n[2,5,1,3]\n[2,7,1,5]\n", true},
      {kForeign, "[2,3,1,null]\n[2,5,1,4]\n", true},
      {kForeign, "[2,3,1,5]\n[3,1,3,3,2]\n[2,5,4,3]\n", true},
      {kForeign, "[2,3,1,9]\n", false},
      // An invalid length, and a timestamp that is a node.
      {kForeign, "[2,3,2,4]\n", true},
      {kForeign, "[2,3,2,3]\n", false},
      {kForeign, "[2,3,2,-4]\n", false},
      {kForeign, "[2,3,3,8]\n", true},
      {kForeign, "[2,3,3,3]\n", true},
      // A closure without a function, and an oddball with an unknown name.
      {kForeign, "[2,3,4,3]\n", true},
      {kForeign, "[2,3,4,8]\n", false},
      {kForeign, "[2,3,5,2]\n", false},
      // A text becomes a string.
      {kForeign, "[2,3,6,null,7]\n", true},
      {kForeign, "[2,3,6,\"text\",7]\n", false},
      // An invalid size, and nodes whose ids are not equally spaced.
      {kForeign, "[2,3,6,null,-7]\n", false},
      {kForeign, "[2,3,7,7]\n", true},
      {kForeign, "[2,3,7,-0]\n", false},
      {kForeign, "[2,3,7,-7]\n", false},
      {kForeign, "[2,3,0]\n[2,5,0]\n[2,7,0]\n[3,1,7,3]\n", true},
      {kForeign, "[2,3,0]\n[2,5,0]\n[2,9,0]\n[3,1,9,9]\n", false},
      // Edges to 1, which means nothing unless a node has that id.
      {kForeign, "[2,3,0]\n[3,1,3,1]\n[3,1,3,null]\n[3,1,3]\n[3,1,3,3]\n",
       true},
      {kForeign, "[2,1,0]\n[2,3,0]\n[3,1,3,1]\n[3,1,3,null]\n", true},
      {kForeign, "[3,1,3,1]\n[2,3,0]\n[2,1,0]\n", false},
      {kForeign, "[2,3,0]\n[3,1,3,8]\n[3,1,3,9]\n", false},
      {kForeign, "[2,3,0]\n[3,1,3,8,2]\n[3,1,3,3,4]\n", false},
      {kForeign, "[2,3,0]\n[3,1,3,3,2,5]\n", false},
      {kForeign, "[2,3,0]\n[3,2,3,3]\n", false},
      {kForeign, "[2,3,0]\n[3,null,3,3]\n", false},
      // All numbers may be ids.
      {kVersion0, "{\"type\":\"node\",\"ident\":2,\"subtype\":7}\n", false},
      // Our words may come late. A dangling target is not a node, and a name
      // that is a number is not a string.
      {kOwn,
       "[2,3,0]\n[3,0,3,3]\n[3,1,3,3]\n[3,1,3,null]\n[12,1,3,1,0]\n[12,1,3,1,1]"
       "\n",
       true},
      {kOwnWithoutKinds, "[2,3]\n[3,3,3]\n[12,1,3,1,1]\n", true},
      {kOwn, "[2,3,0]\n[3,0,3,9,2,77]\n[3,0,3,8,2,78]\n", true},
      {kOwn, "[2,3,0]\n[3,1,3,null,20,null,4]\n", true},
      {kOwn, "[2,3,0]\n[3,1,3,null,20]\n", false},
  };
  for (const auto& [file, lines, is_settled] : cases)
    EXPECT_EQ(NeedsNoSurvey(std::string(file) + lines), is_settled) << lines;
}

TEST(NdjsonNumbers, AreCountedSoWithTooManyConstructors) {
  std::string file = kForeign;
  for (std::size_t i = 0; i <= draft::Index::kMaxConstructors; ++i) {
    const std::string id = std::to_string(3 + 2 * i);
    file.append("[2,").append(id).append(",1,").append(id).append("]\n");
  }
  EXPECT_TRUE(NeedsNoSurvey(file));
}

// The target of an edge does not matter if its source is no node: the heaps
// stay separate.
TEST(NdjsonNumbers, AnEdgeFromNowhereJoinsNoHeaps) {
  const std::string file =
      R"({"type":"metadata","key":"version_major","value":"1"}
{"type":"type","code":2,"name":"node","fields":[["identifier","id"],["subtype","u32"],["hg.heap","u32"]]}
{"type":"subtype","of":"node","code":1,"name":"object","fields":[]}
{"type":"type","code":3,"name":"edge","fields":[["subtype","u32"],["source","value"],["dest","value"]]}
{"type":"subtype","of":"edge","code":1,"name":"object property","fields":[]}
[2,3,1,0]
[3,1,99,5]
[2,5,1,1]
)";
  const std::string reading = SpacedLines(LinesToSpace(file), false).Reading();
  EXPECT_EQ(reading.find("heap.mixed"), std::string::npos);
  EXPECT_EQ(SpacedLines(LinesToSpace(file), true).Reading(), reading);
}

}  // namespace
}  // namespace heapglot::ndjson_numbers
