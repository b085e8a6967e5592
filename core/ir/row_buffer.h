// Gathers rows of a table from small chunks.
#ifndef HEAPGLOT_CORE_IR_ROW_BUFFER_H_
#define HEAPGLOT_CORE_IR_ROW_BUFFER_H_

#include <google/protobuf/message.h>

#include <cstddef>
#include <cstdint>

#include "heapglot/stream.h"

namespace heapglot {

// Any table that has `first` and `count`. A column that only some of the
// chunks have is filled up with zeros: that is what its absence means. Memory:
// up to 16 MiB of columns, whatever they are.
class RowBuffer {
 public:
  // `kind` is the table's field in Chunk. Holds up to `max_rows`, fewer where
  // there are many columns.
  RowBuffer(int kind, std::size_t max_rows);

  bool empty() const { return rows_ == 0; }
  std::size_t rows() const { return rows_; }
  // Rows that it can take before it is full. What is appended to an empty one
  // may be more.
  std::size_t room() const { return rows_ < limit_ ? limit_ - rows_ : 0; }

  // Whether the rows of `body` mean the same beside those that are here: they
  // do if it is empty, or has the same extra columns and so on.
  bool Fits(const google::protobuf::Message& body) const;
  // Extra columns that only one of `body` and the rows here has are given to the
  // other, without entries; both have them by name and type then.
  void ShareExtras(google::protobuf::Message* body);
  // Takes rows of `body`, which fits, from `begin` up to `end`.
  void Append(const google::protobuf::Message& body, std::size_t begin,
              std::size_t end);

  // All rows, as one chunk. What is not a column but `first` and `count` is
  // the caller's.
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

// Puts extra columns in the order of their names and types.
void SortExtras(google::protobuf::Message* body);

// Rows of a table that has a `count`.
std::size_t CountOf(const google::protobuf::Message& body);

// Appends rows of all columns of `from` to `to`, which has `rows` rows so far.
// Edges.edges_per_node, which has no entry a row, is left alone.
void AppendColumns(const google::protobuf::Message& from, std::size_t begin,
                   std::size_t end, std::size_t rows,
                   google::protobuf::Message* to);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_IR_ROW_BUFFER_H_
