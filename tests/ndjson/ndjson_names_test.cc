// Names of types, subtypes and fields, in any JSON spelling.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/draft/draft_json.h"
#include "core/draft/draft_lines.h"
#include "core/roundtrip/round_trip.h"
#include "core/text/utf.h"
#include "heapglot/convert.h"
#include "readers/ndjson/ndjson_reader.h"
#include "tests/ndjson/ndjson_graph.h"
#include "tests/sanitized.h"
#include "writers/ndjson/ndjson_writer.h"

namespace heapglot {
namespace {

using std::string_literals::operator""s;

constexpr std::string_view kHalf = "\xED\xA0\xBD";       // \ud83d
constexpr std::string_view kOtherHalf = "\xED\xB8\x80";  // \ude00

// A name in a file, and what it means.
struct Case {
  const char* title;
  std::string spelt;
  std::string name;
  std::string written;        // by heapglot
  std::string written_ascii;  // the same, in a file of ASCII
};

std::vector<Case> Cases() {
  return {
      {"plain", "x.name", "x.name", "x.name", "x.name"},
      {"needless", R"(\u0078.n\u0061me)", "x.name", "x.name", "x.name"},
      {"slash", R"(a\/b)", "a/b", "a/b", "a/b"},
      {"raw", "obj\xC3\xA9t", "obj\xC3\xA9t", "obj\xC3\xA9t", R"(obj\u00e9t)"},
      {"escaped", R"(obj\u00E9t)", "obj\xC3\xA9t", "obj\xC3\xA9t",
       R"(obj\u00e9t)"},
      {"quote", R"(a\"b)", "a\"b", R"(a\"b)", R"(a\"b)"},
      {"backslash", R"(a\\u0062)", "a\\u0062", R"(a\\u0062)", R"(a\\u0062)"},
      {"control", R"(\u0000\b\f\n\r\t\u001f)", "\0\b\f\n\r\t\x1f"s,
       R"(\u0000\b\f\n\r\t\u001f)", R"(\u0000\b\f\n\r\t\u001f)"},
      {"pair", R"(\uD83D\uDE00)", "\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80",
       R"(\ud83d\ude00)"},
      // Not valid Unicode, which only escapes can express.
      {"half", R"(\ud83d.x)", std::string(kHalf) + ".x", R"(\ud83d.x)",
       R"(\ud83d.x)"},
      {"halves", R"(\ude00\ud83d)",
       std::string(kOtherHalf) + std::string(kHalf), R"(\ude00\ud83d)",
       R"(\ude00\ud83d)"},
      {"half, raw", std::string(kHalf) + "x", std::string(kHalf) + "x",
       R"(\ud83dx)", R"(\ud83dx)"},
      // Not text, and no text in the source either.
      {"bytes", "\xFF\xC3(\\\"", "\xFF\xC3(\"", "\xFF\xC3(\\\"",
       "\xFF\xC3(\\\""},
      {"halves, raw", std::string(kHalf) + std::string(kOtherHalf),
       std::string(kHalf) + std::string(kOtherHalf),
       std::string(kHalf) + std::string(kOtherHalf),
       std::string(kHalf) + std::string(kOtherHalf)},
      {"halves, one raw", std::string(kHalf) + R"(\ude00)",
       std::string(kHalf) + std::string(kOtherHalf),
       std::string(kHalf) + std::string(kOtherHalf),
       std::string(kHalf) + std::string(kOtherHalf)},
  };
}

draft::Token TokenOf(const std::string& quoted) {
  draft::JsonCursor in(quoted, 1);
  draft::Token token;
  EXPECT_TRUE(in.Value(&token)) << quoted;
  return token;
}

TEST(NdjsonNames, AreDecodedAndSpelt) {
  for (const Case& test : Cases()) {
    SCOPED_TRACE(test.title);
    const std::string quoted = '"' + test.spelt + '"';
    EXPECT_EQ(draft::Decode(TokenOf(quoted)), test.name);
    for (const bool ascii : {false, true}) {
      std::string written;
      draft::AppendName(test.name, ascii, &written);
      EXPECT_EQ(written, ascii ? test.written_ascii : test.written);
      const std::string again = '"' + written + '"';
      EXPECT_EQ(draft::Decode(TokenOf(again)), test.name);
    }
    const draft::Spelling spelling = draft::SpellingOf(test.name);
    EXPECT_EQ(
        spelling == draft::Spelling::kAscii,
        test.written_ascii == test.name && ClassifyUtf8(test.name) == pb::UTF8);
    EXPECT_EQ(spelling != draft::Spelling::kEscaped,
              test.written == test.name && ClassifyUtf8(test.name) == pb::UTF8);
  }
}

// A file with `declared` in all its declarations and `used` in all references
// to them.
std::string FileWith(const std::string& declared, const std::string& used) {
  std::string file = R"({"type":"metadata","key":"version_major","value":"1"}
{"type":"type","code":2,"name":"node","fields":[["identifier","id"],["subtype","u32"],["t.$","u32"]]}
{"type":"subtype","of":"node","code":1,"name":"s.$","fields":[["f.$","u32"]]}
{"type":"type","code":3,"name":"edge","fields":[["subtype","u32"],["source","value"],["dest","value"],["label","stringid"]]}
{"type":"subtype","of":"edge","code":1,"name":"e.$","fields":[]}
{"type":"type","code":9,"name":"o.$","fields":[["v","u32"],["subtype","u32"]]}
{"type":"subtype","of":"o.$","code":4,"name":"p.$","fields":[["w","u32"]]}
)";
  const std::string records =
      R"({"type":"node","identifier":3,"subtype":"s.$","t.$":5,"f.$":6}
[2,5,"s.$",7,8]
{"type":"edge","subtype":"e.$","source":3,"dest":5}
{"type":"o.$","v":1,"subtype":"p.$","w":2}
{"type":"u.$","v":1}
)";
  const auto fill = [](std::string text, const std::string& name) {
    for (std::size_t at = 0; (at = text.find('$', at)) != std::string::npos;
         at += name.size())
      text.replace(at, 1, name);
    return text;
  };
  return fill(file, declared) + fill(records, used);
}

