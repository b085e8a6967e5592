#include "heapglot/status.h"

#include <gtest/gtest.h>

#include <string>

#include "core/text/utf.h"

namespace heapglot {
namespace {

TEST(StatusTest, OkByDefault) {
  const Status status;
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(status.code(), Code::kOk);
}

TEST(StatusTest, ExitCodesAreThoseOfTheCommandLineContract) {
  EXPECT_EQ(ExitCode(Code::kOk), 0);
  EXPECT_EQ(ExitCode(Code::kInternal), 1);
  EXPECT_EQ(ExitCode(Code::kUsage), 2);
  EXPECT_EQ(ExitCode(Code::kMalformed), 3);
  EXPECT_EQ(ExitCode(Code::kTruncated), 4);
  EXPECT_EQ(ExitCode(Code::kLimit), 5);
  EXPECT_EQ(ExitCode(Code::kUnsupported), 6);
  EXPECT_EQ(ExitCode(Code::kLossy), 7);
  EXPECT_EQ(ExitCode(Code::kOutput), 8);
  EXPECT_EQ(ExitCode(Code::kInput), 9);
}

TEST(StatusTest, SaysFilePlaceAndMessage) {
  const Status binary(Code::kMalformed, "bad tag", Where::Byte(6699));
  EXPECT_EQ(binary.ToString("FILE"), "FILE: offset 6699 (0x1a2b): bad tag");
  EXPECT_EQ(binary.ToString(), "offset 6699 (0x1a2b): bad tag");
  const Status text(Code::kMalformed, "bad tag", Where::Line(12, 3));
  EXPECT_EQ(text.ToString("FILE"), "FILE:12:3: bad tag");
  EXPECT_EQ(text.ToString(), "12:3: bad tag");
  const Status line(Code::kMalformed, "bad tag", Where::Line(12, 0));
  EXPECT_EQ(line.ToString("FILE"), "FILE:12: bad tag");
  const Status nowhere(Code::kInput, "Is a directory");
  EXPECT_EQ(nowhere.ToString("FILE"), "FILE: Is a directory");
  EXPECT_EQ(nowhere.ToString(), "Is a directory");
}

TEST(StatusTest, PlaceZeroIsAPlace) {
  EXPECT_EQ(ToString(Where::Byte(0)), "offset 0 (0x0)");
  EXPECT_EQ(ToString(Where::Byte(~0ull)),
            "offset 18446744073709551615 (0xffffffffffffffff)");
  EXPECT_EQ(ToString(Where()), "");
}

TEST(StatusTest, LineIsShortAndPrintable) {
  const std::string hostile = "\x1b[2J\n" + std::string(9000, '\xff') + "é";
  for (std::size_t size = 0; size < 700; ++size) {
    const std::string file = "d/" + std::string(size, 'x') + "é";
    const std::string line =
        Status(Code::kMalformed, hostile, Where::Byte(~0ull)).ToString(file);
    ASSERT_LE(line.size(), 500u);
    ASSERT_TRUE(line.ends_with("..."));
    ASSERT_EQ(ClassifyUtf8(line), pb::UTF8);
    ASSERT_EQ(line.find('\x1b'), std::string::npos);
    ASSERT_EQ(line.find('\n'), std::string::npos);
    // However long the name is, the start of the message is there.
    ASSERT_NE(line.find("): \\x1b[2J\\x0a"), std::string::npos);
  }
}

TEST(StatusTest, LongestPlainFileNameIsShownWhole) {
  const std::string name(255, 'n');
  EXPECT_EQ(Status(Code::kInput, "m").ToString(name), name + ": m");
}

struct EscapeCase {
  std::string_view text;
  std::string_view escaped;
};

TEST(EscapeForTerminalTest, Table) {
  using namespace std::string_view_literals;
  const EscapeCase cases[] = {
      {"", ""},
      {"plain ~ text", "plain ~ text"},
      {"\0\x01\x1f\x7f"sv, "\\x00\\x01\\x1f\\x7f"},
      {"a\tb\nc\rd", "a\\x09b\\x0ac\\x0dd"},
      {"\xc2\x80\xc2\x9f\xc2\xa0", "\\u0080\\u009f\xc2\xa0"},  // C1
      {"\u202e\u2066\u200f\u061c", "\\u202e\\u2066\\u200f\\u061c"},
      {"\u2028\u2029\ufeff", "\\u2028\\u2029\\ufeff"},
      {"\u00e9\u4e2d\U0001F600", "\u00e9\u4e2d\U0001F600"},
      {"\xed\xa0\x80", "\\ud800"},          // lone surrogate
      {"\xc3(", "\\xc3("},                  // cut sequence
      {"\xc0\x80\xf5", "\\xc0\\x80\\xf5"},  // overlong, beyond
      {"\xe4\xb8", "\\xe4\\xb8"},           // cut at the end
  };
  for (const EscapeCase& c : cases) {
    EXPECT_EQ(EscapeForTerminal(c.text), c.escaped);
  }
}

TEST(EscapeForTerminalTest, CutsBetweenCharacters) {
  EXPECT_EQ(EscapeForTerminal("12345", 5), "12345");
  EXPECT_EQ(EscapeForTerminal("123456", 5), "12...");
  EXPECT_EQ(EscapeForTerminal("1\u4e2d\u4e2d", 7), "1\u4e2d\u4e2d");
  EXPECT_EQ(EscapeForTerminal("1\u4e2d\u4e2d", 6), "1...");
  EXPECT_EQ(EscapeForTerminal("1\n\n", 8), "1\\x0a...");
  EXPECT_EQ(EscapeForTerminal("1\n\n", 7), "1...");
  EXPECT_EQ(EscapeForTerminal("123456", 2), "..");
  EXPECT_EQ(EscapeForTerminal("123456", 0), "");
}

Result<int> Half(int number) {
  if (number % 2 != 0) return Status(Code::kUsage, "odd");
  return number / 2;
}

Status HalfTwice(int number, int* quarter) {
  const Result<int> half = Half(number);
  HEAPGLOT_RETURN_IF_ERROR(half.status());
  const Result<int> result = Half(*half);
  HEAPGLOT_RETURN_IF_ERROR(result.status());
  *quarter = *result;
  return {};
}

TEST(ResultTest, ValueOrReason) {
  int quarter = 0;
  EXPECT_TRUE(HalfTwice(12, &quarter).ok());
  EXPECT_EQ(quarter, 3);
  EXPECT_EQ(HalfTwice(6, &quarter).message(), "odd");
  EXPECT_EQ(quarter, 3);
}

TEST(ResultTest, HasAValueOrAnError) {
  const Result<int> result = Status();
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), Code::kInternal);
}

}  // namespace
}  // namespace heapglot
