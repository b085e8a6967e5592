// Lines that are JSON arrays of unsigned integers, many at a time: most of a
// heap dump whose records are lines.
#ifndef HEAPGLOT_CORE_TEXT_SCAN_UINT_LINES_H_
#define HEAPGLOT_CORE_TEXT_SCAN_UINT_LINES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace heapglot {

// What ScanUintLines() found. Reused from call to call, and left as it comes:
// to clear so much takes longer than some calls.
struct UintLines {
  // Some more may be written behind those that count.
  static constexpr std::size_t kMaxNumbers = 512;
  static constexpr std::size_t kMaxLines = 128;

  struct Line {
    std::uint32_t end;      // behind its line feed, from where the scan began
    std::uint32_t numbers;  // of this line and those before it
  };

  std::size_t count = 0;  // lines
  std::array<Line, kMaxLines> lines;
  std::array<std::uint64_t, kMaxNumbers> numbers;  // of all lines

  std::size_t number_count() const {
    return count == 0 ? 0 : lines[count - 1].numbers;
  }
  std::size_t size() const { return count == 0 ? 0 : lines[count - 1].end; }
};

// Reads lines from the start of `text` on, as long as they are "[3,17,0]" with
// a line feed behind: no white space but one space behind any comma, one number
// at least, each of at most 19 digits without zeros before them. Ends before the
// first line that is not so, or for which `*out` has no room; that there is none
// at once is for more than kMaxNumbers. `text` should go as far as it can, such
// as to the end of the input.
//
// Takes what is the fastest on this machine.
void ScanUintLines(std::string_view text, UintLines* out);

// Ways to do so, which find the same lines, though not as many in a call.
struct ScanUintLinesVariant {
  std::string_view name;
  decltype(&ScanUintLines) scan;
};
// Those that this machine can run, the slowest and plainest first; the last one
// is ScanUintLines(). For tests and bench/.
std::span<const ScanUintLinesVariant> ScanUintLinesVariants();

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TEXT_SCAN_UINT_LINES_H_
