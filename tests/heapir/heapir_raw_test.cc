#include "readers/heapir/heapir_raw.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "heapglot/bytes.h"
#include "heapglot/convert.h"
#include "heapglot/format.h"
#include "readers/heapir/heapir_frames.h"
#include "readers/heapir/heapir_names.h"

namespace heapglot {
namespace {

namespace fs = std::filesystem;

// Reads a heapir file and writes its chunks again. Does not use Convert(),
// which would copy the bytes of the file.
std::string ReadAndWrite(std::string_view file) {
  std::string out;
  Context context;
  const std::unique_ptr<ByteSource> source = ByteSource::FromMemory(file);
  const std::unique_ptr<ByteSink> sink = ByteSink::ToString(&out);
  const std::unique_ptr<Reader> reader = IrReader().make(*source, context);
  const std::unique_ptr<Writer> writer = IrWriter().make(*sink, {}, context);
  const Status status = RunPasses(*reader, *writer, 1);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return out;
}

constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

std::string RawForm(std::string_view file) {
  std::string raw;
  const Status status =
      heapir::WriteRawForm(file, kNoLimit, *ByteSink::ToString(&raw));
  EXPECT_TRUE(status.ok()) << status.ToString();
  return raw;
}

// A heapir file with compressed frames for each small dump of the corpus.
std::vector<std::string> Files() {
  std::vector<std::string> files;
  for (const ReaderInfo* const reader : Readers()) {
    const fs::path folder =
        fs::path(HEAPGLOT_CORPUS_DIR) / reader->name / "good";
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      if (entry.file_size() > 20'000) continue;
      Context context;
      const auto source = ByteSource::Open(entry.path(), context.limits);
      std::string file;
      if (source.ok() && Convert(**source, *ByteSink::ToString(&file),
                                 {.from = reader, .to = &IrWriter()}, context)
                             .ok())
        files.push_back(file);
    }
  }
  return files;
}

TEST(HeapirRaw, HoldsTheSameDump) {
  const std::vector<std::string> files = Files();
  EXPECT_GT(files.size(), 20U);
  for (const std::string& file : files) {
    const std::string raw = RawForm(file);
    EXPECT_EQ(ReadAndWrite(raw), ReadAndWrite(file));
    EXPECT_EQ(RawForm(raw), raw);
  }
}

TEST(HeapirRaw, IsNoLargerThanAllowed) {
  const std::string file = Files().front();
  const std::string raw = RawForm(file);
  ASSERT_GT(raw.size(), file.size());
  std::uint64_t allowed = 0;
  Status status(Code::kLimit, "");
  std::string out;
  for (; status.code() == Code::kLimit && allowed < raw.size(); ++allowed) {
    out.clear();
    status = heapir::WriteRawForm(file, allowed, *ByteSink::ToString(&out));
    EXPECT_EQ(out.empty(), !status.ok());
  }
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(out, raw);
}

TEST(HeapirRaw, IsNotMadeOfWhatIsDamaged) {
  const std::string file = Files().front();
  std::string ignored;
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(heapir::WriteRawForm(file.substr(0, size), kNoLimit,
                                      *ByteSink::ToString(&ignored))
                     .ok())
        << size;
  }
  for (std::size_t at = 0; at < file.size(); ++at) {
    std::string damaged = file;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    EXPECT_FALSE(
        heapir::WriteRawForm(damaged, kNoLimit, *ByteSink::ToString(&ignored))
            .ok())
        << at;
  }
}

// Each frame by itself is valid.
TEST(HeapirRaw, IsNotMadeOfOtherFramesThanTheTrailerIsOf) {
  const std::string file = Files().front();
  const auto made_of = [](const std::string& damaged) {
    std::string ignored;
    return heapir::WriteRawForm(damaged, kNoLimit,
                                *ByteSink::ToString(&ignored));
  };
  int frames = 0;
  heapir::FrameCursor cursor(file);
  heapir::Frame frame;
  for (; !cursor.at_end(); ++frames) {
    const std::uint64_t begin = cursor.offset();
    ASSERT_TRUE(cursor.Next(&frame).ok());
    const std::string bytes = file.substr(begin, cursor.offset() - begin);
    std::string without = file;
    without.erase(begin, bytes.size());
    EXPECT_FALSE(made_of(without).ok()) << frame.number;
    std::string twice = file;
    twice.insert(begin, bytes);
    EXPECT_FALSE(made_of(twice).ok()) << frame.number;
  }
  EXPECT_GT(frames, 3);
}

TEST(HeapirNames, AreThoseOfTheDump) {
  for (const std::string& file : Files()) {
    std::vector<std::string> names;
    const auto add = [&names](std::string_view name) {
      names.emplace_back(name);
      return true;
    };
    EXPECT_TRUE(heapir::ForEachName(file, add).ok());
    const std::vector<std::string> all = names;
    names.clear();
    EXPECT_TRUE(heapir::ForEachName(RawForm(file), add).ok());
    EXPECT_EQ(names, all);
    int seen = 0;
    EXPECT_TRUE(heapir::ForEachName(file, [&](std::string_view) {
                  return ++seen < 1;
                }).ok());
    EXPECT_LE(seen, 1);
  }
}

}  // namespace
}  // namespace heapglot
