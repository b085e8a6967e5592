// Undeclared subtypes and fields, which every layout keeps.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/draft/draft_json.h"
#include "tests/ndjson/ndjson_graph.h"

namespace heapglot {
namespace {

constexpr char kHead[] =
    R"({"type":"metadata","key":"version_major","value":"1"}
{"type":"type","code":2,"name":"node","fields":[["identifier","id"],["subtype","u32"],["gen.w","u32"]]}
{"type":"subtype","of":"node","code":1,"name":"object","fields":[["constructor","value"]]}
{"type":"type","code":3,"name":"edge","fields":[["gen.v","u32"],["subtype","u32"],["source","value"],["dest","value"],["label","stringid"]]}
{"type":"subtype","of":"edge","code":1,"name":"object property","fields":[]}
{"type":"type","code":4,"name":"string","fields":[["id","stringid"],["data","utf8"]]}
)";
constexpr char kNode[] = "[2,3,1]\n";

// A record, and the same record in both layouts.
struct Case {
  std::string line;
  std::string array;
  std::string object;
};

std::vector<Case> Cases() {
  return {
      // A subtype by number and by name.
      {"[2,5,77,7]", "[2,5,77,7]",
       R"({"type":"node","identifier":5,"subtype":77,"gen.w":7})"},
      {"[2,5,4294967295]", "[2,5,4294967295]",
       R"({"type":"node","identifier":5,"subtype":4294967295})"},
      {R"({"type":"node","identifier":5,"subtype":"own","gen.w":7})",
       R"([2,5,"own",7])",
       R"({"type":"node","identifier":5,"subtype":"own","gen.w":7})"},
      {R"([2,5,"\u006fw\/n"])", R"([2,5,"ow/n"])",
       R"({"type":"node","identifier":5,"subtype":"ow/n"})"},
      {R"([2,5,"\ud800\""])", R"([2,5,"\ud800\""])",
       R"({"type":"node","identifier":5,"subtype":"\ud800\""})"},
      // A number outside the type, and a name that looks like a number.
      {"[2,5,-3]", "[2,5,-3]",
       R"({"type":"node","identifier":5,"subtype":-3})"},
      {R"([2,5,"77"])", R"([2,5,"77"])",
       R"({"type":"node","identifier":5,"subtype":"77"})"},
      // With fields of its own, which have no names in an array.
      {R"([2,5,77,null,"a",{"b":1}])", R"([2,5,77,null,"a",{"b":1}])",
       R"({"type":"node","identifier":5,"subtype":77,"#3":"a","#4":{"b":1}})"},
      {R"({"type":"node","identifier":5,"subtype":77,"a":1})",
       R"({"type":"node","identifier":5,"subtype":77,"a":1})",
       R"({"type":"node","identifier":5,"subtype":77,"a":1})"},
      {R"({"type":"node","identifier":5,"subtype":77,"#4":1})",
       R"({"type":"node","identifier":5,"subtype":77,"#4":1})",
       R"({"type":"node","identifier":5,"subtype":77,"#4":1})"},
      {R"({"type":"node","identifier":5,"subtype":77,"":1})",
       R"({"type":"node","identifier":5,"subtype":77,"":1})",
       R"({"type":"node","identifier":5,"subtype":77,"":1})"},
      // A known subtype has no room for them in an array.
      {R"({"type":"node","identifier":5,"subtype":1,"constructor":3,"a":1})",
       R"({"type":"node","identifier":5,"subtype":"object","constructor":3,"a":1})",
       R"({"type":"node","identifier":5,"subtype":"object","constructor":3,"a":1})"},
      {R"({"type":"node","identifier":5,"subtype":"object","#4":1})",
       R"({"type":"node","identifier":5,"subtype":"object","#4":1})",
       R"({"type":"node","identifier":5,"subtype":"object","#4":1})"},
      // Edges: in the order of their fields, including those that become
      // values.
      {"[3,9,88,3,3]", "[3,9,88,3,3]",
       R"({"type":"edge","gen.v":9,"subtype":88,"source":3,"dest":3})"},
      {"[3,9,88,3,3,44]", "[3,9,88,3,3,44]",
       R"({"type":"edge","gen.v":9,"subtype":88,"source":3,"dest":3,"label":44})"},
      {R"({"type":"edge","subtype":"own","source":3,"label":44,"gen.v":9,"a":1})",
       R"({"type":"edge","gen.v":9,"subtype":"own","source":3,"dest":1,"label":44,"a":1})",
       R"({"type":"edge","gen.v":9,"subtype":"own","source":3,"dest":1,"label":44,"a":1})"},
      // A text in an unusual spelling.
      {R"([2,5,77,null,"\u0061\/\ud800"])", R"([2,5,77,null,"a/\ud800"])",
       R"({"type":"node","identifier":5,"subtype":77,"#3":"a/\ud800"})"},
      {R"({"type":"node","identifier":5,"subtype":77,"a":"\u00e9"})",
       R"({"type":"node","identifier":5,"subtype":77,"a":"é"})",
       R"({"type":"node","identifier":5,"subtype":77,"a":"é"})"},
      {R"([2,5,77,null,["\u0061",2 ]])", R"([2,5,77,null,["\u0061",2 ]])",
       R"({"type":"node","identifier":5,"subtype":77,"#3":["\u0061",2 ]})"},
  };
}

TEST(NdjsonUndeclared, StaysInEveryLayout) {
  for (const Case& test : Cases()) {
    SCOPED_TRACE(test.line);
    const std::string file = std::string(kHead) + kNode + test.line + "\n";
    ExpectSameInAllLayouts(file);
    EXPECT_EQ(ConvertNdjson(file, {}), file);
    for (const bool is_object : {false, true}) {
      const std::string written =
          ConvertNdjson(file, {.layout = is_object ? "object" : "array"});
      const std::string expected = is_object ? test.object : test.array;
      EXPECT_NE(written.find("\n" + expected + "\n"), std::string::npos)
          << written;
    }
    ExpectIdenticalOnTheWayBack(file);
  }
}

// An undeclared subtype distinguishes graphs, but its spelling does not.
TEST(NdjsonUndeclared, IsPartOfTheGraph) {
  const auto text_of = [](const std::string& line) {
    return ReadNdjson(std::string(kHead) + kNode + line + "\n").text;
  };
  EXPECT_EQ(text_of(R"([2,5,"own"])"), text_of(R"([2,5,"\u006fwn"])"));
  EXPECT_NE(text_of(R"([2,5,"own"])"), text_of(R"([2,5,"other"])"));
  EXPECT_NE(text_of("[2,5,77]"), text_of("[2,5,78]"));
  EXPECT_NE(text_of("[3,9,77,3]"), text_of("[3,9,78,3]"));
}

// Text fields and undeclared fields are part of the graph, but the spelling of
// a text is not; other JSON has no usual spelling.
TEST(NdjsonUndeclared, TextsAreTheSameHoweverSpelt) {
  const struct {
    const char* line;
    const char* other;
    bool is_same;
  } kCases[] = {
      {R"([2,5,77,0,"é/"])", R"([2,5,77,0,"\u00E9\/"])", true},
      {R"([2,5,77,0,"é"])", R"([2,5,77,0,"e"])", false},
      {R"({"type":"node","identifier":5,"subtype":1,"a":"\u0061\n"})",
       R"({"type":"node","identifier":5,"subtype":1,"a":"a\u000a"})", true},
      {R"({"type":"node","identifier":5,"subtype":1,"a":"\ud800"})",
       R"({"type":"node","identifier":5,"subtype":1,"a":"\ud801"})", false},
      {R"({"type":"node","identifier":5,"subtype":2,"gen.t":"\u0061"})",
       R"({"type":"node","identifier":5,"subtype":2,"gen.t":"a"})", true},
      {R"({"type":"node","identifier":5,"subtype":2,"gen.j":["\u0061"]})",
       R"({"type":"node","identifier":5,"subtype":2,"gen.j":["a"]})", false},
  };
  constexpr char kTexts[] =
      R"({"type":"subtype","of":"node","code":2,"name":"flat string","fields":[["gen.t","inline_string"],["gen.j","json"]]}
)";
  for (const auto& test : kCases) {
    SCOPED_TRACE(test.line);
    const auto file_with = [&](const char* line) {
      return std::string(kHead) + kTexts + kNode + line + "\n";
    };
    EXPECT_EQ(DigestOf(file_with(test.line)) == DigestOf(file_with(test.other)),
              test.is_same);
    ExpectIdenticalOnTheWayBack(file_with(test.line));
    ExpectIdenticalOnTheWayBack(file_with(test.other));
  }
}

// A file of ASCII has escapes in texts, too: that is its style, not a leftover.
TEST(NdjsonUndeclared, TextsAreAsciiWhereAllIs) {
  std::string json;
  draft::AppendAsAscii("\"a\\n\xC3\xA9\xF0\x9F\x98\x80\xFF\"", &json);
  EXPECT_EQ(json, "\"a\\n\\u00e9\\ud83d\\ude00\xFF\"");
  const std::string file =
      std::string(kHead) + kNode +
      R"({"type":"node","identifier":5,"subtype":77,"a":"\u00e9"})"
      "\n";
  EXPECT_EQ(ConvertNdjson(file, {}), file);
}

// The declaration of a subtype may come after records with its code or name.
TEST(NdjsonUndeclared, MayBeDeclaredLater) {
  const std::string file = std::string(kHead) + kNode +
                           R"([2,5,7]
{"type":"node","identifier":7,"subtype":"own","gen.w":1}
{"type":"subtype","of":"node","code":7,"name":"own","fields":[["a","u32"]]}
[2,9,7,1,2]
{"type":"node","identifier":11,"subtype":"own","a":1}
)";
  for (const char* const layout : {"array", "object"}) {
    const std::string written = ConvertNdjson(file, {.layout = layout});
    EXPECT_EQ(ReadNdjson(written).text, ReadNdjson(file).text) << written;
  }
}

// Reordered edges lose their values, as the report says, so that the subtype is
// unknown.
TEST(NdjsonUndeclared, IsNotKnownIfItsValueIsLost) {
  const std::string file =
      std::string(kHead) + "[2,3,1]\n[2,5,1]\n[3,9,88,5,3]\n[3,9,88,3,5]\n";
  ExpectSameInAllLayouts(file);
  const std::string written =
      ConvertNdjson(file, {.unreachable = Unreachable::kRoot});
  EXPECT_NE(written.find(R"("of":"edge","code":1,"name":"hg.unknown")"),
            std::string::npos)
      << written;
  EXPECT_NE(written.find("\n[3,1,3,5"), std::string::npos) << written;
}

// Strings have no place for further fields, declared or not.
TEST(NdjsonUndeclared, FieldsOfStringsAreTold) {
  const struct {
    const char* string;
    std::uint64_t told;
  } cases[] = {
      {R"([4,2,"a"])", 0},
      {R"([4,2,"a",null])", 0},
      {R"({"type":"string","id":2,"data":"a","gen.n":null})", 0},
      {R"([4,2,"a",7])", 1},
      {R"({"type":"string","id":2,"data":"a","gen.n":7})", 1},
      {R"({"type":"string","id":2,"data":"a","other":7})", 1},
  };
  for (const auto& [string, told] : cases) {
    std::string file = kHead;
    const std::string fields = R"(["data","utf8"])";
    file.insert(file.find(fields) + fields.size(), R"(,["gen.n","u32"])");
    file.append(string).append("\n").append(kNode);
    const auto source = ByteSource::FromMemory(file);
    std::string written;
    const auto sink = ByteSink::ToString(&written);
    Context context;
    const Status status = Convert(*source, *sink,
                                  {.from = FindReader("ndjson"),
                                   .to = FindWriter("heapsnapshot"),
                                   .embed = false},
                                  context);
    ASSERT_TRUE(status.ok()) << status.ToString();
    std::uint64_t lost = 0;
    for (const LossReport::Item& item : context.loss.items())
      if (item.code == "ndjson.string.field") lost += item.count;
    EXPECT_EQ(lost, told) << string;
  }
}

// Files without declarations of types that the draft describes, and our own
// files.
TEST(NdjsonUndeclared, StaysWhereNothingIsDeclared) {
  ExpectSameInAllLayouts(
      R"({"type":"metadata","key":"version_major","value":"1"}
{"type":"node","identifier":3,"subtype":"object"}
{"type":"node","identifier":5,"subtype":"own","a":1}
{"type":"node","identifier":7,"subtype":77}
{"type":"edge","subtype":"own","source":3,"dest":5}
)");
  ExpectSameInAllLayouts(
      R"({"type":"metadata","key":"version_major","value":"0"}
{"type":"node","ident":2,"subtype":6}
{"type":"node","ident":4,"subtype":77,"a":1}
)");
  for (const int code : {0, 1}) {
    ExpectSameInAllLayouts(
        R"({"type":"metadata","key":"version_major","value":"1"}
{"type":"metadata","key":"hg.stream","value":"1"}
{"type":"metadata","key":"hg.strings","value":"2"}
{"type":"type","code":2,"name":"node","fields":[["identifier","id"],["subtype","u32"]]}
{"type":"subtype","of":"node","code":)" +
        std::to_string(code) +
        R"(,"name":"object","fields":[]}
{"type":"type","code":4,"name":"string","fields":[["id","stringid"],["data","utf8"]]}
{"type":"type","code":8,"name":"hg.word","fields":[["space","u32"],["name","stringid"],["known","u32"]]}
[4,2,"key"]
[8,0,2,4]
[8,0,2,3]
[2,3,1]
[2,5,0]
[2,7,77]
)");
  }
}

}  // namespace
}  // namespace heapglot
