// Splits rows of numbers, as tables have them, into columns.
#ifndef HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_SPLIT_ROWS_H_
#define HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_SPLIT_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace heapglot::heapsnapshot {

// Writes the numbers of `rows`, which are whole and of `width` numbers each, to
// columns[0] ... columns[width - 1], one number per row; skips columns that are
// nullptr.
//
// Uses the fastest variant for this machine.
void SplitRows(std::span<const std::uint64_t> rows, std::size_t width,
               std::uint64_t* const* columns);

// A variant of that function; all have the same results.
struct SplitRowsVariant {
  std::string_view name;
  decltype(&SplitRows) split;
};
// Those that this machine can run, the plain one first; the function above uses
// the last one. For tests.
std::span<const SplitRowsVariant> SplitRowsVariants();

namespace internal {

void SplitRowsPlain(std::span<const std::uint64_t> rows, std::size_t width,
                    std::uint64_t* const* columns);
// Leaves rows of more than eight numbers to the plain variant. Needs
// HasAvx512().
void SplitRowsAvx512(std::span<const std::uint64_t> rows, std::size_t width,
                     std::uint64_t* const* columns);

}  // namespace internal

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_SPLIT_ROWS_H_
