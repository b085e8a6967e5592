// Scans arbitrary bytes with every variant of ScanUints(), and formats them as
// numbers with every variant of FormatRows(): all do what the plain loop and
// std::to_chars do.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/format_rows.h"
#include "core/text/scan_uints.h"
#include "tests/fuzz/require.h"

namespace heapglot::fuzz {
namespace {

struct Scanned {
  std::vector<std::uint64_t> numbers;
  std::size_t end;  // how far it got
};

Scanned Scan(const ScanUintsVariant& variant, std::string_view text,
             std::size_t max) {
  Scanned scanned;
  // To the byte, so that AddressSanitizer sees what is written behind it.
  const auto out = std::make_unique<std::uint64_t[]>(max);
  std::size_t count = 0;
  const char* const end = variant.scan(text.data(), text.data() + text.size(),
                                       out.get(), max, &count);
  Require(count <= max, "more than wanted");
  scanned.numbers.assign(out.get(), out.get() + count);
  scanned.end = static_cast<std::size_t>(end - text.data());
  return scanned;
}

void CompareScans(std::string_view bytes, std::size_t max) {
  // Allocated to the byte, with the one that has to come at last.
  const auto text = std::make_unique<char[]>(bytes.size() + 1);
  std::copy(bytes.begin(), bytes.end(), text.get());
  text[bytes.size()] = ']';
  const std::string_view all(text.get(), bytes.size() + 1);
  const Scanned expected = Scan(ScanUintsVariants()[0], all, max);
  for (const ScanUintsVariant& variant : ScanUintsVariants().subspan(1)) {
    const Scanned scanned = Scan(variant, all, max);
    const std::string name(variant.name);
    Require(scanned.end == expected.end, name + " ends elsewhere");
    Require(scanned.numbers == expected.numbers, name + ": other numbers");
  }
}

// Digits as others make them.
std::string Text(const std::vector<RowLayout::Column>& columns,
                 const std::vector<std::uint64_t>& numbers,
                 std::size_t column) {
  std::string text;
  for (const std::uint64_t number : numbers) {
    char digits[kMaxUintDigits + 1];
    char* const end = digits + sizeof digits;
    const RowLayout::Column& at = columns[column++ % columns.size()];
    text += at.separator;
    const char* const digits_end =
        at.is_signed
            ? std::to_chars(digits, end, static_cast<std::int64_t>(number)).ptr
            : std::to_chars(digits, end, number).ptr;
    text += std::string_view(digits, digits_end);
  }
  return text;
}

void CompareFormats(std::string_view bytes, std::size_t width, unsigned shift) {
  std::vector<RowLayout::Column> columns(width, {","});
  columns[0] = {"\n,", true};
  columns.back().separator = width % 2 == 0 ? "\r\n,\t    " : "";
  std::vector<std::uint64_t> numbers(bytes.size() / sizeof(std::uint64_t));
  if (!numbers.empty())
    std::memcpy(numbers.data(), bytes.data(), numbers.size() * 8);
  for (std::uint64_t& number : numbers) number >>= shift;
  const std::size_t column = shift % width;
  const std::string expected = Text(columns, numbers, column);
  const RowLayout layout(columns);
  const auto out = std::make_unique<char[]>(numbers.size() * kMaxFormatted);
  for (const FormatRowsVariant& variant : FormatRowsVariants()) {
    const char* const end = variant.format(layout, numbers.data(),
                                           numbers.size(), column, out.get());
    Require(std::string_view(out.get(), end) == expected,
            std::string(variant.name) + ": other digits");
  }
}

}  // namespace

// The first three bytes say how many numbers are wanted, and how large and in
// what rows they are written.
void Fuzz(std::string_view bytes) {
  if (bytes.size() < 3) return;
  const auto at = [bytes](std::size_t i) {
    return static_cast<unsigned>(static_cast<unsigned char>(bytes[i]));
  };
  const std::size_t max = at(0) < 128 ? at(0) : at(0) * 64;
  const unsigned shift = at(1) % 64;
  const std::size_t width = 1 + at(2) % 80;
  bytes.remove_prefix(3);
  CompareScans(bytes, max);
  CompareFormats(bytes, width, shift);
}

}  // namespace heapglot::fuzz
