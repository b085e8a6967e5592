#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <random>
#include <set>
#include <string>

#include "core/bytes/sha256.h"
#include "core/image/image_recorder.h"
#include "core/image/image_restorer.h"
#include "core/image/source_image.h"
#include "tests/core/text_stream.h"

namespace heapglot {
namespace {

constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

// Writes `bytes` in pieces of random sizes.
Status WriteInPieces(std::string_view bytes, std::mt19937& random,
                     ByteSink& sink) {
  while (!bytes.empty()) {
    const std::size_t size =
        std::min<std::size_t>(bytes.size(), std::size_t{1} << (random() % 18));
    HEAPGLOT_RETURN_IF_ERROR(sink.Write(bytes.substr(0, size)));
    bytes.remove_prefix(size);
  }
  return sink.Close();
}

pb::SourceImage Record(std::string_view source, std::string_view output,
                       unsigned seed = 1) {
  std::mt19937 random(seed);
  const auto bytes = ByteSource::FromMemory(source);
  ImageRecorder recorder(*bytes, kNoLimit);
  EXPECT_TRUE(WriteInPieces(output, random, recorder).ok());
  pb::SourceImage image = recorder.image();
  image.set_size(source.size());
  image.set_sha256(Sha256Of(source));
  return image;
}

std::string Restore(const pb::SourceImage& image, std::string_view output,
                    Status* status, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::string restored;
  const auto sink = ByteSink::ToString(&restored);
  ImageRestorer restorer(image, *sink);
  *status = WriteInPieces(output, random, restorer);
  return restored;
}

std::uint64_t InsertedBytes(const pb::SourceImage& image) {
  return image.data().size();
}

// Lines of numbers, as most of our formats have.
std::string Lines(std::size_t size, std::mt19937& random) {
  std::string text;
  while (text.size() < size) {
    text += std::to_string(random() % 1000);
    text += random() % 6 == 0 ? '\n' : ' ';
  }
  return text;
}

// Changes a few places.
std::string Edit(std::string text, int edits, std::mt19937& random) {
  for (; edits > 0; --edits) {
    const std::size_t at = random() % (text.size() + 1);
    const std::size_t removed = random() % 4 == 0 ? random() % 300 : 0;
    text.replace(at, removed, Lines(random() % 40, random));
  }
  return text;
}

TEST(Image, EqualOutputIsVerified) {
  const pb::SourceImage image = Record("a dump", "a dump");
  EXPECT_EQ(image.method(), pb::SourceImage::VERIFIED);
  EXPECT_EQ(image.copy_size(), 0);
}

TEST(Image, PatchesAreSmallWhereDifferencesAre) {
  std::mt19937 random(7);
  const std::string source = Lines(200'000, random);
  std::string output = source;
  output.replace(100'000, 3, "something else");
  output.insert(150'000, "x");
  const pb::SourceImage image = Record(source, output);
  EXPECT_EQ(image.method(), pb::SourceImage::PATCHED);
  EXPECT_EQ(image.copy_size(), 2);
  EXPECT_LE(InsertedBytes(image), 8u);
}

TEST(Image, WhateverDiffersCanBeMadeAgain) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    const std::string source = Lines(random() % 300'000, random);
    const std::string output = Edit(source, static_cast<int>(seed % 9), random);
    const pb::SourceImage image = Record(source, output, seed);
    Status status;
    EXPECT_EQ(Restore(image, output, &status, seed + 1), source) << seed;
    EXPECT_TRUE(status.ok()) << seed << ": " << status.ToString();
  }
}

TEST(Image, EndsMayDiffer) {
  for (const auto& [source, output] :
       {std::pair("", "abc"), std::pair("abc", ""), std::pair("abc", "abcdef"),
        std::pair("abcdef", "abc"), std::pair("xabc", "abc"),
        std::pair("abc", "xyz")}) {
    const pb::SourceImage image = Record(source, output);
    Status status;
    EXPECT_EQ(Restore(image, output, &status), source);
    EXPECT_TRUE(status.ok()) << status.ToString();
  }
}

TEST(Image, RecordingStopsWhenPatchesAreNotWorthIt) {
  std::mt19937 random(3);
  const std::string source = Lines(500'000, random);
  const auto bytes = ByteSource::FromMemory(source);
  ImageRecorder recorder(*bytes, 1000);
  const Status status = WriteInPieces(Lines(500'000, random), random, recorder);
  EXPECT_EQ(status.code(), Code::kCancelled);
}

TEST(Image, AWrongImageIsRefused) {
  const std::string source = "0123456789 a dump that is a little longer";
  const std::string output = "0123456789 A dump that is a little longer!";
  const pb::SourceImage good = Record(source, output);
  ASSERT_GT(good.copy_size(), 0);
  std::vector<pb::SourceImage> bad(7, good);
  bad[0].set_copy(0, 1'000);
  bad[1].set_remove(0, ~std::uint64_t{0});
  bad[2].set_insert(0, ~std::uint64_t{0});
  bad[3].set_size(good.size() - 1);
  bad[4].set_sha256(Sha256Of("another file"));
  bad[5].mutable_data()->at(0) = 'z';
  bad[6].clear_data();
  for (const pb::SourceImage& image : bad) {
    Status status;
    Restore(image, output, &status);
    EXPECT_EQ(status.code(), Code::kMalformed) << status.ToString();
  }
}

// The same text is there everywhere, but far away.
TEST(Image, GivesUpWhereLookingForPatchesTakesTooLong) {
  std::mt19937 random(1);
  std::string source, output;
  for (int i = 0; i < 2000; ++i) {
    std::string mark(12, '\0');
    for (char& byte : mark) byte = static_cast<char>(random());
    for (int byte = 0; byte < 8; ++byte) source += static_cast<char>(random());
    for (int byte = 0; byte < 20'000; ++byte)
      output += static_cast<char>(random());
    source += mark;
    output += mark;
  }
  const auto bytes = ByteSource::FromMemory(source);
  ImageRecorder recorder(*bytes, kNoLimit);
  EXPECT_EQ(WriteInPieces(output, random, recorder).code(), Code::kCancelled);
}

// The slot of a gram as image_recorder.cc has it, of 2^17.
std::uint64_t SlotOf(std::string_view gram) {
  std::uint64_t head = 0, tail = 0;
  std::memcpy(&head, gram.data(), 8);
  std::memcpy(&tail, gram.data() + 4, 8);
  return ((head * 0x9E37'79B9'7F4A'7C15 ^ std::rotl(tail, 32)) *
          0xD6E8'FEB8'6659'FD93) >>
         47;
}

// Blanks that JSON may have, chosen so that all of them want the same places of the
// table: each was looked for in half of it.
TEST(Image, GivesUpWhereGramsAreChosen) {
  std::string source(" \t\n\r \n\t\r \r\t");
  std::set<std::string> grams;
  while (source.size() < (64 << 10)) {
    constexpr std::string_view kBlanks = " \t\n\r";
    const std::string head = source.substr(source.size() - 11);
    char best = kBlanks[source.size() % kBlanks.size()];
    std::uint64_t lowest = ~std::uint64_t{0};
    for (const char blank : kBlanks) {
      const std::uint64_t slot = SlotOf(head + blank);
      if (slot >= lowest || grams.contains(head + blank)) continue;
      lowest = slot;
      best = blank;
    }
    source += best;
    grams.insert(head + best);
  }
  for (int i = 0; i < 4; ++i) source += source;
  std::mt19937 random(1);
  const std::string output = Lines(source.size(), random);
  const auto bytes = ByteSource::FromMemory(source);
  ImageRecorder recorder(*bytes, kNoLimit);
  EXPECT_EQ(WriteInPieces(output, random, recorder).code(), Code::kCancelled);
}

// Bytes that are the same in all grams must not fill one place of the table.
TEST(Image, IsQuickWhereMostBytesAreTheSame) {
  std::mt19937 random(1);
  std::string source, output;
  for (int i = 0; i < 100'000; ++i) {
    std::string row(15, '\x01');
    for (const int at : {5, 6}) row[at] = static_cast<char>(random());
    source += row;
    row[6] = static_cast<char>(random());
    output += row;
  }
  const auto bytes = ByteSource::FromMemory(source);
  ImageRecorder recorder(*bytes, 100'000);
  EXPECT_EQ(WriteInPieces(output, random, recorder).code(), Code::kCancelled);
}

// A writer that fails before it has written anything.
template <Code code>
class FailingWriter : public Writer {
 public:
  ChunkSet Wanted(int pass) override {
    return pass == 0 ? ChunkSet{pb::Chunk::kHeader} : ChunkSet();
  }
  Status Accept(const pb::Chunk&) override { return {code, "no way"}; }
  Status Finish() override { return {}; }
};

template <Code code>
constexpr WriterInfo kFailingWriter = {
    .name = "failing",
    .title = "",
    .extensions = "",
    .fidelity = {},
    .make = [](ByteSink&, const WriterOptions&,
               Context&) -> std::unique_ptr<Writer> {
      return std::make_unique<FailingWriter<code>>();
    }};

// A full disk says nothing about the dump: it is an error, for else it would
// decide what the output is.
TEST(Image, IsNotMadeWithoutRoomToTry) {
  VectorReader reader(ParseStream("header { format: \"test\" }"));
  const auto source = ByteSource::FromMemory("a dump");
  const Result<pb::SourceImage> image =
      RecordImage(reader, *source, kFailingWriter<Code::kUnsupported>, {});
  ASSERT_TRUE(image.ok());
  EXPECT_EQ(image->method(), pb::SourceImage::EMBEDDED);
  EXPECT_EQ(RecordImage(reader, *source, kFailingWriter<Code::kOutput>, {})
                .status()
                .code(),
            Code::kOutput);
}

}  // namespace
}  // namespace heapglot
