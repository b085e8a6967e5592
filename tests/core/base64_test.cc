#include "core/text/base64.h"

#include <gtest/gtest.h>

#include <string>

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

}  // namespace
}  // namespace heapglot
