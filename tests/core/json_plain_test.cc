#include "core/text/json_plain.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/core/guarded_text.h"

namespace heapglot {
namespace {

std::size_t PlainPrefix(std::string_view text) {
  const char* const end = text.data() + text.size();
  return static_cast<std::size_t>(SkipJsonPlain(text.data(), end) -
                                  text.data());
}

// It makes no difference whether the byte before it is plain or one whose
// borrow could be mistaken, nor what comes after it.
TEST(SkipJsonPlainTest, EveryByteAtEveryPlace) {
  GuardedText guarded(32);
  for (unsigned value = 0; value < 256; ++value) {
    const char byte = static_cast<char>(value);
    const bool is_plain =
        value >= 0x20 && value < 0x80 && byte != '"' && byte != '\\';
    ASSERT_EQ(IsJsonPlain(byte), is_plain) << value;
    for (std::size_t size = 1; size < 20; ++size) {
      for (std::size_t at = 0; at < size; ++at) {
        for (const char around : {' ', '!', '#', '[', ']', '\x7f', 'x'}) {
          std::string text(size, around);
          text[at] = byte;
          ASSERT_EQ(PlainPrefix(guarded.Set(text)), is_plain ? size : at)
              << value << " at " << at << " of " << size;
        }
      }
    }
  }
}

TEST(SkipJsonPlainTest, StopsAtTheFirst) {
  GuardedText guarded(64);
  constexpr std::string_view kOdd("\0\x1f\"\\\x80\xff", 6);
  for (std::size_t first = 0; first < 20; ++first) {
    for (std::size_t second = first + 1; second < 24; ++second) {
      for (const char one : kOdd) {
        for (const char other : kOdd) {
          std::string text(24, 'x');
          text[first] = one;
          text[second] = other;
          ASSERT_EQ(PlainPrefix(guarded.Set(text)), first);
        }
      }
    }
  }
  EXPECT_EQ(PlainPrefix(guarded.Set("")), 0u);
}

}  // namespace
}  // namespace heapglot
