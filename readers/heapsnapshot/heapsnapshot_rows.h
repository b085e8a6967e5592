// Where the columns of nodes and edges are in their rows.
#ifndef HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_ROWS_H_
#define HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_ROWS_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "readers/heapsnapshot/heapsnapshot_wire.h"

namespace heapglot::heapsnapshot {

// Where a column is in a row; kNoColumn if the table has none.
inline constexpr std::size_t kNoColumn = ~std::size_t{0};
struct NodeColumns {
  std::size_t width = 0;  // numbers in a row
  std::size_t type = 0;
  std::size_t name = 0;
  std::size_t id = 0;
  std::size_t edge_count = 0;
  std::size_t self_size = kNoColumn;
  std::size_t trace_node = kNoColumn;
  std::size_t detachedness = kNoColumn;
  std::vector<std::size_t> extra;  // those without a column in the IR
};
struct EdgeColumns {
  std::size_t width = 0;
  std::size_t type = 0;
  std::size_t name = 0;
  std::size_t to = 0;
  std::vector<std::size_t> extra;
};

// Computes the ordinal of a node from the offset of its row. Division by a
// number that is not known in advance is slow. Without a remainder, it is the
// same as multiplication by the inverse modulo 2^64; with one, the product is
// larger than any quotient (H. S. Warren, "Hacker's Delight", 10-17).
class RowDivider {
 public:
  // `width`: of a row, not 0.
  explicit RowDivider(std::uint64_t width = 1)
      : width_(width),
        shift_(std::countr_zero(width)),
        inverse_(Inverse(width >> shift_)) {}

  // False, and `*ordinal` is useless, if `offset` is not the start of a row
  // below `rows`, which is no more than a file can have.
  bool Divide(std::uint64_t offset, std::uint64_t rows,
              std::uint64_t* ordinal) const {
    *ordinal = std::rotr(offset * inverse_, shift_);
    return *ordinal < rows;
  }

  std::uint64_t width() const { return width_; }
  // The ordinal is the offset times inverse(), rotated right by shift() bits.
  std::uint64_t inverse() const { return inverse_; }
  int shift() const { return shift_; }

 private:
  static std::uint64_t Inverse(std::uint64_t odd) {
    // Each step doubles the number of correct bits. An odd number has three.
    std::uint64_t inverse = odd;
    for (int bits = 3; bits < 64; bits *= 2) inverse *= 2 - odd * inverse;
    return inverse;
  }

  std::uint64_t width_;
  int shift_;
  std::uint64_t inverse_;
};

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_ROWS_H_
