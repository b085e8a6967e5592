#include "readers/dartheap/dartheap_checkpoints.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace heapglot::dartheap {
namespace {

// Objects of these sizes, one after another; checks what is found of them.
void CheckPlaces(const std::vector<std::uint64_t>& sizes, std::size_t max) {
  Checkpoints places(max);
  std::vector<std::uint64_t> offsets;
  std::uint64_t offset = 100;
  for (const std::uint64_t size : sizes) {
    places.Note(offsets.size(), offset);
    offsets.push_back(offset);
    offset += size;
  }
  ASSERT_LE(places.size(), max);
  // As far apart as they need to be so that there are no more.
  std::uint64_t objects = 16;
  std::uint64_t bytes = 1024;
  while (2 * (sizes.size() / objects + (offset - 100) / bytes) + 1 > max) {
    objects *= 2;
    bytes *= 2;
  }
  for (std::uint64_t object = 0; object < sizes.size(); ++object) {
    const Checkpoint& before = places.Before(object);
    ASSERT_LE(before.object, object);
    ASSERT_EQ(before.offset, offsets[before.object]);
    ASSERT_LT(object - before.object, 2 * objects);
    // One object may be larger, if there is nothing between.
    const std::uint64_t last = object == 0 ? 0 : offsets[object - 1];
    if (object > before.object) {
      ASSERT_LT(last - before.offset, 2 * bytes) << object;
    }
  }
}

TEST(CheckpointsTest, AreNotFarAndNotMany) {
  std::mt19937 random(1);
  for (const std::size_t max : {2U, 3U, 16U, 1000U, 1U << 18}) {
    std::vector<std::uint64_t> sizes(20'000, 5);
    CheckPlaces(sizes, max);
    for (std::uint64_t& size : sizes) size = 4 + random() % 40;
    CheckPlaces(sizes, max);
    for (std::uint64_t& size : sizes)
      if (random() % 100 == 0) size = 1 + random() % 100'000;
    CheckPlaces(sizes, max);
    for (std::uint64_t& size : sizes) size = 2000;
    CheckPlaces(sizes, max);
  }
}

TEST(CheckpointsTest, OfFewObjects) {
  CheckPlaces({7}, 8);
  CheckPlaces({1 << 20, 1 << 20, 1 << 20}, 8);
  Checkpoints places;
  for (std::uint64_t i = 0; i < 40; ++i) places.Note(i, 10 * i);
  EXPECT_EQ(places.size(), 3U);
  EXPECT_EQ(places.Before(15).object, 0U);
  EXPECT_EQ(places.Before(16).object, 16U);
  EXPECT_EQ(places.Before(39).object, 32U);
}

}  // namespace
}  // namespace heapglot::dartheap
