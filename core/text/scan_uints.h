// Unsigned integers of a JSON array, many at a time: most of a heap snapshot.
#ifndef HEAPGLOT_CORE_TEXT_SCAN_UINTS_H_
#define HEAPGLOT_CORE_TEXT_SCAN_UINTS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace heapglot {

// Reads numbers as long as they are unsigned, of at most 19 digits, without
// zeros before them, and have a comma behind them; white space may be anywhere.
// Returns the place of the first number that is not so, or of the one after
// `max` numbers; how many there are goes to `*count`, and the first `max` of
// `out` may have been written to.
// There must be a byte before `end` that is none of digit, comma and white
// space, such as the "]" of the array. Nothing is read from `end` on; it should
// be as far away as it can, such as the end of the input.
//
// Takes what is the fastest on this machine.
const char* ScanUints(const char* p, const char* end, std::uint64_t* out,
                      std::size_t max, std::size_t* count);

// Ways to do so, with the same answers.
struct ScanUintsVariant {
  std::string_view name;
  decltype(&ScanUints) scan;
};
// Those that this machine can run, the slowest and plainest first; the last one
// is ScanUints(). For tests and bench/.
std::span<const ScanUintsVariant> ScanUintsVariants();

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TEXT_SCAN_UINTS_H_
