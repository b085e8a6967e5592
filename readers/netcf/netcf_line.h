// The elements of a line: a record letter, numbers, and text up to its end.
#ifndef HEAPGLOT_READERS_NETCF_NETCF_LINE_H_
#define HEAPGLOT_READERS_NETCF_NETCF_LINE_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "readers/netcf/netcf_findings.h"
#include "readers/netcf/netcf_text.h"

namespace heapglot::netcf {

// Accepts any spelling that README.md lists, and is fast for the usual one. One
// object reads all lines of a text.
class Line {
 public:
  // What Begin() returns for a line that is no record.
  static constexpr char kBlank = ' ';
  static constexpr char kUnknown = '?';

  enum class Got : std::uint8_t { kNumber, kMalformed, kEnd };

  explicit Line(Text& text) : text_(text) {}

  // Where oddities of spelling are reported from now on; nullptr: nowhere.
  void ReportTo(Findings* findings) { findings_ = findings; }

  // Begins the line at text.p(). Returns its letter in lower case, or kBlank or
  // kUnknown.
  char Begin() {
    p_ = text_.p();
    start_ = p_;
    token_ = p_;
    flags_ = 0;
    if (text_.end() - p_ >= 2 && p_[1] == ' ' && IsLetter(*p_)) [[likely]]
      return *p_++;
    return BeginSlowly();
  }

  // Reads the next number. kMalformed: one that has been reported and skipped.
  Got Number(std::uint64_t* value) {
    const char* const end = text_.end();
    if (p_ != end && *p_ == '\n') {
      token_ = p_;
      return Got::kEnd;
    }
    if (p_ == end || *p_ != ' ') [[unlikely]]
      return NumberSlowly(value);
    const char* q = p_ + 1;
    std::uint64_t number = 0;
    for (; q != end; ++q) {
      const unsigned digit = kDigit[static_cast<unsigned char>(*q)];
      if (digit > 15) break;
      number = number << 4 | digit;
    }
    const std::ptrdiff_t digits = q - p_ - 1;
    const bool is_plain = digits >= 1 && digits <= 8 &&
                          (p_[1] != '0' || digits == 1) &&
                          (q == end || *q == ' ' || *q == '\n' || *q == '\r');
    if (!is_plain) [[unlikely]]
      return NumberSlowly(value);
    token_ = p_ + 1;
    p_ = q;
    *value = number;
    return Got::kNumber;
  }

  // The rest of the line, without blanks around it and without NULs. Valid
  // until the next call or the end of the line.
  std::string_view Rest();
  // The whole line without its end. Valid until the end of the line.
  std::string_view Whole() {
    return {start_, static_cast<std::size_t>(text_.TextEnd(start_) - start_)};
  }

  // How many numbers the rest of the line has.
  std::uint64_t CountNumbers() const;
  // The same, and skips them. Nothing before them is needed any more.
  std::uint64_t SkipNumbers();

  // Whether the line is the last one, without a line end.
  bool IsLastWithoutEnd() { return text_.IsLastWithoutEnd(text_.LineEnd(p_)); }

  // Leaves the line, however much of it was read, and reports what is odd about
  // it as a whole.
  void End() {
    if (flags_ != 0) [[unlikely]]
      ReportFlags();
    text_.Advance(text_.LineEnd(p_));
  }

  // The last number that was read, as it is written.
  std::string_view token() const {
    return {token_, static_cast<std::size_t>(p_ - token_)};
  }
  // Its place, and that of the line.
  Where token_place() const { return text_.At(token_); }
  Where place() const { return text_.At(start_); }
  // The place of a character of the line.
  Where PlaceOf(const char* p) const { return text_.At(p); }
  std::uint64_t number() const { return text_.line(); }
  // The bytes before this are not needed any more.
  void Release() { text_.Release(p_); }

 private:
  static constexpr unsigned kOddSpacing = 1;
  static constexpr unsigned kNul = 2;
  static constexpr unsigned kUpperLetter = 4;

  static bool IsLetter(char c) {
    return c == 'o' || c == 'r' || c == 't' || c == 'a' || c == 'c';
  }
  // Values of digits in the usual spelling; more than 15 for anything else.
  static constexpr std::array<std::uint8_t, 256> kDigit = [] {
    std::array<std::uint8_t, 256> digits{};
    digits.fill(0xff);
    for (std::uint8_t i = 0; i < 10; ++i) digits['0' + i] = i;
    for (std::uint8_t i = 0; i < 6; ++i)
      digits['a' + i] = static_cast<std::uint8_t>(10 + i);
    return digits;
  }();

  char BeginSlowly();
  Got NumberSlowly(std::uint64_t* value);
  Got Parse(std::string_view token, std::uint64_t* value);
  bool IsAtEnd() const {
    return p_ == text_.end() || *p_ == '\n' || *p_ == '\r';
  }
  void ReportFlags();
  // Returns how many blanks there were; tabs are odd.
  int SkipBlanks();
  void Report(Oddity oddity, std::string_view found) const {
    if (findings_ == nullptr) return;
    findings_->Add(
        oddity, [this] { return token_place(); }, found);
  }

  Text& text_;
  Findings* findings_ = nullptr;
  const char* start_ = nullptr;
  const char* p_ = nullptr;
  const char* token_ = nullptr;
  unsigned flags_ = 0;
  std::string scratch_;
};

}  // namespace heapglot::netcf

#endif  // HEAPGLOT_READERS_NETCF_NETCF_LINE_H_
