// Rows of chunks that wait until a RecordOrder says which one comes next.
#ifndef HEAPGLOT_WRITERS_DRAFT_DRAFT_WINDOW_H_
#define HEAPGLOT_WRITERS_DRAFT_DRAFT_WINDOW_H_

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "core/column.h"
#include "core/draft/draft_wire.h"
#include "core/ir/string_id.h"
#include "heapglot/stream.h"

namespace heapglot::draft {

// Rows of one table.
class Rows {
 public:
  void Add(const pb::Chunk& chunk) { chunks_.push_back(chunk); }
  // Moves to the next row; false at the end. rows_of(chunk) is the number of
  // rows of a chunk.
  template <typename RowsOf>
  bool Next(RowsOf&& rows_of) {
    if (at_ < chunks_.size() && begun_) ++row_;
    begun_ = true;
    while (at_ < chunks_.size() && row_ >= rows_of(chunks_[at_])) {
      ++at_;
      row_ = 0;
    }
    return at_ < chunks_.size();
  }
  const pb::Chunk& chunk() const { return chunks_[at_]; }
  int row() const { return row_; }
  bool empty() const { return chunks_.empty(); }
  void Clear() {
    chunks_.clear();
    at_ = 0;
    row_ = 0;
    begun_ = false;
  }

 private:
  std::vector<pb::Chunk> chunks_;
  std::size_t at_ = 0;
  int row_ = 0;
  bool begun_ = false;
};

// Values of one owner space, which come in the order of their owners.
class ValueRows {
 public:
  // `ids`: the ids of strings in the source, by index.
  explicit ValueRows(const std::vector<std::uint64_t>& ids) : ids_(ids) {}
  // For a file of ours, where a value whose key is a record is a record itself,
  // and is kept as a line.
  void LeaveRecordsOut() { leaves_records_out_ = true; }
  void Add(const pb::Chunk& chunk) { chunks_.push_back(chunk); }
  bool empty() const { return at_ == chunks_.size(); }
  // Whether the next value is of `owner`.
  bool Has(std::uint64_t owner) {
    Skip();
    return at_ < chunks_.size() && At(values().owner(), row_) == owner;
  }
  // Whether is_such(values, row) for one of the remaining values of `owner`.
  template <typename IsSuch>
  bool AnyOf(std::uint64_t owner, IsSuch&& is_such) {
    const auto here = std::pair(at_, row_);
    bool found = false;
    for (; !found && Has(owner); Take()) found = is_such(values(), row());
    std::tie(at_, row_) = here;
    return found;
  }
  const pb::Values& values() const { return chunks_[at_].values(); }
  int row() const { return row_; }
  void Take() { ++row_; }
  void Clear() {
    chunks_.clear();
    at_ = 0;
    row_ = 0;
  }

 private:
  void Skip() {
    while (at_ < chunks_.size()) {
      if (row_ >= static_cast<int>(values().count())) {
        ++at_;
        row_ = 0;
      } else if (leaves_records_out_ && IsRecord()) {
        ++row_;
      } else {
        return;
      }
    }
  }
  // The names of fields are not records but strings that the reader made, and
  // so is the JSON of a field with an empty name.
  bool IsRecord() const {
    const std::uint64_t key = At(values().key(), row_);
    const std::uint64_t value = At(values().value(), row_);
    const bool is_json = At(values().form(), row_) == pb::V_JSON;
    const std::uint64_t string = key == 0 && is_json ? value : key;
    return string == 0 || (string < ids_.size() && ids_[string] != 0 &&
                           ids_[string] != kNoStringId);
  }

  const std::vector<std::uint64_t>& ids_;
  bool leaves_records_out_ = false;
  std::vector<pb::Chunk> chunks_;
  std::size_t at_ = 0;
  int row_ = 0;
};

}  // namespace heapglot::draft

#endif  // HEAPGLOT_WRITERS_DRAFT_DRAFT_WINDOW_H_
