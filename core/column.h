// Reading the columns of chunks.
#ifndef HEAPGLOT_CORE_COLUMN_H_
#define HEAPGLOT_CORE_COLUMN_H_

#include <google/protobuf/repeated_field.h>

#include <cstddef>
#include <span>

namespace heapglot {

// Entry `row` of a column: 0 if the column is not there (chunk.proto).
template <typename T>
T At(const google::protobuf::RepeatedField<T>& column, int row) {
  return column.empty() ? T{} : column.Get(row);
}

// The entries that are there.
template <typename T>
std::span<const T> SpanOf(const google::protobuf::RepeatedField<T>& column) {
  return {column.data(), static_cast<std::size_t>(column.size())};
}

// The same as At() for loops over all rows: whether the column is there is looked at
// once. The column must outlive this, and not change.
template <typename T>
class ColumnView {
 public:
  explicit ColumnView(const google::protobuf::RepeatedField<T>& column)
      : data_(column.empty() ? &kZero : column.data()),
        mask_(column.empty() ? 0 : -1) {}

  T operator[](int row) const { return data_[row & mask_]; }
  bool is_there() const { return mask_ != 0; }

 private:
  static constexpr T kZero = 0;

  const T* data_;
  int mask_;  // 0: every row is kZero
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_COLUMN_H_
