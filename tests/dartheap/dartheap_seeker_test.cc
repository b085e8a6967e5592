#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "readers/dartheap/dartheap_index.h"

namespace heapglot::dartheap {
namespace {

// Objects that have an index, some of them with many references.
class SeekerTest : public testing::Test {
 protected:
  static constexpr std::uint64_t kObjects = 3000;

  SeekerTest() {
    index_.objects_offset = bytes_.size();
    index_.object_count = kObjects;
    index_.checkpoints = Checkpoints(kObjects, 20'000, 40);
    for (std::uint64_t object = 0; object < kObjects; ++object) {
      offsets_.push_back(bytes_.size());
      index_.checkpoints.Note(object, bytes_.size());
      bytes_ += {1, 16, 0};
      const bool is_large = random_() % 50 == 0;
      const std::uint64_t references =
          is_large ? 60 + random_() % 60 : random_() % 5;
      bytes_ += static_cast<char>(references);
      bytes_.append(references, '\1');
    }
    source_ = ByteSource::FromMemory(bytes_);
  }

  void ExpectFound(Seeker& seeker, std::uint64_t object) {
    const Cursor in = seeker.Seek(object);
    ASSERT_TRUE(in.ok());
    ASSERT_EQ(in.offset(), offsets_[object]) << object;
  }

  std::mt19937_64 random_{4};
  std::string bytes_ = "not an object";
  std::vector<std::uint64_t> offsets_;
  Index index_;
  std::unique_ptr<ByteSource> source_;
};

TEST_F(SeekerTest, GoesAnywhere) {
  Seeker seeker(*source_, index_);
  for (int i = 0; i < 5000; ++i) ExpectFound(seeker, random_() % kObjects);
}

TEST_F(SeekerTest, GoesOverAllOfThem) {
  Seeker seeker(*source_, index_);
  for (std::uint64_t i = 0; i < kObjects; ++i) ExpectFound(seeker, i);
  for (std::uint64_t i = kObjects; i-- > 0;) ExpectFound(seeker, i);
}

// As many as it keeps, and more.
TEST_F(SeekerTest, GoesAlongSeveralRuns) {
  for (const std::size_t runs : {2U, 4U, 8U, 9U, 20U}) {
    Seeker seeker(*source_, index_);
    std::vector<std::uint64_t> places(runs);
    for (std::uint64_t& place : places) place = random_() % kObjects;
    for (int i = 0; i < 4000; ++i) {
      std::uint64_t& place = places[random_() % runs];
      place = (place + random_() % 40) % kObjects;
      ExpectFound(seeker, place);
    }
  }
}

}  // namespace
}  // namespace heapglot::dartheap
