// Lines that are nothing but numbers are read in a way of their own: the answers
// are those of the other one.
#include <gtest/gtest.h>

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

// Of declared fields, most of which are integers.
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

// Mostly of a node or string that is there.
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

// What is found out about the graph of an index.
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

// Whether the first scan of the file was enough, which the survey then confirms.
bool NeedsNoSurvey(const std::string& file) {
  const auto source = ByteSource::FromMemory(file);
  Context context;
  draft::Index index(ndjson::kForm, context.limits.max_depth);
  index.bytes = source->bytes();
  draft::Tally tally(&index);
  const bool settled =
      draft::Scanner(*source, context, &index, &tally).Run().ok() &&
      tally.Settle();
  if (!settled) return false;
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

// Where an edge leads that comes from no node does not matter: the heaps stay
// apart.
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
