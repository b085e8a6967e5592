// Reading the columns of chunks: heapglot/column.h, and what only we need.
#ifndef HEAPGLOT_CORE_COLUMN_H_
#define HEAPGLOT_CORE_COLUMN_H_

#include <google/protobuf/repeated_field.h>

#include <cstddef>
#include <span>

#include "heapglot/column.h"

namespace heapglot {

// Entry `row` of a column; 0 if the column is absent. For loops over all rows,
// use ColumnView.
template <typename T>
T At(const google::protobuf::RepeatedField<T>& column, int row) {
  return column.empty() ? T{} : column.Get(row);
}

// The entries; none if the column is absent.
template <typename T>
std::span<const T> SpanOf(const google::protobuf::RepeatedField<T>& column) {
  return {column.data(), static_cast<std::size_t>(column.size())};
}

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_COLUMN_H_
