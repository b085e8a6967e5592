#include "core/text/utf.h"

#include <gtest/gtest.h>

#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace heapglot {
namespace {

using namespace std::string_view_literals;

// 32 random bits, the same in every run.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  std::uint32_t operator()() { return static_cast<std::uint32_t>(engine_()); }

 private:
  std::mt19937 engine_;
};

// ------------------------------------------------ a reference, slow and plain

std::string Encode(std::uint32_t code) {
  std::string out;
  const auto put = [&out](std::uint32_t byte) {
    out += static_cast<char>(byte);
  };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 + code / 64);
    put(0x80 + code % 64);
  } else if (code < 0x10000) {
    put(0xE0 + code / 4096);
    put(0x80 + code / 64 % 64);
    put(0x80 + code % 64);
  } else {
    put(0xF0 + code / 262144);
    put(0x80 + code / 4096 % 64);
    put(0x80 + code / 64 % 64);
    put(0x80 + code % 64);
  }
  return out;
}

bool NaiveIsSurrogate(std::uint32_t code) {
  return code >= 0xD800 && code < 0xE000;
}

// Every code point of generalized UTF-8 starts with exactly its own encoding.
std::int32_t NaiveDecode(std::string_view text, std::size_t* length) {
  std::uint32_t code = static_cast<unsigned char>(text[0]);
  std::size_t size = 1;
  if (code >= 0xF0) {
    size = 4;
    code &= 7;
  } else if (code >= 0xE0) {
    size = 3;
    code &= 15;
  } else if (code >= 0xC0) {
    size = 2;
    code &= 31;
  }
  *length = 1;
  if (text.size() < size) return kBadByte;
  for (std::size_t i = 1; i < size; ++i) {
    code = code * 64 + (static_cast<unsigned char>(text[i]) & 63);
  }
  if (code > 0x10FFFF || Encode(code) != text.substr(0, size)) return kBadByte;
  *length = size;
  return static_cast<std::int32_t>(code);
}

std::string Utf16Le(const std::vector<std::uint32_t>& units) {
  std::string bytes;
  for (const std::uint32_t unit : units) {
    bytes += static_cast<char>(unit & 0xFF);
    bytes += static_cast<char>(unit >> 8);
  }
  return bytes;
}

std::string NaiveUtf16(const std::vector<std::uint32_t>& units, bool* lone) {
  std::string out;
  *lone = false;
  for (std::size_t i = 0; i < units.size(); ++i) {
    std::uint32_t code = units[i];
    if (code >= 0xD800 && code < 0xDC00 && i + 1 < units.size() &&
        units[i + 1] >= 0xDC00 && units[i + 1] < 0xE000) {
      code = 0x10000 + (code - 0xD800) * 1024 + (units[++i] - 0xDC00);
    }
    *lone = *lone || NaiveIsSurrogate(code);
    out += Encode(code);
  }
  return out;
}

// -------------------------------------------------------------- AsciiPrefix

TEST(AsciiPrefixTest, EveryLengthAndPlace) {
  for (std::size_t size = 0; size < 70; ++size) {
    std::string text(size, '\x7f');
    ASSERT_EQ(AsciiPrefix(text), size);
    for (std::size_t at = 0; at < size; ++at) {
      text[at] = '\x80';
      ASSERT_EQ(AsciiPrefix(text), at);
      text[at] = '\0';
    }
  }
}

// ------------------------------------------------------------- AppendLatin1

TEST(AppendLatin1Test, EveryByte) {
  for (unsigned byte = 0; byte < 256; ++byte) {
    std::string out = "before";
    AppendLatin1(std::string(1, static_cast<char>(byte)), &out);
    EXPECT_EQ(out, "before" + Encode(byte));
  }
}

TEST(AppendLatin1Test, SameAsReference) {
  Random random(1);
  for (int round = 0; round < 3000; ++round) {
    const unsigned high_in = 1 + random() % 20;  // from all to few
    std::string units;
    std::string expected = "x";
    for (unsigned i = random() % 100; i > 0; --i) {
      const unsigned byte =
          random() % 128 + (random() % high_in == 0 ? 128 : 0);
      units += static_cast<char>(byte);
      expected += Encode(byte);
    }
    std::string out = "x";
    AppendLatin1(units, &out);
    ASSERT_EQ(out, expected);
  }
}

// ------------------------------------------------------------ AppendUtf16Le

struct Utf16Case {
  std::vector<std::uint32_t> units;
  std::string_view utf8;
  pb::StringEncoding encoding;
};

