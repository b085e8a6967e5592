// Writes arrays of integers of a .heapsnapshot file in the layout of the file
// that they come from.
#ifndef HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_NATIVE_ROWS_H_
#define HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_NATIVE_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/bytes/buffered_out.h"
#include "core/column.h"
#include "core/text/format_rows.h"
#include "heapglot/stream.h"
#include "writers/heapsnapshot/heapsnapshot_profile.h"

namespace heapglot::heapsnapshot {

// The numbers of some rows, end to end, to be filled column by column.
class RowBlock {
 public:
  // Starts over: every column has to be filled.
  void Reset(std::size_t rows, std::size_t width) {
    width_ = width;
    numbers_.resize(rows * width);
    rows_ = rows;
  }
  std::size_t rows() const { return rows_; }
  const std::vector<std::uint64_t>& numbers() const { return numbers_; }

  // Fills a column from one of a chunk. Its entries go through `convert`, in
  // order; those of an absent column are 0.
  template <typename Column, typename Convert>
  void Fill(std::size_t at, const Column& column, Convert convert) {
    using Value = typename Column::value_type;
    const Value* const in = column.empty() ? nullptr : column.data();
    // Copies: the compiler assumes that the loop may write to the members.
    const std::size_t rows = rows_;
    const std::size_t width = width_;
    std::uint64_t* out = numbers_.data() + at;
    for (std::size_t row = 0; row < rows; ++row, out += width)
      *out = convert(in == nullptr ? Value{} : in[row]);
  }
  template <typename Column>
  void Fill(std::size_t at, const Column& column) {
    Fill(at, column, [](auto value) { return ToNumber(value); });
  }
  // Fills a column with what next() returns, row by row.
  template <typename Next>
  void FillAll(std::size_t at, Next next) {
    std::uint64_t* out = numbers_.data() + at;
    for (std::size_t row = 0; row < rows_; ++row, out += width_) *out = next();
  }
  static std::uint64_t ToNumber(std::uint64_t value) { return value; }
  static std::uint64_t ToNumber(std::uint32_t value) { return value; }
  static std::uint64_t ToNumber(std::int64_t value) {
    return static_cast<std::uint64_t>(value);
  }

 private:
  std::size_t rows_ = 0;
  std::size_t width_ = 1;
  std::vector<std::uint64_t> numbers_;
};

// Writes an array, from "[" to "]".
class RowWriter {
 public:
  // `is_signed`: for each column, whether its numbers are two's complement.
  // `layout` and `out` must outlive this.
  RowWriter(const ArrayLayout& layout, const std::vector<bool>& is_signed,
            BufferedOut& out);
  RowWriter(const RowWriter&) = delete;
  RowWriter& operator=(const RowWriter&) = delete;

  void Begin() { out_.Write('['); }
  // Writes whole rows.
  void Write(std::span<const std::uint64_t> numbers);
  void End();

 private:
  void WriteWithLongSeparators(std::span<const std::uint64_t> numbers,
                               std::size_t next);

  const ArrayLayout& layout_;
  const std::vector<bool> is_signed_;  // by column
  BufferedOut& out_;
  // What precedes a number: a comma and the space around it.
  std::string column_separator_;
  std::string row_separator_;
  // nullopt: a separator is too long for it.
  std::optional<RowLayout> rows_;
  bool is_empty_ = true;
};

// Writes the tree of traces, from the rows of TraceNodes in preorder.
class TreeWriter {
 public:
  TreeWriter(const ArrayLayout& layout, BufferedOut& out);

  void Begin() { out_.Write('['); }
  // Writes a node, of which `children` children follow.
  void Write(const std::uint64_t* numbers, std::size_t width,
             std::uint64_t children);
  void End();

 private:
  void CloseFinished();

  const ArrayLayout& layout_;
  BufferedOut& out_;
  std::string column_separator_;
  std::string row_separator_;
  std::vector<std::uint64_t> open_;  // children that are to come, by level
  bool is_first_ = true;             // of its siblings
};

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_NATIVE_ROWS_H_
