#include "writers/dartheap/dartheap_data.h"

#include <gtest/gtest.h>

#include <string>

#include "core/bytes/spill_buffer.h"
#include "tests/core/text_stream.h"

namespace heapglot::dartheap {
namespace {

// One text of each sort: short, Latin-1, UTF-16 with a code point boundary on
// each side of byte 128, and bytes that are not UTF-8.
class DartheapTexts : public ::testing::Test {
 protected:
  DartheapTexts() {
    Add("short");
    Add(std::string(200, 'a'));
    Add(Times("€", 100));
    Add(std::string(300, '\xff'), pb::BYTES);
  }

  static std::string Times(const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
  }

  void Add(const std::string& text, pb::StringEncoding encoding = pb::UTF8) {
    pb::Strings strings;
    strings.set_first(++count_);
    strings.set_data(text);
    strings.add_length(static_cast<std::uint32_t>(text.size()));
    strings.add_encoding(encoding);
    store_.Add(strings);
  }

  Data String(std::uint64_t index) {
    const StringStore::Text text = store_.Locate(index);
    return StringData(text, measure_.Of(text, store_), store_, false);
  }
  Data Name(std::uint64_t index) {
    return NameData(store_.Locate(index), store_);
  }

  static std::string Written(const Data& data) {
    SpillBuffer out(1 << 20);
    WriteData(data, out);
    return std::string(out.View(0, out.size()));
  }

  static TextBudget Spent() {
    TextBudget budget;
    EXPECT_TRUE(budget.Take(TextBudget::kRepeated));
    return budget;
  }

  StringStore store_;
  TextMeasure measure_;
  std::uint64_t count_ = 0;
};

TEST_F(DartheapTexts, StandInFullWhileTheBudgetLasts) {
  TextBudget budget;
  budget.Add(store_.size());
  const std::string full = Written(String(2));
  // Repetitions use up the budget until less than one of them is left.
  const std::uint64_t times = (store_.size() + TextBudget::kRepeated) / 200;
  for (std::uint64_t i = 0; i < times; ++i) {
    Data data = String(2);
    ASSERT_FALSE(Spend(budget, data)) << i;
  }
  Data data = String(2);
  EXPECT_TRUE(Spend(budget, data));
  EXPECT_EQ(Written(data), "\x05\xc8\x01\x80\x01" + std::string(128, 'a'));
  EXPECT_EQ(full, "\x05\xc8\x01\xc8\x01" + std::string(200, 'a'));
}

TEST_F(DartheapTexts, AreCutBetweenCodePointsWithTheirFullLength) {
  TextBudget budget = Spent();
  Data utf16 = String(3);
  EXPECT_TRUE(Spend(budget, utf16));
  // 42 times three bytes are 126.
  EXPECT_EQ(Written(utf16), "\x06\x64\x2a" + Times("\xac\x20", 42));
  Data bytes = String(4);
  EXPECT_TRUE(Spend(budget, bytes));
  EXPECT_EQ(bytes.length, 300u);
  EXPECT_EQ(bytes.units, bytes.text.size);
  EXPECT_LE(bytes.units, 128u);
  EXPECT_GE(bytes.units, 125u);
  Data name = Name(3);
  EXPECT_TRUE(Spend(budget, name));
  EXPECT_EQ(Written(name), "\x08\x7e" + Times("€", 42));
}

TEST_F(DartheapTexts, KeepTheLengthThatTheSourceStates) {
  TextBudget budget = Spent();
  Data data = String(2);
  data.length = 5000;
  EXPECT_TRUE(Spend(budget, data));
  EXPECT_EQ(data.length, 5000u);
  EXPECT_EQ(data.units, 128u);
}

TEST_F(DartheapTexts, AreNotCutWhenShortOrNone) {
  TextBudget budget = Spent();
  Data text = String(1);
  EXPECT_FALSE(Spend(budget, text));
  EXPECT_EQ(Written(text), std::string("\x05\x05\x05short"));
  Data none;
  EXPECT_FALSE(Spend(budget, none));
}

TEST_F(DartheapTexts, NamesShareTheBudget) {
  TextBudget budget;
  const std::string all(TextBudget::kRepeated - 200, 'a');
  std::string_view name = all;
  EXPECT_FALSE(Spend(budget, name));
  EXPECT_EQ(name, all);
  Data data = String(2);
  EXPECT_FALSE(Spend(budget, data));
  const std::string euros = Times("€", 50);
  name = euros;
  EXPECT_TRUE(Spend(budget, name));
  EXPECT_EQ(name, Times("€", 42));
  EXPECT_FALSE(Spend(budget, name));
}

TEST_F(DartheapTexts, LongOnesAreMeasuredOnce) {
  Add(std::string(70'000, 'b'));
  Add(Times("é", 70'000));
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(String(5).units, 70'000u);
    EXPECT_EQ(String(5).tag, kTagLatin1);
    EXPECT_EQ(String(6).units, 70'000u);
    EXPECT_EQ(String(2).units, 200u);
  }
}

}  // namespace
}  // namespace heapglot::dartheap
