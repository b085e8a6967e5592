// Rows of numbers, as tables have them, split into columns.
#ifndef HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_SPLIT_ROWS_H_
#define HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_SPLIT_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace heapglot::heapsnapshot {

// Writes the numbers of `rows`, which are whole and of `width` numbers each, to
// columns[0] ... columns[width - 1], a number a row; what is nullptr is left out.
//
// Takes what is the fastest on this machine.
void SplitRows(std::span<const std::uint64_t> rows, std::size_t width,
               std::uint64_t* const* columns);

// Ways to do so, with the same answers.
struct SplitRowsVariant {
  std::string_view name;
  decltype(&SplitRows) split;
};
// Those that this machine can run, the plain one first; the last one is what the
// function above takes. For tests.
std::span<const SplitRowsVariant> SplitRowsVariants();

namespace internal {

void SplitRowsPlain(std::span<const std::uint64_t> rows, std::size_t width,
                    std::uint64_t* const* columns);
// Leaves rows of more than eight numbers to the plain way. Needs HasAvx512().
void SplitRowsAvx512(std::span<const std::uint64_t> rows, std::size_t width,
                     std::uint64_t* const* columns);

}  // namespace internal

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_SPLIT_ROWS_H_
