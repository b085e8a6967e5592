// What the vector variants of ScanUints() share: the grammar, 64 bytes at a
// time, by bitmaps of a bit a byte.
#ifndef HEAPGLOT_CORE_TEXT_SCAN_UINTS_BLOCK_H_
#define HEAPGLOT_CORE_TEXT_SCAN_UINTS_BLOCK_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/text/vector_cpu.h"

namespace heapglot::internal {

// Without vectors; what all others do with what they do not know.
const char* ScanUintsPlain(const char* p, const char* end, std::uint64_t* out,
                           std::size_t max, std::size_t* count);
#ifdef HEAPGLOT_X86_KERNELS
// Needs HasAvx2().
const char* ScanUintsAvx2(const char* p, const char* end, std::uint64_t* out,
                          std::size_t max, std::size_t* count);
// Needs HasAvx512().
const char* ScanUintsAvx512(const char* p, const char* end, std::uint64_t* out,
                            std::size_t max, std::size_t* count);
#endif

inline constexpr std::size_t kScanBlock = 64;
// As many numbers as a block may have, a digit and a comma each.
inline constexpr std::size_t kMaxInBlock = kScanBlock / 2;
// Numbers that are read one by one where a block is not as usual, before the
// next one is tried. Some more than a block has, for what is odd seldom comes
// alone.
inline constexpr std::size_t kPlainRun = 24;

// What to fetch into the cache while the block at `p` is read: the processor
// does not always see by itself that steps of nearly a line go over all of a
// text, and reading was then five times slower.
inline const char* PrefetchAddress(const char* p, const char* end) {
  constexpr std::ptrdiff_t kAhead = 2048;
  return p + std::min(kAhead, end - p);
}

// Which bytes of a block are what.
struct ScanBitmaps {
  std::uint64_t digits;
  std::uint64_t zeros;
  std::uint64_t commas;
  std::uint64_t spaces;
};

// Where the numbers of a block are, up to its last comma.
struct ScanOutline {
  std::uint64_t starts;  // first digits
  std::uint64_t ends;    // bytes behind the last digits
  std::size_t size;      // of what is outlined, in bytes
  bool has_over_8;       // whether a number has more than 8 digits
  bool has_over_16;
};

// False: something is not as usual, or there is no comma. The block must begin
// before a number, or the space before it.
[[gnu::always_inline]] inline bool Outline(const ScanBitmaps& bitmaps,
                                           ScanOutline* outline) {
  if (bitmaps.commas == 0) [[unlikely]]
    return false;
  const int beyond = std::countl_zero(bitmaps.commas);
  const std::uint64_t used = ~std::uint64_t{0} >> beyond;
  const std::uint64_t digits = bitmaps.digits & used;
  const std::uint64_t spaces = bitmaps.spaces & used;
  const std::uint64_t starts = digits & ~(digits << 1);
  const std::uint64_t ends = ~digits & (digits << 1);
  // A sum carries each end over the space behind it. Where that gets to must be
  // a comma, and there are no others.
  const std::uint64_t separators = (ends + spaces) & ~spaces;
  const std::uint64_t leading_zeros = bitmaps.zeros & starts & (digits >> 1);
  const std::uint64_t odd = (separators ^ bitmaps.commas) |
                            ((digits | spaces | bitmaps.commas) ^ used) |
                            leading_zeros;
  if (odd != 0) [[unlikely]]
    return false;
  // Runs of 2, 4, ... digits begin here.
  const std::uint64_t runs2 = digits & (digits >> 1);
  const std::uint64_t runs4 = runs2 & (runs2 >> 2);
  const std::uint64_t runs8 = runs4 & (runs4 >> 4);
  outline->starts = starts;
  outline->ends = ends;
  outline->size = kScanBlock - static_cast<std::size_t>(beyond);
  outline->has_over_8 = (runs8 & (digits >> 8)) != 0;
  outline->has_over_16 = (runs8 & (runs8 >> 8) & (digits >> 16)) != 0;
  return true;
}

}  // namespace heapglot::internal

#endif  // HEAPGLOT_CORE_TEXT_SCAN_UINTS_BLOCK_H_
