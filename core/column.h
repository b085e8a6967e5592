// Reading the columns of chunks.
#ifndef HEAPGLOT_CORE_COLUMN_H_
#define HEAPGLOT_CORE_COLUMN_H_

#include <google/protobuf/repeated_field.h>

namespace heapglot {

// Entry `row` of a column: 0 if the column is not there (chunk.proto).
template <typename T>
T At(const google::protobuf::RepeatedField<T>& column, int row) {
  return column.empty() ? T{} : column.Get(row);
}

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_COLUMN_H_
