#include "readers/heapsnapshot/heapsnapshot_walk.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heapglot/bytes.h"

namespace heapglot::heapsnapshot {
namespace {

using Gap = DigitRuns::Gap;

struct Numbers {
  std::vector<std::uint64_t> values;
  std::vector<std::uint64_t> offsets;
  std::vector<std::pair<Gap, std::uint64_t>> strays;  // with the offset
};

// Reads `array`, which includes the brackets, `max` numbers at a time.
Numbers ReadAll(std::string_view array, std::size_t max) {
  DigitRuns in(array, {1, array.size() - 1});
  Numbers all;
  for (;;) {
    in.Read(max);
    for (const DigitRuns::Stray& stray : in.strays())
      all.strays.emplace_back(stray.gap, stray.offset);
    if (in.block().empty()) return all;
    for (std::size_t i = 0; i < in.block().size(); ++i) {
      all.values.push_back(in.block()[i]);
      all.offsets.push_back(in.OffsetOf(i));
    }
  }
}

using Uints = std::vector<std::uint64_t>;
using Strays = std::vector<std::pair<Gap, std::uint64_t>>;

struct Case {
  std::string_view array;
  Uints values;
  Uints offsets;
  Strays strays;
};

TEST(DigitRuns, ReadsRunsOfDigitsWhateverStandsBetween) {
  const Case cases[] = {
      {"[]", {}, {}, {}},
      {"[ ]", {}, {}, {}},
      {"[1,2,3]", {1, 2, 3}, {1, 3, 5}, {}},
      {"[ 1 ,\n2 ]", {1, 2}, {2, 6}, {}},
      {"[1,-2,3]", {1, 2, 3}, {1, 4, 6}, {{Gap::kMinus, 3}}},
      {"[1.5,2]", {1, 5, 2}, {1, 3, 5}, {{Gap::kFraction, 2}}},
      {"[3e2]", {3, 2}, {1, 3}, {{Gap::kFraction, 2}}},
      {"[[1],2]", {1}, {2}, {{Gap::kOther, 1}}},
      {"[\"12\",3]", {12, 3}, {2, 6}, {{Gap::kOther, 1}, {Gap::kOther, 4}}},
      {"[007]", {7}, {1}, {{Gap::kZeros, 1}}},
      {"[-007]", {7}, {2}, {{Gap::kMinus, 1}, {Gap::kZeros, 2}}},
      {"[1.00,2]", {1, 0, 2}, {1, 3, 6}, {{Gap::kFraction, 2}}},
      {"[1e01]", {1, 1}, {1, 3}, {{Gap::kFraction, 2}}},
      {"[0E+00]", {0, 0}, {1, 4}, {{Gap::kFraction, 2}}},
      {"[1,,2]", {1, 2}, {1, 4}, {{Gap::kOther, 3}}},
      {"[1,]", {1}, {1}, {}},  // the reader refuses it
      {"[,1]", {1}, {2}, {{Gap::kOther, 1}}},
      {"[x]", {}, {}, {{Gap::kOther, 1}}},
      {"[18446744073709551615,18446744073709551616]",
       {~std::uint64_t{0}, ~std::uint64_t{0}},
       {1, 22},
       {}},
  };
  for (const Case& test : cases) {
    // The array ends at its first "]".
    const std::string_view array =
        test.array.substr(0, test.array.find(']') + 1);
    for (const std::size_t max : {1, 2, 3, 100}) {
      const Numbers found = ReadAll(array, max);
      EXPECT_EQ(found.values, test.values) << array << " by " << max;
      EXPECT_EQ(found.offsets, test.offsets) << array << " by " << max;
      EXPECT_EQ(found.strays, test.strays) << array << " by " << max;
    }
  }
}

TEST(DevtoolsWalk, FindsTheNextQuotedWord) {
  const std::string file =
      R"({"snapshot":{"a":"}"},"x":"nodes","nodes":[1],"strings":["]"]})";
  const auto source = ByteSource::FromMemory(file);
  DevtoolsWalk walk(*source);
  std::uint64_t colon = 0;
  const auto snapshot = walk.Snapshot(&colon);
  ASSERT_TRUE(snapshot);
  EXPECT_EQ(colon, 11u);
  EXPECT_EQ(file.substr(snapshot->begin, snapshot->end - snapshot->begin),
            R"({"a":"}"})");
  bool is_cut = true;
  const auto nodes = walk.Array("nodes", &is_cut);
  ASSERT_TRUE(nodes);
  EXPECT_FALSE(is_cut);
  EXPECT_EQ(file.substr(nodes->begin, nodes->end - nodes->begin), "1");
  // The walk never goes back.
  EXPECT_FALSE(walk.Array("nodes", &is_cut));
  EXPECT_FALSE(is_cut);
  const auto strings = walk.Strings();
  ASSERT_TRUE(strings);
  EXPECT_EQ(file.substr(strings->begin), R"(["]"]})");
}

TEST(DevtoolsWalk, TellsACutArrayFromAMissingKey) {
  const auto source = ByteSource::FromMemory(R"({"snapshot":{},"nodes":[1,2)");
  DevtoolsWalk walk(*source);
  std::uint64_t colon = 0;
  ASSERT_TRUE(walk.Snapshot(&colon));
  bool is_cut = false;
  EXPECT_FALSE(walk.Array("nodes", &is_cut));
  EXPECT_TRUE(is_cut);
  EXPECT_FALSE(walk.Array("edges", &is_cut));
  EXPECT_FALSE(is_cut);
}

TEST(DevtoolsWalk, LooksInTheSnapshotObject) {
  const std::string file =
      R"({"snapshot":{"a":"nodes","b":["c"]},"nodes":[1],"edges":[2]})";
  const auto source = ByteSource::FromMemory(file);
  DevtoolsWalk walk(*source);
  std::uint64_t colon = 0;
  ASSERT_TRUE(walk.Snapshot(&colon));
  bool is_cut = true;
  const auto nodes = walk.Array("nodes", &is_cut);
  ASSERT_TRUE(nodes);
  EXPECT_EQ(walk.name(), file.find(R"("nodes")"));
  EXPECT_EQ(file.substr(nodes->begin, nodes->end - nodes->begin), R"("c")");
  ASSERT_TRUE(walk.Array("edges", &is_cut));
  EXPECT_EQ(walk.name(), file.find(R"("edges")"));
}

// The walk searches one MiB at a time.
TEST(DevtoolsWalk, FindsWhatIsFarBehind) {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  for (std::size_t back = 0; back < 10; ++back) {
    std::string file = R"("snapshot":{})";
    file.resize(file.size() + 2 * kMiB - back, ' ');
    file += R"("nodes":[1])";
    const auto source = ByteSource::FromMemory(file);
    DevtoolsWalk walk(*source);
    std::uint64_t colon = 0;
    ASSERT_TRUE(walk.Snapshot(&colon));
    bool is_cut = true;
    const auto nodes = walk.Array("nodes", &is_cut);
    ASSERT_TRUE(nodes) << back;
    EXPECT_EQ(nodes->end, file.size() - 1);
  }
}

TEST(DevtoolsWalk, SurvivesWhatIsNoSnapshot) {
  for (const std::string_view file :
       {"", "{", R"("snapshot")", R"("snapshot":)", R"("snapshot":{"a)",
        R"("snapshot":})", R"("snapshot":{{}")"}) {
    std::uint64_t colon = 0;
    const auto source = ByteSource::FromMemory(file);
    EXPECT_FALSE(DevtoolsWalk(*source).Snapshot(&colon)) << file;
  }
}

}  // namespace
}  // namespace heapglot::heapsnapshot
