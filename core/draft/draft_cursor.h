// Walks over the lines of a file.
#ifndef HEAPGLOT_CORE_DRAFT_DRAFT_CURSOR_H_
#define HEAPGLOT_CORE_DRAFT_DRAFT_CURSOR_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/text/scan_uint_lines.h"

namespace heapglot::draft {

class LineCursor {
 public:
  // For the lines of `bytes` from `offset` on that begin before `end`.
  LineCursor(std::string_view bytes, std::uint64_t offset, std::uint64_t end)
      : bytes_(bytes), next_(offset), end_(end) {}
  // False at the end.
  bool Next() {
    if (next_ >= end_) return false;
    const std::size_t feed = bytes_.find('\n', next_);
    has_feed_ = feed != std::string_view::npos;
    const std::uint64_t stop = has_feed_ ? feed : bytes_.size();
    Take(stop - next_, stop + (has_feed_ ? 1 : 0));
    return true;
  }
  // Of the current line: its offset, that of the next line, and its text
  // without the line feed.
  std::uint64_t offset() const { return offset_; }
  std::uint64_t next() const { return next_; }
  std::string_view text() const { return {bytes_.data() + offset_, size_}; }
  bool has_feed() const { return has_feed_; }

 protected:
  void Take(std::uint64_t size, std::uint64_t next) {
    offset_ = next_;
    size_ = size;
    next_ = next;
  }

  std::string_view bytes_;
  std::uint64_t next_;
  std::uint64_t end_;
  std::uint64_t offset_ = 0;
  std::uint64_t size_ = 0;
  bool has_feed_ = false;
};

// A LineCursor for walking over all lines. Most of these contain only numbers,
// which are parsed many lines at a time.
class NumberCursor : public LineCursor {
 public:
  using LineCursor::LineCursor;

  // False at the end.
  bool Next() {
    if (line_ == lines_.count && !Scan()) return OtherLine();
    const UintLines::Line& line = lines_.lines[line_++];
    const std::uint64_t next = begin_ + line.end;
    Take(next - 1 - next_, next);
    has_feed_ = true;
    numbers_ = {lines_.numbers.data() + number_, line.numbers - number_};
    number_ = line.numbers;
    return true;
  }
  // All numbers of the array on this line; empty if the line is anything else.
  // Valid until the next line.
  std::span<const std::uint64_t> numbers() const { return numbers_; }

 private:
  bool Scan() {
    begin_ = next_;
    line_ = number_ = 0;
    lines_.count = 0;
    // Lines that are objects often come in a row.
    if (next_ < end_ && bytes_[next_] == '[')
      ScanUintLines(bytes_.substr(next_, end_ - next_), &lines_);
    return lines_.count > 0;
  }
  bool OtherLine() {
    numbers_ = {};
    return LineCursor::Next();
  }

  UintLines lines_;
  std::uint64_t begin_ = 0;  // of lines_, in the file
  std::size_t line_ = 0;     // index of the next line in lines_
  std::size_t number_ = 0;   // index of its first number in lines_
  std::span<const std::uint64_t> numbers_;
};

}  // namespace heapglot::draft

#endif  // HEAPGLOT_CORE_DRAFT_DRAFT_CURSOR_H_
