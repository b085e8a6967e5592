#include "writers/dartheap/dartheap_shapes.h"

#include <algorithm>

namespace heapglot::dartheap {
namespace {

constexpr std::size_t kFirstSlots = 256;

// The hash of a list of fields is computed through the hashes of its prefixes.
std::uint64_t Mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 29;
}

std::uint64_t HashOf(std::uint64_t base, std::span<const Field> fields) {
  std::uint64_t hash = Mix(0, base + 1);
  for (const Field field : fields) hash = Mix(hash, field.code + 1);
  return hash;
}

}  // namespace

ShapeTable::ShapeTable(std::uint64_t root, Limits limits)
    : root_(root), limits_(limits) {
  slots_.assign(kFirstSlots, kNoShape);
}

std::size_t ShapeTable::SlotOf(std::uint64_t base, std::uint64_t hash,
                               std::span<const Field> fields) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash & mask;; slot = (slot + 1) & mask) {
    if (slots_[slot] == kNoShape) return slot;
    const Shape& shape = shapes_[slots_[slot]];
    if (shape.hash != hash || shape.base != base ||
        shape.field_count != fields.size())
      continue;
    if (std::equal(fields.begin(), fields.end(), FieldsOf(shape).begin()))
      return slot;
  }
}

ShapeTable::Shape& ShapeTable::Insert(std::uint64_t base, std::uint64_t hash,
                                      std::span<const Field> fields) {
  if (2 * shapes_.size() >= slots_.size()) Rehash(2 * slots_.size());
  slots_[SlotOf(base, hash, fields)] =
      static_cast<std::uint32_t>(shapes_.size());
  const Shape shape = {
      .base = base,
      .hash = hash,
      .objects = 0,
      .first_field = static_cast<std::uint32_t>(fields_.size()),
      .field_count = static_cast<std::uint32_t>(fields.size()),
      .class_id = 0};
  if (!fields.empty())
    with_fields_.push_back(static_cast<std::uint32_t>(shapes_.size()));
  fields_.insert(fields_.end(), fields.begin(), fields.end());
  return shapes_.emplace_back(shape);
}

void ShapeTable::Rehash(std::size_t slots) {
  slots_.assign(slots, kNoShape);
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    const Shape& shape = shapes_[i];
    if (shape.field_count == kDropped) continue;
    slots_[SlotOf(shape.base, shape.hash, FieldsOf(shape))] =
        static_cast<std::uint32_t>(i);
  }
}

void ShapeTable::Count(std::uint64_t base, std::span<const Field> fields) {
  const std::uint64_t hash = HashOf(base, fields);
  const std::uint32_t known = slots_[SlotOf(base, hash, fields)];
  if (known != kNoShape) {
    ++shapes_[known].objects;
    return;
  }
  const bool is_full = with_fields_.size() >= limits_.shapes ||
                       fields_.size() + fields.size() > limits_.fields;
  if (is_full && !fields.empty()) MakeRoom();
  Insert(base, hash, fields).objects = 1;
}

void ShapeTable::Require(std::uint64_t base) {
  const std::uint64_t hash = HashOf(base, {});
  if (slots_[SlotOf(base, hash, {})] == kNoShape) Insert(base, hash, {});
}

void ShapeTable::MakeRoom() {
  for (std::uint64_t objects = 1;
       objects != 0 && (with_fields_.size() > limits_.shapes / 2 ||
                        fields_.size() > limits_.fields / 2);
       objects *= 2)
    DropUpTo(objects);
}

void ShapeTable::DropUpTo(std::uint64_t objects) {
  std::vector<std::uint64_t> bases;  // of dropped shapes
  std::size_t kept = 0;
  std::size_t kept_fields = 0;
  for (const std::uint32_t index : with_fields_) {
    Shape& shape = shapes_[index];
    if (shape.objects <= objects && shape.base != root_) {
      if (bases.empty() || bases.back() != shape.base)
        bases.push_back(shape.base);
      shape.field_count = kDropped;
      ++dropped_;
      continue;
    }
    // Fields are in the order of their shapes, so this moves them to the front.
    if (shape.first_field != kept_fields)
      std::copy_n(fields_.begin() + shape.first_field, shape.field_count,
                  fields_.begin() + static_cast<std::ptrdiff_t>(kept_fields));
    shape.first_field = static_cast<std::uint32_t>(kept_fields);
    kept_fields += shape.field_count;
    with_fields_[kept++] = index;
  }
  with_fields_.resize(kept);
  fields_.resize(kept_fields);
  for (const std::uint64_t base : bases) Require(base);
  // Not each time: there may be many more shapes without fields.
  if (dropped_ > shapes_.size() / kDroppedPart) Compact();
}

void ShapeTable::Compact() {
  if (dropped_ == 0) return;
  std::erase_if(shapes_, [](const Shape& shape) {
    return shape.field_count == kDropped;
  });
  dropped_ = 0;
  with_fields_.clear();
  for (std::size_t i = 0; i < shapes_.size(); ++i)
    if (shapes_[i].field_count > 0)
      with_fields_.push_back(static_cast<std::uint32_t>(i));
  Rehash(slots_.size());
}

void ShapeTable::Freeze(std::span<const Field> root_fields,
                        std::uint64_t twice) {
  Compact();
  const std::uint32_t root =
      slots_[SlotOf(root_, HashOf(root_, root_fields), root_fields)];
  if (root != kNoShape) {
    const auto shape = shapes_.begin() + root;
    std::rotate(shapes_.begin(), shape, shape + 1);
    Rehash(slots_.size());
  }
  class_count_ = 0;
  for (Shape& shape : shapes_) {
    shape.class_id = ++class_count_;
    if (shape.base == twice) ++class_count_;
  }
}

ShapeTable::Match ShapeTable::Find(std::uint64_t base,
                                   std::span<const Field> fields) {
  const std::uint64_t hash = HashOf(base, fields);
  if (const std::uint32_t known = slots_[SlotOf(base, hash, fields)];
      known != kNoShape)
    return {shapes_[known].class_id, static_cast<std::uint32_t>(fields.size())};
  hashes_.assign(1, HashOf(base, {}));
  for (const Field field : fields)
    hashes_.push_back(Mix(hashes_.back(), field.code + 1));
  for (std::size_t size = fields.size(); size-- > 0;) {
    const std::uint32_t begun =
        slots_[SlotOf(base, hashes_[size], fields.first(size))];
    if (begun != kNoShape)
      return {shapes_[begun].class_id, static_cast<std::uint32_t>(size)};
  }
  return {0, 0};
}

}  // namespace heapglot::dartheap