// A declaration and a record may spell the same name differently.
TEST(NdjsonNames, MeanTheSameInAllSpellings) {
  for (const Case& test : Cases()) {
    SCOPED_TRACE(test.title);
    std::vector<std::string> spellings = {test.spelt, test.written,
                                          test.written_ascii};
    const NdjsonGraph expected = ReadNdjson(FileWith(test.spelt, test.spelt));
    ASSERT_TRUE(expected.status.ok()) << expected.status.ToString();
    EXPECT_TRUE(expected.HasName("s." + test.name));
    EXPECT_TRUE(expected.HasName("f." + test.name));
    EXPECT_TRUE(expected.HasName("e." + test.name));
    // Everything is declared except one type.
    EXPECT_EQ(expected.CountOf("ndjson.subtype.undeclared"), 0U);
    EXPECT_EQ(expected.CountOf("ndjson.field.undeclared"), 0U);
    for (const std::string& declared : spellings) {
      for (const std::string& used : spellings) {
        const NdjsonGraph graph = ReadNdjson(FileWith(declared, used));
        EXPECT_TRUE(graph.status.ok()) << graph.status.ToString();
        EXPECT_EQ(graph.text, expected.text);
      }
    }
  }
}

TEST(NdjsonNames, AreWrittenInEveryLayout) {
  for (const Case& test : Cases()) {
    SCOPED_TRACE(test.title);
    const std::string file = FileWith(test.spelt, test.written);
    ExpectSameInAllLayouts(file);
    // A trailer counts records by name.
    const std::string written = ConvertNdjson(file, {.layout = "object"});
    EXPECT_NE(written.find("\"o." + test.written + "\":1"), std::string::npos);
    EXPECT_NE(written.find("\"u." + test.written + "\":1"), std::string::npos);
    // A file of text stays text.
    EXPECT_TRUE(ClassifyUtf8(written) == pb::UTF8 ||
                ClassifyUtf8(test.spelt) != pb::UTF8);
  }
}

TEST(NdjsonNames, ComeBackAsTheyWereSpelt) {
  for (const Case& test : Cases()) {
    SCOPED_TRACE(test.title);
    const std::string file = FileWith(test.spelt, test.written_ascii);
    EXPECT_EQ(ConvertNdjson(file, {}), file);
    ExpectIdenticalOnTheWayBack(file);
  }
}

