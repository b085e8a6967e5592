// The classes of two dumps, counted side by side.
#ifndef HEAPGLOT_CORE_COMPARE_CLASS_ROWS_H_
#define HEAPGLOT_CORE_COMPARE_CLASS_ROWS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/class_label.h"
#include "core/id_table.h"
#include "heapglot/stream.h"

namespace heapglot {

// Which of the two dumps.
enum class Side : std::uint8_t { kA, kB };

// The nodes of a class.
struct ClassSum {
  std::uint64_t count = 0;
  std::uint64_t self_size = 0;  // bytes, saturating

  void Add(std::uint64_t size);
};

// What happened to nodes that could be matched by their ids. `grown` and
// `shrunk` are about the self size, `changed` is about anything else.
struct NodeChanges {
  std::uint64_t added = 0;
  std::uint64_t removed = 0;
  std::uint64_t grown = 0;
  std::uint64_t shrunk = 0;
  std::uint64_t changed = 0;

  std::uint64_t total() const {
    return added + removed + grown + shrunk + changed;
  }
};

// A class by its name and library, or the nodes of a kind that have no class.
struct ClassDifference {
  std::string name;     // like TypeSummary.name: made unique by the library
  std::string library;  // uri; may be empty
  ClassSum a;
  ClassSum b;
  NodeChanges changes;

  // Bytes by which the self size differs.
  std::uint64_t size_distance() const {
    return a.self_size < b.self_size ? b.self_size - a.self_size
                                     : a.self_size - b.self_size;
  }
  bool differs() const {
    return a.count != b.count || a.self_size != b.self_size ||
           changes.total() > 0;
  }
};

// One row for each name and library that a node of either dump has. Memory:
// about 180 bytes a row.
class ClassRows {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // The row of a class of the dump `side`. Labels with the same `hash` have the
  // same row.
  std::uint32_t RowOf(std::uint64_t hash, const ClassLabel& label, Side side);

  ClassDifference& row(std::uint32_t row) { return rows_[row].difference; }

  // Reads the names. `classes` becomes all rows, the largest difference in size
  // first; `order` becomes the place of each row in it.
  Status Finish(Reader& a, Reader& b, std::vector<ClassDifference>* classes,
                std::vector<std::uint32_t>* order);

 private:
  struct Row {
    ClassDifference difference;
    ClassLabel label;
    Side side = Side::kA;  // whose strings the label is made of
  };

  Status ReadNames(Reader& reader, Side side);

  std::vector<Row> rows_;
  IdTable<std::uint32_t> row_of_;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_COMPARE_CLASS_ROWS_H_
