// Sorts more rows than may be in memory.
#ifndef HEAPGLOT_CORE_BYTES_SPILLED_SORT_H_
#define HEAPGLOT_CORE_BYTES_SPILLED_SORT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/bytes/file_pages.h"
#include "core/bytes/spilled_rows.h"
#include "heapglot/status.h"

namespace heapglot {

// Add() all rows, then take them in order (operator<), once. Sorts pieces in
// memory, writes them to a temporary file, and merges them.
//
// Errors are sticky, as in SpillBuffer: the rows end early, and status()
// returns the error. Memory: a piece of `piece_rows` rows, and 1 KiB for each
// piece in the file. After each kPieces pieces, their size doubles, so that for
// any number of rows it stays near a hundredth of them.
template <typename T>
class SpilledSort {
 public:
  static constexpr std::size_t kPieces = 128;

  explicit SpilledSort(std::size_t piece_rows) : piece_rows_(piece_rows) {}

  void Add(const T& row) {
    if (piece_.size() == piece_rows_) [[unlikely]]
      PutAway();
    piece_.push_back(row);
  }

  // Calls use(row) for each row.
  template <typename Use>
  void TakeAll(Use&& use) {
    if (ends_.empty()) {
      std::sort(piece_.begin(), piece_.end());
      for (const T& row : piece_) use(row);
      return;
    }
    PutAway();
    piece_ = {};
    Merge(use);
  }

  const Status& status() const { return rows_.status(); }

 private:
  // What has not yet been taken of a piece.
  struct Cursor {
    std::uint64_t next = 0;  // in rows_, after what is loaded
    std::uint64_t end = 0;
    std::vector<T> loaded;
    std::size_t at = 0;

    const T& row() const { return loaded[at]; }
  };

  void PutAway() {
    std::sort(piece_.begin(), piece_.end());
    for (const T& row : piece_) rows_.Add(row);
    piece_.clear();
    ends_.push_back(rows_.size());
    if (ends_.size() % kPieces == 0) piece_rows_ *= 2;
  }

  // False if there are no more rows.
  bool Load(Cursor* cursor) {
    constexpr std::uint64_t kRows = FilePages::kMaxPiece / sizeof(T);
    static_assert(kRows > 0);
    const std::uint64_t rows = std::min(cursor->end - cursor->next, kRows);
    cursor->loaded.resize(rows);
    cursor->at = 0;
    if (rows == 0) return false;
    rows_.Copy(cursor->next, rows, cursor->loaded.data());
    cursor->next += rows;
    return rows_.status().ok();
  }

  template <typename Use>
  void Merge(Use&& use) {
    std::vector<Cursor> cursors;
    for (std::uint64_t begin = 0; const std::uint64_t end : ends_) {
      cursors.push_back({.next = begin, .end = end, .loaded = {}});
      if (!Load(&cursors.back())) cursors.pop_back();
      begin = end;
    }
    // The first one has the least row of all.
    const auto is_behind = [](const Cursor& a, const Cursor& b) {
      return b.row() < a.row();
    };
    std::make_heap(cursors.begin(), cursors.end(), is_behind);
    while (!cursors.empty()) {
      std::pop_heap(cursors.begin(), cursors.end(), is_behind);
      Cursor& least = cursors.back();
      use(least.row());
      if (++least.at == least.loaded.size() && !Load(&least))
        cursors.pop_back();
      else
        std::push_heap(cursors.begin(), cursors.end(), is_behind);
    }
  }

  std::size_t piece_rows_;
  std::vector<T> piece_;  // the rows that came last
  SpilledRows<T> rows_{std::size_t{64} << 10, SpillBuffer::Reading::kScattered};
  std::vector<std::uint64_t> ends_;  // of pieces, in rows_
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_BYTES_SPILLED_SORT_H_
