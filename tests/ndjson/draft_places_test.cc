#include "readers/draft/draft_places.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace heapglot::draft {
namespace {

TEST(RecordPlaces, FindsWhatIsNearAndNeverBehind) {
  std::mt19937_64 random(1);
  RecordPlaces places;
  std::vector<std::uint64_t> offsets;
  std::uint64_t offset = 100;
  for (int i = 0; i < 5000; ++i) {
    places.Add(offset);
    offsets.push_back(offset);
    // Mostly short distances, some long ones, and in some stretches many of
    // them.
    const bool is_far = random() % (i / 1000 % 2 == 0 ? 100 : 2) == 0;
    offset += is_far ? random() % 100'000 : 1 + random() % 100;
  }
  for (std::uint64_t position = 0; position < offsets.size(); ++position) {
    ASSERT_TRUE(places.Has(position));
    const RecordPlaces::Place found = places.Find(position);
    ASSERT_LE(found.position, position);
    ASSERT_LT(position - found.position, 64u);
    ASSERT_EQ(found.offset, offsets[found.position]);
    if (position == found.position) continue;
    // Bounds what must be read before the record itself.
    ASSERT_LT(offsets[position] - found.offset, 16u << 10);
  }
  EXPECT_FALSE(places.Has(offsets.size()));
}

TEST(RecordPlaces, HasNothingAtFirst) {
  const RecordPlaces places;
  EXPECT_FALSE(places.Has(0));
}

}  // namespace
}  // namespace heapglot::draft
