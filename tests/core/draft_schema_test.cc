#include "core/draft/draft_schema.h"

#include <gtest/gtest.h>

#include <string>

namespace heapglot::draft {
namespace {

std::string NameOf(std::uint64_t number) {
  return "x." + std::to_string(number);
}

// For any number of types, since that decides how they are found.
TEST(DraftSchema, FindsTypesByNameAndPlace) {
  for (const std::uint64_t others : {0, 14, 15, 16, 17, 100}) {
    Schema schema;
    for (std::uint64_t i = 0; i < others; ++i)
      EXPECT_NE(schema.AddType(NameOf(i), i, 10, {}), nullptr);
    // Used before it is declared.
    EXPECT_EQ(schema.FindType("node", 20), nullptr) << others;
    Type* const draft = schema.AddDraftType("node");
    Type* const declared = schema.AddType("node", 200, 30, {});
    ASSERT_NE(declared, nullptr) << others;
    EXPECT_EQ(schema.FindType("node", 0), draft) << others;
    EXPECT_EQ(schema.FindType("node", 29), draft) << others;
    EXPECT_EQ(schema.FindType("node", 30), declared) << others;
    EXPECT_EQ(schema.AddType("node", 201, 40, {}), nullptr) << others;
    for (std::uint64_t i = 0; i < others; ++i) {
      EXPECT_EQ(schema.FindType(NameOf(i), 10)->code, i) << others;
      EXPECT_EQ(schema.FindType(NameOf(i), 9), nullptr) << others;
      EXPECT_EQ(schema.AddType(NameOf(i), 201, 40, {}), nullptr) << others;
    }
    EXPECT_EQ(schema.FindType("x.other", 50), nullptr) << others;
  }
}

// The type is declared first, and then asked for by an earlier line.
TEST(DraftSchema, FindsADraftTypeBehindTheDeclaredOne) {
  for (const std::uint64_t others : {0, 100}) {
    Schema schema;
    for (std::uint64_t i = 0; i < others; ++i)
      schema.AddType(NameOf(i), i, 10, {});
    Type* const declared = schema.AddType("node", 200, 30, {});
    EXPECT_EQ(schema.FindType("node", 20), nullptr) << others;
    Type* const draft = schema.AddDraftType("node");
    EXPECT_EQ(schema.FindType("node", 20), draft) << others;
    EXPECT_EQ(schema.FindType("node", 30), declared) << others;
  }
}

TEST(DraftSchema, FindsSubtypesByName) {
  Schema schema;
  Type& type = *schema.AddType("x.type", 1, 0, {});
  for (std::uint64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(type.FindSubtype(NameOf(i)), nullptr) << i;
    Subtype* const added = schema.AddSubtype(type, NameOf(i), i, 0, {});
    ASSERT_NE(added, nullptr) << i;
    EXPECT_EQ(type.FindSubtype(NameOf(i)), added) << i;
    EXPECT_EQ(type.FindSubtype(NameOf(0))->code, 0U) << i;
    EXPECT_EQ(schema.AddSubtype(type, NameOf(i), 1000, 0, {}), nullptr) << i;
  }
}

}  // namespace
}  // namespace heapglot::draft
