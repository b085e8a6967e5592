// Rows of integers with the same text before each number of a column: most of
// a heap snapshot that is written.
#ifndef HEAPGLOT_CORE_TEXT_FORMAT_ROWS_H_
#define HEAPGLOT_CORE_TEXT_FORMAT_ROWS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/text/format_uint.h"

namespace heapglot {

// What stands around the numbers.
class RowLayout {
 public:
  static constexpr std::size_t kMaxSeparator = 8;

  struct Column {
    std::string_view separator;  // before the number; at most kMaxSeparator
    bool is_signed = false;      // in two's complement
  };
  // There must be a column. Memory: about 350 bytes a column, up to 64 of them,
  // then 16.
  explicit RowLayout(std::span<const Column> columns);

  struct PackedColumn {
    std::array<char, kMaxSeparator> separator = {};
    std::uint8_t separator_size = 0;
    bool is_signed = false;
  };
  // The separators of eight numbers in the order 0, 4, 1, 5, 2, 6, 3, 7. In slots
  // of sixteen bytes, half of them for digits, those of the first and of the last
  // four numbers: a bit for each byte that is part of a separator.
  struct alignas(64) Octet {
    std::array<std::array<char, kMaxSeparator>, 8> separators = {};
    std::array<std::uint64_t, 2> is_used = {};
  };
  // The same eight in their order: the number i is put together in a slot of
  // kSlot bytes, eight of them for digits.
  struct alignas(64) Slots {
    static constexpr std::size_t kSlot = 16;
    std::array<std::array<char, kMaxSeparator>, 8> separators = {};
    // Where, among ways to press slots by separator and digits, that of all
    // digits is: kSlot bytes a way, eight of them for each size of a separator.
    std::array<std::uint64_t, 8> orders = {};
    std::array<std::uint64_t, 8> most = {};  // separator and eight digits
  };
  const std::vector<PackedColumn>& columns() const { return columns_; }
  // By the column of the first number; empty if there are too many columns.
  const std::vector<Octet>& octets() const { return octets_; }
  // As octets().
  const std::vector<Slots>& slots() const { return slots_; }
  std::size_t longest_separator() const { return longest_separator_; }

 private:
  std::vector<PackedColumn> columns_;
  std::vector<Octet> octets_;
  std::vector<Slots> slots_;
  std::size_t longest_separator_ = 0;
};

// Room that FormatRows() wants for each number: separator, sign, and digits.
inline constexpr std::size_t kMaxFormatted =
    RowLayout::kMaxSeparator + 1 + kMaxUintDigits + 4;

// Writes `count` numbers, the first one of column `column`, with what stands
// before each at `out`, which has room for kMaxFormatted bytes a number, and
// returns the end. Takes what is the fastest on this machine.
char* FormatRows(const RowLayout& layout, const std::uint64_t* numbers,
                 std::size_t count, std::size_t column, char* out);

// Ways to do so, with the same bytes.
struct FormatRowsVariant {
  std::string_view name;
  decltype(&FormatRows) format;
};
// As ScanUintsVariants().
std::span<const FormatRowsVariant> FormatRowsVariants();

namespace internal {

char* FormatRowsPlain(const RowLayout& layout, const std::uint64_t* numbers,
                      std::size_t count, std::size_t column, char* out);
// Needs HasAvx2().
char* FormatRowsAvx2(const RowLayout& layout, const std::uint64_t* numbers,
                     std::size_t count, std::size_t column, char* out);
// Needs HasAvx512().
char* FormatRowsAvx512(const RowLayout& layout, const std::uint64_t* numbers,
                       std::size_t count, std::size_t column, char* out);

}  // namespace internal
}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TEXT_FORMAT_ROWS_H_
