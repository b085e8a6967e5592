// What the vector variants of ScanUints() and ScanUintLines() share: the
// grammars, evaluated 64 bytes at a time on bitmaps with one bit per byte.
#ifndef HEAPGLOT_CORE_TEXT_SCAN_UINTS_BLOCK_H_
#define HEAPGLOT_CORE_TEXT_SCAN_UINTS_BLOCK_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/text/scan_uint_lines.h"
#include "core/text/vector_cpu.h"

namespace heapglot::internal {

// Without vectors; all others use it for what they cannot handle.
const char* ScanUintsPlain(const char* p, const char* end, std::uint64_t* out,
                           std::size_t max, std::size_t* count);
// Adds the next line of `text` to `*out`. False if the line is irregular, or if
// there is no room for it.
bool ScanUintLine(std::string_view text, UintLines* out);
void ScanUintLinesPlain(std::string_view text, UintLines* out);
#ifdef HEAPGLOT_X86_KERNELS
// Require HasAvx2().
const char* ScanUintsAvx2(const char* p, const char* end, std::uint64_t* out,
                          std::size_t max, std::size_t* count);
void ScanUintLinesAvx2(std::string_view text, UintLines* out);
// Require HasAvx512().
const char* ScanUintsAvx512(const char* p, const char* end, std::uint64_t* out,
                            std::size_t max, std::size_t* count);
void ScanUintLinesAvx512(std::string_view text, UintLines* out);
#endif

inline constexpr std::size_t kScanBlock = 64;
// The most numbers in a block: a digit and a comma each.
inline constexpr std::size_t kMaxInBlock = kScanBlock / 2;
// Numbers that are read one by one where a block is irregular, before the next
// block is tried. A few more than a block has, because irregularities seldom
// come alone.
inline constexpr std::size_t kPlainRun = 24;

// The most lines in a block: "[1]" and a line feed each.
inline constexpr std::size_t kMaxLinesInBlock = kScanBlock / 4;
// Lines that are added without checking how many there are.
inline constexpr std::size_t kLineGroup = 4;

// The address to prefetch while the block at `p` is read. The processor does
// not always notice that steps of nearly a line go through a whole text, and
// reading was then five times slower. May be beyond the text: prefetching has
// no effect there.
inline const char* PrefetchAddress(const char* p) {
  constexpr std::uintptr_t kAhead = 2048;
  return std::bit_cast<const char*>(std::bit_cast<std::uintptr_t>(p) + kAhead);
}

// The classes of the bytes in a block.
struct ScanBitmaps {
  std::uint64_t digits;
  std::uint64_t zeros;
  std::uint64_t commas;
  std::uint64_t spaces;
};

// Where the numbers of a block are, up to its last comma.
struct ScanOutline {
  std::uint64_t starts;  // first digits
  std::uint64_t ends;    // bytes after the last digits
  std::uint64_t runs9;   // digits followed by eight more
  std::size_t size;      // of the outlined part, in bytes

  // Whether a number has more than 8 digits.
  bool has_over_8() const { return runs9 != 0; }
  // More than 16 digits; the first operand nearly always decides.
  bool has_over_16() const { return runs9 != 0 && (runs9 & runs9 >> 8) != 0; }
};

// Digits that are followed by eight more.
[[gnu::always_inline]] inline std::uint64_t Runs9(std::uint64_t digits) {
  const std::uint64_t runs2 = digits & (digits >> 1);
  const std::uint64_t runs4 = runs2 & (runs2 >> 2);
  const std::uint64_t runs8 = runs4 & (runs4 >> 4);
  return runs8 & (digits >> 8);
}

// False if anything is irregular, or if there is no comma. The block must begin
// before a number, or before the space in front of it.
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
  // The addition carries each end over the spaces after it. It must arrive at a
  // comma, and there must be no other commas.
  const std::uint64_t separators = (ends + spaces) & ~spaces;
  const std::uint64_t leading_zeros = bitmaps.zeros & starts & (digits >> 1);
  const std::uint64_t odd = (separators ^ bitmaps.commas) |
                            ((digits | spaces | bitmaps.commas) ^ used) |
                            leading_zeros;
  if (odd != 0) [[unlikely]]
    return false;
  outline->starts = starts;
  outline->ends = ends;
  outline->size = kScanBlock - static_cast<std::size_t>(beyond);
  outline->runs9 = Runs9(digits);
  return true;
}

