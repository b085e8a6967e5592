#include "core/text/scan_uint_lines.h"

#include "core/text/scan_uints_block.h"
#include "core/text/take_uint.h"

namespace heapglot {
namespace {

std::span<const ScanUintLinesVariant> FindLineVariants() {
  static constexpr ScanUintLinesVariant kAll[] = {
      {"plain", internal::ScanUintLinesPlain},
#ifdef HEAPGLOT_X86_KERNELS
      {"avx2", internal::ScanUintLinesAvx2},
      {"avx512", internal::ScanUintLinesAvx512},
#endif
  };
  return internal::UsableWays(kAll);
}

}  // namespace

bool internal::ScanUintLine(std::string_view text, UintLines* out) {
  const char* p = text.data() + out->size();
  const char* const end = text.data() + text.size();
  std::size_t n = out->number_count();
  if (out->count == UintLines::kMaxLines || p == end || *p != '[') return false;
  do {
    const bool is_behind_comma = *p++ == ',';
    if (is_behind_comma && p != end && *p == ' ') ++p;
    std::uint64_t value = 0;
    if (!TakeUint(&p, end, &value) || p == end || n == UintLines::kMaxNumbers)
      return false;
    out->numbers[n++] = value;
  } while (*p == ',');
  if (*p != ']' || end - p < 2 || p[1] != '\n') return false;
  out->lines[out->count++] = {
      .end = static_cast<std::uint32_t>(p + 2 - text.data()),
      .numbers = static_cast<std::uint32_t>(n)};
  return true;
}

void internal::ScanUintLinesPlain(std::string_view text, UintLines* out) {
  out->count = 0;
  while (ScanUintLine(text, out)) {
  }
}

std::span<const ScanUintLinesVariant> ScanUintLinesVariants() {
  static const std::span<const ScanUintLinesVariant> variants =
      FindLineVariants();
  return variants;
}

void ScanUintLines(std::string_view text, UintLines* out) {
  static const auto scan = ScanUintLinesVariants().back().scan;
  scan(text, out);
}

}  // namespace heapglot
