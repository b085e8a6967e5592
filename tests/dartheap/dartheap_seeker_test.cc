#include "readers/dartheap/dartheap_seeker.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/dartheap/dartheap_bytes.h"

namespace heapglot::dartheap {
namespace {

using heapglot::testing::Name;
using heapglot::testing::None;
using heapglot::testing::U;

enum class Where { kMemory, kFile };

// Objects with an index. Some have many references or a long name: more than is
// copied from a file at a time, or about as much.
class SeekerTest : public ::testing::TestWithParam<Where> {
 protected:
  static constexpr std::uint64_t kObjects = 3000;

  struct Object {
    std::string name;
    std::vector<std::uint64_t> references;
  };

  SeekerTest() {
    index_.objects_offset = bytes_.size();
    index_.object_count = kObjects;
    index_.checkpoints = Checkpoints(kObjects, 20'000, 40);
    for (std::uint64_t number = 0; number < kObjects; ++number) {
      index_.checkpoints.Note(number, bytes_.size());
      const Object& object = objects_.emplace_back(MakeObject());
      bytes_ += U(1) + U(16);
      bytes_ += object.name.empty() ? None() : Name(object.name);
      bytes_ += U(object.references.size());
      for (const std::uint64_t to : object.references) bytes_ += U(to);
    }
    source_ = ByteSource::FromMemory(bytes_);
    if (GetParam() == Where::kMemory) return;
    const std::filesystem::path path =
        std::filesystem::temp_directory_path() /
        ("heapglot-seeker-" + std::to_string(getpid()));
    std::ofstream(path, std::ios::binary) << bytes_;
    Result<std::unique_ptr<ByteSource>> file = ByteSource::Open(path, {});
    std::filesystem::remove(path);
    EXPECT_TRUE(file.ok());
    source_ = *std::move(file);
    EXPECT_GE(source_->file(), 0);
  }

  Object MakeObject() {
    Object object;
    const std::uint64_t sort = random_() % 40;
    if (sort < 20) object.name = std::string(random_() % 20, 'n');
    if (sort == 0) object.name = std::string(1000 + random_() % 30, 'o');
    if (sort == 1) object.name = std::string(random_() % 5000, 'p');
    const bool is_list = sort == 2 || sort == 3;
    object.references.resize(is_list ? random_() % 700 : random_() % 5);
    for (std::uint64_t& to : object.references) to = random_() % 100'000;
    return object;
  }

  void ExpectFound(Seeker& seeker, std::uint64_t number) {
    const Object& object = objects_[number];
    ObjectHead head;
    Seeker::Copy copy;
    if (random_() % 2 == 0) {
      seeker.ReadHead(number, &head);
      ASSERT_EQ(head.text, object.name) << number;
      ASSERT_EQ(head.reference_count, object.references.size()) << number;
    } else {
      Cursor in = seeker.ReadReferences(number, &head, &copy);
      ASSERT_EQ(head.text, object.name) << number;
      ASSERT_EQ(head.reference_count, object.references.size()) << number;
      // Other reads in between do not matter.
      if (random_() % 4 == 0) {
        for (int i = 0; i < 200; ++i)
          seeker.ReadHead(random_() % kObjects, &head);
      }
      for (const std::uint64_t to : object.references) {
        seeker.Look(in);
        ASSERT_EQ(in.Uleb(), to) << number;
      }
      ASSERT_TRUE(in.ok());
    }
  }

  std::mt19937_64 random_{4};
  std::string bytes_ = "not an object";
  std::vector<Object> objects_;
  Index index_;
  std::unique_ptr<ByteSource> source_;
};

INSTANTIATE_TEST_SUITE_P(Places, SeekerTest,
                         ::testing::Values(Where::kMemory, Where::kFile),
                         [](const auto& place) {
                           return place.param == Where::kMemory ? "Memory"
                                                                : "File";
                         });

TEST_P(SeekerTest, GoesAnywhere) {
  Seeker seeker(*source_, index_);
  for (int i = 0; i < 5000; ++i) ExpectFound(seeker, random_() % kObjects);
}

TEST_P(SeekerTest, GoesOverAllOfThem) {
  Seeker seeker(*source_, index_);
  for (std::uint64_t i = 0; i < kObjects; ++i) ExpectFound(seeker, i);
  for (std::uint64_t i = kObjects; i-- > 0;) ExpectFound(seeker, i);
}

// As many runs as the seeker keeps, and more.
TEST_P(SeekerTest, GoesAlongSeveralRuns) {
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