TEST(AppendUtf16LeTest, Table) {
  const Utf16Case cases[] = {
      {{}, "", pb::UTF8},
      {{0}, "\0"sv, pb::UTF8},
      {{'a', 0x7F, 0x80, 0x7FF, 0x800}, "a\x7f\u0080\u07ff\u0800", pb::UTF8},
      {{0xD7FF, 0xE000, 0xFFFF}, "\ud7ff\ue000\uffff", pb::UTF8},
      {{0xD800, 0xDC00}, "\U00010000", pb::UTF8},
      {{0xDBFF, 0xDFFF}, "\U0010FFFF", pb::UTF8},
      {{0xD83D, 0xDE00, 'x'}, "\U0001F600x", pb::UTF8},
      {{0xD800}, "\xed\xa0\x80", pb::WTF8},
      {{0xDFFF}, "\xed\xbf\xbf", pb::WTF8},
      {{0xD800, 'x'}, "\xed\xa0\x80x", pb::WTF8},
      {{0xDC00, 0xD800}, "\xed\xb0\x80\xed\xa0\x80", pb::WTF8},
      {{0xD800, 0xD800, 0xDC00}, "\xed\xa0\x80\U00010000", pb::WTF8},
      {{0xD800, 0xDC00, 0xDC00}, "\U00010000\xed\xb0\x80", pb::WTF8},
      {{0xD800, 0xE000}, "\xed\xa0\x80\ue000", pb::WTF8},
  };
  for (const Utf16Case& c : cases) {
    std::string out = "<";
    EXPECT_EQ(AppendUtf16Le(Utf16Le(c.units), &out), c.encoding) << out;
    EXPECT_EQ(out, "<" + std::string(c.utf8));
  }
}

TEST(AppendUtf16LeTest, IgnoresAnOddByte) {
  std::string out;
  EXPECT_EQ(AppendUtf16Le("a\0b"sv, &out), pb::UTF8);
  EXPECT_EQ(out, "a");
}

TEST(AppendUtf16LeTest, SameAsReference) {
  Random random(2);
  constexpr std::uint32_t kBorders[] = {0,      0x7F,   0x80,   0x7FF,
                                        0x800,  0xD7FF, 0xD800, 0xDBFF,
                                        0xDC00, 0xDFFF, 0xE000, 0xFFFF};
  for (int round = 0; round < 3000; ++round) {
    const unsigned odd_in = 1 + random() % 40;
    std::vector<std::uint32_t> units;
    for (unsigned i = random() % 700; i > 0; --i) {
      units.push_back(random() % odd_in != 0 ? random() % 128
                      : random() % 2 == 0
                          ? kBorders[random() % std::size(kBorders)]
                          : random() % 0x10000);
    }
    bool lone = false;
    const std::string expected = NaiveUtf16(units, &lone);
    std::string out;
    ASSERT_EQ(AppendUtf16Le(Utf16Le(units), &out), lone ? pb::WTF8 : pb::UTF8);
    ASSERT_EQ(out, expected);
  }
}

// ------------------------------------------------ ClassifyUtf8 and DecodeWtf8

struct DecodeCase {
  std::string_view text;
  pb::StringEncoding classified;
  std::vector<std::int32_t> codes;
};

TEST(DecodeTest, Table) {
  const DecodeCase cases[] = {
      {"", pb::UTF8, {}},
      {"\0"sv, pb::UTF8, {0}},
      {"a\x7f", pb::UTF8, {'a', 0x7F}},
      {"\xc2\x80\xdf\xbf", pb::UTF8, {0x80, 0x7FF}},
      {"\xe0\xa0\x80\xef\xbf\xbf", pb::UTF8, {0x800, 0xFFFF}},
      {"\xed\x9f\xbf\xee\x80\x80", pb::UTF8, {0xD7FF, 0xE000}},
      {"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", pb::UTF8, {0x10000, 0x10FFFF}},
      {"\xed\xa0\x80\xed\xbf\xbf", pb::BYTES, {0xD800, 0xDFFF}},
      {"\x80", pb::BYTES, {-1}},
      {"\xbf", pb::BYTES, {-1}},
      {"\xc0\x80", pb::BYTES, {-1, -1}},
      {"\xc1\xbf", pb::BYTES, {-1, -1}},
      {"\xe0\x9f\xbf", pb::BYTES, {-1, -1, -1}},
      {"\xf0\x8f\xbf\xbf", pb::BYTES, {-1, -1, -1, -1}},
      {"\xf4\x90\x80\x80", pb::BYTES, {-1, -1, -1, -1}},
      {"\xf5\x80\x80\x80", pb::BYTES, {-1, -1, -1, -1}},
      {"\xfe\xff", pb::BYTES, {-1, -1}},
      {"\xc3", pb::BYTES, {-1}},
      {"\xc3(", pb::BYTES, {-1, '('}},
      {"\xe4\xb8", pb::BYTES, {-1, -1}},
      {"\xe4\xb8x", pb::BYTES, {-1, -1, 'x'}},
      {"\xf0\x9f\x98", pb::BYTES, {-1, -1, -1}},
      {"\xe4\xc3\xa9", pb::BYTES, {-1, 0xE9}},
      {"\xc3\xa9\x80", pb::BYTES, {0xE9, -1}},
  };
  for (const DecodeCase& c : cases) {
    EXPECT_EQ(ClassifyUtf8(c.text), c.classified);
    std::vector<std::int32_t> codes;
    const char* p = c.text.data();
    const char* const end = p + c.text.size();
    while (p != end) codes.push_back(DecodeWtf8(p, end));
    EXPECT_EQ(codes, c.codes);
  }
}

