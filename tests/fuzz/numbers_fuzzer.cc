// Scans arbitrary bytes with every variant of ScanUints() and ScanUintLines(),
// and formats them as numbers with every variant of FormatRows(): all must
// match the plain loop and std::to_chars. The same goes for writing varints,
// for hashing, and for reading the bytes as varints.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/bytes/take_ulebs.h"
#include "core/canonical/hash_rows.h"
#include "core/ir/put_varints.h"
#include "core/ir/wire.h"
#include "core/text/format_rows.h"
#include "core/text/scan_uint_lines.h"
#include "core/text/scan_uints.h"
#include "tests/fuzz/require.h"

namespace heapglot::fuzz {
namespace {

struct Scanned {
  std::vector<std::uint64_t> numbers;
  std::size_t end;  // offset of the first byte that was not scanned
};

Scanned Scan(const ScanUintsVariant& variant, std::string_view text,
             std::size_t max) {
  Scanned scanned;
  // Exactly `max` numbers, so that AddressSanitizer sees a write past the end.
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
  // Allocated to the byte, with the "]" that must come last.
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

// The numbers in the lines of numbers that `text` begins with, and where each
// line ends.
std::vector<std::uint64_t> ScanLines(const ScanUintLinesVariant& variant,
                                     std::string_view text) {
  std::vector<std::uint64_t> all;
  const auto lines = std::make_unique<UintLines>();
  std::size_t end = 0;
  do {
    variant.scan(text.substr(end), lines.get());
    std::size_t number = 0;
    for (std::size_t i = 0; i < lines->count; ++i) {
      while (number < lines->lines[i].numbers)
        all.push_back(lines->numbers[number++]);
      all.push_back(end + lines->lines[i].end);
    }
    end += lines->size();
  } while (lines->count > 0);
  return all;
}

void CompareLines(std::string_view bytes) {
  const auto text = std::make_unique<char[]>(bytes.size());
  std::copy(bytes.begin(), bytes.end(), text.get());
  const std::string_view all(text.get(), bytes.size());
  const auto expected = ScanLines(ScanUintLinesVariants()[0], all);
  for (const ScanUintLinesVariant& variant : ScanUintLinesVariants())
    Require(ScanLines(variant, all) == expected,
            std::string(variant.name) + ": other lines");
}

// The text that FormatRows() must produce, made with std::to_chars.
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

std::vector<std::uint64_t> NumbersOf(std::string_view bytes, unsigned shift) {
  std::vector<std::uint64_t> numbers(bytes.size() / sizeof(std::uint64_t));
  if (!numbers.empty())
    std::memcpy(numbers.data(), bytes.data(), numbers.size() * 8);
  for (std::uint64_t& number : numbers) number >>= shift;
  return numbers;
}

void CompareFormats(const std::vector<std::uint64_t>& numbers,
                    std::size_t width, unsigned shift) {
  std::vector<RowLayout::Column> columns(width, {","});
  columns[0] = {"\n,", true};
  columns.back().separator = width % 2 == 0 ? "\r\n,\t    " : "";
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

template <typename T>
void CompareVarints(std::span<const T> numbers,
                    char* (*wire::PutVarintsVariant::*put)(std::span<const T>,
                                                           char*)) {
  const auto out = std::make_unique<char[]>(numbers.size() * wire::kMaxVarint);
  std::string expected;
  for (const wire::PutVarintsVariant& variant : wire::PutVarintsVariants()) {
    const std::string written(out.get(), (variant.*put)(numbers, out.get()));
    if (&variant == &wire::PutVarintsVariants().front()) expected = written;
    Require(written == expected, std::string(variant.name) + ": other varints");
  }
}

// The numbers that `bytes` begins with, and where each ends.
std::vector<std::uint64_t> TakeAll(const TakeUlebsVariant& variant,
                                   std::string_view bytes) {
  std::vector<std::uint64_t> all;
  const auto run = std::make_unique<UlebRun>();
  std::size_t end = 0;
  do {
    variant.take(bytes.substr(end), run.get());
    for (std::size_t i = 0; i < run->count; ++i) {
      all.push_back(run->numbers[i]);
      all.push_back(end + run->ends[i]);
    }
    if (run->count > 0) end += run->ends[run->count - 1];
  } while (run->count > 0);
  return all;
}

void CompareUlebs(std::string_view bytes) {
  const auto copy = std::make_unique<char[]>(bytes.size());
  std::copy(bytes.begin(), bytes.end(), copy.get());
  const std::string_view all(copy.get(), bytes.size());
  const auto expected = TakeAll(TakeUlebsVariants()[0], all);
  for (const TakeUlebsVariant& variant : TakeUlebsVariants())
    Require(TakeAll(variant, all) == expected,
            std::string(variant.name) + ": other varints taken");
}

void CompareHashes(const std::vector<std::uint64_t>& numbers,
                   std::size_t width) {
  constexpr std::size_t kFewest = 3,
                        kMost = 16;  // columns that HashRows() takes
  const std::size_t rows = numbers.size() / kMost;
  if (rows == 0) return;
  std::vector<NumberColumn> columns;
  for (std::size_t k = 0; k < kFewest + width % (kMost + 1 - kFewest); ++k)
    columns.push_back(k % 5 == 4 ? SameNumber(numbers[k])
                                 : Numbers(&numbers[k * rows]));
  std::vector<Hash128> expected(rows), hashes(rows);
  HashRowsVariants().front().hash(columns, rows, expected.data());
  for (const HashRowsVariant& variant : HashRowsVariants()) {
    variant.hash(columns, rows, hashes.data());
    Require(hashes == expected, std::string(variant.name) + ": other hashes");
  }
  std::vector<std::uint32_t> places(rows);
  for (std::size_t i = 0; i < rows; ++i)
    places[i] = static_cast<std::uint32_t>(numbers[i] % rows);
  const std::vector<Hash128> hashes_of = expected;
  const std::span<const std::uint64_t> first(numbers.data(), rows);
  for (const HashRowsVariant& variant : HashRowsVariants()) {
    variant.hash_places(first, places.data(), hashes_of.data(), hashes.data());
    if (&variant == &HashRowsVariants().front()) expected = hashes;
    Require(hashes == expected,
            std::string(variant.name) + ": other hashes of places");
  }
}

}  // namespace

// The first three bytes choose how many numbers are read, how large the written
// ones are, and the layout of their rows.
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
  CompareLines(bytes);
  CompareUlebs(bytes);
  const std::vector<std::uint64_t> numbers = NumbersOf(bytes, shift);
  CompareFormats(numbers, width, shift);
  const std::vector<std::uint32_t> halves(numbers.begin(), numbers.end());
  CompareVarints<std::uint64_t>(numbers, &wire::PutVarintsVariant::put64);
  CompareVarints<std::uint32_t>(halves, &wire::PutVarintsVariant::put32);
  CompareHashes(numbers, width);
}

}  // namespace heapglot::fuzz
