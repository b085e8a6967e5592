#include "core/text/string_store.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/core/text_stream.h"

namespace heapglot {
namespace {

void Add(const std::string& strings, StringStore* store) {
  for (const pb::Chunk& chunk : ParseStream(strings))
    store->Add(chunk.strings());
}

TEST(StringStore, FindsByIndex) {
  StringStore store;
  Add("strings { first: 1 data: 'onetwo' length: [3, 0, 3] }\n"
      "strings { first: 10 data: 'ten' length: [3] encoding: [2] }\n",
      &store);
  EXPECT_EQ(store.Find(0), "");
  EXPECT_EQ(store.Find(1), "one");
  EXPECT_EQ(store.Find(2), "");
  EXPECT_EQ(store.Find(3), "two");
  EXPECT_EQ(store.Find(10), "ten");
  EXPECT_EQ(store.Locate(1).encoding, pb::UTF8);
  EXPECT_EQ(store.Locate(10).encoding, pb::BYTES);
  for (const std::uint64_t there : {0u, 1u, 2u, 3u, 10u})
    EXPECT_TRUE(store.Has(there)) << there;
  for (const std::uint64_t missing : {4u, 9u, 11u, ~0u}) {
    EXPECT_FALSE(store.Has(missing)) << missing;
    EXPECT_EQ(store.Find(missing), "");
  }
}

TEST(StringStore, PutsPiecesTogether) {
  StringStore store;
  Add("strings { first: 1 data: 'abcd' length: [1, 3] continued: true }\n",
      &store);
  EXPECT_FALSE(store.Has(2));
  Add("strings { first: 2 data: 'ef' length: [2] encoding: [1] continued: "
      "true }\n"
      "strings { first: 2 data: 'ghi' length: [1, 2] }\n",
      &store);
  EXPECT_EQ(store.Find(1), "a");
  EXPECT_EQ(store.Find(2), "bcdefg");
  EXPECT_EQ(store.Locate(2).encoding, pb::WTF8);
  EXPECT_EQ(store.Find(3), "hi");
  EXPECT_EQ(store.Piece(store.Locate(2), 2, 3), "def");
  EXPECT_EQ(store.Piece(store.Locate(2), 4, 99), "fg");
}

TEST(StringStore, ForgetsAllButWhereTheStreamIs) {
  StringStore store;
  Add("strings { first: 1 data: 'abc' length: [1, 2] continued: true }\n",
      &store);
  store.Clear();
  Add("strings { first: 2 data: 'defg' length: [1, 3] }\n", &store);
  EXPECT_FALSE(store.Has(1));
  EXPECT_FALSE(store.Has(2));  // its beginning is gone
  EXPECT_EQ(store.Find(3), "efg");
  Add("strings { first: 4 data: 'h' length: [1] }\n", &store);
  EXPECT_EQ(store.Find(4), "h");
}

TEST(StringStore, HoldsMoreThanMemory) {
  StringStore store;
  pb::Strings strings;
  std::uint64_t index = 1;
  for (int chunk = 0; chunk < 300; ++chunk) {
    strings.Clear();
    strings.set_first(index);
    for (int i = 0; i < 1000; ++i, ++index) {
      const std::string text = "string " + std::to_string(index);
      strings.mutable_data()->append(text);
      strings.add_length(static_cast<std::uint32_t>(text.size()));
    }
    store.Add(strings);
  }
  for (std::uint64_t i = 1; i < index; i += 7)
    ASSERT_EQ(store.Find(i), "string " + std::to_string(i));
  // Two at a time, from both ends.
  for (std::uint64_t i = 1; i < index; i += 1111) {
    const std::string_view front = store.Find(i);
    const std::string_view back = store.Find(index - i);
    ASSERT_EQ(front, "string " + std::to_string(i));
    ASSERT_EQ(back, "string " + std::to_string(index - i));
  }
  EXPECT_TRUE(store.status().ok());
}

}  // namespace
}  // namespace heapglot
