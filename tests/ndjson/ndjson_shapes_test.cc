// Objects of the same shape as an earlier line take a fast path, which must
// give the same results as the other one.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "readers/draft/draft_shapes.h"
#include "tests/ndjson/same_with_spaces.h"
#include "tests/sanitized.h"

namespace heapglot::ndjson_shapes {
namespace {

using Random = std::mt19937_64;

constexpr char kVersion[] =
    R"({"type":"metadata","key":"version_major","value":"1"})"
    "\n";
constexpr char kNodes[] =
    R"({"type":"type","code":2,"name":"node","fields":[["identifier","id"],["subtype","u32"],["gen.size","u32"]]}
{"type":"subtype","of":"node","code":1,"name":"object","fields":[["constructor","value"],["gen.more","i64"]]}
{"type":"subtype","of":"node","code":2,"name":"flat string","fields":[["data","stringid"]]}
)";
constexpr char kEdges[] =
    R"({"type":"type","code":3,"name":"edge","fields":[["subtype","u32"],["source","value"],["dest","value"],["label","stringid"],["gen.weight","u64"]]}
{"type":"subtype","of":"edge","code":1,"name":"object property","fields":[]}
)";
constexpr char kStrings[] =
    R"({"type":"type","code":4,"name":"string","fields":[["id","stringid"],["data","utf8"]]}
{"type":"string","id":0,"data":"a"}
{"type":"string","id":2,"data":"b"}
)";

using Pairs = std::vector<std::pair<std::string, std::string>>;

// The keys of a record, with values for those that never change.
Pairs RandomKeys(Random& random) {
  Pairs keys;
  const bool is_node = random() % 3 == 0;
  keys.emplace_back("type", is_node ? R"("node")" : R"("edge")");
  const auto add = [&](const char* key, std::size_t one_in) {
    if (random() % one_in != 0) keys.emplace_back(key, "");
  };
  switch (random() % 8) {
    case 0:
      keys.emplace_back("subtype", "1");
      break;
    case 1:
      keys.emplace_back("subtype", R"("array element")");
      break;
    default:
      keys.emplace_back("subtype", is_node ? random() % 2 == 0
                                                 ? R"("object")"
                                                 : R"("flat string")"
                                           : R"("object property")");
  }
  if (is_node) {
    add("identifier", 50);
    add("gen.size", 4);
    add(random() % 2 == 0 ? "constructor" : "data", 4);
    add("gen.more", 2);
  } else {
    add("source", 50);
    add("dest", 4);
    add("label", 4);
    add("gen.weight", 2);
  }
  if (random() % 10 == 0) keys.emplace_back("x.unknown", "");
  if (random() % 2 == 0) std::shuffle(keys.begin(), keys.end(), random);
  return keys;
}

// Values that are not small numbers.
constexpr const char* kOddValues[] = {"-3",
                                      "null",
                                      "1.5",
                                      "4294967296",
                                      R"("0x1f")",
                                      "true",
                                      "00",
                                      "2147483648",
                                      R"("7")",
                                      "18446744073709551615",
                                      "99999999999999999999"};

std::string RandomNumber(Random& random, bool is_tidy) {
  const std::size_t at = random() % (is_tidy ? 4000 : 100);
  return at < std::size(kOddValues) ? kOddValues[at]
                                    : std::to_string(random() % 12);
}

std::string RandomLine(Random& random, const Pairs& keys, bool is_tidy,
                       std::uint64_t* node) {
  const char* const comma = random() % 20 == 0 ? " , " : ",";
  std::string line = "{";
  for (const auto& [key, value] : keys) {
    line += line.size() > 1 ? comma : "";
    line += '"' + key + R"(":)";
    if (!value.empty())
      line += value;
    else if (key == "identifier" && random() % 100 != 0)
      line += std::to_string(2 * (*node)++ + 1);
    else
      line += RandomNumber(random, is_tidy);
  }
  return line + "}\n";
}

std::string RandomFile(Random& random) {
  std::vector<std::string> declarations = {kNodes, kEdges};
  std::vector<Pairs> shapes(1 + random() % 6);
  if (random() % 20 == 0) shapes.resize(40);
  for (Pairs& shape : shapes) shape = RandomKeys(random);
  const bool is_tidy = random() % 2 == 0;
  const bool is_late = random() % 4 == 0;
  std::string file = kVersion;
  if (!is_late) file += declarations[0] + declarations[1];
  file += kStrings;
  std::uint64_t node = 0;
  for (std::size_t i = random() % 60; i > 0; --i) {
    file +=
        RandomLine(random, shapes[random() % shapes.size()], is_tidy, &node);
    if (is_late && random() % 16 == 0 && !declarations.empty()) {
      file += declarations.back();
      declarations.pop_back();
    }
  }
  return file;
}