// Two spellings of a name are the same name.
TEST(NdjsonNames, AreDeclaredOnce) {
  const std::string head =
      R"({"type":"metadata","key":"version_major","value":"1"}
{"type":"type","code":2,"name":"node","fields":[["identifier","id"],["subtype","u32"]]}
{"type":"subtype","of":"node","code":1,"name":"a/b","fields":[]}
)";
  for (const char* const line :
       {R"({"type":"subtype","of":"node","code":2,"name":"a\/b","fields":[]})",
        R"({"type":"type","code":3,"name":"nod\u0065","fields":[]})"}) {
    const NdjsonGraph graph = ReadNdjson(head + line + "\n");
    EXPECT_EQ(graph.status.code(), Code::kMalformed) << line;
  }
  const std::string other = "x." + std::string(kHalf);
  EXPECT_EQ(
      ReadNdjson(head + R"({"type":"subtype","of":"node","code":2,"name":")" +
                 other + R"(","fields":[]}
{"type":"subtype","of":"node","code":3,"name":"x.\ud83d","fields":[]}
)")
          .status.code(),
      Code::kMalformed);
}

// The format's own words may be spelled in other ways, too.
TEST(NdjsonNames, MayBeWordsOfTheFormat) {
  const std::string plain =
      R"({"type":"metadata","key":"version_major","value":"1"}
{"type":"type","code":2,"name":"node","fields":[["identifier","id"],["subtype","u32"]]}
{"type":"subtype","of":"node","code":1,"name":"object","fields":[]}
[2,3,1]
)";
  const std::string spelt =
      R"({"t\u0079pe":"met\u0061data","key":"version_m\u0061jor","v\u0061lue":"\u0031"}
{"type":"typ\u0065","code":2,"name":"n\u006fde","fields":[["identif\u0069er","i\u0064"],["subtyp\u0065","\u00753\u0032"]]}
{"type":"subt\u0079pe","of":"nod\u0065","code":1,"name":"obj\u0065ct","fields":[]}
{"type":"n\u006Fde","subtype":"\u006Fbject","identifier":3}
)";
  EXPECT_EQ(kNdjsonReader.sniff(spelt), Sniff::kYes);
  EXPECT_EQ(ReadNdjson(spelt).text, ReadNdjson(plain).text);
  ExpectSameInAllLayouts(spelt);
}

// ------------------------------------------------------------------ at random

using Random = std::mt19937_64;

// A random spelling of a name.
std::string Spell(Random& random, std::string_view name) {
  const auto unit = [&](std::uint32_t code) {
    constexpr std::string_view kLower = "0123456789abcdef";
    constexpr std::string_view kUpper = "0123456789ABCDEF";
    const std::string_view digits = random() % 2 == 0 ? kLower : kUpper;
    std::string text = "\\u";
    for (int shift = 12; shift >= 0; shift -= 4)
      text += digits[code >> shift & 0xF];
    return text;
  };
  std::string text;
  const char* p = name.data();
  const char* const end = p + name.size();
  const std::uint64_t one_in = 1 + random() % 6;
  while (p != end) {
    const char* const begin = p;
    const std::int32_t code = DecodeWtf8(p, end);
    const std::size_t letter = std::string_view("\"\\/\b\f\n\r\t").find(*begin);
    const bool is_half = (code & ~0x7FF) == 0xD800;
    const bool must = code < 0x20 || code == '"' || code == '\\' || is_half;
    if (!must && random() % one_in != 0)
      text.append(begin, p);
    else if (letter != std::string_view::npos && random() % 2 == 0)
      text += {'\\', "\"\\/bfnrt"[letter]};
    else
      ForEachUtf16Unit(code, [&](std::int32_t half) {
        text += unit(static_cast<std::uint32_t>(half));
      });
  }
  return text;
}

std::string RandomName(Random& random) {
  static const std::string kParts[] = {"a",
                                       "b",
                                       "type",
                                       "node",
                                       "\"",
                                       "\\",
                                       "/",
                                       "\\u0041",
                                       "\n",
                                       "\0"s,
                                       "\x1f",
                                       "\x7f",
                                       "\xC3\xA9",
                                       "\xE2\x82\xAC",
                                       "\xF0\x9F\x98\x80",
                                       "\xEF\xBF\xBD",
                                       "#3",
                                       " ",
                                       ".",
                                       std::string(kHalf)};
  std::string name;
  for (std::size_t i = 1 + random() % 3; i > 0; --i)
    name += kParts[random() % std::size(kParts)];
  return name;
}

