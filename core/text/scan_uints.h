// Unsigned integers of a JSON array, many at a time: most of a heap snapshot.
#ifndef HEAPGLOT_CORE_TEXT_SCAN_UINTS_H_
#define HEAPGLOT_CORE_TEXT_SCAN_UINTS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace heapglot {

// Reads numbers as long as they are unsigned, have at most 19 digits without
// leading zeros, and are followed by a comma; white space may be anywhere.
// Returns the position of the first number that is different, or of the one
// after `max` numbers. `*count` is how many were read; any of the first `max`
// entries of `out` may have been written to.
// There must be a byte before `end` that is not a digit, comma or white space,
// such as the "]" of the array. Nothing is read from `end` on; it should be as
// far away as possible, such as the end of the input.
//
// Uses the fastest implementation for this machine.
const char* ScanUints(const char* p, const char* end, std::uint64_t* out,
                      std::size_t max, std::size_t* count);

// Implementations with the same results.
struct ScanUintsVariant {
  std::string_view name;
  decltype(&ScanUints) scan;
};
// Those that this machine can run, the slowest and plainest first; the last one
// is ScanUints(). For tests and bench/.
std::span<const ScanUintsVariant> ScanUintsVariants();

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TEXT_SCAN_UINTS_H_
