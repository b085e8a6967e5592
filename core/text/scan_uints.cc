#include "core/text/scan_uints.h"

#include "core/text/scan_uints_block.h"

namespace heapglot {
namespace {

// Numbers with up to this many digits always fit into 64 bits.
constexpr std::ptrdiff_t kSafeDigits = 19;

unsigned DigitOf(char byte) {
  return static_cast<unsigned>(static_cast<unsigned char>(byte)) - '0';
}

bool IsJsonSpace(char byte) {
  return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r';
}

std::span<const ScanUintsVariant> FindScanVariants() {
  static constexpr ScanUintsVariant kAll[] = {
      {"plain", internal::ScanUintsPlain},
#ifdef HEAPGLOT_X86_KERNELS
      {"avx2", internal::ScanUintsAvx2},
      {"avx512", internal::ScanUintsAvx512},
#endif
  };
  return internal::UsableWays(kAll);
}

}  // namespace

const char* internal::ScanUintsPlain(const char* p, const char* /*end*/,
                                     std::uint64_t* out, std::size_t max,
                                     std::size_t* count) {
  std::size_t n = 0;
  const char* start = p;  // of the current number
  while (n < max) {
    while (IsJsonSpace(*p)) ++p;
    start = p;
    unsigned digit = DigitOf(*p);
    if (digit > 9) break;
    std::uint64_t value = digit;
    for (digit = DigitOf(*++p); digit <= 9; digit = DigitOf(*++p))
      value = value * 10 + digit;
    const bool is_usual =
        p - start == 1 || (p - start <= kSafeDigits && *start != '0');
    if (!is_usual) break;
    if (*p != ',') {
      while (IsJsonSpace(*p)) ++p;
      if (*p != ',') break;
    }
    start = ++p;
    out[n++] = value;
  }
  *count = n;
  return start;
}

std::span<const ScanUintsVariant> ScanUintsVariants() {
  static const std::span<const ScanUintsVariant> variants = FindScanVariants();
  return variants;
}

const char* ScanUints(const char* p, const char* end, std::uint64_t* out,
                      std::size_t max, std::size_t* count) {
  static const auto scan = ScanUintsVariants().back().scan;
  return scan(p, end, out, max, count);
}

}  // namespace heapglot
