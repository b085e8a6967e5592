// Rows that are written in order and read with random access, in bounded
// memory.
#ifndef HEAPGLOT_CORE_BYTES_SPILLED_ROWS_H_
#define HEAPGLOT_CORE_BYTES_SPILLED_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "core/bytes/spill_buffer.h"

namespace heapglot {

// A SpillBuffer of rows of one size. Its errors are sticky, too: after one,
// rows are zeros, and status() returns it.
template <typename T>
class SpilledRows {
  static_assert(std::is_trivially_copyable_v<T> &&
                sizeof(T) <= SpillBuffer::kMaxReserve);

 public:
  explicit SpilledRows(std::size_t max_memory, SpillBuffer::Reading reading =
                                                   SpillBuffer::Reading::kNear)
      : bytes_(max_memory, reading) {}

  void Add(const T& row) {
    char* const at = bytes_.Reserve(sizeof(T));
    std::memcpy(at, &row, sizeof(T));
    bytes_.Commit(at + sizeof(T));
  }
  std::uint64_t size() const { return bytes_.size() / sizeof(T); }

  T operator[](std::uint64_t row) {
    T copy{};
    Copy(row, 1, &copy);
    return copy;
  }
  // Copies `rows` rows from `first` on.
  void Copy(std::uint64_t first, std::size_t rows, T* to) {
    const std::string_view bytes =
        bytes_.View(first * sizeof(T), rows * sizeof(T));
    if (status().ok())
      std::memcpy(to, bytes.data(), bytes.size());
    else
      for (std::size_t i = 0; i < rows; ++i) to[i] = T{};
  }

  const Status& status() const { return bytes_.status(); }

 private:
  SpillBuffer bytes_;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_BYTES_SPILLED_ROWS_H_
