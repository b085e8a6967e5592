#include "core/chunk_builder.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/text/utf.h"

namespace heapglot {
namespace {

// Keeps what a StringBuilder sends.
class StringsSink : public ChunkSink {
 public:
  Status Accept(const pb::Chunk& chunk) override {
    chunks.push_back(chunk.strings());
    return {};
  }

  std::vector<pb::Strings> chunks;
};

struct LongText {
  std::string name;
  std::string unit;  // repeated, after `shift` letters
  std::size_t shift = 0;
  pb::StringEncoding encoding = pb::UTF8;
};

void PrintTo(const LongText& text, std::ostream* out) { *out << text.name; }

class StringBuilderLongText : public testing::TestWithParam<LongText> {};

TEST_P(StringBuilderLongText, GoesInPieces) {
  const LongText& param = GetParam();
  std::string text(param.shift, 'x');
  while (text.size() < 3 * kChunkText) text += param.unit;
  StringsSink sink;
  StringBuilder builder(sink);
  builder.BeginNames(true);
  ASSERT_TRUE(builder.Add("before", pb::UTF8).ok());
  ASSERT_TRUE(builder.Add(text, param.encoding).ok());
  ASSERT_TRUE(builder.Add("behind", pb::UTF8).ok());
  ASSERT_TRUE(builder.Flush().ok());
  EXPECT_EQ(builder.next(), 4U);

  std::string joined;
  std::uint64_t index = 0;
  bool goes_on = false;
  for (const pb::Strings& strings : sink.chunks) {
    EXPECT_TRUE(strings.names());
    EXPECT_EQ(strings.first(), goes_on ? index : index + 1);
    std::string_view data = strings.data();
    for (int row = 0; row < strings.length_size(); ++row) {
      if (!goes_on) ++index;
      const std::string_view piece = data.substr(0, strings.length(row));
      data.remove_prefix(piece.size());
      const pb::StringEncoding encoding =
          row < strings.encoding_size() ? strings.encoding(row) : pb::UTF8;
      EXPECT_LE(piece.size(), kChunkText);
      EXPECT_EQ(encoding, param.encoding == pb::BYTES ? ClassifyUtf8(piece)
                                                      : ClassifyWtf8(piece));
      if (index == 2) joined += piece;
      goes_on = strings.continued() && row + 1 == strings.length_size();
    }
  }
  EXPECT_EQ(index, 3U);
  EXPECT_TRUE(joined == text);
  EXPECT_GE(sink.chunks.size(), 3U);
}

INSTANTIATE_TEST_SUITE_P(
    Texts, StringBuilderLongText,
    testing::Values(LongText{"letters", "abc"},
                    LongText{"two_bytes", "\xc3\xa9"},
                    LongText{"odd", "\xc3\xa9", 1},
                    LongText{"four_bytes", "\xf0\x9f\x98\x80", 1},
                    LongText{"half_a_pair", "\xed\xa0\xbd", 0, pb::WTF8},
                    LongText{"latin1", "\xe9", 0, pb::BYTES}),
    [](const auto& test) { return test.param.name; });

TEST(StringBuilder, WhatFitsIsOnePiece) {
  StringsSink sink;
  StringBuilder builder(sink);
  builder.BeginOthers(true);
  ASSERT_TRUE(builder.Add(std::string(kChunkText, 'x'), pb::UTF8).ok());
  ASSERT_EQ(sink.chunks.size(), 1U);
  EXPECT_FALSE(sink.chunks[0].continued());
  EXPECT_EQ(sink.chunks[0].length_size(), 1);
}

}  // namespace
}  // namespace heapglot
