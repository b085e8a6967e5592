#include "readers/draft/draft_shapes.h"

#include <algorithm>
#include <span>
#include <utility>

#include "core/text/take_uint.h"

namespace heapglot::draft {
namespace {

// The number of leading fields that are present. If any after them is present,
// too: a number that no layout has.
std::size_t CountLeading(std::span<const Token> fields) {
  const auto is_absent = [](const Token& token) {
    return token.kind == TokenKind::kAbsent;
  };
  const auto end = std::find_if(fields.begin(), fields.end(), is_absent);
  if (!std::all_of(end, fields.end(), is_absent)) return fields.size() + 1;
  return static_cast<std::size_t>(end - fields.begin());
}

}  // namespace

void LineShapes::Learn(std::string_view line, const Record& record) {
  if (count_ == kMaxShapes || record.kind != LineKind::kData ||
      record.is_array || line.size() > kMaxLine || !line.ends_with('}'))
    return;
  Shape shape;
  shape.type = record.type;
  shape.subtype = record.subtype;
  shape.layout = record.layout;
  if (!SetFields(record, &shape) || !SetParts(line, record, &shape)) return;
  // A line of a known shape gets here if one of its numbers is unusual.
  const bool is_known = std::any_of(
      shapes_.begin(), shapes_.begin() + static_cast<std::ptrdiff_t>(count_),
      [&](const Shape& known) {
        return known.type == shape.type && known.text == shape.text;
      });
  if (!is_known) shapes_[count_++] = std::move(shape);
}

// False if the record has anything but numbers.
bool LineShapes::SetFields(const Record& record, Shape* shape) {
  const Layout& layout = *record.layout;
  const bool is_usual = (record.type->kind == RecordKind::kNode ||
                         record.type->kind == RecordKind::kEdge) &&
                        !record.HasUnknownFields();
  if (!is_usual) return false;
  if (layout.Slot(Role::kSubtype) >= 0 && record.subtype == nullptr)
    return false;
  shape->count = CountLeading(record.fields);
  return shape->count >= layout.required && shape->count <= layout.integers &&
         shape->count <= kMaxFields;
}

bool LineShapes::SetParts(std::string_view line, const Record& record,
                          Shape* shape) {
  std::vector<std::pair<std::string_view, std::size_t>> numbers;
  for (std::size_t slot = 0; slot < shape->count; ++slot) {
    const Token& token = record.fields[slot];
    // The subtype is part of the text, whether it is a name or a number.
    if (static_cast<int>(slot) == record.layout->Slot(Role::kSubtype)) continue;
    if (token.kind != TokenKind::kUint) return false;
    numbers.emplace_back(token.text, slot);
  }
  std::sort(numbers.begin(), numbers.end(), [](const auto& a, const auto& b) {
    return a.first.data() < b.first.data();
  });
  const char* p = line.data();
  for (const auto& [text, slot] : numbers) {
    const auto size = static_cast<std::size_t>(text.data() - p);
    shape->parts.push_back({.size = size, .slot = slot});
    shape->text.append(p, size);
    p = text.data() + text.size();
  }
  shape->text.append(p, line.data() + line.size());
  return true;
}

bool LineShapes::MatchShape(const Shape& shape, std::string_view line) {
  const char* p = line.data();
  const char* const end = p + line.size();
  std::string_view text = shape.text;
  for (const Part& part : shape.parts) {
    if (!std::string_view(p, end).starts_with(text.substr(0, part.size)))
      return false;
    text.remove_prefix(part.size);
    p += part.size;
    if (!TakeUint(&p, end, &numbers_[part.slot])) return false;
  }
  return std::string_view(p, end) == text;
}

bool LineShapes::Match(std::string_view line, std::uint64_t offset,
                       NumberRecord* record) {
  // Lines of the same shape often follow each other.
  for (std::size_t i = 0; i < count_; ++i) {
    const std::size_t at = i == 0 ? last_ : i - (i <= last_ ? 1 : 0);
    const Shape& shape = shapes_[at];
    if (!shape.IsSeenFrom(offset) || !MatchShape(shape, line)) continue;
    last_ = at;
    *record = {.type = shape.type,
               .subtype = shape.subtype,
               .layout = shape.layout,
               .fields = {numbers_.data(), shape.count}};
    const int slot = shape.layout->Slot(Role::kSubtype);
    if (slot >= 0)
      numbers_[static_cast<std::size_t>(slot)] = shape.subtype->code;
    return true;
  }
  return false;
}

}  // namespace heapglot::draft
