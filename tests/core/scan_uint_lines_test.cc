#include "core/text/scan_uint_lines.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/core/guarded_text.h"

namespace heapglot {
namespace {

using Lines = std::vector<std::vector<std::uint64_t>>;

struct Found {
  Lines lines;
  std::size_t end = 0;  // how far it got

  bool operator==(const Found&) const = default;
};

// Calls it as often as it takes.
Found Scan(const ScanUintLinesVariant& variant, std::string_view text) {
  Found found;
  const auto lines = std::make_unique<UintLines>();
  do {
    variant.scan(text.substr(found.end), lines.get());
    std::size_t number = 0;
    for (std::size_t i = 0; i < lines->count; ++i) {
      auto& line = found.lines.emplace_back();
      while (number < lines->lines[i].numbers)
        line.push_back(lines->numbers[number++]);
      EXPECT_EQ(text[found.end + lines->lines[i].end - 1], '\n');
    }
    found.end += lines->size();
  } while (lines->count > 0);
  return found;
}

// All variants do with `text` what the plain one does.
void ExpectAlike(GuardedText& guarded, const std::string& text) {
  const std::string_view at = guarded.Set(text);
  const Found expected = Scan(ScanUintLinesVariants()[0], at);
  for (const ScanUintLinesVariant& variant : ScanUintLinesVariants().subspan(1))
    ASSERT_TRUE(Scan(variant, at) == expected) << variant.name << ": " << text;
}

constexpr std::string_view kLine = "[3,1,150267,150111,135]\n";

constexpr std::string_view kOdd[] = {
    "",
    "\n",
    "[]\n",
    "[1]\r\n",
    "[1] \n",
    " [1]\n",
    "[ 1]\n",
    "[1 ]\n",
    "[1,  2]\n",
    "[1 ,2]\n",
    "[1,\t2]\n",
    "[1, ]\n",
    "[, 1]\n",
    "[1, ,2]\n",
    "[1, 02]\n",
    "[1, 2]\n",
    "[1, 2,3, 4]\n",
    "[1234567, 12345678, 123456789]\n",
    "[1,]\n",
    "[,1]\n",
    "[1,,2]\n",
    "[1\n",
    "[1\n]\n",
    "1]\n",
    "1,2]\n",
    "[1]",
    "[1]]\n",
    "[[1]\n",
    "[[1]]\n",
    "[1][2]\n",
    "[1],[2]\n",
    "[1]\n2]\n",
    "[01]\n",
    "[00]\n",
    "[1,02]\n",
    "[0,0]\n",
    "[-1]\n",
    "[1.5]\n",
    "[1e5]\n",
    "[null]\n",
    "[4,0,\"a\"]\n",
    "{\"type\":\"metadata\"}\n",
    "[1/]\n",
    "[1:]\n",
    "[\x80]\n",
    "[\xb1]\n",
    "[12345678,123456789]\n",
    "[1234567890123456,12345678901234567]\n",
    "[9999999999999999999]\n",
    "[12345678901234567890]\n",
};

TEST(ScanUintLines, KnowsItsVariants) {
  EXPECT_EQ(ScanUintLinesVariants()[0].name, "plain");
  const std::string text = "[1]\n[22,333]\n[4444444444,0]\n[5]";
  for (const ScanUintLinesVariant& variant : ScanUintLinesVariants()) {
    const Found found = Scan(variant, text);
    EXPECT_EQ(found.lines, (Lines{{1}, {22, 333}, {4444444444, 0}}));
    EXPECT_EQ(text.substr(found.end), "[5]");
  }
}

TEST(ScanUintLines, TakesNothingElse) {
  for (const ScanUintLinesVariant& variant : ScanUintLinesVariants()) {
    for (const std::string_view odd : kOdd) {
      const bool is_usual =
          odd.starts_with("[0,0]") || odd.starts_with("[12345678,") ||
          odd.starts_with("[1234567, ") || odd.starts_with("[1, 2") ||
          odd.starts_with("[1234567890123456,") ||
          odd == "[9999999999999999999]\n";
      std::string text(odd);
      for (int i = 0; i < 20; ++i) text += kLine;
      if (odd == "[1]\n2]\n") {
        EXPECT_EQ(Scan(variant, text).lines, (Lines{{1}}));
      } else if (!odd.empty()) {
        EXPECT_EQ(Scan(variant, text).lines.size(), is_usual ? 21 : 0)
            << variant.name << ": " << odd;
      }
    }
  }
}

// Odd text is at each place of a block, with usual lines around it.
TEST(ScanUintLines, VariantsAgreeOnOddities) {
  GuardedText guarded(4096);
  for (const std::string_view odd : kOdd) {
    for (std::size_t digits = 1; digits < 70; ++digits) {
      std::string text = "[";
      for (std::size_t i = 0; i < digits; ++i)
        text += i % 7 == 6 ? ',' : static_cast<char>('1' + i % 9);
      text += text.back() == ',' ? "8]\n" : "]\n";
      text += odd;
      for (int i = 0; i < 8; ++i) text += kLine;
      ExpectAlike(guarded, text);
    }
  }
}

// The end of the input is as near as possible.
TEST(ScanUintLines, VariantsAgreeAtTheEnd) {
  GuardedText guarded(4096);
  for (const std::string_view odd : kOdd) {
    std::string text;
    for (int i = 0; i < 60; ++i) {
      text += "[" + std::to_string(i * 1237 % 997) + "]\n";
      ExpectAlike(guarded, text + std::string(odd));
    }
  }
  std::string lines;
  for (int i = 0; i < 12; ++i) lines += kLine;
  for (std::size_t size = 0; size <= lines.size(); ++size)
    ExpectAlike(guarded, lines.substr(0, size));
}

TEST(ScanUintLines, VariantsReadNothingBefore) {
  GuardedText guarded(1);
  for (std::size_t digits = 1; digits < 20; ++digits) {
    std::string text = "[" + std::string(digits, '7') + "]\n";
    while (text.size() + kLine.size() < guarded.room()) text += kLine;
    text.resize(guarded.room(), ' ');
    ExpectAlike(guarded, text);
  }
}

// The first block ends with the first line, and the second one begins there.
TEST(ScanUintLines, VariantsReadNothingBeforeTheSecondBlock) {
  GuardedText guarded(1);
  const std::string second =
      "[5,123456,123456,123456,123456,123456,123456,123456,123456]\n";
  for (std::size_t digits = 2; digits < 12; ++digits) {
    std::string text = "[" + std::string(digits, '7') + "]\n" + second;
    while (text.size() + kLine.size() < guarded.room()) text += kLine;
    text.resize(guarded.room(), ' ');
    ExpectAlike(guarded, text);
  }
}

// Any byte may stand anywhere.
TEST(ScanUintLines, VariantsAgreeOnEveryByte) {
  GuardedText guarded(4096);
  std::string lines;
  while (lines.size() < 200) lines += "[3,1,10267,0,15]\n";
  for (int byte = 0; byte < 256; ++byte) {
    for (std::size_t at = 0; at < 130; ++at) {
      std::string text = lines;
      text[at] = static_cast<char>(byte);
      ExpectAlike(guarded, text);
    }
  }
}

TEST(ScanUintLines, VariantsAgreeOnRandomLines) {
  GuardedText guarded(1 << 17);
  std::mt19937_64 random(1);
  for (int round = 0; round < 1000; ++round) {
    const unsigned bits = 1 + static_cast<unsigned>(random() % 64);
    const std::size_t longest = round % 20 == 0 ? 1200 : 1 + random() % 12;
    std::string text;
    for (std::size_t i = random() % 200; i > 0; --i) {
      text += '[';
      for (std::size_t k = random() % longest + 1; k > 0; --k) {
        text += std::to_string(random() >> (64 - 1 - random() % bits));
        text += k > 1 ? "," : "]\n";
      }
      if (random() % 300 == 0) text += kOdd[random() % std::size(kOdd)];
      if (text.size() > 100'000) break;
    }
    ExpectAlike(guarded, text);
  }
}

}  // namespace
}  // namespace heapglot
