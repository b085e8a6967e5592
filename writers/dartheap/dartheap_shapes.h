// Which classes a file gets: one for each shape that objects have.
#ifndef HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_SHAPES_H_
#define HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_SHAPES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace heapglot::dartheap {

// A named edge as a field: string index of its name, and whether it is weak.
struct Field {
  std::uint64_t code;

  static Field Of(std::uint64_t name, bool is_weak) {
    return {name << 1 | (is_weak ? 1 : 0)};
  }
  std::uint64_t name() const { return code >> 1; }
  bool is_weak() const { return (code & 1) != 0; }
  bool operator==(const Field&) const = default;
};

// In a dartheap only the class of an object names its references. So the shape
// of an object is its base (dartheap_bases.h) with the names of its edges, and
// each shape becomes a class. Real heaps have few shapes: V8's have about 20 in
// 1,000 nodes.
//
// If there are too many, those with the fewest objects so far are dropped. An
// object whose shape has no class gets the class of the longest prefix of its
// shape that has one; there is always one without fields.
//
// Memory: 40 bytes a shape and 8 a field; at most about 6 MiB, or a quarter,
// more than the bases alone take.
class ShapeTable {
 public:
  // The most fields of one shape; further edges are not fields.
  static constexpr std::size_t kMaxFields = 16384;
  // For all shapes with fields together; beyond that, some are dropped.
  struct Limits {
    std::size_t shapes = std::size_t{16} << 10;
    std::size_t fields = std::size_t{256} << 10;
  };

  struct Shape {
    std::uint64_t base;
    std::uint64_t hash;
    std::uint64_t objects;
    std::uint32_t first_field;
    std::uint32_t field_count;
    std::uint32_t class_id;  // 1-based; after Freeze()
  };
  struct Match {
    std::uint32_t class_id;
    std::uint32_t fields;  // how many of the object's fields the class has
  };

  // Shapes of base `root` are never dropped.
  explicit ShapeTable(std::uint64_t root) : ShapeTable(root, Limits()) {}
  ShapeTable(std::uint64_t root, Limits limits);

  // Counts an object of this shape, with at most kMaxFields fields.
  void Count(std::uint64_t base, std::span<const Field> fields);
  // Makes sure that there is a class without fields for this base.
  void Require(std::uint64_t base);

  // Numbers the classes: that of the root object, which must be a shape of base
  // `root`, gets id 1; the others follow in the order in which they were found.
  // Classes of base `twice` take two ids.
  void Freeze(std::span<const Field> root_fields, std::uint64_t twice);
  // After Freeze(). The base must have been counted or required.
  Match Find(std::uint64_t base, std::span<const Field> fields);

  // After Freeze(), in the order of their classes. Before, there may also be
  // dropped ones, whose bases have other shapes.
  const std::vector<Shape>& shapes() const { return shapes_; }
  std::span<const Field> FieldsOf(const Shape& shape) const {
    return {fields_.data() + shape.first_field, shape.field_count};
  }
  std::uint32_t class_count() const { return class_count_; }

 private:
  static constexpr std::uint32_t kNoShape = ~std::uint32_t{0};
  // Shape::field_count of a dropped shape, which is never found.
  static constexpr std::uint32_t kDropped = ~std::uint32_t{0};
  // Dropped shapes are removed when they are more than one in this many.
  static constexpr std::size_t kDroppedPart = 5;

  // Position in slots_ of the shape, or of the free slot for it.
  std::size_t SlotOf(std::uint64_t base, std::uint64_t hash,
                     std::span<const Field> fields) const;
  Shape& Insert(std::uint64_t base, std::uint64_t hash,
                std::span<const Field> fields);
  void Rehash(std::size_t slots);
  // Drops rare shapes until half of each limit is free.
  void MakeRoom();
  void DropUpTo(std::uint64_t objects);
  // Removes dropped shapes.
  void Compact();

  const std::uint64_t root_;
  const Limits limits_;
  std::vector<Shape> shapes_;
  std::vector<Field> fields_;
  std::vector<std::uint32_t> slots_;   // open addressing; indices of shapes
  std::vector<std::uint64_t> hashes_;  // of the prefixes of a shape
  std::vector<std::uint32_t> with_fields_;  // indices of shapes with fields
  std::size_t dropped_ = 0;                 // of shapes_
  std::uint32_t class_count_ = 0;
};

}  // namespace heapglot::dartheap

#endif  // HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_SHAPES_H_
