#include "core/text/number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <utility>

#include "core/text/format_uint.h"

namespace heapglot {
namespace {

TEST(Number, DoublesLookAsInDart) {
  const std::pair<double, const char*> cases[] = {
      {0.0, "0.0"},
      {-0.0, "-0.0"},
      {1.0, "1.0"},
      {-1.5, "-1.5"},
      {0.1, "0.1"},
      {100000.0, "100000.0"},
      {123456789.25, "123456789.25"},
      {1e20, "100000000000000000000.0"},
      {1e21, "1e+21"},
      {1.25e300, "1.25e+300"},
      {1e-6, "0.000001"},
      {1e-7, "1e-7"},
      {1.5e-7, "1.5e-7"},
      {5e-324, "5e-324"},
      {NAN, "NaN"},
      {INFINITY, "Infinity"},
      {-INFINITY, "-Infinity"},
  };
  for (const auto& [value, expected] : cases) {
    std::string text;
    AppendDouble(value, &text);
    EXPECT_EQ(text, expected);
  }
}

TEST(Number, DoublesReadBack) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t bits = random();
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    std::string text;
    AppendDouble(value, &text);
    EXPECT_EQ(std::strtod(text.c_str(), nullptr), value) << text;
  }
}

TEST(Number, FormatUintIsExact) {
  const auto format = [](std::uint64_t value) {
    char buffer[kMaxUintDigits + 4];
    return std::string(buffer, FormatUint(value, buffer));
  };
  std::mt19937_64 random(1);
  for (std::uint64_t power = 1;; power *= 10) {
    for (const std::uint64_t value : {power - 1, power, power + 1})
      EXPECT_EQ(format(value), std::to_string(value));
    if (power > std::numeric_limits<std::uint64_t>::max() / 10) break;
  }
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t value = random() >> (random() % 64);
    EXPECT_EQ(format(value), std::to_string(value));
  }
  EXPECT_EQ(format(std::numeric_limits<std::uint64_t>::max()),
            "18446744073709551615");
}

}  // namespace
}  // namespace heapglot
