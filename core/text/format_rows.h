// Rows of integers with the same text before each number of a column: most of a
// heap snapshot's output.
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

// The text around the numbers.
class RowLayout {
 public:
  static constexpr std::size_t kMaxSeparator = 8;

  struct Column {
    std::string_view separator;  // before the number; at most kMaxSeparator
    bool is_signed = false;      // in two's complement
  };
  // There must be at least one column. Memory: about 350 bytes per column for
  // up to 64 columns, and 16 per column for more.
  explicit RowLayout(std::span<const Column> columns);

  struct PackedColumn {
    std::array<char, kMaxSeparator> separator = {};
    std::uint8_t separator_size = 0;
    bool is_signed = false;
  };
  // The separators of eight numbers in the order 0, 4, 1, 5, 2, 6, 3, 7.
  // `is_used` has a bit for each byte that is part of a separator, for the
  // slots of the first and of the last four numbers: sixteen bytes each, half
  // of them for digits.
  struct alignas(64) Octet {
    std::array<std::array<char, kMaxSeparator>, 8> separators = {};
    std::array<std::uint64_t, 2> is_used = {};
  };
  // The same eight separators in order. Each number is assembled in a slot of
  // kSlot bytes, eight of them for digits.
  struct alignas(64) Slots {
    static constexpr std::size_t kSlot = 16;
    std::array<std::array<char, kMaxSeparator>, 8> separators = {};
    // Offsets of the shuffle that keeps all digits, in the table that compacts
    // slots by separator size and digits: kSlot bytes per shuffle, eight
    // shuffles per separator size.
    std::array<std::uint64_t, 8> orders = {};
    std::array<std::uint64_t, 8> most = {};  // size of separator and eight
                                             // digits
  };
  const std::vector<PackedColumn>& columns() const { return columns_; }
  // Indexed by the column of the first number; empty if there are too many
  // columns.
  const std::vector<Octet>& octets() const { return octets_; }
  // Like octets().
  const std::vector<Slots>& slots() const { return slots_; }
  std::size_t longest_separator() const { return longest_separator_; }

 private:
  std::vector<PackedColumn> columns_;
  std::vector<Octet> octets_;
  std::vector<Slots> slots_;
  std::size_t longest_separator_ = 0;
};

// Room that FormatRows() needs per number: separator, sign, and digits.
inline constexpr std::size_t kMaxFormatted =
    RowLayout::kMaxSeparator + 1 + kMaxUintDigits + 4;

// Writes `count` numbers, the first one of column `column`, with the text
// before each to `out`, which has room for kMaxFormatted bytes per number, and
// returns the end. Uses the fastest implementation for this machine.
char* FormatRows(const RowLayout& layout, const std::uint64_t* numbers,
                 std::size_t count, std::size_t column, char* out);

// Implementations that write the same bytes.
struct FormatRowsVariant {
  std::string_view name;
  decltype(&FormatRows) format;
};
// Like ScanUintsVariants().
std::span<const FormatRowsVariant> FormatRowsVariants();

namespace internal {

char* FormatRowsPlain(const RowLayout& layout, const std::uint64_t* numbers,
                      std::size_t count, std::size_t column, char* out);
// Requires HasAvx2().
char* FormatRowsAvx2(const RowLayout& layout, const std::uint64_t* numbers,
                     std::size_t count, std::size_t column, char* out);
// Requires HasAvx512().
char* FormatRowsAvx512(const RowLayout& layout, const std::uint64_t* numbers,
                       std::size_t count, std::size_t column, char* out);

}  // namespace internal
}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TEXT_FORMAT_ROWS_H_
