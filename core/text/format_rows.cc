#include "core/text/format_rows.h"

#include <algorithm>
#include <cstring>

#include "core/text/vector_cpu.h"

namespace heapglot {
namespace {

constexpr std::size_t kMaxOctets = 64;

// The number at each position in an octet.
constexpr std::array<std::size_t, 8> kOctetOrder = {0, 4, 1, 5, 2, 6, 3, 7};

std::span<const FormatRowsVariant> FindFormatVariants() {
  static constexpr FormatRowsVariant kAll[] = {
      {"plain", internal::FormatRowsPlain},
#ifdef HEAPGLOT_X86_KERNELS
      {"avx2", internal::FormatRowsAvx2},
      {"avx512", internal::FormatRowsAvx512},
#endif
  };
  return internal::UsableWays(kAll);
}

}  // namespace

RowLayout::RowLayout(std::span<const Column> columns) {
  for (const Column& column : columns) {
    PackedColumn packed;
    const std::size_t size = std::min(column.separator.size(), kMaxSeparator);
    std::copy_n(column.separator.begin(), size, packed.separator.begin());
    packed.separator_size = static_cast<std::uint8_t>(size);
    packed.is_signed = column.is_signed;
    longest_separator_ = std::max(longest_separator_, size);
    columns_.push_back(packed);
  }
  if (columns_.size() > kMaxOctets) return;
  octets_.resize(columns_.size());
  slots_.resize(columns_.size());
  for (std::size_t first = 0; first < columns_.size(); ++first) {
    for (std::size_t i = 0; i < kOctetOrder.size(); ++i) {
      const PackedColumn& column =
          columns_[(first + kOctetOrder[i]) % columns_.size()];
      octets_[first].separators[i] = column.separator;
      octets_[first].is_used[i % 2] |=
          ((std::uint64_t{1} << column.separator_size) - 1) << (i / 2 * 16);
    }
    Slots& slots = slots_[first];
    for (std::size_t i = 0; i < slots.orders.size(); ++i) {
      const PackedColumn& column = columns_[(first + i) % columns_.size()];
      slots.separators[i] = column.separator;
      slots.orders[i] = std::uint64_t{8 * Slots::kSlot} * column.separator_size;
      slots.most[i] = column.separator_size + 8;
    }
  }
}

char* internal::FormatRowsPlain(const RowLayout& layout,
                                const std::uint64_t* numbers, std::size_t count,
                                std::size_t column, char* out) {
  const std::vector<RowLayout::PackedColumn>& columns = layout.columns();
  for (std::size_t i = 0; i < count; ++i, ++column) {
    if (column == columns.size()) column = 0;
    const RowLayout::PackedColumn& at = columns[column];
    std::memcpy(out, at.separator.data(), at.separator.size());
    out += at.separator_size;
    std::uint64_t number = numbers[i];
    if (number >> 63 != 0 && at.is_signed) [[unlikely]] {
      *out++ = '-';
      number = 0 - number;
    }
    out = FormatUint(number, out);
  }
  return out;
}

std::span<const FormatRowsVariant> FormatRowsVariants() {
  static const std::span<const FormatRowsVariant> variants =
      FindFormatVariants();
  return variants;
}

char* FormatRows(const RowLayout& layout, const std::uint64_t* numbers,
                 std::size_t count, std::size_t column, char* out) {
  static const auto format = FormatRowsVariants().back().format;
  return format(layout, numbers, count, column, out);
}

}  // namespace heapglot