// A random file with names spelled by `spell`.
template <typename SpellName>
std::string RandomFile(Random& random, SpellName&& spell) {
  const auto name = [&] {
    return "x." + RandomName(random) + std::to_string(random() % 100);
  };
  const auto quote = [&](std::string_view text) {
    return '"' + spell(text) + '"';
  };
  const auto pair = [&](std::string_view key, const std::string& value) {
    return ',' + quote(key) + ':' + value;
  };
  const auto field = [&](std::string_view of, std::string_view type) {
    return '[' + quote(of) + ',' + quote(type) + ']';
  };
  const auto declare = [&](std::string_view type, std::string_view of, int code,
                           std::string_view declared,
                           const std::string& fields) {
    std::string line = '{' + quote("type") + ':' + quote(type);
    if (!of.empty()) line += pair("of", quote(of));
    return line + pair("code", std::to_string(code)) +
           pair("name", quote(declared)) + pair("fields", '[' + fields + ']') +
           "}\n";
  };
  // Names of fields are used again in the records.
  const std::string of_node = "n." + name(), of_object = "o." + name();
  const std::string of_edge = "e." + name(), weak = "w." + name();
  const std::string object = "s." + name(), other = "other" + name();
  const std::string note = "note" + name(), of_note = name();
  std::string file = '{' + quote("type") + ':' + quote("metadata") +
                     pair("key", quote("version_major")) +
                     pair("value", quote("1")) + "}\n";
  file += declare("type", "", 2, "node",
                  field("identifier", "id") + ',' + field("subtype", "u32") +
                      ',' + field(of_node, "i64"));
  file += declare("subtype", "node", 1, object, field(of_object, "u32"));
  file += declare("subtype", "node", 7, other, "");
  file += declare("type", "", 3, "edge",
                  field(of_edge, "f64") + ',' + field("subtype", "u64") + ',' +
                      field("source", "value") + ',' + field("dest", "value") +
                      ',' + field("label", "stringid"));
  file += declare("subtype", "edge", 1, weak, "");
  file += declare("type", "", 4, "string",
                  field("id", "stringid") + ',' + field("data", "utf8"));
  file += declare("type", "", 9, note, field(of_note, "json"));
  file += "[4,2,\"a\"]\n";
  // Declared and undeclared subtypes.
  const auto subtype = [&](const std::string& known, int code) {
    switch (random() % 6) {
      case 0:
        return std::to_string(code);
      case 1:
        return std::to_string(40 + random() % 3);
      case 2:
        return quote("unknown" + RandomName(random));
      default:
        return quote(known);
    }
  };
  std::uint64_t nodes = 0;
  const bool is_grouped = random() % 2 == 0;
  for (std::size_t i = random() % 30; i > 0; --i) {
    const bool is_array = random() % 3 == 0;
    const bool is_node = random() % 2 == 0 || nodes == 0;
    const std::string number = std::to_string(random() % 5);
    std::string line;
    if (random() % 8 == 0) {
      line = is_array ? "[9,{}]"
                      : '{' + quote("type") + ':' + quote(note) +
                            pair(of_note, number) + '}';
    } else if (is_node) {
      const std::string id = std::to_string(2 * nodes++ + 3);
      const std::string of =
          random() % 4 == 0 ? subtype(other, 7) : subtype(object, 1);
      line = is_array ? "[2," + id + ',' + of + ',' + number + ']'
                      : '{' + quote("type") + ':' + quote("node") +
                            pair("identifier", id) + pair("subtype", of) +
                            pair(of_node, number);
    } else {
      const std::uint64_t source = is_grouped ? nodes - 1 : random() % nodes;
      const std::string from = std::to_string(2 * source + 3);
      const std::string label = random() % 3 == 0 ? "44" : "2";
      const std::string of = subtype(weak, 1);
      line = is_array
                 ? "[3," + number + ',' + of + ',' + from + ",3," + label + ']'
                 : '{' + quote("type") + ':' + quote("edge") +
                       pair(of_edge, number) + pair("subtype", of) +
                       pair("source", from) + pair("dest", "3") +
                       pair("label", label);
    }
    if (line.front() == '{' && line.back() != '}') {
      if (random() % 4 == 0) line += pair("more" + RandomName(random), number);
      line += '}';
    }
    file += line + '\n';
  }
  return file;
}

