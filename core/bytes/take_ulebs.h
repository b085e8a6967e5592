// Many ULEB128 numbers at a time: most bytes of a dartheap are such numbers.
#ifndef HEAPGLOT_CORE_BYTES_TAKE_ULEBS_H_
#define HEAPGLOT_CORE_BYTES_TAKE_ULEBS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace heapglot {

// Consecutive numbers. Takes about 3.5 KiB.
struct UlebRun {
  // They begin within this many bytes, or a few more.
  static constexpr std::size_t kBytes = 512;
  // Room for entries that are written before it is known that they are not
  // numbers.
  static constexpr std::size_t kRoom = kBytes + 128;
  // Replaces a number of more than four bytes, or one that is longer than
  // necessary, which must be read from the input instead.
  static constexpr std::uint32_t kOdd = ~std::uint32_t{0};
  // The most bytes of a number that is taken.
  static constexpr std::size_t kMaxBytes = 64;

  std::size_t count = 0;
  std::array<std::uint32_t, kRoom> numbers = {};
  std::array<std::uint16_t, kRoom> ends = {};  // offset of the byte after each
};

// Fills `*run` with some of the numbers at the start of `bytes`; none if the
// first one has more than UlebRun::kMaxBytes, or is cut off. Uses what is
// fastest on this machine.
void TakeUlebs(std::string_view bytes, UlebRun* run);
// Whether that is faster here than reading number by number.
bool TakesUlebsQuickly();

// Implementations; how many numbers they take may differ.
struct TakeUlebsVariant {
  std::string_view name;
  decltype(&TakeUlebs) take;
};
// Like ScanUintsVariants().
std::span<const TakeUlebsVariant> TakeUlebsVariants();

namespace internal {

void TakeUlebsPlain(std::string_view bytes, UlebRun* run);
// Needs HasAvx2().
void TakeUlebsAvx2(std::string_view bytes, UlebRun* run);
// Needs HasAvx512().
void TakeUlebsAvx512(std::string_view bytes, UlebRun* run);

}  // namespace internal
}  // namespace heapglot

#endif  // HEAPGLOT_CORE_BYTES_TAKE_ULEBS_H_
