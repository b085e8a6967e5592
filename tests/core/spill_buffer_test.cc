#include "core/bytes/spill_buffer.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <string>

#include "tests/no_temporary_files.h"

namespace heapglot {
namespace {

constexpr std::size_t kMemory = std::size_t{16} << 10;

// Bytes that tell where they are.
std::string Pattern(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<char>(i * 31 + i / 251);
  return bytes;
}

TEST(SpillBuffer, ReadsBackWhatWasWrittenInAnyPieces) {
  const std::string bytes = Pattern(3'000'000);
  for (const std::size_t piece : {1u, 7u, 4096u, 20'000u, 3'000'000u}) {
    SpillBuffer buffer(kMemory);
    const std::size_t size = piece == 1 ? 100'000 : bytes.size();
    for (std::size_t i = 0; i < size; i += piece)
      buffer.Write(
          std::string_view(bytes).substr(i, std::min(piece, size - i)));
    ASSERT_EQ(buffer.size(), size);
    EXPECT_EQ(buffer.View(0, size), bytes.substr(0, size)) << piece;
    EXPECT_EQ(buffer.View(size, 0), "");
    EXPECT_TRUE(buffer.status().ok());
  }
}

TEST(SpillBuffer, KeepsViewsUntilItIsWrittenTo) {
  const std::string bytes = Pattern(200'000);
  SpillBuffer buffer(kMemory);
  buffer.Write(bytes);
  buffer.Write("tail");
  const std::string_view tail = buffer.View(bytes.size(), 4);
  const std::string_view head = buffer.View(0, 10);
  const std::string_view across = buffer.View(bytes.size() - 2, 4);
  EXPECT_EQ(tail, "tail");
  EXPECT_EQ(head, bytes.substr(0, 10));
  EXPECT_EQ(across, bytes.substr(bytes.size() - 2) + "ta");
  // Far more than may stay mapped.
  for (std::size_t i = 0; i + 8 < bytes.size(); i += 97)
    ASSERT_EQ(buffer.View(i, 8), std::string_view(bytes).substr(i, 8));
}

// A view that begins in the file and ends in memory takes another mapping of
// the file, which has grown.
TEST(SpillBuffer, KeepsViewsOfTheFileBeforeItGrew) {
  const std::string bytes = Pattern(300'000);
  SpillBuffer buffer(kMemory);
  buffer.Write(bytes);
  ASSERT_EQ(buffer.View(0, 100), bytes.substr(0, 100));
  for (const std::string_view more : {"tail", "more"}) {
    buffer.Write(more);
    const std::string_view head = buffer.View(10, 5000);
    const std::string_view across = buffer.View(buffer.size() - 5000, 5000);
    EXPECT_EQ(head, bytes.substr(10, 5000));
    EXPECT_TRUE(across.ends_with(more));
  }
  EXPECT_TRUE(buffer.status().ok());
}

TEST(SpillBuffer, IsUsedAgain) {
  const std::string bytes = Pattern(100'000);
  SpillBuffer buffer(kMemory);
  for (const char* const text : {"first", "second"}) {
    buffer.Write(bytes);
    EXPECT_EQ(buffer.View(5, 1000), bytes.substr(5, 1000));
    buffer.Clear();
    EXPECT_EQ(buffer.size(), 0u);
    buffer.Write(text);
    EXPECT_EQ(buffer.View(0, buffer.size()), text);
    buffer.Clear();
  }
}

TEST(SpillBuffer, ReservesAndReadsInTurn) {
  SpillBuffer buffer(kMemory);
  for (std::uint32_t i = 0; i < 50'000; ++i) {
    char* const at = buffer.Reserve(sizeof i);
    std::memcpy(at, &i, sizeof i);
    buffer.Commit(at + sizeof i);
    if (i % 1000 != 999) continue;
    std::uint32_t middle = 0;
    std::memcpy(&middle, buffer.View(i / 2 * sizeof i, sizeof i).data(),
                sizeof middle);
    ASSERT_EQ(middle, i / 2);
  }
}

TEST(SpillBuffer, ReadsSmallPiecesAnywhere) {
  const std::string bytes = Pattern(2'000'000);
  const std::string_view all = bytes;
  SpillBuffer buffer(kMemory, SpillBuffer::Reading::kScattered);
  std::uint64_t at = 0;
  for (std::size_t written = 0; written < bytes.size();) {
    // The end has been read before it was complete.
    buffer.Write(all.substr(written, 99'999));
    written = std::min<std::size_t>(written + 99'999, bytes.size());
    for (std::size_t i = 0; i < 500; ++i) {
      const std::size_t size = i * 37 % 1500;
      at = (at + 7'654'321) % (written - size);
      ASSERT_EQ(buffer.View(at, size), all.substr(at, size));
      ASSERT_EQ(buffer.View(written - size, size),
                all.substr(written - size, size));
    }
  }
  // Eight at a time that want the same place.
  std::array<std::string_view, 8> views;
  for (std::size_t i = 0; i < 50; ++i) {
    for (std::size_t k = 0; k < views.size(); ++k)
      views[k] = buffer.View(i + (k << 16), 10);
    for (std::size_t k = 0; k < views.size(); ++k)
      ASSERT_EQ(views[k], all.substr(i + (k << 16), 10));
  }
  buffer.Clear();
  buffer.Write(std::string(bytes.size(), 'x'));
  EXPECT_EQ(buffer.View(0, 10), "xxxxxxxxxx");
  EXPECT_TRUE(buffer.status().ok());
}

// A page fault for each would make it ten times as slow.
TEST(SpillBuffer, SmallPiecesMapNothing) {
  const std::string bytes = Pattern(8'000'000);
  SpillBuffer buffer(kMemory, SpillBuffer::Reading::kScattered);
  buffer.Write(bytes);
  const auto faults = [] {
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
  };
  const auto before = faults();
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < 20'000; ++i) {
    at = (at + 7'654'321) % (bytes.size() - 8);
    ASSERT_EQ(buffer.View(at, 8), std::string_view(bytes).substr(at, 8));
  }
  EXPECT_LT(faults() - before, 2'000);
}

TEST(SpillBuffer, SaysWhenThereIsNoFile) {
  const NoTemporaryFiles none;
  SpillBuffer buffer(kMemory);
  buffer.Write(Pattern(100'000));
  EXPECT_EQ(buffer.status().code(), Code::kOutput);
  EXPECT_EQ(buffer.View(0, 10), "");
  buffer.Clear();
  EXPECT_EQ(buffer.status().code(), Code::kOutput);
}

}  // namespace
}  // namespace heapglot
