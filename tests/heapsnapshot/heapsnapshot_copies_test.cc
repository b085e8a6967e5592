// A string that is in the table twice is one string to whoever reads the stream.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <tuple>

#include "core/canonical/canonical_reader.h"
#include "core/check_sink.h"
#include "heapglot/bytes.h"
#include "heapglot/feature.h"
#include "heapglot/format.h"
#include "tests/core/text_stream.h"

namespace heapglot {
namespace {

std::string FileWithCopies() {
  const auto source =
      ByteSource::Open((std::filesystem::path(HEAPGLOT_CORPUS_DIR) /
                        "heapsnapshot/good/strings-twice.heapsnapshot")
                           .string(),
                       Limits());
  EXPECT_TRUE(source.ok()) << source.status().ToString();
  return source.ok() ? std::string((*source)->bytes()) : std::string();
}

void ReplaceAll(std::string* text, const std::string& old,
                const std::string& by) {
  std::size_t at = text->find(old);
  ASSERT_NE(at, std::string::npos) << old;
  for (; at != std::string::npos; at = text->find(old, at + by.size()))
    text->replace(at, old.size(), by);
}

// The same without the strings 8 to 11, which are copies of 3, 4, 5 and 7.
std::string FileWithoutCopies() {
  std::string file = FileWithCopies();
  ReplaceAll(&file, "8,8,5,", "8,3,5,");
  ReplaceAll(&file, "10,9,9,", "10,4,9,");
  ReplaceAll(&file, "11,10,13,", "11,5,13,");
  ReplaceAll(&file, "11,9,15,", "11,4,15,");
  ReplaceAll(&file, "2,11,", "2,7,");
  const std::size_t at = file.rfind(R"(,"Account")");
  file.erase(at, file.rfind(']') - at);
  return file;
}

// The strings before everything else: what names classes is not known there.
std::string WithStringsFirst(std::string file) {
  const std::size_t at = file.find(",\n\"strings\"");
  const std::size_t end = file.rfind(']') + 1;
  const std::string strings = file.substr(at + 2, end - at - 2);
  file.erase(at, end - at);
  return file.insert(1, strings + ",");
}

struct Seen {
  std::string canonical;
  std::uint64_t types = 0;
  std::uint64_t texts = 0;
};

Seen See(std::string_view file) {
  Seen seen;
  const auto source = ByteSource::FromMemory(file);
  Context context;
  const auto reader = FindReader("heapsnapshot")->make(*source, context);
  VectorSink stream;
  CheckSink check(ChunkSet::All(), &stream);
  EXPECT_EQ(reader->Read(ChunkSet::All(), check).ToString(), "");
  EXPECT_EQ(check.Finish().ToString(), "");
  std::uint64_t texts = 0;
  for (const pb::Chunk& chunk : stream.chunks()) {
    if (chunk.has_graph_end()) seen.types = chunk.graph_end().types();
    for (const std::uint32_t form : chunk.nodes().value_form())
      texts += form != 0 ? 1 : 0;
  }
  seen.texts = (*reader->CountedRows())[Feature::kValueText];
  EXPECT_EQ(texts, seen.texts);
  VectorSink canonical;
  EXPECT_EQ(MakeCanonicalReader(*reader, context)
                ->Read(ChunkSet::All(), canonical)
                .ToString(),
            "");
  for (const pb::Chunk& chunk : canonical.chunks())
    seen.canonical += ToText(chunk);
  return seen;
}

TEST(HeapsnapshotCopies, OfStringsAreTheSameString) {
  const Seen once = See(FileWithoutCopies());
  EXPECT_EQ(once.types, 5U);
  EXPECT_EQ(once.texts, 1U);
  const Seen twice = See(FileWithCopies());
  EXPECT_EQ(twice.canonical, once.canonical);
  EXPECT_EQ(twice.types, 5U);
  EXPECT_EQ(twice.texts, 1U);
  const Seen first = See(WithStringsFirst(FileWithCopies()));
  EXPECT_EQ(first.canonical, once.canonical);
  EXPECT_EQ(first.types, 5U);
  EXPECT_EQ(first.texts, 1U);
}

// However many there are; all nodes of a type may be called like the last one.
TEST(HeapsnapshotCopies, OfStringsMayBeMany) {
  std::string file = FileWithCopies();
  for (int i = 0; i < 100; ++i)
    file.insert(file.rfind(']'), ",\"(concatenated string)\"");
  ReplaceAll(&file, "10,9,9,", "10,110,9,");
  EXPECT_EQ(See(file).canonical, See(FileWithoutCopies()).canonical);
  EXPECT_EQ(See(file).texts, 1U);
  ReplaceAll(&file, "10,4,7,", "10,110,7,");
  EXPECT_EQ(See(file).canonical, See(FileWithoutCopies()).canonical);
  EXPECT_EQ(See(file).texts, 1U);
}

// A name may be spelt with escapes.
TEST(HeapsnapshotCopies, OfNamesMayBeSpeltOtherwise) {
  for (const auto& [name, copy, types] :
       {std::tuple{"Account", "Acc\\u006funt", 5U},
        {"\\ud83d\\ude00", "\xf0\x9f\x98\x80", 5U},
        {"\\ud83d\\ude00", "\xf0\x9f\x98\x81", 6U}}) {
    std::string file = FileWithCopies();
    const std::string old = "Account";
    file.replace(file.rfind(old), old.size(), copy);
    file.replace(file.find(old), old.size(), name);
    EXPECT_EQ(See(file).types, types) << copy;
  }
}

}  // namespace
}  // namespace heapglot