TEST(NdjsonNames, AreTheSameInAnySpellingAtRandom) {
  constexpr std::uint64_t kFiles = Rounds(500);
  int with_nodes = 0;
  for (std::uint64_t seed = 0; seed < kFiles; ++seed) {
    // The same file twice: spellings have a random generator of their own.
    Random spelling(seed + kFiles);
    Random first(seed), second(seed);
    const std::string plain = RandomFile(first, [](std::string_view name) {
      std::string text;
      draft::AppendName(name, false, &text);
      return text;
    });
    const std::string spelt = RandomFile(
        second, [&](std::string_view name) { return Spell(spelling, name); });
    const NdjsonGraph expected = ReadNdjson(plain);
    ASSERT_TRUE(expected.status.ok()) << expected.status.ToString() << plain;
    const NdjsonGraph graph = ReadNdjson(spelt);
    ASSERT_TRUE(graph.status.ok()) << graph.status.ToString() << spelt;
    ASSERT_EQ(graph.text, expected.text) << plain << spelt;
    ExpectSameInAllLayouts(spelt);
    ASSERT_EQ(ConvertNdjson(spelt, {}), spelt);
    ASSERT_EQ(ConvertNdjson(plain, {}), plain);
    if (seed % 50 == 0) ExpectIdenticalOnTheWayBack(spelt);
    ASSERT_FALSE(testing::Test::HasFailure()) << spelt;
    with_nodes += graph.text.find("nodes {") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(with_nodes, Rounds(300));
}

// The fields of a subtype follow those of its type, also for unknown types.
TEST(NdjsonNames, TypesThatNobodyKnowsMayHaveSubtypes) {
  const std::string head =
      R"({"type":"metadata","key":"version_major","value":"1"}
{"type":"type","code":2,"name":"node","fields":[["identifier","id"],["subtype","u32"]]}
{"type":"type","code":9,"name":"my.e","fields":[["subtype","u32"],["a.b","u32"]]}
{"type":"subtype","of":"my.e","code":7,"name":"my.es","fields":[["c.d","u32"]]}
)";
  const struct {
    std::string array;
    std::string object;
  } cases[] = {
      {"[9,7,1,2]", R"({"type":"my.e","subtype":"my.es","a.b":1,"c.d":2})"},
      {"[9,7,null,2]", R"({"type":"my.e","subtype":"my.es","c.d":2})"},
      {"[9,7,1]", R"({"type":"my.e","subtype":"my.es","a.b":1})"},
      {"[9,8,1]", R"({"type":"my.e","subtype":8,"a.b":1})"},
  };
  for (const auto& test : cases) {
    SCOPED_TRACE(test.array);
    for (const std::string& line : {test.array, test.object}) {
      const std::string file = head + line + "\n";
      ExpectSameInAllLayouts(file);
      EXPECT_EQ(ConvertNdjson(file, {}), file);
      ExpectIdenticalOnTheWayBack(file);
      for (const char* const layout : {"array", "object"}) {
        const std::string written = ConvertNdjson(file, {.layout = layout});
        const std::string& expected =
            layout == std::string("array") ? test.array : test.object;
        EXPECT_NE(written.find("\n" + expected + "\n"), std::string::npos)
            << written;
      }
    }
  }
  EXPECT_EQ(ReadNdjson(head + "[9,7,1,2,3]\n").status.code(), Code::kMalformed);
}

