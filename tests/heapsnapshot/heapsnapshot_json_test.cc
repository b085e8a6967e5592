// The scanners of the heapsnapshot reader, against RapidJSON.
#include "readers/heapsnapshot/heapsnapshot_json.h"

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "readers/heapsnapshot/heapsnapshot_numbers.h"

namespace heapglot::heapsnapshot {
namespace {

// Whether `text` is one JSON value, fed in pieces of `size`.
bool IsJson(const std::string& text, std::size_t size) {
  JsonChecker checker(100);
  std::size_t at = 0;
  while (at < text.size() && checker.state() == JsonChecker::State::kMore) {
    const std::string_view piece = std::string_view(text).substr(at, size);
    const std::size_t taken = checker.Feed(piece);
    at += taken;
    if (taken < piece.size()) break;
  }
  while (at < text.size() && IsSpace(text[at])) ++at;
  return at == text.size() && checker.IsWhole();
}

TEST(HeapsnapshotJson, CheckerAgreesWithRapidJson) {
  const std::string seeds[] = {
      R"({"a":[1,-2.5e+10,0,-0,0.1E-2,true,false,null],"b":{},"c":[[],[{}]]})",
      R"( [ "x\u00e9\n\"\\\/" , "" , {"k":"v"} ] )",
      "12",
      "-1.5",
      "\"s\"",
      "nul"};
  const std::string alphabet = "{}[]\",:01-+.eE \\untrfals\n";
  std::mt19937 random(1);
  int good = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text = seeds[random() % std::size(seeds)];
    for (auto changes = random() % 3; changes > 0; --changes) {
      const std::size_t at = random() % text.size();
      const char byte = alphabet[random() % alphabet.size()];
      if (random() % 2 == 0)
        text[at] = byte;
      else
        text.insert(at, 1, byte);
    }
    rapidjson::Document document;
    document.Parse<rapidjson::kParseIterativeFlag>(text.c_str());
    const auto error = document.GetParseError();
    // RapidJSON refuses lone surrogates and numbers too large for a double, but
    // both are JSON.
    if (error == rapidjson::kParseErrorStringUnicodeSurrogateInvalid ||
        error == rapidjson::kParseErrorNumberTooBig)
      continue;
    const bool expected = error == rapidjson::kParseErrorNone;
    good += expected ? 1 : 0;
    EXPECT_EQ(IsJson(text, text.size()), expected) << text;
    EXPECT_EQ(IsJson(text, 1), expected) << text;
  }
  EXPECT_GT(good, 1000);
}

TEST(HeapsnapshotJson, NestingIsBounded) {
  JsonChecker fits(3);
  EXPECT_EQ(fits.Feed("[[[]]]"), 6u);
  EXPECT_EQ(fits.state(), JsonChecker::State::kDone);
  JsonChecker too_deep(3);
  EXPECT_EQ(too_deep.Feed("[[[["), 3u);
  EXPECT_EQ(too_deep.state(), JsonChecker::State::kTooDeep);
}

TEST(HeapsnapshotJson, PiecesAreCutBetweenCodePoints) {
  const std::string raw = "a\\ud83d\\ude00\xf0\x9f\x98\x80\\ud83d\xc3\xa9z";
  const std::string whole = Unescaped(raw);
  EXPECT_EQ(whole, "a\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xed\xa0\xbd\xc3\xa9z");
  for (std::size_t size = 4; size < 20; ++size) {
    std::string text;
    int lone = 0;
    for (std::size_t at = 0; at < raw.size();) {
      const pb::StringEncoding encoding =
          AppendUnescaped(raw, &at, size, &text);
      EXPECT_NE(encoding, pb::BYTES) << size;
      lone += encoding == pb::WTF8 ? 1 : 0;
    }
    EXPECT_EQ(text, whole) << size;
    EXPECT_EQ(lone, 1) << size;
  }
}

// Runs of escapes are decoded together, whatever is in and after them.
TEST(HeapsnapshotJson, EscapesStandForTheSameOneByOne) {
  const std::pair<std::string, std::string> parts[] = {
      {"\\u0436", "\xd0\xb6"}, {"\\u20AC", "\xe2\x82\xac"},
      {"\\u007a", "z"},        {"\\u0000", std::string(1, '\0')},
      {"\\n", "\n"},           {"\\ud83d\\ude00", "\xf0\x9f\x98\x80"},
      {"u0436 ", "u0436 "},    {"\\\\", "\\"}};
  std::mt19937_64 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string raw, text;
    const auto last = round % 3 == 0 ? 0 : random() % std::size(parts);
    for (auto left = random() % 300; left > 0; --left) {
      const auto part = random() % 8 == 0 ? random() % std::size(parts) : last;
      raw += parts[part].first;
      text += parts[part].second;
    }
    EXPECT_EQ(Unescaped(raw), text);
    std::string pieces;
    const std::size_t size = 4 + random() % 40;
    for (std::size_t at = 0; at < raw.size();) {
      const std::size_t before = at;
      EXPECT_EQ(AppendUnescaped(raw, &at, size, &pieces), pb::UTF8);
      // May exceed the size asked for only by the rest of an escape.
      EXPECT_LT(at - before, size + 12);
    }
    EXPECT_EQ(pieces, text);
    const std::string quoted = raw + "\" rest";
    const char* p = quoted.data();
    StringToken token;
    ASSERT_EQ(ScanString(&p, quoted.data() + quoted.size(), &token),
              StringEnd::kOk);
    EXPECT_EQ(token.raw, raw);
    EXPECT_EQ(std::string(p), " rest");
  }
}

