// Gathers rows of a table from small chunks.
#ifndef HEAPGLOT_CORE_IR_ROW_BUFFER_H_
#define HEAPGLOT_CORE_IR_ROW_BUFFER_H_

#include <google/protobuf/message.h>

#include <cstddef>
#include <cstdint>

#include "heapglot/stream.h"

namespace heapglot {

// For any table that has `first` and `count`. A column that only some of the
// chunks have is filled with zeros, which is what its absence means. Memory: up
// to 16 MiB of columns, whatever they are.
class RowBuffer {
 public:
  // `kind` is the table's field in Chunk. Holds up to `max_rows` rows, or fewer
  // if there are many columns.
  RowBuffer(int kind, std::size_t max_rows);

  bool empty() const { return rows_ == 0; }
  std::size_t rows() const { return rows_; }
  // Rows that can be added until it is full. An empty buffer takes more at
  // once.
  std::size_t room() const { return rows_ < limit_ ? limit_ - rows_ : 0; }

  // Whether rows of `body` keep their meaning next to those in the buffer: if
  // the buffer is empty, or has the same extra columns and so on.
  bool Fits(const google::protobuf::Message& body) const;
  // Adds extra columns that only one of `body` and the buffer has to the other,
  // without entries; then both have them sorted by name and type.
  void ShareExtras(google::protobuf::Message* body);
  // Appends the rows of `body`, which must fit, from `begin` up to `end`.
  void Append(const google::protobuf::Message& body, std::size_t begin,
              std::size_t end);

  // All rows, as one chunk. The caller manages what is not a column, except for
  // `first` and `count`.
  const pb::Chunk& chunk() const { return chunk_; }
  pb::Chunk* mutable_chunk() { return &chunk_; }
  void Clear();

 private:
  void Begin(const google::protobuf::Message& body, std::size_t begin);

  const std::size_t max_rows_;
  std::size_t limit_;
  std::size_t rows_ = 0;
  pb::Chunk chunk_;
  google::protobuf::Message* body_;  // in chunk_
};

// Sorts extra columns by name and type.
void SortExtras(google::protobuf::Message* body);

// The number of rows of a table that has a `count`.
std::size_t CountOf(const google::protobuf::Message& body);

// Appends rows of all columns of `from` to `to`, which has `rows` rows so far.
// Leaves out Edges.edges_per_node, which does not have an entry per row.
void AppendColumns(const google::protobuf::Message& from, std::size_t begin,
                   std::size_t end, std::size_t rows,
                   google::protobuf::Message* to);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_IR_ROW_BUFFER_H_
