#include "core/leftovers/early_leftovers.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>

#include "core/image/source_only.h"
#include "core/leftovers/leftovers.h"
#include "tests/core/text_stream.h"

namespace heapglot {
namespace {

constexpr std::uint64_t kAnyLeftovers = ~std::uint64_t{0};

// Bytes that zstd makes about `entropy` eighths as large.
std::string Bytes(std::size_t size, unsigned entropy) {
  std::mt19937 random(1);
  std::string bytes(size, '\0');
  for (char& byte : bytes)
    byte = static_cast<char>(random() & ((1U << entropy) - 1));
  return bytes;
}

// Passes on a stream, and counts how often more than its header is read.
class CountingReader : public Reader {
 public:
  explicit CountingReader(Reader& upstream) : upstream_(upstream) {}

  Status Read(ChunkSet wanted, ChunkSink& out) override {
    if (wanted.Has(pb::Chunk::kSourceImage)) ++passes_;
    return upstream_.Read(wanted, out);
  }
  int passes() const { return passes_; }

 private:
  Reader& upstream_;
  int passes_ = 0;
};

// The leftovers of `dump` as a file has them: made early if `early`, and kept
// after they are measured if they have at most `kept` bytes.
std::string LeftoversOf(const ByteSource& dump, EarlyLeftovers* early,
                        std::uint64_t kept = 0) {
  VectorReader labelled(
      ParseStream("header { format: \"test\" dialect: \"of no meaning\" }"));
  const std::unique_ptr<Reader> bare = MakeSourceOnlyReader(labelled, dump);
  CountingReader counted(*bare);
  std::string file;
  const auto sink = ByteSink::ToString(&file);
  DigestingSink digesting(*sink);
  EXPECT_TRUE(digesting.Write("what they go with").ok());
  const Limits limits;
  LeftoversMaker maker(counted, digesting, "dartheap", IrWriter(), limits);
  if (early != nullptr) maker.set_early(*early);
  const Result<std::uint64_t> size = maker.Measure(kept);
  std::string leftovers;
  const Status status = maker.Send([&](std::string_view piece) {
    leftovers += piece;
    return Status();
  });
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(*size, leftovers.size());
  if (early == nullptr) {
    EXPECT_EQ(counted.passes(), leftovers.size() <= kept ? 1 : 2);
  }
  return leftovers;
}

TEST(EarlyLeftoversTest, AreTheSame) {
  for (const std::size_t size : {0, 1, 262'143, 262'144, 262'145, 3'000'000}) {
    for (const unsigned entropy : {0, 3, 8}) {
      const std::string bytes = Bytes(size, entropy);
      const auto source = ByteSource::FromMemory(bytes);
      EarlyLeftovers early(*source, IrWriter(), kAnyLeftovers);
      early.Start();
      EXPECT_TRUE(LeftoversOf(*source, &early) == LeftoversOf(*source, nullptr))
          << size << ", " << entropy;
      EXPECT_NE(early.Finish(), nullptr);
    }
  }
}

TEST(EarlyLeftoversTest, AreThoseThatWereMeasured) {
  for (const std::size_t size : {0, 1, 262'145, 3'000'000}) {
    const std::string bytes = Bytes(size, 3);
    const auto source = ByteSource::FromMemory(bytes);
    const std::string expected = LeftoversOf(*source, nullptr);
    for (const std::uint64_t kept :
         {expected.size() - 1, expected.size(), kAnyLeftovers}) {
      EXPECT_TRUE(LeftoversOf(*source, nullptr, kept) == expected)
          << size << ", " << kept;
    }
  }
}

TEST(EarlyLeftoversTest, NeedNotBeThere) {
  const std::string bytes = Bytes(1'000'000, 3);
  const auto source = ByteSource::FromMemory(bytes);
  const std::string expected = LeftoversOf(*source, nullptr);
  EarlyLeftovers without_thread(*source, IrWriter(), kAnyLeftovers);
  EXPECT_TRUE(LeftoversOf(*source, &without_thread) == expected);
  EXPECT_EQ(without_thread.Finish(), nullptr);

  EarlyLeftovers too_large(*source, IrWriter(), expected.size() / 2);
  too_large.Start();
  EXPECT_TRUE(LeftoversOf(*source, &too_large) == expected);
  EXPECT_EQ(too_large.Finish(), nullptr);
}

TEST(EarlyLeftoversTest, GoWithoutATemporaryFile) {
  const char* const before = getenv("TMPDIR");
  const std::string directory = before == nullptr ? "" : before;
  const std::string bytes = Bytes(1'000'000, 8);
  const auto source = ByteSource::FromMemory(bytes);
  ASSERT_EQ(setenv("TMPDIR", "/proc", 1), 0);
  EarlyLeftovers early(*source, IrWriter(), kAnyLeftovers);
  early.Start();
  EXPECT_EQ(early.Finish(), nullptr);
  EXPECT_TRUE(LeftoversOf(*source, &early) == LeftoversOf(*source, nullptr));
  if (before == nullptr)
    unsetenv("TMPDIR");
  else
    setenv("TMPDIR", directory.c_str(), 1);
}

// Whether the writer below has been asked to write.
std::atomic<bool> is_writing = false;

// Writes until that fails.
class EndlessWriter : public Writer {
 public:
  explicit EndlessWriter(ByteSink& sink) : sink_(sink) {}

  ChunkSet Wanted(int pass) override {
    return pass == 0 ? ChunkSet::All() : ChunkSet();
  }
  Status Accept(const pb::Chunk&) override {
    while (true) {
      is_writing = true;
      is_writing.notify_all();
      HEAPGLOT_RETURN_IF_ERROR(sink_.Write("one more"));
    }
  }
  Status Finish() override { return {}; }

 private:
  ByteSink& sink_;
};

TEST(EarlyLeftoversTest, AreOverWhenTheyAreNotWanted) {
  WriterInfo endless = IrWriter();
  endless.make = [](ByteSink& sink, const WriterOptions&,
                    Context&) -> std::unique_ptr<Writer> {
    return std::make_unique<EndlessWriter>(sink);
  };
  is_writing = false;
  const auto source = ByteSource::FromMemory("a dump");
  EarlyLeftovers early(*source, endless, kAnyLeftovers);
  early.Start();
  is_writing.wait(false);
}

}  // namespace
}  // namespace heapglot
