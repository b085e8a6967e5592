#include "core/bytes/spool.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace heapglot {
namespace {

TEST(SpoolSink, HoldsLittleInMemoryAndMuchInAFile) {
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{5}, (std::size_t{16} << 20) + 12345}) {
    std::string text(size, 'a');
    for (std::size_t i = 0; i < size; i += 1000) {
      text[i] = static_cast<char>('b' + i / 1000 % 20);
    }
    SpoolSink sink;
    for (std::size_t at = 0; at < size; at += 1'234'567) {
      ASSERT_TRUE(
          sink.Write(std::string_view(text).substr(at, 1'234'567)).ok());
    }
    EXPECT_EQ(sink.position(), size);
    ASSERT_TRUE(sink.Close().ok());
    const auto source = sink.TakeSource("(spool)");
    ASSERT_TRUE(source.ok());
    EXPECT_EQ((*source)->bytes() == text, true);
    EXPECT_EQ((*source)->name(), "(spool)");
    // What is given back comes again.
    (*source)->Release(0, size);
    EXPECT_EQ((*source)->bytes() == text, true);
  }
}

}  // namespace
}  // namespace heapglot
