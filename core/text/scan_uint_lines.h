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

// What ScanUintLines() found. Reused from call to call, and not initialized:
// clearing this much takes longer than some calls.
struct UintLines {
  // A few more entries may be written after the valid ones.
  static constexpr std::size_t kMaxNumbers = 512;
  static constexpr std::size_t kMaxLines = 128;

  struct Line {
    std::uint32_t end;      // after its line feed, from where the scan began
    std::uint32_t numbers;  // of this line and all before it
  };

  std::size_t count = 0;  // lines
  std::array<Line, kMaxLines> lines;
  std::array<std::uint64_t, kMaxNumbers> numbers;  // of all lines

  std::size_t number_count() const {
    return count == 0 ? 0 : lines[count - 1].numbers;
  }
  std::size_t size() const { return count == 0 ? 0 : lines[count - 1].end; }
};

// Reads lines from the start of `text`, as long as they look like "[3,17,0]"
// and a line feed: no white space except one space after any comma, and at
// least one number, each of at most 19 digits without leading zeros. Stops
// before the first line that looks different, or for which `*out` has no room;
// the very first one has no room only if it has more than kMaxNumbers. `text`
// should extend as far as possible, such as to the end of the input.
//
// Uses the fastest implementation for this machine.
void ScanUintLines(std::string_view text, UintLines* out);

// Implementations, which find the same lines, though not as many per call.
struct ScanUintLinesVariant {
  std::string_view name;
  decltype(&ScanUintLines) scan;
};
// Those that this machine can run, the slowest and plainest first; the last one
// is ScanUintLines(). For tests and bench/.
std::span<const ScanUintLinesVariant> ScanUintLinesVariants();

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TEXT_SCAN_UINT_LINES_H_
