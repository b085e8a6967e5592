#include "readers/heapsnapshot/heapsnapshot_numbers.h"

#include <algorithm>
#include <limits>
#include <string>

#include "core/text/scan_uints.h"
#include "readers/heapsnapshot/heapsnapshot_json.h"

namespace heapglot::heapsnapshot {
namespace {

constexpr std::uint64_t kMaxUint = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kMaxNegative = std::uint64_t{1} << 63;

// So many digits always fit.
constexpr std::ptrdiff_t kSafeDigits = 19;

// Nobody writes an integer with more digits, including zeros of a fraction.
constexpr std::size_t kMaxDigits = 1024;

unsigned Digit(char byte) {
  return static_cast<unsigned>(static_cast<unsigned char>(byte)) - '0';
}

bool IsDigitAt(const char* p, const char* end) {
  return p != end && Digit(*p) <= 9;
}

// A number in decimal: digits * 10^exponent.
struct Decimal {
  std::string_view integer;
  std::string_view fraction;
  std::int64_t exponent = 0;
};

std::string_view TakeDigits(const char** p, const char* end) {
  const char* const begin = *p;
  while (IsDigitAt(*p, end)) ++*p;
  return {begin, static_cast<std::size_t>(*p - begin)};
}

// Reads the exponent after an "e". A huge one is cut, but stays so large that
// the number is no integer of 64 bits unless all of its digits are 0.
bool TakeExponent(const char** p, const char* end, std::int64_t* exponent) {
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max() / 4;
  const bool negative = *p != end && **p == '-';
  if (*p != end && (**p == '-' || **p == '+')) ++*p;
  if (!IsDigitAt(*p, end)) return false;
  for (const char digit : TakeDigits(p, end)) {
    if (*exponent < kHuge / 10)
      *exponent = *exponent * 10 + static_cast<std::int64_t>(Digit(digit));
    else
      *exponent = kHuge;
  }
  if (negative) *exponent = -*exponent;
  return true;
}

// value = value * 10 + digit; false if that is more than 64 bits.
bool Push(unsigned digit, std::uint64_t* value) {
  if (*value > (kMaxUint - digit) / 10) return false;
  *value = *value * 10 + digit;
  return true;
}

// The value of `decimal`, if that is an integer of 64 bits.
bool ToUint(const Decimal& decimal, std::uint64_t* value) {
  if (decimal.integer.size() + decimal.fraction.size() > kMaxDigits)
    return false;
  std::string digits(decimal.integer);
  digits.append(decimal.fraction);
  std::int64_t exponent =
      decimal.exponent - static_cast<std::int64_t>(decimal.fraction.size());
  for (; !digits.empty() && digits.back() == '0'; ++exponent) digits.pop_back();
  *value = 0;
  if (digits.empty()) return true;
  if (exponent < 0 || exponent > kSafeDigits) return false;
  digits.append(static_cast<std::size_t>(exponent), '0');
  return std::all_of(digits.begin(), digits.end(),
                     [value](char digit) { return Push(Digit(digit), value); });
}

}  // namespace

bool ScanInteger(const char** p, const char* end, Integer* out) {
  const char* const begin = *p;
  out->is_negative = begin != end && *begin == '-';
  if (out->is_negative) ++*p;
  if (!IsDigitAt(*p, end)) return false;
  Decimal decimal;
  decimal.integer = TakeDigits(p, end);
  if (decimal.integer.size() > 1 && decimal.integer[0] == '0') {
    *p = decimal.integer.data() + 1;
    return false;
  }
  const char* const digits_end = *p;
  if (*p != end && **p == '.') {
    ++*p;
    decimal.fraction = TakeDigits(p, end);
    if (decimal.fraction.empty()) return false;
  }
  if (*p != end && (**p | 0x20) == 'e') {
    ++*p;
    if (!TakeExponent(p, end, &decimal.exponent)) return false;
  }
  std::uint64_t value = 0;
  if (!ToUint(decimal, &value) || (out->is_negative && value > kMaxNegative)) {
    *p = begin;
    return false;
  }
  out->is_odd = *p != digits_end || (out->is_negative && value == 0);
  out->is_negative = out->is_negative && value != 0;
  out->value = out->is_negative ? 0 - value : value;
  return true;
}

NumberCursor::NumberCursor(std::string_view bytes, std::string_view array,
                           std::string_view what)
    : bytes_(bytes),
      what_(what),
      p_(array.data() + 1),
      end_(array.data() + array.size() - 1),
      block_(p_) {}

Status NumberCursor::Read(std::size_t max) {
  // A number and its comma take two bytes, so no more numbers than this are
  // left.
  max = std::min(max, static_cast<std::size_t>(end_ - p_) / 2 + 1);
  if (out_.size() < max) out_.resize(max);
  count_ = 0;
  negative_.clear();
  next_negative_ = 0;
  odd_.clear();
  SkipSpace();
  block_ = p_;
  while (count_ < max) {
    std::size_t scanned = 0;
    // Not before the first number: an empty array has none.
    if (!is_first_)
      p_ = ScanUints(p_, bytes_.data() + bytes_.size(), out_.data() + count_,
                     max - count_, &scanned);
    count_ += scanned;
    if (scanned > 0) is_behind_comma_ = true;
    if (count_ == max) break;
    const Result<bool> more = ReadOne();
    if (!more.ok()) return more.status();
    if (!*more) break;
  }
  return {};
}

Result<bool> NumberCursor::ReadOne() {
  SkipSpace();
  if (*p_ == ']' && !is_behind_comma_) return false;
  is_first_ = false;
  const char* const begin = p_;
  Integer number;
  if (!ScanInteger(&p_, end_, &number)) {
    const bool is_number = p_ == begin && (*begin == '-' || Digit(*begin) <= 9);
    return Bad(is_number ? "an integer of 64 bits" : "an integer");
  }
  if (number.is_negative)
    negative_.push_back(static_cast<std::uint32_t>(count_));
  if (number.is_odd) odd_.push_back(static_cast<std::uint32_t>(count_));
  out_[count_++] = number.value;
  SkipSpace();
  is_behind_comma_ = *p_ != ']';
  if (!is_behind_comma_) return true;
  if (*p_ != ',') return Bad("',' or ']'");
  ++p_;
  return true;
}

void NumberCursor::SkipSpace() {
  while (p_ != end_ && IsSpace(*p_)) ++p_;
}

Status NumberCursor::Bad(const char* expected) const {
  const std::uint64_t at = offset();
  return {Code::kMalformed,
          std::string(what_) + ": found " + Found(bytes_, at) + ", expected " +
              expected,
          Where::Byte(at)};
}

bool NumberCursor::IsNegative(std::size_t position) const {
  const bool is_behind =
      next_negative_ > 0 && negative_[next_negative_ - 1] >= position;
  if (is_behind) next_negative_ = 0;
  while (next_negative_ < negative_.size() &&
         negative_[next_negative_] < position)
    ++next_negative_;
  return next_negative_ < negative_.size() &&
         negative_[next_negative_] == position;
}

std::uint64_t NumberCursor::OffsetOf(std::size_t position) const {
  const char* p = block_;
  for (std::size_t i = 0; i < position; ++i) p = std::find(p, end_, ',') + 1;
  while (p < end_ && IsSpace(*p)) ++p;
  return static_cast<std::uint64_t>(p - bytes_.data());
}

}  // namespace heapglot::heapsnapshot
