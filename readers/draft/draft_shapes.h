// Lines of objects that differ in nothing but their numbers.
#ifndef HEAPGLOT_READERS_DRAFT_DRAFT_SHAPES_H_
#define HEAPGLOT_READERS_DRAFT_DRAFT_SHAPES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/draft/draft_record.h"

namespace heapglot::draft {

// A program writes all nodes or edges of a subtype with the same keys in the
// same order. Once such a line has been parsed, the others need only be
// compared with the text between its numbers.
//
// Memory: one line for each of kMaxShapes shapes.
class LineShapes {
 public:
  static constexpr std::size_t kMaxShapes = 32;
  static constexpr std::size_t kMaxFields = 32;
  static constexpr std::size_t kMaxLine = 4096;

  // Keeps the shape of a parsed line if it is useful. It is not if anything
  // follows the object: a carriage return must be reported for each line.
  void Learn(std::string_view line, const Record& record);
  // Sets `*record` to what parsing `line`, without its line end and at `offset`
  // of the file, would yield. False if its shape is not known. Valid until the
  // next call.
  bool Match(std::string_view line, std::uint64_t offset, NumberRecord* record);

 private:
  // Text and the number after it.
  struct Part {
    std::size_t size = 0;  // of the text
    std::size_t slot = 0;  // of the number
  };
  struct Shape {
    Type* type = nullptr;
    Subtype* subtype = nullptr;
    const Layout* layout = nullptr;
    std::size_t count = 0;  // fields
    std::string text;       // of all parts, and what follows the last one
    std::vector<Part> parts;

    bool IsSeenFrom(std::uint64_t offset) const {
      return type->declared_at <= offset && offset < type->visible_until &&
             (subtype == nullptr || subtype->declared_at <= offset);
    }
  };

  static bool SetFields(const Record& record, Shape* shape);
  static bool SetParts(std::string_view line, const Record& record,
                       Shape* shape);
  bool MatchShape(const Shape& shape, std::string_view line);

  std::size_t count_ = 0;
  std::size_t last_ = 0;  // index of the last match
  std::array<Shape, kMaxShapes> shapes_;
  std::array<std::uint64_t, kMaxFields> numbers_ = {};  // by slot
};

}  // namespace heapglot::draft

#endif  // HEAPGLOT_READERS_DRAFT_DRAFT_SHAPES_H_
