// The arrays of nodes and edges, as V8 has them: one line per row.
#ifndef HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_ROW_ARRAY_H_
#define HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_ROW_ARRAY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/bytes/buffered_out.h"
#include "writers/heapsnapshot/heapsnapshot_native_rows.h"
#include "writers/heapsnapshot/heapsnapshot_profile.h"

namespace heapglot::heapsnapshot {

// Writes an array of rows of kFields numbers. Some hundred rows are formatted
// together, which is fastest.
template <std::size_t kFields>
class RowArray {
 public:
  // The most rows that Reserve() has room for.
  static constexpr int kMaxRows = 2048 / kFields;  // 16 KiB

  // `out` must outlive this.
  explicit RowArray(BufferedOut& out)
      : writer_(layout_, std::vector<bool>(kFields, false), out) {}

  void Begin() { writer_.Begin(); }

  // Stores each number in its place: if they were stored one by one elsewhere
  // and then copied together, the processor would wait for them.
  template <typename... Numbers>
  void Add(Numbers... numbers) {
    static_assert(sizeof...(numbers) == kFields);
    std::uint64_t* out = Reserve(1);
    ((*out++ = numbers), ...);
    Commit(1);
  }

  // Room for `rows` more rows, to be filled before Commit() adds them.
  std::uint64_t* Reserve(int rows) {
    if (block_.size() - used_ < static_cast<unsigned>(rows) * kFields) Flush();
    return block_.data() + used_;
  }
  void Commit(int rows) { used_ += static_cast<unsigned>(rows) * kFields; }

  void End() {
    Flush();
    writer_.End();
  }

 private:
  void Flush() {
    writer_.Write({block_.data(), used_});
    used_ = 0;
  }

  const ArrayLayout layout_ = UsualMember(SectionKind::kNodes).array;
  RowWriter writer_;
  std::array<std::uint64_t, kMaxRows* kFields> block_ = {};
  std::size_t used_ = 0;
};

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_ROW_ARRAY_H_
