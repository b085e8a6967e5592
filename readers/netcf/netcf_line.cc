#include "readers/netcf/netcf_line.h"

#include <algorithm>

#include "core/text/utf.h"

namespace heapglot::netcf {
namespace {

// No meaningful number is longer.
constexpr std::size_t kMaxToken = 4096;

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

bool IsUpperHex(char c) { return c >= 'A' && c <= 'F'; }

}  // namespace

int Line::SkipBlanks() {
  // Unwritten disk space can be long; it is given back on the way.
  constexpr std::uint64_t kReleaseBytes = 1 << 20;
  int blanks = 0;
  for (std::uint64_t nuls = 0; !IsAtEnd(); ++p_) {
    if (*p_ == 0) {
      flags_ |= kNul;
      if (++nuls % kReleaseBytes == 0) text_.Release(p_);
    } else if (IsBlank(*p_)) {
      if (*p_ == '\t') flags_ |= kOddSpacing;
      ++blanks;
    } else {
      break;
    }
  }
  return blanks;
}

char Line::BeginSlowly() {
  const bool is_indented = SkipBlanks() > 0;
  if (IsAtEnd()) {
    flags_ &= kNul;  // a blank line has no other oddities
    return kBlank;
  }
  if (is_indented) flags_ |= kOddSpacing;
  token_ = p_;
  const char letter =
      *p_ >= 'A' && *p_ <= 'Z' ? static_cast<char>(*p_ - 'A' + 'a') : *p_;
  if (!IsLetter(letter)) return kUnknown;
  const char* const at = p_++;
  while (p_ != text_.end() && *p_ == 0) {
    flags_ |= kNul;
    ++p_;
  }
  if (!IsAtEnd() && !IsBlank(*p_)) return kUnknown;
  if (*at != letter) flags_ |= kUpperLetter;
  return letter;
}

Line::Got Line::NumberSlowly(std::uint64_t* value) {
  const int blanks = SkipBlanks();
  if (blanks > 1 || (blanks > 0 && IsAtEnd())) flags_ |= kOddSpacing;
  token_ = p_;
  if (IsAtEnd()) return Got::kEnd;
  bool has_nul = false;
  for (; !IsAtEnd() && !IsBlank(*p_); ++p_) has_nul |= *p_ == 0;
  if (!has_nul) return Parse(token(), value);
  flags_ |= kNul;
  scratch_.clear();
  for (const char* p = token_; p != p_ && scratch_.size() <= kMaxToken; ++p)
    if (*p != 0) scratch_.push_back(*p);
  return Parse(scratch_, value);
}

Line::Got Line::Parse(std::string_view token, std::uint64_t* value) {
  std::string_view digits = token;
  const bool has_prefix = digits.starts_with("0x") || digits.starts_with("0X");
  if (has_prefix) digits.remove_prefix(2);
  const std::size_t zeros =
      std::min(digits.find_first_not_of('0'), digits.size());
  const std::string_view significant = digits.substr(zeros);
  bool is_number =
      !digits.empty() && token.size() <= kMaxToken && significant.size() <= 16;
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < significant.size() && is_number; ++i) {
    const char c = significant[i];
    const unsigned digit = IsUpperHex(c) ? static_cast<unsigned>(c - 'A' + 10)
                                         : kDigit[static_cast<std::uint8_t>(c)];
    is_number = digit <= 15;
    number = number << 4 | digit;
  }
  if (!is_number) {
    Report(Oddity::kMalformedNumber, token);
    const bool is_first_odd_byte = findings_ != nullptr &&
                                   findings_->count(Oddity::kBytes) == 0 &&
                                   ClassifyUtf8(token) == pb::BYTES;
    if (is_first_odd_byte) Report(Oddity::kBytes, token);
    return Got::kMalformed;
  }
  if (has_prefix) Report(Oddity::kPrefix, token);
  if (std::any_of(digits.begin(), digits.end(), IsUpperHex))
    Report(Oddity::kUpperCase, token);
  if (zeros > 0 && digits.size() > 1) Report(Oddity::kLeadingZeros, token);
  if (number >> 32 != 0) Report(Oddity::kTooWide, token);
  *value = number;
  return Got::kNumber;
}

std::uint64_t Line::CountNumbers() const {
  Line ahead(text_);
  ahead.p_ = p_;
  const std::uint64_t numbers = ahead.SkipNumbers();
  text_.Release(p_);  // the numbers are read again
  return numbers;
}

std::uint64_t Line::SkipNumbers() {
  // A long line is given back while it is counted; otherwise, all of it would
  // be resident at once.
  constexpr std::uint64_t kReleaseNumbers = 1 << 16;
  std::uint64_t numbers = 0;
  std::uint64_t value = 0;
  for (Got got = Number(&value); got != Got::kEnd; got = Number(&value)) {
    if (got == Got::kNumber && ++numbers % kReleaseNumbers == 0) Release();
  }
  return numbers;
}

std::string_view Line::Rest() {
  if (SkipBlanks() > 0 && IsAtEnd()) flags_ |= kOddSpacing;
  const char* const line_end = text_.TextEnd(p_);
  std::string_view rest(p_, static_cast<std::size_t>(line_end - p_));
  token_ = p_;
  p_ = line_end;
  if (rest.find('\0') != std::string_view::npos) {
    flags_ |= kNul;
    scratch_ = rest;
    std::erase(scratch_, '\0');
    rest = scratch_;
  }
  if (rest.find('\t') != std::string_view::npos) flags_ |= kOddSpacing;
  while (!rest.empty() && IsBlank(rest.back())) {
    flags_ |= kOddSpacing;
    rest.remove_suffix(1);
  }
  return rest;
}

void Line::ReportFlags() {
  token_ = start_;
  if ((flags_ & kUpperLetter) != 0) Report(Oddity::kLetterCase, {});
  if ((flags_ & kOddSpacing) != 0) Report(Oddity::kSpacing, {});
  if ((flags_ & kNul) != 0) Report(Oddity::kNul, {});
}

}  // namespace heapglot::netcf
