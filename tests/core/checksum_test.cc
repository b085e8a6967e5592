#include "core/ir/checksum.h"

#include <gtest/gtest.h>
#include <xxhash.h>

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>

#include "core/process_random.h"

namespace heapglot {
namespace {

std::string RandomBytes(std::size_t size) {
  std::mt19937_64 random(size);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

// Around the bounds between XXH3's ways for short and long texts, and those of
// its stripes and blocks.
constexpr std::size_t kSizes[] = {0,   1,   3,    4,    8,    9,    16,   17,
                                  64,  128, 129,  240,  241,  255,  256,  257,
                                  511, 512, 1023, 1024, 1025, 4097, 65537};

TEST(Checksum, EachVariantIsThatOfXxhash) {
  ASSERT_FALSE(Xxh3Variants().empty());
  EXPECT_EQ(Xxh3Variants()[0].name, "plain");
  for (const Xxh3Variant& variant : Xxh3Variants()) {
    SCOPED_TRACE(variant.name);
    for (const std::size_t size : kSizes) {
      const std::string bytes = RandomBytes(size);
      EXPECT_EQ(variant.checksum(bytes), XXH3_64bits(bytes.data(), size))
          << size;
      const XXH128_hash_t hash = XXH3_128bits(bytes.data(), size);
      EXPECT_EQ(variant.hash(bytes), (Hash128{hash.low64, hash.high64}))
          << size;
    }
  }
}

TEST(Checksum, PiecesAreTheWhole) {
  std::mt19937_64 random(5);
  const std::string bytes = RandomBytes(20'000);
  for (const Xxh3Variant& variant : Xxh3Variants()) {
    SCOPED_TRACE(variant.name);
    for (const std::size_t most : {3, 100, 700, 9'000}) {
      const std::unique_ptr<XXH3_state_s, FreeXxh3> small(XXH3_createState());
      const std::unique_ptr<XXH3_state_s, FreeXxh3> large(XXH3_createState());
      XXH3_64bits_reset(small.get());
      XXH3_128bits_reset(large.get());
      for (std::string_view rest = bytes; !rest.empty();) {
        const std::string_view piece = rest.substr(0, random() % most + 1);
        variant.add(piece, small.get());
        variant.add(piece, large.get());
        rest.remove_prefix(piece.size());
      }
      EXPECT_EQ(XXH3_64bits_digest(small.get()), Checksum(bytes)) << most;
      const XXH128_hash_t hash = XXH3_128bits_digest(large.get());
      EXPECT_EQ(Hash128Of(bytes), (Hash128{hash.low64, hash.high64})) << most;
    }
  }
}

TEST(Checksum, ADigestMayHaveASeed) {
  constexpr std::uint64_t kSeed = 0x9e3779b97f4a7c15;
  for (const std::size_t size : kSizes) {
    const std::string bytes = RandomBytes(size);
    Digest128 digest(kSeed);
    // After Reset(), it gives the same digest.
    digest.Add("other bytes");
    digest.Reset();
    digest.Add(std::string_view(bytes).substr(0, size / 3));
    digest.Add(std::string_view(bytes).substr(size / 3));
    const XXH128_hash_t hash = XXH3_128bits_withSeed(bytes.data(), size, kSeed);
    EXPECT_EQ(digest.hash(), (Hash128{hash.low64, hash.high64})) << size;
    EXPECT_NE(digest.hash(), Hash128Of(bytes)) << size;
  }
}

TEST(ProcessRandom, IsTheSameForTheWholeProcess) {
  const auto random = ProcessRandom();
  EXPECT_EQ(ProcessRandom(), random);
  EXPECT_NE(random[0], random[1]);
}

}  // namespace
}  // namespace heapglot
