#include "core/bytes/zstd_delta.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace heapglot {
namespace {

std::string Rows(int count, int step) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += "row " + std::to_string(i * step % 997) + "\n";
  return text;
}

std::string Delta(std::string_view base, std::string_view bytes) {
  const Result<ByteBuffer> delta = MakeZstdDelta(base, bytes);
  return delta.ok() ? std::string(delta->view()) : std::string();
}

TEST(ZstdDelta, GivesTheBytesBack) {
  const std::string rows = Rows(50'000, 1);
  const std::vector<std::string> texts = {
      "",
      "a",
      rows,
      rows + "one more",
      "one more" + rows,
      Rows(90'000, 7),
      rows.substr(300'000) + rows.substr(0, 300'000)};
  for (const std::string& base : texts) {
    for (const std::string& text : texts) {
      const std::string delta = Delta(base, text);
      std::string out(text.size(), '\0');
      EXPECT_TRUE(ApplyZstdDelta(base, delta, out).ok());
      EXPECT_EQ(out, text);
      EXPECT_GE(MaxOfZstdDelta(delta.size()), text.size());
    }
  }
}

TEST(ZstdDelta, IsSmallWhereLittleHasChanged) {
  std::string base;
  std::uint64_t state = 1;
  for (int i = 0; i < 300'000; ++i) {  // zstd cannot make this smaller
    state = state * 6364136223846793005U + 1442695040888963407U;
    base += static_cast<char>(state >> 56);
  }
  EXPECT_LT(Delta(base, base.substr(1000) + "and more").size(), 200U);
}

TEST(ZstdDelta, IsTheSameEachTime) {
  const std::string base = Rows(10'000, 3);
  const std::string text = Rows(10'000, 5);
  EXPECT_EQ(Delta(base, text), Delta(base, text));
}

TEST(ZstdDelta, WithAnotherSizeIsNone) {
  const std::string base = Rows(100, 1);
  const std::string text = Rows(100, 3);
  const std::string delta = Delta(base, text);
  for (const std::size_t size : {text.size() - 1, text.size() + 1}) {
    std::string out(size, '\0');
    EXPECT_FALSE(ApplyZstdDelta(base, delta, out).ok());
  }
  std::string out(text.size(), '\0');
  EXPECT_FALSE(ApplyZstdDelta(base, delta + "x", out).ok());
  EXPECT_FALSE(ApplyZstdDelta(base, "", out).ok());
}

TEST(ZstdDelta, MayNotBeTooLarge) {
  // The bytes are not read, since the sizes suffice.
  const char byte = 'a';
  const std::string_view large(&byte, kMaxDeltaWindow);
  EXPECT_EQ(MakeZstdDelta(large, "a").status().code(), Code::kLimit);
}

}  // namespace
}  // namespace heapglot