TEST(DecodeTest, EveryCodePoint) {
  for (std::uint32_t code = 0; code <= 0x10FFFF; ++code) {
    const std::string text = Encode(code);
    const char* p = text.data();
    const char* const end = p + text.size();
    ASSERT_EQ(DecodeWtf8(p, end), static_cast<std::int32_t>(code));
    ASSERT_EQ(p, end);
    ASSERT_EQ(ClassifyUtf8(text),
              NaiveIsSurrogate(code) ? pb::BYTES : pb::UTF8);
  }
}

// Bytes that are often almost UTF-8.
std::string RandomText(Random& random) {
  std::string text;
  for (unsigned i = random() % 60; i > 0; --i) {
    switch (random() % 8) {
      case 0:
        text += static_cast<char>(random());
        break;
      case 1:
        text += Encode(random() % 0x110000);
        break;
      case 2:
        text += Encode(random() % 0x800);
        if (random() % 4 == 0) text.pop_back();
        break;
      default:
        text += static_cast<char>(random() % 128);
    }
  }
  return text;
}

TEST(DecodeTest, SameAsReference) {
  Random random(3);
  for (int round = 0; round < 30000; ++round) {
    const std::string text = RandomText(random);
    bool valid = true;
    const char* p = text.data();
    const char* const end = p + text.size();
    while (p != end) {
      const char* const start = p;
      std::size_t length = 0;
      const std::int32_t expected =
          NaiveDecode({p, static_cast<std::size_t>(end - p)}, &length);
      ASSERT_EQ(DecodeWtf8(p, end), expected);
      ASSERT_EQ(p - start, static_cast<std::ptrdiff_t>(length));
      valid = valid && expected >= 0 &&
              !NaiveIsSurrogate(static_cast<std::uint32_t>(expected));
    }
    ASSERT_EQ(ClassifyUtf8(text), valid ? pb::UTF8 : pb::BYTES);
  }
}

TEST(ClassifyWtf8Test, SurrogatesMayStandAlone) {
  EXPECT_EQ(ClassifyWtf8(""), pb::UTF8);
  EXPECT_EQ(ClassifyWtf8("a\xf0\x9f\x98\x80"), pb::UTF8);
  EXPECT_EQ(ClassifyWtf8("a\xed\xa0\x80"), pb::WTF8);
  EXPECT_EQ(ClassifyWtf8("\xed\xb0\x80\xed\xa0\x80"), pb::WTF8);
  EXPECT_EQ(ClassifyWtf8("\xed\xa0\x80 \xed\xb0\x80"), pb::WTF8);
  EXPECT_EQ(ClassifyWtf8("\xed\xa0\x80\xed\xb0\x80"), pb::BYTES);
  EXPECT_EQ(ClassifyWtf8("\xed\xa0\x80\xff"), pb::BYTES);
  EXPECT_EQ(ClassifyWtf8("\xed\xa0"), pb::BYTES);
}

// ----------------------------------------------------------- CutAtCodePoint

TEST(CutAtCodePointTest, Table) {
  constexpr std::string_view kText = "a\u00e9\u4e2d\U0001F600z";  // 1 2 3 4 1
  const std::size_t cuts[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11};
  for (std::size_t max = 0; max < std::size(cuts); ++max) {
    EXPECT_EQ(CutAtCodePoint(kText, max), cuts[max]) << max;
  }
  EXPECT_EQ(CutAtCodePoint("", 0), 0u);
  EXPECT_EQ(CutAtCodePoint("\xed\xa0\x80x", 2), 0u);  // surrogate
  EXPECT_EQ(CutAtCodePoint("\x80\x80\x80\x80\x80\x80", 5), 5u);
  EXPECT_EQ(CutAtCodePoint("\xff\xff\xff", 2), 2u);
  EXPECT_EQ(CutAtCodePoint("\x80\x80", 1), 1u);
}

TEST(CutAtCodePointTest, NeverCutsASequence) {
  Random random(4);
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    std::vector<std::size_t> borders = {0};
    for (unsigned i = random() % 20; i > 0; --i) {
      text +=
          Encode(random() % 2 == 0 ? random() % 0x110000 : random() % 0x900);
      borders.push_back(text.size());
    }
    for (std::size_t max = 0; max <= text.size() + 1; ++max) {
      std::size_t expected = 0;
      for (const std::size_t border : borders) {
        if (border <= max) expected = border;
      }
      ASSERT_EQ(CutAtCodePoint(text, max), expected);
    }
  }
}

}  // namespace
}  // namespace heapglot
