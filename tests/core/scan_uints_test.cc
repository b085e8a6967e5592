#include "core/text/scan_uints.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/core/guarded_text.h"

namespace heapglot {
namespace {

using Numbers = std::vector<std::uint64_t>;

struct Answer {
  Numbers numbers;
  std::size_t end;  // how far it got

  bool operator==(const Answer&) const = default;
};

// One call. What comes after `max` numbers must stay as it is.
Answer Scan(const ScanUintsVariant& variant, std::string_view text,
            std::size_t max) {
  constexpr std::uint64_t kUntouched = 0x5a5a5a5a5a5a5a5a;
  Numbers out(max + 8, kUntouched);
  std::size_t count = 0;
  const char* const end = variant.scan(text.data(), text.data() + text.size(),
                                       out.data(), max, &count);
  EXPECT_LE(count, max);
  for (std::size_t i = max; i < out.size(); ++i) EXPECT_EQ(out[i], kUntouched);
  out.resize(count);
  return {out, static_cast<std::size_t>(end - text.data())};
}

// All variants do with `text` what the plain one does.
void ExpectAlike(GuardedText& guarded, const std::string& text,
                 std::size_t max) {
  const std::string_view at = guarded.Set(text);
  const Answer expected = Scan(ScanUintsVariants()[0], at, max);
  for (const ScanUintsVariant& variant : ScanUintsVariants().subspan(1)) {
    const Answer answer = Scan(variant, at, max);
    ASSERT_TRUE(answer == expected)
        << variant.name << ", at most " << max << " of: " << text;
  }
}

void ExpectAlike(GuardedText& guarded, const std::string& text) {
  for (const std::size_t max : {0, 1, 31, 32, 34, 35, 36, 64, 100, 1000})
    ExpectAlike(guarded, text, max);
}

constexpr std::string_view kOddities[] = {
    "7",
    "12",
    "0",
    "00",
    "01",
    "007",
    "-1",
    "-0",
    "-",
    "+1",
    "1.0",
    ".5",
    "1e3",
    "1E3",
    "1-2",
    "12345678",
    "123456789",
    "9876543210",
    "1234567890123456",
    "12345678901234567",
    "1234567890123456789",
    "9999999999999999999",
    "12345678901234567890",
    "99999999999999999999999999999999999999999999999999999999999999999999999",
    " 3",
    "3 ",
    "\n4",
    "4\n",
    "\t5\r\n",
    "  \r\n\t  6 \t\r\n    ",
    "1 2",
    "1\n2",
    "",
    " ",
    ",",
    ",,",
    "/",
    ":",
    "\"a\"",
    "[]",
    "{",
    "]",
    "\x80",
    "\xb0",
    "\xac",
    "1\v",
    "1\f",
};

TEST(ScanUints, KnowsItsVariants) {
  ASSERT_FALSE(ScanUintsVariants().empty());
  EXPECT_EQ(ScanUintsVariants()[0].name, "plain");
  const std::string text = "1,22\n, 333 ,4444444444,5]";
  for (const ScanUintsVariant& variant : ScanUintsVariants()) {
    const Answer answer = Scan(variant, text, 10);
    EXPECT_EQ(answer.numbers, (Numbers{1, 22, 333, 4444444444}));
    EXPECT_EQ(text.substr(answer.end), "5]");
  }
}

// Odd text is at each place of a block, with plain numbers around it.
TEST(ScanUints, VariantsAgreeOnOddities) {
  GuardedText guarded(4096);
  for (const std::string_view oddity : kOddities) {
    for (std::size_t before = 0; before < 70; ++before) {
      std::string text;
      while (text.size() < before)
        text += before - text.size() > 1 ? "1," : " ";
      text += oddity;
      for (int i = 0; i < 60; ++i) text += "," + std::to_string(i * 1237 % 997);
      ExpectAlike(guarded, text + "]", 1000);
    }
  }
}

// The end of the input is as near as possible.
TEST(ScanUints, VariantsAgreeAtTheEnd) {
  GuardedText guarded(4096);
  for (const std::string_view oddity : kOddities) {
    for (int count = 0; count < 90; count += 3) {
      std::string text;
      for (int i = 0; i < count; ++i) text += std::to_string(i % 13) + ",";
      text += oddity;
      ExpectAlike(guarded, text + "]", 1000);
      ExpectAlike(guarded, text + ",]", 1000);
      ExpectAlike(guarded, text + "\n]", 1000);
    }
  }
}

// What comes before the first number does not matter, and need not exist.
TEST(ScanUints, VariantsReadNothingBefore) {
  GuardedText guarded(1);
  for (std::size_t digits = 1; digits <= 20; ++digits) {
    std::string text = "98765432109876543210";
    text = text.substr(text.size() - digits) + ",";
    while (text.size() + 10 < guarded.room()) text += "3,12,";
    text.resize(guarded.room(), ']');
    const std::string_view at = guarded.Set(text);
    for (std::size_t from = 0; from < digits; ++from) {
      const Answer expected = Scan(ScanUintsVariants()[0], at.substr(from), 99);
      for (const ScanUintsVariant& variant : ScanUintsVariants()) {
        EXPECT_TRUE(Scan(variant, at.substr(from), 99) == expected)
            << variant.name << ' ' << digits << ' ' << from;
      }
    }
  }
}

// The first block ends with the first comma, and the second one begins there.
TEST(ScanUints, VariantsReadNothingBeforeTheSecondBlock) {
  GuardedText guarded(1);
  for (std::size_t digits = 1; digits <= 16; ++digits) {
    std::string text = std::string(digits, '7') + ",5";
    text.resize(65, ' ');
    while (text.size() + 10 < guarded.room()) text += ",12,3";
    text.resize(guarded.room(), ']');
    ExpectAlike(guarded, text, 99);
  }
}

TEST(ScanUints, VariantsAgreeOnSizes) {
  GuardedText guarded(1 << 16);
  for (int digits = 1; digits <= 24; ++digits) {
    for (const char digit : {'1', '9'}) {
      std::string text;
      for (int i = 0; i < 150; ++i)
        text += std::string(static_cast<std::size_t>(digits), digit) + ",";
      ExpectAlike(guarded, text + "]");
    }
  }
  std::string text;
  for (std::uint64_t power = 1;; power *= 10) {
    for (const std::uint64_t value : {power - 1, power, power + 1})
      text += std::to_string(value) + ",";
    if (power > std::numeric_limits<std::uint64_t>::max() / 10) break;
  }
  for (std::size_t i = 0; i < 140; i += 2)
    ExpectAlike(guarded, text.substr(i) + "]");
}

// There are always more numbers than are wanted.
TEST(ScanUints, VariantsKeepToTheMost) {
  GuardedText guarded(4096);
  for (int longer = 0; longer < 24; ++longer) {
    std::string text;
    for (int i = 0; i < longer; ++i) text += "12,";
    for (int i = 0; i < 200; ++i) text += "7,";
    for (std::size_t max = 24; max < 140; ++max)
      ExpectAlike(guarded, text + "]", max);
  }
}

// Any byte may stand anywhere.
TEST(ScanUints, VariantsAgreeOnEveryByte) {
  GuardedText guarded(4096);
  for (int byte = 0; byte < 256; ++byte) {
    for (std::size_t at = 0; at < 130; ++at) {
      std::string text;
      while (text.size() < 200) text += "10,";
      text[at] = static_cast<char>(byte);
      ExpectAlike(guarded, text + "]", 1000);
    }
  }
}

TEST(ScanUints, VariantsAgreeOnRandomRows) {
  GuardedText guarded(1 << 17);
  std::mt19937_64 random(1);
  for (int round = 0; round < 600; ++round) {
    const unsigned bits = 1 + static_cast<unsigned>(random() % 64);
    const unsigned oddness = static_cast<unsigned>(random() % 3);
    std::string text;
    const std::size_t count = random() % 600;
    for (std::size_t i = 0; i < count; ++i) {
      if (oddness > 0 && random() % (oddness == 1 ? 400 : 20) == 0)
        text += kOddities[random() % std::size(kOddities)];
      else
        text += std::to_string(random() >> (64 - 1 - random() % bits));
      text += i % 7 == 6 ? "\n," : random() % 50 == 0 ? " , " : ",";
    }
    ExpectAlike(guarded, text + "]", 1 + random() % 700);
    ExpectAlike(guarded, text + "]", 1000);
  }
}

}  // namespace
}  // namespace heapglot
