#include "writers/dartheap/dartheap_shapes.h"

#include <gtest/gtest.h>

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
  EXPECT_EQ(shapes.Find(kString, {}).class_id, 3u);  // and 4
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