TEST(HeapsnapshotJson, EscapesThatAreNone) {
  for (const std::string bad :
       {"\\u12g4", "\\u 123", "\\U0041", "\\u004\"", "\\u-041", "\\x41"}) {
    const std::string quoted = "\\u0041" + bad + "\\u0041\"";
    const char* p = quoted.data();
    StringToken token;
    EXPECT_EQ(ScanString(&p, quoted.data() + quoted.size(), &token),
              StringEnd::kBad)
        << bad;
    EXPECT_GE(p, quoted.data() + 7) << bad;
    for (std::size_t size = 0; size < 12; ++size) {
      const std::string cut = "\\u0041\\u0041" + std::string("\"");
      const char* at = cut.data();
      EXPECT_EQ(ScanString(&at, cut.data() + size, &token), StringEnd::kCut);
    }
  }
}

// All numbers of `array`, or "!" and the offset of the error.
std::string Numbers(const std::string& array, std::size_t block) {
  NumberCursor in(array, array, "numbers");
  std::string out;
  do {
    const Status status = in.Read(block);
    if (!status.ok()) return "!" + std::to_string(*status.where().byte);
    for (std::size_t i = 0; i < in.block().size(); ++i) {
      const std::uint64_t number = in.block()[i];
      out += in.IsNegative(i)
                 ? std::to_string(static_cast<std::int64_t>(number))
                 : std::to_string(number);
      out += ' ';
    }
  } while (!in.block().empty());
  return out;
}

TEST(HeapsnapshotNumbers, Forms) {
  const std::pair<std::string, std::string> cases[] = {
      {"[]", ""},
      {"[ \n]", ""},
      {"[0]", "0 "},
      {"[ 1 , 2\n,3 ]", "1 2 3 "},
      {"[18446744073709551615,-9223372036854775808]",
       "18446744073709551615 -9223372036854775808 "},
      {"[1.0,1e2,120e-1,-0,0.0e99999999999999999999,1.50e1]",
       "1 100 12 0 0 15 "},
      {"[1,]", "!3"},
      {"[1, ]", "!4"},
      {"[,1]", "!1"},
      {"[1 2]", "!3"},
      {"[01]", "!2"},
      {"[1.5]", "!1"},
      {"[1e400]", "!1"},
      {"[1.]", "!3"},
      {"[1e]", "!3"},
      {"[-]", "!2"},
      {"[18446744073709551616]", "!1"},
      {"[-9223372036854775809]", "!1"},
      {"[\"1]", "!1"},
      {"[1,x]", "!3"},
  };
  for (const auto& [array, expected] : cases) {
    for (const std::size_t block : {1, 2, 100})
      EXPECT_EQ(Numbers(array, block), expected) << array << " by " << block;
  }
}

TEST(HeapsnapshotNumbers, TheFirstBracketIsTheEnd) {
  const std::string text = "[1,2 ,\t3 ],\"edges\":[4,5]}";
  NumberCursor in(text, std::string_view(text).substr(0, text.size() - 1),
                  "numbers");
  ASSERT_TRUE(in.Read(2).ok());
  EXPECT_EQ(in.block().size(), 2);
  ASSERT_TRUE(in.Read(2).ok());
  EXPECT_EQ(in.block().size(), 1);
  EXPECT_EQ(in.block()[0], 3);
  ASSERT_TRUE(in.Read(2).ok());
  EXPECT_TRUE(in.block().empty());
  EXPECT_EQ(in.offset(), text.find(']'));
}

TEST(HeapsnapshotNumbers, AgreeWithRapidJson) {
  std::mt19937_64 random(1);
  const std::string spaces[] = {"", "", "", "\n", " ", "\r\n\t "};
  for (int round = 0; round < 2000; ++round) {
    std::string array = "[";
    std::string expected;
    const std::size_t count = random() % 40;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t number = random() >> (random() % 64);
      if (i > 0) array += "," + spaces[random() % 6];
      array += std::to_string(number) + spaces[random() % 6];
      expected += std::to_string(number) + ' ';
    }
    array += "]";
    rapidjson::Document document;
    document.Parse(array.c_str());
    ASSERT_FALSE(document.HasParseError()) << array;
    EXPECT_EQ(Numbers(array, 1 + random() % 16), expected) << array;
  }
}

}  // namespace
}  // namespace heapglot::heapsnapshot
