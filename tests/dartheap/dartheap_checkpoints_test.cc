#include "readers/dartheap/dartheap_checkpoints.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace heapglot::dartheap {
namespace {

// Notes objects of these sizes, one after another, and checks the place found
// for each.
void CheckPlaces(const std::vector<std::uint64_t>& sizes, std::uint64_t max) {
  std::vector<std::uint64_t> offsets;
  std::uint64_t offset = 100;
  for (const std::uint64_t size : sizes) {
    offsets.push_back(offset);
    offset += size;
  }
  Checkpoints places(sizes.size(), offset - 100, max);
  for (std::uint64_t object = 0; object < sizes.size(); ++object)
    places.Note(object, offsets[object]);
  ASSERT_LE(places.size(), max + (std::uint64_t{1} << 16));
  const std::uint64_t objects =
      std::max<std::uint64_t>(4, 2 * (sizes.size() / max + 1));
  const std::uint64_t bytes = std::max<std::uint64_t>(4096, offset / (1 << 16));
  for (std::uint64_t object = 0; object < sizes.size(); ++object) {
    const Checkpoint before = places.Before(object);
    ASSERT_LE(before.object, object);
    ASSERT_EQ(before.offset, offsets[before.object]);
    ASSERT_LT(object - before.object, objects);
    // One object may be larger: no checkpoint fits inside it.
    if (object == before.object) continue;
    ASSERT_LT(offsets[object - 1] - before.offset, bytes) << object;
  }
}

TEST(CheckpointsTest, AreNotFarAndNotMany) {
  std::mt19937 random(1);
  for (const std::uint64_t max : {2U, 3U, 16U, 1000U, 1U << 18}) {
    std::vector<std::uint64_t> sizes(20'000, 5);
    CheckPlaces(sizes, max);
    for (std::uint64_t& size : sizes) size = 4 + random() % 40;
    CheckPlaces(sizes, max);
    for (std::uint64_t& size : sizes)
      if (random() % 100 == 0) size = 1 + random() % 100'000;
    CheckPlaces(sizes, max);
    for (std::uint64_t& size : sizes) size = 2000;
    CheckPlaces(sizes, max);
    for (std::uint64_t& size : sizes) size = std::uint64_t{1} << 32;
    CheckPlaces(sizes, max);
  }
}

TEST(CheckpointsTest, OfFewObjects) {
  CheckPlaces({7}, 8);
  CheckPlaces({1 << 20, 1 << 20, 1 << 20}, 8);
  Checkpoints places(40, 400);
  for (std::uint64_t i = 0; i < 40; ++i) places.Note(i, 10 * i);
  EXPECT_EQ(places.size(), 10U);
  EXPECT_EQ(places.Before(3).object, 0U);
  EXPECT_EQ(places.Before(4).object, 4U);
  EXPECT_EQ(places.Before(39).object, 36U);
}

}  // namespace
}  // namespace heapglot::dartheap
