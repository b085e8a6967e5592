#include "core/bytes/spill_buffer.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

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

TEST(SpillBuffer, SaysWhenThereIsNoFile) {
  const char* const before = std::getenv("TMPDIR");
  const std::string saved = before != nullptr ? before : "";
  setenv("TMPDIR", "/nowhere/at/all", 1);
  SpillBuffer buffer(kMemory);
  buffer.Write(Pattern(100'000));
  EXPECT_EQ(buffer.status().code(), Code::kOutput);
  EXPECT_EQ(buffer.View(0, 10), "");
  buffer.Clear();
  EXPECT_EQ(buffer.status().code(), Code::kOutput);
  if (before != nullptr)
    setenv("TMPDIR", saved.c_str(), 1);
  else
    unsetenv("TMPDIR");
}

}  // namespace
}  // namespace heapglot
