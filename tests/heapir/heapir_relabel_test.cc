#include "writers/heapir/heapir_relabel.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/leftovers/leftovers.h"
#include "heapglot/convert.h"
#include "heapglot/format.h"
#include "readers/heapir/heapir_raw.h"
#include "tests/heapir/heapir_file.h"
#include "writers/heapir/heapir_encoder.h"

namespace heapglot {
namespace {

namespace fs = std::filesystem;
using testing::WriteFile;

// The number of Nodes rows that the writer puts into one frame.
constexpr std::uint32_t kFrameRows = 32768;

// A heap of nodes only, in chunks of `rows` rows, that takes more than 1 MiB.
std::vector<pb::Chunk> LargeHeap(std::uint32_t rows) {
  std::mt19937_64 random(1);
  std::vector<pb::Chunk> chunks(2);
  chunks[0].mutable_header()->set_format("test");
  chunks[1].mutable_graph()->set_edges_grouped(true);
  std::uint64_t total = 0;
  std::uint64_t size = 0;
  while (total < 20 * kFrameRows) {
    pb::Nodes& nodes = *chunks.emplace_back().mutable_nodes();
    nodes.set_first(total);
    nodes.set_count(rows);
    for (std::uint32_t row = 0; row < rows; ++row) {
      // zstd compresses this to about half.
      nodes.add_self_size(random() & 0x0F0F'0F0F'0F0F);
      size += nodes.self_size(static_cast<int>(row));
    }
    total += rows;
  }
  pb::GraphEnd& end = *chunks.emplace_back().mutable_graph_end();
  end.set_nodes(total);
  end.set_self_size_total(size);
  end.set_id_limit(total + 1);
  pb::Footer& footer = *chunks.emplace_back().mutable_footer();
  footer.set_graphs(1);
  footer.set_strings(1);
  return chunks;
}

std::string LargeFile() { return WriteFile(LargeHeap(kFrameRows)); }

pb::Host SomeHost() {
  pb::Host host;
  host.set_format("test");
  host.set_size(0);
  std::string ignored;
  const auto sink = ByteSink::ToString(&ignored);
  host.set_xxh3_128(DigestingSink(*sink).digest());
  return host;
}

std::string Relabelled(const std::string& file) {
  std::string relabelled;
  const auto source = ByteSource::FromMemory(file);
  const Status status = heapir::WriteRelabelled(
      *source, SomeHost(), *ByteSink::ToString(&relabelled));
  EXPECT_TRUE(status.ok()) << status.ToString();
  return relabelled;
}

// Leftovers of SomeHost(). With `says_file`, their maker knows the original
// file.
std::string LeftoversOf(const std::string& file, bool says_file) {
  const auto source = ByteSource::FromMemory(file);
  Context context;
  const auto reader = IrReader().make(*source, context);
  std::string ignored;
  const auto sink = ByteSink::ToString(&ignored);
  const DigestingSink host(*sink);
  LeftoversMaker maker(*reader, host, "test", IrWriter(), context.limits);
  if (says_file) maker.set_original_file(*source);
  std::string leftovers;
  const Status status = maker.WriteTo(*ByteSink::ToString(&leftovers));
  EXPECT_TRUE(status.ok()) << status.ToString();
  return leftovers;
}

bool IsWorthCopying(const std::string& file) {
  return heapir::IsWorthCopying(*ByteSource::FromMemory(file));
}

TEST(HeapirRelabel, IsWhatTheWriterMakes) {
  int files = 0;
  for (const ReaderInfo* const reader : Readers()) {
    const fs::path folder =
        fs::path(HEAPGLOT_CORPUS_DIR) / reader->name / "good";
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      if (entry.file_size() > 20'000) continue;
      Context context;
      const auto source = ByteSource::Open(entry.path(), context.limits);
      std::string file;
      if (!source.ok() || reader == &IrReader() ||
          !Convert(**source, *ByteSink::ToString(&file),
                   {.from = reader, .to = &IrWriter()}, context)
               .ok())
        continue;
      EXPECT_EQ(Relabelled(file), LeftoversOf(file, false)) << entry.path();
      // A file may have a label already.
      EXPECT_EQ(Relabelled(Relabelled(file)), Relabelled(file));
      ++files;
    }
  }
  EXPECT_GT(files, 20);
}

TEST(HeapirRelabel, MakesLeftoversOfLargeFiles) {
  const std::string file = LargeFile();
  EXPECT_TRUE(IsWorthCopying(file));
  EXPECT_EQ(LeftoversOf(file, true), LeftoversOf(file, false));
  EXPECT_EQ(LeftoversOf(file, true), Relabelled(file));
}

TEST(HeapirRelabel, IsNotForFilesThatTakeMoreRoomThanTheyNeed) {
  const std::string file = LargeFile();
  std::string raw;
  ASSERT_TRUE(
      heapir::WriteRawForm(file, ~std::uint64_t{0}, *ByteSink::ToString(&raw))
          .ok());
  EXPECT_FALSE(IsWorthCopying(raw));
  EXPECT_EQ(LeftoversOf(raw, true), LeftoversOf(file, false));

  // Another program may write small frames.
  std::string small;
  const auto sink = ByteSink::ToString(&small);
  heapir::FrameWriter frames(*sink, /*compress=*/true);
  for (const pb::Chunk& chunk : LargeHeap(kFrameRows / 512))
    ASSERT_TRUE(frames.Accept(chunk).ok());
  ASSERT_TRUE(frames.Finish().ok());
  EXPECT_GT(small.size(), file.size());
  EXPECT_FALSE(IsWorthCopying(small));
  EXPECT_EQ(LeftoversOf(small, true), LeftoversOf(file, false));
}

TEST(HeapirRelabel, NoticesThatTheFileHasChanged) {
  const std::string file = LargeFile();
  for (std::size_t at = 0; at < file.size(); at += file.size() / 50 + 1) {
    std::string changed = file;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    std::string ignored;
    const auto source = ByteSource::FromMemory(changed);
    EXPECT_EQ(heapir::WriteRelabelled(*source, SomeHost(),
                                      *ByteSink::ToString(&ignored))
                  .code(),
              Code::kInput)
        << at;
  }
  EXPECT_FALSE(IsWorthCopying(file.substr(0, file.size() - 1)));
}

}  // namespace
}  // namespace heapglot
