// A column with an entry for each node or string of a dump.
#ifndef HEAPGLOT_CORE_COMPARE_SCRATCH_COLUMN_H_
#define HEAPGLOT_CORE_COMPARE_SCRATCH_COLUMN_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "core/bytes/scratch.h"
#include "heapglot/status.h"

namespace heapglot {

// In scratch space: in memory if small, otherwise in a mapped file.
template <typename T>
class ScratchColumn {
 public:
  // `rows` zeros. Errors: those of Scratch::Create().
  Status Create(std::uint64_t rows) {
    rows_ = {};
    if (rows == 0) return {};
    if (rows > std::numeric_limits<std::size_t>::max() / sizeof(T)) {
      return {Code::kLimit, "there are too many nodes to compare"};
    }
    Result<Scratch> scratch = Scratch::Create(rows * sizeof(T));
    if (!scratch.ok()) return scratch.status();
    scratch_ = *std::move(scratch);
    rows_ = scratch_.As<T>();
    return {};
  }
  // Frees all of it.
  void Drop() {
    rows_ = {};
    scratch_ = {};
  }

  std::uint64_t size() const { return rows_.size(); }
  T& operator[](std::uint64_t row) { return rows_[row]; }
  const T& operator[](std::uint64_t row) const { return rows_[row]; }
  std::span<T> rows() { return rows_; }

  // For callers that go over the rows in order: those before `row` will not be
  // needed soon. Cheap enough to be called for every row.
  void Passed(std::uint64_t row) const {
    if (row % kStep != 0 || row == 0) return;
    scratch_.Release((row - kStep) * sizeof(T), row * sizeof(T));
  }
  // None of it will be needed soon.
  void Rest() const { scratch_.Release(0, scratch_.size()); }

 private:
  static constexpr std::uint64_t kStep = std::uint64_t{1} << 18;

  Scratch scratch_;
  std::span<T> rows_;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_COMPARE_SCRATCH_COLUMN_H_
