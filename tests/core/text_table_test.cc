#include "core/text_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace heapglot {
namespace {

TEST(TextTable, FindsAll) {
  TextTable<std::size_t> table;
  const std::string text(100, 'x');
  const std::string same(100, 'x');
  const auto start = [](std::string_view of, std::size_t size) {
    return of.substr(0, size);
  };
  for (std::size_t size = 0; size <= text.size(); ++size)
    EXPECT_TRUE(table.emplace(start(text, size), size).second) << size;
  for (std::size_t size = 0; size <= text.size(); ++size)
    EXPECT_EQ(table.find(start(same, size))->second, size);
  EXPECT_EQ(table.find("xy"), table.end());
}

// A byte makes a difference wherever it is, and so does a zero.
TEST(TextHash, TakesEveryByte) {
  const TextHash hash;
  for (const std::size_t size : {1, 7, 8, 9, 16, 17}) {
    const std::string zeros(size, '\0');
    EXPECT_NE(hash(zeros), hash(zeros.substr(1))) << size;
    for (std::size_t i = 0; i < size; ++i) {
      std::string other = zeros;
      other[i] = '\1';
      EXPECT_NE(hash(zeros), hash(other)) << size << " " << i;
    }
  }
}

}  // namespace
}  // namespace heapglot