// If names do not tell fields apart, a record is an array in every layout.
TEST(NdjsonNames, TellFieldsApartOrTheRecordIsAnArray) {
  constexpr const char* kVersion =
      R"({"type":"metadata","key":"version_major","value":"1"})";
  constexpr const char* kObject =
      R"({"type":"subtype","of":"node","code":3,"name":"object","fields":[["a.x","u32"]]})";
  const auto node = [](const std::string& fields) {
    return R"({"type":"type","code":2,"name":"node","fields":[["identifier","id"],["subtype","u32"])" +
           fields + "]}";
  };
  const auto other = [](const std::string& name, const std::string& fields) {
    return R"({"type":"type","code":9,"name":")" + name + R"(","fields":[)" +
           fields + "]}";
  };
  const std::string x = R"(["a.x","u32"])", y = R"(["a.y","u32"])";
  const struct {
    std::string type;
    std::string record;
    std::string as_object;  // the same record in the layout "object"
  } cases[] = {
      // The type and the subtype have the same field.
      {node("," + x), "[2,5,3,9,8]", "[2,5,3,9,8]"},
      {node("," + x), "[2,5,3,9]", "[2,5,3,9]"},
      {node("," + x), R"({"type":"node","identifier":5,"subtype":3,"a.x":9})",
       "[2,5,3,9]"},
      // An unknown subtype only has the field of the type.
      {node("," + x), "[2,5,77,9]",
       R"({"type":"node","identifier":5,"subtype":77,"a.x":9})"},
      {node("," + y), "[2,5,3,9,8]",
       R"({"type":"node","identifier":5,"subtype":"object","a.y":9,"a.x":8})"},
      // The type has a field twice, in any spelling.
      {node("," + y + R"(,["\u0061.y","u32"])"), "[2,5,77,9,8]",
       "[2,5,77,9,8]"},
      {node(R"(,["identifier","id"])"), "[2,5,3,7]", "[2,5,3,7]"},
      {node(R"(,["identifier","id"])"),
       R"({"type":"node","subtype":3,"identifier":5})", "[2,5,3]"},
      // The key "type" says what a record is.
      {node(R"(,["type","u32"])"), "[2,5,3,9]", "[2,5,3,9]"},
      {node(R"(,["type","u32"])"),
       R"({"type":"node","identifier":5,"subtype":3,"a.x":8})",
       "[2,5,3,null,8]"},
      // "#3" is the key of a field without a name.
      {node(R"(,["#3","u32"])"), R"([2,5,77,9,"a"])", R"([2,5,77,9,"a"])"},
      // Unknown types.
      {other("my.x", x + "," + x), "[9,1,2]", "[9,1,2]"},
      {other("my.x", x + R"(,["type","u32"])"), "[9,null,2]", "[9,null,2]"},
      {other("my.x", x + "," + y), "[9,1,2]",
       R"({"type":"my.x","a.x":1,"a.y":2})"},
      {other("metadata", x), "[9,1]", "[9,1]"},
      {other("type", x), "[9,1]", "[9,1]"},
      {other("subtype", x), "[9,1]", "[9,1]"},
      {other("hg.trailer", x), "[9,1]", "[9,1]"},
  };
  for (const auto& test : cases) {
    SCOPED_TRACE(test.type + "\n" + test.record);
    const bool is_node = test.type.find(R"("name":"node")") < 60;
    const std::string file =
        kVersion + ("\n" + (is_node ? "" : node("") + "\n")) + test.type +
        "\n" + kObject + "\n[2,3,3]\n" + test.record + "\n";
    ExpectSameInAllLayouts(file);
    EXPECT_EQ(ConvertNdjson(file, {}), file);
    ExpectIdenticalOnTheWayBack(file);
    const std::string written = ConvertNdjson(file, {.layout = "object"});
    EXPECT_NE(written.find("\n" + test.as_object + "\n"), std::string::npos)
        << written;
  }
}

TEST(NdjsonNames, AreMissedWhereArraysStandForObjects) {
  const std::string file =
      R"({"type":"metadata","key":"version_major","value":"1"}
{"type":"type","code":2,"name":"node","fields":[["identifier","id"],["subtype","u32"]]}
{"type":"type","code":9,"name":"my.x","fields":[["a.x","u32"],["a.x","u32"]]}
[9,1,2]
[9,3]
)";
  for (const char* const layout : {"object", "array", "usual", "source"}) {
    const auto source = ByteSource::FromMemory(file);
    std::string output;
    const auto sink = ByteSink::ToString(&output);
    Context context;
    const ConvertOptions options = {
        .from = &kNdjsonReader, .to = &kNdjsonWriter, .layout = layout};
    EXPECT_TRUE(Convert(*source, *sink, options, context).ok());
    std::uint64_t arrays = 0;
    for (const Finding& finding : context.findings())
      if (finding.code == "layout.array") arrays += finding.count;
    EXPECT_EQ(arrays, layout == std::string("object") ? 2U : 0U) << layout;
  }
}

}  // namespace
}  // namespace heapglot
