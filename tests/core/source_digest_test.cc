#include "core/bytes/source_digest.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "core/bytes/sha256.h"
#include "core/ir/checksum.h"
#include "heapglot/bytes.h"

namespace heapglot {
namespace {

std::string Bytes(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<char>(i * 7 + i / 251);
  return bytes;
}

TEST(SourceDigestTest, IsTheSameWithAThreadAndWithout) {
  for (const std::size_t size : {0, 1, 262'143, 262'144, 262'145, 1'000'000}) {
    const std::string bytes = Bytes(size);
    const auto source = ByteSource::FromMemory(bytes, "bytes");
    const std::string expected = Sha256Of(bytes);
    EXPECT_EQ(*SourceDigest(*source).Finish(), expected) << size;
    SourceDigest in_thread(*source);
    in_thread.Start();
    EXPECT_EQ(*in_thread.Finish(), expected) << size;
  }
}

TEST(SourceDigestTest, Xxh3IsThatOfThePart) {
  const std::string bytes = Bytes(1'000'000);
  const auto source = ByteSource::FromMemory(bytes, "bytes");
  for (const std::size_t begin : {0, 1, 262'144, 1'000'000}) {
    const std::string_view part = source->bytes().substr(begin);
    Digest128 expected;
    expected.Add(part);
    std::string seen;
    const auto see = [&seen](std::string_view piece) {
      seen += piece;
      return true;
    };
    EXPECT_EQ(Xxh3Of(*source, part), expected.value()) << begin;
    EXPECT_EQ(Xxh3Of(*source, part, see), expected.value()) << begin;
    EXPECT_EQ(seen, part) << begin;
  }
}

TEST(SourceDigestTest, Xxh3IsNotMadeWhenNotWanted) {
  const std::string bytes = Bytes(1'000'000);
  const auto source = ByteSource::FromMemory(bytes, "bytes");
  int pieces = 0;
  const auto see = [&pieces](std::string_view) { return ++pieces < 2; };
  EXPECT_EQ(Xxh3Of(*source, source->bytes(), see), "");
  EXPECT_EQ(pieces, 2);
}

TEST(SourceDigestTest, NeedNotBeFinished) {
  const std::string bytes = Bytes(std::size_t{64} << 20);
  const auto source = ByteSource::FromMemory(bytes, "bytes");
  SourceDigest digest(*source);
  digest.Start();
}

}  // namespace
}  // namespace heapglot
