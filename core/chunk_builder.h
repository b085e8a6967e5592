// Helpers for readers that fill chunks.
#ifndef HEAPGLOT_CORE_CHUNK_BUILDER_H_
#define HEAPGLOT_CORE_CHUNK_BUILDER_H_

#include <google/protobuf/repeated_field.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "heapglot/stream.h"

namespace heapglot {

// Sets entry `row` of a column that stays empty as long as all entries are 0.
// Rows must come in order; FillColumn() completes the column at the end of the
// chunk.
template <typename Column, typename T>
void SetSparse(Column* column, int row, T value) {
  if (value == 0) return;
  if (column->size() != row) column->Resize(row, 0);
  column->Add(value);
}

// The same for a column that is set for every row: FillColumn() has no gaps to
// fill.
template <typename Column, typename T>
void AddSparse(Column* column, int row, T value) {
  if (value == 0 && column->empty()) return;
  if (column->size() != row) column->Resize(row, 0);
  column->Add(value);
}

// Gives an empty column `rows` uninitialized entries, all of which must be
// written.
template <typename T>
T* AddRows(google::protobuf::RepeatedField<T>* column, int rows) {
  column->Reserve(rows);
  return column->AddNAlreadyReserved(rows);
}

// Adds zeros up to `rows` entries, unless the column is empty.
template <typename Column>
void FillColumn(Column* column, int rows) {
  if (!column->empty()) column->Resize(rows, 0);
}

// Empties a column that is all 0.
template <typename T>
void ClearIfZero(google::protobuf::RepeatedField<T>* column) {
  const auto rows = static_cast<std::size_t>(column->size());
  if (rows == 0) return;
  // All numbers are the first one if each is the next one.
  const T* const numbers = column->data();
  if (numbers[0] == 0 &&
      std::memcmp(numbers, numbers + 1, (rows - 1) * sizeof(T)) == 0)
    column->Clear();
}

// Numbers strings and sends them in Strings chunks if they are wanted. The
// numbers do not depend on that.
class StringBuilder {
 public:
  explicit StringBuilder(ChunkSink& out) : out_(out) {}

  // The strings from now on are names (Strings.names), or are not. Nothing may
  // be waiting for Flush(). Strings that are not wanted are numbered, but not
  // sent.
  void BeginNames(bool wanted) {
    names_ = true;
    wanted_ = wanted;
  }
  void BeginOthers(bool wanted) {
    names_ = false;
    wanted_ = wanted;
  }
  bool wanted() const { return wanted_; }
  // The index that the next string gets.
  std::uint64_t next() const { return next_; }

  // Takes `count` indices for strings that are not wanted.
  void Skip(std::uint64_t count) { next_ += count; }
  // The same, up to but not including the index `next`.
  void SkipTo(std::uint64_t next) { next_ = next; }

  // The buffer for the text of the next string: append to it, then call
  // Finish().
  std::string* text() { return chunk_.mutable_strings()->mutable_data(); }
  // Ends a string, or a piece of one that continues. Sends the chunk if it is
  // full.
  Status Finish(pb::StringEncoding encoding, bool continued = false) {
    pb::Strings& strings = *chunk_.mutable_strings();
    const std::size_t size = strings.data().size();
    strings.add_length(static_cast<std::uint32_t>(size - finished_));
    finished_ = size;
    if (encoding != pb::UTF8) [[unlikely]]
      AddEncoding(encoding);
    if (continued) [[unlikely]]
      return FlushPiece();
    ++next_;
    const bool is_full =
        size >= kChunkText || strings.length_size() >= int{kChunkRows};
    if (is_full) [[unlikely]]
      return Flush();
    return {};
  }

  // Adds a whole string, in pieces if it is long.
  Status Add(std::string_view string, pb::StringEncoding encoding) {
    if (string.size() > kChunkText) [[unlikely]]
      return AddPieces(string, encoding);
    text()->append(string);
    return Finish(encoding);
  }

  // Sends what is waiting.
  Status Flush();

 private:
  void AddEncoding(pb::StringEncoding encoding);
  Status AddPieces(std::string_view string, pb::StringEncoding encoding);
  Status FlushPiece();

  ChunkSink& out_;
  bool wanted_ = false;
  bool names_ = false;
  std::uint64_t next_ = 1;    // 0 is the empty string
  std::size_t finished_ = 0;  // bytes of data that belong to ended strings
  pb::Chunk chunk_;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_CHUNK_BUILDER_H_