TEST(NdjsonShapes, AreReadAsOtherLinesAre) {
  Random random(1);
  ExpectSameWithSpaces(Rounds(8'000), Rounds(1'000),
                       [&] { return RandomFile(random); });
}

class LineShapesTest : public testing::Test {
 protected:
  LineShapesTest() {
    const std::vector<draft::Field> fields = {
        {"subtype", draft::FieldType::kU32},
        {"source", draft::FieldType::kValue},
        {"dest", draft::FieldType::kValue},
        {"label", draft::FieldType::kStringId}};
    draft::Type* const type = schema_.AddType("edge", 3, 10, fields);
    schema_.AddSubtype(*type, "property", 7, 20, {});
  }

  void Learn(const std::string& line) {
    draft::Record record;
    draft::LineError error;
    ASSERT_TRUE(parser_.Parse(line, 100, &record, &error));
    shapes_.Learn(line, record);
  }
  // The fields of a line; none if it has no known shape.
  std::vector<std::uint64_t> Match(const std::string& line,
                                   std::uint64_t offset = 200) {
    draft::NumberRecord record;
    if (!shapes_.Match(line, offset, &record)) return {};
    return {record.fields.begin(), record.fields.end()};
  }

  draft::Schema schema_;
  draft::RecordParser parser_{schema_, 9};
  draft::LineShapes shapes_;
};

using Numbers = std::vector<std::uint64_t>;

TEST_F(LineShapesTest, FieldsComeInTheOrderOfTheLayout) {
  Learn(R"({"dest":5,"type":"edge","source":3,"subtype":"property"})");
  EXPECT_EQ(
      Match(R"({"dest":50,"type":"edge","source":0,"subtype":"property"})"),
      (Numbers{7, 0, 50}));
}

TEST_F(LineShapesTest, OnlyNumbersMayDiffer) {
  Learn(R"({"type":"edge","subtype":"property","source":3,"dest":5})");
  const std::string head = R"({"type":"edge","subtype":"property","source":)";
  EXPECT_EQ(Match(head + R"(9999999999999999999,"dest":1})"),
            (Numbers{7, 9999999999999999999U, 1}));
  for (const char* const tail :
       {R"(1,"dest":1} )", R"(1,"dest":1}x)", R"(1,"dest":1)",
        R"(1,"dest":01})", R"(1,"dest":})", R"(1,"dest":-1})",
        R"(1,"dest":1.5})", R"(1,"desk":1})",
        R"(10000000000000000000,"dest":1})", "", R"(1,"dest":1,"label":0})"})
    EXPECT_EQ(Match(head + tail), Numbers{}) << tail;
}

TEST_F(LineShapesTest, WhatIsNotDeclaredYetIsUnknown) {
  const std::string line =
      R"({"type":"edge","subtype":"property","source":3,"dest":5})";
  Learn(line);
  EXPECT_EQ(Match(line, 20), (Numbers{7, 3, 5}));
  EXPECT_EQ(Match(line, 19), Numbers{});
}

TEST_F(LineShapesTest, ASubtypeByItsNumberIsTheSameInAll) {
  schema_.AddSubtype(*schema_.FindType(3), "other", 77, 20, {});
  Learn(R"({"type":"edge","subtype":7,"source":3})");
  EXPECT_EQ(Match(R"({"type":"edge","subtype":7,"source":4})"),
            (Numbers{7, 4}));
  EXPECT_EQ(Match(R"({"type":"edge","subtype":77,"source":4})"), Numbers{});
  EXPECT_EQ(Match(R"({"type":"edge","subtype":8,"source":4})"), Numbers{});
}

TEST_F(LineShapesTest, OtherLinesHaveNoShape) {
  for (const char* const line :
       {R"({"type":"edge","subtype":8,"source":3})",
        R"({"type":"edge","source":3})",
        R"({"type":"edge","subtype":"other","source":3})",
        R"({"type":"edge","subtype":"property","source":3,"x":1})",
        R"({"type":"edge","subtype":"property","source":3,"dest":null})",
        R"({"type":"edge","subtype":"property","source":3,"label":1})",
        R"({"type":"edge","subtype":"property","source":3} )",
        R"([3,7,3,5])"}) {
    Learn(line);
    EXPECT_EQ(Match(line), Numbers{}) << line;
  }
}

}  // namespace
}  // namespace heapglot::ndjson_shapes
