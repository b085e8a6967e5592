#include "readers/heapsnapshot/heapsnapshot_place.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "heapglot/bytes.h"

namespace heapglot::heapsnapshot {
namespace {

Where Slowly(std::string_view text, std::uint64_t offset) {
  Where where = Where::Byte(offset);
  where.line = where.column = 1;
  for (std::uint64_t at = 0; at < offset; ++at) {
    ++where.column;
    if (text[at] != '\n') continue;
    ++where.line;
    where.column = 1;
  }
  return where;
}

TEST(LineFinder, FindsLinesAheadAndBehind) {
  // Longer than the block that is scanned at a time, with line ends around its
  // boundaries.
  std::string text(std::size_t{600} << 10, 'x');
  for (const std::size_t at : {0u, 1u, 7u, 262143u, 262144u, 262145u, 500000u})
    text[at] = '\n';
  const auto source = ByteSource::FromMemory(text);
  LineFinder lines(*source);
  for (const std::uint64_t offset :
       {0u, 1u, 2u, 9u, 262143u, 262144u, 262145u, 262146u, 600000u, 614400u,
        300000u, 300000u, 1u, 8u, 614399u, 0u}) {
    const Where found = lines.Find(offset);
    const Where expected = Slowly(text, offset);
    EXPECT_EQ(found.byte, expected.byte);
    EXPECT_EQ(found.line, expected.line) << offset;
    EXPECT_EQ(found.column, expected.column) << offset;
  }
}

TEST(InFile, SaysFormatAndLineOnce) {
  const auto source = ByteSource::FromMemory("{\n \"nodes\":x");
  const Status status =
      InFile({Code::kMalformed, "found 'x'", Where::Byte(11)}, *source);
  EXPECT_EQ(status.ToString("f"),
            "f:2:10: offset 11 (0xb): heapsnapshot: found 'x'");
  EXPECT_EQ(InFile(status, *source).ToString("f"), status.ToString("f"));
  EXPECT_TRUE(InFile(Status(), *source).ok());
}

}  // namespace
}  // namespace heapglot::heapsnapshot