// The classes of the bytes in a block of lines.
struct LineBitmaps {
  std::uint64_t digits;
  std::uint64_t zeros;
  std::uint64_t commas;
  std::uint64_t opens;   // [
  std::uint64_t closes;  // ]
  std::uint64_t feeds;
  std::uint64_t blanks;  // the kind of space that may follow a comma
};

// The same for the whole lines at the start of the block; `*feeds` marks their
// ends. False if there is none, or if the first one is irregular.
[[gnu::always_inline]] inline bool OutlineLines(const LineBitmaps& bitmaps,
                                                ScanOutline* outline,
                                                std::uint64_t* feeds) {
  const std::uint64_t digits = bitmaps.digits;
  const std::uint64_t starts = digits & ~(digits << 1);
  const std::uint64_t ends = ~digits & (digits << 1);
  const std::uint64_t behind_commas = bitmaps.commas << 1;
  const std::uint64_t blanks = bitmaps.blanks & behind_commas;
  const std::uint64_t known = digits | bitmaps.commas | bitmaps.opens |
                              bitmaps.closes | bitmaps.feeds | blanks;
  // What is where it must not be, or is missing where it must be. Each bit
  // depends only on its neighbours, so that whatever comes after the first
  // irregular one, or after the end of the block, does not matter to the lines
  // before it.
  const std::uint64_t odd =
      ~known | (bitmaps.opens ^ (bitmaps.feeds << 1 | 1)) |
      (bitmaps.feeds ^ bitmaps.closes << 1) |
      (starts ^ (bitmaps.opens << 1 | blanks << 1 | (behind_commas ^ blanks))) |
      (ends ^ (bitmaps.commas | bitmaps.closes)) |
      (bitmaps.zeros & starts & (digits >> 1));
  const std::uint64_t before_odd = (odd & (0 - odd)) - 1;
  *feeds = bitmaps.feeds & before_odd;
  if (*feeds == 0) [[unlikely]]
    return false;
  const int beyond = std::countl_zero(*feeds);
  const std::uint64_t used = ~std::uint64_t{0} >> beyond;
  outline->starts = starts & used;
  outline->ends = ends & used;
  outline->size = kScanBlock - static_cast<std::size_t>(beyond);
  outline->runs9 = Runs9(digits & used);
  return true;
}

// How much has been read. Kept in registers, not in UintLines: the position of
// a block depends on the previous block.
struct LineSums {
  std::size_t lines = 0;
  std::size_t bytes = 0;
  std::size_t numbers = 0;

  LineSums() = default;
  explicit LineSums(const UintLines& of)
      : lines(of.count), bytes(of.size()), numbers(of.number_count()) {}
  // Whether there is room for all that a block may have, and for what is
  // written beyond it: a group of lines, and three numbers.
  bool HasRoomForBlock() const {
    return lines + kMaxLinesInBlock + kLineGroup <= UintLines::kMaxLines &&
           numbers + kMaxInBlock + 3 <= UintLines::kMaxNumbers;
  }
};

// Adds the lines of a block whose numbers are already stored.
[[gnu::always_inline]] inline void AppendLines(const ScanOutline& outline,
                                               std::uint64_t feeds,
                                               LineSums* sums, UintLines* out) {
  const auto begin = static_cast<std::uint32_t>(sums->bytes);
  const auto numbers = static_cast<std::uint32_t>(sums->numbers);
  UintLines::Line* line = out->lines.data() + sums->lines;
  sums->lines += static_cast<std::size_t>(std::popcount(feeds));
  sums->bytes += outline.size;
  sums->numbers += static_cast<std::size_t>(std::popcount(outline.starts));
  // Not line by line, so that the end of the loop is predictable.
  do {
    for (std::size_t i = 0; i < kLineGroup; ++i) {
      // If no feed is left, all bits are before it.
      const std::uint64_t before = ~feeds & (feeds - 1);
      *line++ = {
          .end = begin + static_cast<std::uint32_t>(std::popcount(before)) + 1,
          .numbers = numbers + static_cast<std::uint32_t>(
                                   std::popcount(outline.starts & before))};
      feeds &= feeds - 1;
    }
  } while (feeds != 0);
}

}  // namespace heapglot::internal

#endif  // HEAPGLOT_CORE_TEXT_SCAN_UINTS_BLOCK_H_
