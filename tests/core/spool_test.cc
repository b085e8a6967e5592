#include "core/bytes/spool.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace heapglot {
namespace {

// Writes `size` bytes and reads them.
void KeepAndTake(std::size_t size, std::size_t memory) {
  std::string text(size, 'a');
  for (std::size_t i = 0; i < size; i += 1000) {
    text[i] = static_cast<char>('b' + i / 1000 % 20);
  }
  SpoolSink sink(memory);
  for (std::size_t at = 0; at < size; at += 1'234'567) {
    ASSERT_TRUE(sink.Write(std::string_view(text).substr(at, 1'234'567)).ok());
  }
  EXPECT_EQ(sink.position(), size);
  ASSERT_TRUE(sink.Close().ok());
  const auto source = sink.TakeSource("(spool)");
  ASSERT_TRUE(source.ok());
  EXPECT_EQ((*source)->bytes() == text, true);
  EXPECT_EQ((*source)->name(), "(spool)");
  // What was released is read again.
  (*source)->Release(0, size);
  EXPECT_EQ((*source)->bytes() == text, true);
}

TEST(SpoolSink, HoldsLittleInMemoryAndMuchInAFile) {
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{5}, (std::size_t{16} << 20) + 12345})
    KeepAndTake(size, Spool::kMemory);
}

TEST(SpoolSink, HoldsInMemoryWhatItIsTold) {
  for (const std::size_t memory : {4'096, 65'536, 262'144, 1'000'000})
    for (const std::size_t size : {0, 4'096, 4'097, 262'145, 3'000'000})
      KeepAndTake(size, memory);
}

}  // namespace
}  // namespace heapglot
