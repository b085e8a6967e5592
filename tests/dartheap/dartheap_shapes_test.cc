#include "writers/dartheap/dartheap_shapes.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace heapglot::dartheap {
namespace {

constexpr std::uint64_t kRoot = 0;
constexpr std::uint64_t kString = 77;

std::vector<Field> Fields(std::initializer_list<std::uint64_t> names) {
  std::vector<Field> fields;
  for (const std::uint64_t name : names)
    fields.push_back(Field::Of(name, false));
  return fields;
}

TEST(ShapeTable, NumbersShapesAsTheyWereMet) {
  ShapeTable shapes(kRoot);
  shapes.Count(5, Fields({1, 2}));
  shapes.Count(kString, {});
  shapes.Count(5, Fields({1}));
  shapes.Count(kRoot, Fields({9}));
  shapes.Count(5, Fields({1, 2}));
  shapes.Freeze(Fields({9}), kString);
  EXPECT_EQ(shapes.class_count(), 5u);
  EXPECT_EQ(shapes.Find(kRoot, Fields({9})).class_id, 1u);
  EXPECT_EQ(shapes.Find(5, Fields({1, 2})).class_id, 2u);
  EXPECT_EQ(shapes.Find(kString, {}).class_id, 3u);  // kString takes 3 and 4
  EXPECT_EQ(shapes.Find(5, Fields({1})).class_id, 5u);
}

TEST(ShapeTable, TellsWeakFieldsApart) {
  ShapeTable shapes(kRoot);
  const std::vector<Field> weak = {Field::Of(1, true)};
  shapes.Count(5, Fields({1}));
  shapes.Count(5, weak);
  shapes.Freeze({}, kString);
  EXPECT_NE(shapes.Find(5, Fields({1})).class_id,
            shapes.Find(5, weak).class_id);
  EXPECT_TRUE(weak[0].is_weak());
  EXPECT_EQ(weak[0].name(), 1u);
}

TEST(ShapeTable, RareShapesGiveWayToTheirBeginnings) {
  ShapeTable shapes(kRoot, {.shapes = 8, .fields = 100});
  shapes.Count(kRoot, Fields({7, 8}));
  for (int i = 0; i < 5; ++i) shapes.Count(5, Fields({1, 2}));
  for (std::uint64_t i = 0; i < 1000; ++i)
    shapes.Count(5, Fields({1, 2, 100 + i}));
  for (std::uint64_t i = 0; i < 1000; ++i) shapes.Count(6, Fields({100 + i}));
  shapes.Freeze(Fields({7, 8}), kString);
  EXPECT_LE(shapes.class_count(), 12u);
  EXPECT_EQ(shapes.Find(kRoot, Fields({7, 8})).class_id, 1u);

  const ShapeTable::Match common = shapes.Find(5, Fields({1, 2}));
  EXPECT_EQ(common.fields, 2u);
  const ShapeTable::Match rare = shapes.Find(5, Fields({1, 2, 100}));
  EXPECT_EQ(rare.class_id, common.class_id);
  EXPECT_EQ(rare.fields, 2u);
  const ShapeTable::Match none = shapes.Find(6, Fields({100}));
  EXPECT_NE(none.class_id, 0u);
  EXPECT_EQ(none.fields, 0u);
}

// Far more shapes without fields than are evicted at a time.
TEST(ShapeTable, WhatGaveWayIsNoClass) {
  constexpr std::uint64_t kBases = 5000;
  constexpr std::uint64_t kCommon = kBases + 1;
  ShapeTable shapes(kRoot, {.shapes = 8, .fields = 100});
  for (std::uint64_t base = 1; base <= kBases; ++base) {
    shapes.Count(base, Fields({base, base + 1}));
    if (base % 3 != 0) shapes.Count(base, {});
    shapes.Count(kCommon, Fields({1, 2}));
    if (base % 7 == 0) shapes.Count(kCommon, Fields({1, 2, 3}));
  }
  shapes.Freeze({}, kString);
  EXPECT_LE(shapes.class_count(), kBases + 10);
  EXPECT_EQ(shapes.shapes().size() + 1, shapes.class_count());  // kString has 2
  std::set<std::uint32_t> ids;
  for (std::uint64_t base = 1; base <= kBases; ++base) {
    const ShapeTable::Match match = shapes.Find(base, Fields({base, base + 1}));
    EXPECT_NE(match.class_id, 0u) << base;
    EXPECT_TRUE(ids.insert(match.class_id).second) << base;
  }
  EXPECT_EQ(shapes.Find(kCommon, Fields({1, 2})).fields, 2u);
  for (const ShapeTable::Shape& shape : shapes.shapes()) {
    const ShapeTable::Match match =
        shapes.Find(shape.base, shapes.FieldsOf(shape));
    EXPECT_EQ(match.class_id, shape.class_id);
    EXPECT_EQ(match.fields, shape.field_count);
  }
}

TEST(ShapeTable, BasesWithoutFieldsNeverGiveWay) {
  ShapeTable shapes(kRoot, {.shapes = 8, .fields = 100});
  for (std::uint64_t base = 1; base <= 1000; ++base) shapes.Count(base, {});
  for (std::uint64_t i = 0; i < 100; ++i) shapes.Count(5, Fields({i, i}));
  shapes.Freeze({}, kString);
  for (std::uint64_t base = 1; base <= 1000; ++base)
    ASSERT_NE(shapes.Find(base, {}).class_id, 0u) << base;
}

}  // namespace
}  // namespace heapglot::dartheap
