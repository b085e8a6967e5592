#include "core/text/base64.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <random>
#include <string>

#include "tests/core/guarded_text.h"

namespace heapglot {
namespace {

std::string Encoded(std::string_view bytes) {
  std::string text;
  AppendBase64(bytes, &text);
  return text;
}

// RFC 4648, section 10.
TEST(Base64, IsThatOfTheStandard) {
  EXPECT_EQ(Encoded(""), "");
  EXPECT_EQ(Encoded("f"), "Zg==");
  EXPECT_EQ(Encoded("fo"), "Zm8=");
  EXPECT_EQ(Encoded("foo"), "Zm9v");
  EXPECT_EQ(Encoded("foob"), "Zm9vYg==");
  EXPECT_EQ(Encoded("fooba"), "Zm9vYmE=");
  EXPECT_EQ(Encoded("foobar"), "Zm9vYmFy");
  EXPECT_EQ(Encoded("\xFB\xEF\xBE\xFF"), "++++/w==");
}

TEST(Base64, ComesBack) {
  std::string bytes;
  for (int i = 0; i < 1000; ++i) {
    std::string back = "before";
    ASSERT_TRUE(AppendFromBase64(Encoded(bytes), &back));
    EXPECT_EQ(back, "before" + bytes);
    bytes.push_back(static_cast<char>(i * 167));
  }
}

TEST(Base64, RefusesWhatIsNone) {
  for (const char* text : {"Z", "Zg", "Zg=", "Zg==Zg==", "Z===", "====",
                           "Zm9v ", "Zm9\n", "Zm-_", "Zm\xFFv", "=m9v"}) {
    std::string out = "before";
    EXPECT_FALSE(AppendFromBase64(text, &out)) << text;
    EXPECT_EQ(out, "before");
  }
}

// What a variant makes of `bytes`. The room is exactly what it may write, so
// that AddressSanitizer sees if it writes more.
std::string EncodedBy(const Base64Variant& variant, std::string_view bytes) {
  const std::size_t size = bytes.size() / 3 * 4;
  const auto out = std::make_unique<char[]>(size);
  variant.encode(bytes, out.get());
  return {out.get(), size};
}

// "bad" if it refuses `text`.
std::string DecodedBy(const Base64Variant& variant, std::string_view text) {
  const std::size_t size = text.size() / 4 * 3;
  const auto out = std::make_unique<char[]>(size);
  const bool is_good = variant.decode(text, out.get());
  return is_good ? std::string(out.get(), size) : "bad";
}

TEST(Base64, KnowsItsVariants) {
  ASSERT_FALSE(Base64Variants().empty());
  EXPECT_EQ(Base64Variants()[0].name, "plain");
}

TEST(Base64, IsTheSameInEveryWay) {
  GuardedText guarded(4096);
  std::mt19937 random(1);
  std::string bytes;
  for (; bytes.size() < 900;
       bytes.append({static_cast<char>(random()), static_cast<char>(random()),
                     static_cast<char>(random())})) {
    const std::string text = Encoded(bytes);
    for (const Base64Variant& variant : Base64Variants()) {
      ASSERT_EQ(EncodedBy(variant, guarded.Set(bytes)), text)
          << variant.name << ", " << bytes.size();
      ASSERT_EQ(DecodedBy(variant, guarded.Set(text)), bytes)
          << variant.name << ", " << bytes.size();
    }
  }
}

TEST(Base64, EncodesAllSixBitsEverywhere) {
  // Each value at each of the places in a block of 64 characters.
  for (unsigned value = 0; value < 64; ++value) {
    std::string bytes;
    for (unsigned group = 0; group < 48; ++group) {
      const unsigned bits = value << 18 | (value + 1) % 64 << 12 |
                            (value + 2) % 64 << 6 | (value + group) % 64;
      for (const int shift : {16, 8, 0})
        bytes.push_back(static_cast<char>(bits >> shift & 0xFF));
    }
    const std::string text = EncodedBy(Base64Variants()[0], bytes);
    for (const Base64Variant& variant : Base64Variants()) {
      ASSERT_EQ(EncodedBy(variant, bytes), text) << variant.name;
      ASSERT_EQ(DecodedBy(variant, text), bytes) << variant.name;
    }
  }
}

TEST(Base64, IsRefusedInEveryWay) {
  const std::string good =
      EncodedBy(Base64Variants()[0], std::string(150, 's'));
  ASSERT_EQ(good.size(), 200U);
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (int character = 0; character < 256; ++character) {
      std::string text = good;
      text[at] = static_cast<char>(character);
      const std::string expected = DecodedBy(Base64Variants()[0], text);
      for (const Base64Variant& variant : Base64Variants())
        ASSERT_EQ(DecodedBy(variant, text), expected)
            << variant.name << ", " << character << " at " << at;
    }
  }
}

}  // namespace
}  // namespace heapglot
