// Reading the columns of chunks, which have an entry for each row or none at
// all (chunk.proto):
//
//   const ColumnView size(nodes.self_size());
//   for (int i = 0; i < static_cast<int>(nodes.count()); ++i) Use(size[i]);
#ifndef HEAPGLOT_COLUMN_H_
#define HEAPGLOT_COLUMN_H_

#include <google/protobuf/repeated_field.h>

namespace heapglot {

// A column of numbers that can be read even if it is absent: then every row is
// 0. Absence is checked once, not for each row. The column must outlive this,
// and not change.
template <typename T>
class ColumnView {
 public:
  explicit ColumnView(const google::protobuf::RepeatedField<T>& column)
      : data_(column.empty() ? &kZero : column.data()),
        mask_(column.empty() ? 0 : -1) {}

  // `row` is one of the chunk's rows; their number does not follow from a
  // column.
  T operator[](int row) const { return data_[row & mask_]; }
  bool is_there() const { return mask_ != 0; }

 private:
  static constexpr T kZero = 0;

  const T* data_;
  int mask_;  // 0: every row is kZero
};

}  // namespace heapglot

#endif  // HEAPGLOT_COLUMN_H_
