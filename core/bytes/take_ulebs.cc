#include "core/bytes/take_ulebs.h"

#include <algorithm>

#include "core/text/vector_cpu.h"

namespace heapglot {
namespace {

constexpr unsigned kShortUlebBits = 28;

std::span<const TakeUlebsVariant> FindTakeUlebsVariants() {
  static constexpr TakeUlebsVariant kAll[] = {
      {"plain", internal::TakeUlebsPlain},
#ifdef HEAPGLOT_X86_KERNELS
      {"avx2", internal::TakeUlebsAvx2},
      {"avx512", internal::TakeUlebsAvx512},
#endif
  };
  return internal::UsableWays(kAll);
}

}  // namespace

void internal::TakeUlebsPlain(std::string_view bytes, UlebRun* run) {
  bytes = bytes.substr(0, UlebRun::kBytes);
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(bytes.data());
  const std::uint8_t* const end = begin + bytes.size();
  std::size_t count = 0;
  for (const std::uint8_t* next = begin;; ++count) {
    const std::uint8_t* const most =
        next +
        std::min(UlebRun::kMaxBytes, static_cast<std::size_t>(end - next));
    std::uint32_t number = 0;
    std::uint32_t byte = 0x80;
    unsigned bits = 0;
    for (; byte >= 0x80 && next != most; bits += 7) {
      byte = *next++;
      if (bits < kShortUlebBits) number |= (byte & 0x7f) << bits;
    }
    if (byte >= 0x80) break;
    const bool is_odd = bits > kShortUlebBits || (byte == 0 && bits > 7);
    run->numbers[count] = is_odd ? UlebRun::kOdd : number;
    run->ends[count] = static_cast<std::uint16_t>(next - begin);
  }
  run->count = count;
}

std::span<const TakeUlebsVariant> TakeUlebsVariants() {
  static const std::span<const TakeUlebsVariant> variants =
      FindTakeUlebsVariants();
  return variants;
}

bool TakesUlebsQuickly() { return TakeUlebsVariants().size() > 1; }

void TakeUlebs(std::string_view bytes, UlebRun* run) {
  static const auto take = TakeUlebsVariants().back().take;
  take(bytes, run);
}

}  // namespace heapglot
