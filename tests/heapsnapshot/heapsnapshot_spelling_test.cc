// The meaning of JSON does not depend on its spelling.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "heapglot/bytes.h"
#include "heapglot/format.h"
#include "tests/core/text_stream.h"

namespace heapglot {
namespace {

std::string GoodFile(const std::string& name) {
  const auto source = ByteSource::Open(
      (std::filesystem::path(HEAPGLOT_CORPUS_DIR) / "heapsnapshot/good" / name)
          .string(),
      Limits());
  EXPECT_TRUE(source.ok()) << source.status().ToString();
  return source.ok() ? std::string((*source)->bytes()) : std::string();
}

// The stream of a file as text, without the header and the texts that are kept
// verbatim.
std::string StreamOf(std::string_view file) {
  const auto source = ByteSource::FromMemory(file);
  Context context;
  VectorSink sink;
  const Status status = FindReader("heapsnapshot")
                            ->make(*source, context)
                            ->Read(ChunkSet::All(), sink);
  EXPECT_TRUE(status.ok()) << status.ToString();
  std::string text;
  for (const pb::Chunk& chunk : sink.chunks()) {
    const bool is_kept =
        chunk.has_extra() && chunk.extra().section() == "heapsnapshot.snapshot";
    if (!chunk.has_header() && !is_kept) text += ToText(chunk);
  }
  return text;
}

// Expects the same stream from a file of the corpus with `old` replaced by
// `by`.
void ExpectSameWith(const std::string& name, std::string_view old,
                    std::string_view by) {
  const std::string file = GoodFile(name);
  std::string other = file;
  const std::size_t at = other.find(old);
  ASSERT_NE(at, std::string::npos) << old;
  other.replace(at, old.size(), by);
  EXPECT_EQ(StreamOf(other), StreamOf(file)) << by;
}

TEST(HeapsnapshotSpelling, OfNumbersInTables) {
  ExpectSameWith("chromium156-scopes.heapsnapshot", R"("scopes":[12,-2,0,)",
                 R"("scopes":[1.2e1,-2.0,-0,)");
  ExpectSameWith("node24-tracked.heaptimeline", R"("trace_tree":[1,0,0,0,)",
                 R"("trace_tree":[1e0,0.0,0E5,-0,)");
}

TEST(HeapsnapshotSpelling, OfWhatV8CallsStringsOfOthers) {
  for (const std::string word : {"concatenated string", "sliced string"}) {
    ExpectSameWith("strings-of-strings.heapsnapshot", "\"(" + word + ")\"",
                   "\"\\u0028" + word + ")\"");
  }
}

// The last one counts, even null, as in JSON.parse().
TEST(HeapsnapshotSpelling, OfKeysThatComeTwice) {
  const std::string name = "chromium156-scopes.heapsnapshot";
  for (const std::string_view key :
       {R"("scope_fields":)", R"("location_fields":)", R"("sample_fields":)",
        R"("node_fields":)", R"("edge_types":)"}) {
    for (const std::string_view before : {"null,", R"(["a","a"],)"}) {
      ExpectSameWith(name, key,
                     std::string(key) + std::string(before) + std::string(key));
    }
  }
  std::string file = GoodFile(name);
  std::string other = file;
  const std::size_t at = file.find(R"(,"scope_fields")");
  ASSERT_NE(at, std::string::npos);
  other.insert(file.find("},\"node_count\""), R"(,"scope_fields":null)");
  file.erase(at, file.find(']', at) + 1 - at);
  EXPECT_EQ(StreamOf(other), StreamOf(file));
}

}  // namespace
}  // namespace heapglot
