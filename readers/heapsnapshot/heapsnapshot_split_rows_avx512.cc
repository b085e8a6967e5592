#include "core/text/vector_cpu.h"
#include "core/text/vector_intrinsics.h"
#include "readers/heapsnapshot/heapsnapshot_eight_rows.h"
#include "readers/heapsnapshot/heapsnapshot_split_rows.h"

#ifdef HEAPGLOT_X86_KERNELS

#include <algorithm>
#include <array>

namespace heapglot::heapsnapshot::internal {

HEAPGLOT_AVX512 void SplitRowsAvx512(std::span<const std::uint64_t> rows,
                                     std::size_t width,
                                     std::uint64_t* const* columns) {
  if (width > kEight) return SplitRowsPlain(rows, width, columns);
  std::array<std::uint64_t*, kEight> out = {};
  std::copy_n(columns, width, out.begin());
  std::size_t row = 0;
  std::size_t at = 0;
  for (; HasEightRows(rows, width, at); at += kEight * width, row += kEight) {
    __m512i eight[kEight];
    LoadEightRows(&rows[at], width, eight);
    for (std::size_t i = 0; i < kEight; ++i)
      if (out[i] != nullptr) _mm512_storeu_si512(out[i] + row, eight[i]);
  }
  for (std::uint64_t*& column : out)
    if (column != nullptr) column += row;
  SplitRowsPlain(rows.subspan(at), width, out.data());
}

}  // namespace heapglot::heapsnapshot::internal

#endif  // HEAPGLOT_X86_KERNELS
