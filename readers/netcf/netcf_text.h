// The lines of a log as UTF-8, whatever its encoding and line ends are.
#ifndef HEAPGLOT_READERS_NETCF_NETCF_TEXT_H_
#define HEAPGLOT_READERS_NETCF_NETCF_TEXT_H_

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "core/bytes/trail.h"
#include "heapglot/bytes.h"
#include "heapglot/status.h"
#include "readers/netcf/netcf_wire.h"

namespace heapglot::netcf {

// Lines between two calls of Context::Proceed().
inline constexpr std::uint64_t kProgressLines = 1 << 16;

// The first '\n' or '\r', or `end`.
inline const char* FindLineEnd(const char* p, const char* end) {
  constexpr std::uint64_t kOnes = 0x0101'0101'0101'0101;
  constexpr std::uint64_t kTops = kOnes << 7;
  for (; end - p >= 8; p += 8) {
    std::uint64_t bytes;
    std::memcpy(&bytes, p, sizeof bytes);
    const std::uint64_t lf = bytes ^ (kOnes * '\n');
    const std::uint64_t cr = bytes ^ (kOnes * '\r');
    // A byte that is 0 gets its top bit set; others above the first one may,
    // too.
    if ((((lf - kOnes) & ~lf) | ((cr - kOnes) & ~cr)) & kTops) break;
  }
  while (p != end && *p != '\n' && *p != '\r') ++p;
  return p;
}

// Iterates over the lines of a log. A UTF-8 log is read in place; UTF-16 is
// converted, a block of whole lines at a time.
//
// Memory: for UTF-16, the block: 512 KiB, or the longest line.
class Text {
 public:
  // Where a line begins.
  struct Place {
    std::uint64_t line = 1;
    std::uint64_t offset = 0;  // bytes of the source
  };
  struct LineEnds {
    std::uint64_t lf = 0;
    std::uint64_t crlf = 0;
    std::uint64_t cr = 0;
  };

  // `max_text` is in bytes; no line of UTF-16 may have many more. `source` must
  // outlive this.
  Text(const ByteSource& source, const TextForm& form, std::uint64_t max_text);

  // Goes to a line that place() returned before. The current block is not
  // converted again if it has the line.
  void Seek(const Place& place);

  // Whether there is a line at p(). Errors end the text: ask status().
  bool HasLine() { return p_ != end_ || NextBlock(); }
  const Status& status() const { return status_; }

  // The line, and the end of its block; a line never extends beyond end().
  const char* p() const { return p_; }
  const char* end() const { return end_; }
  // End of the line, looked for from `from`. Nothing before `from` is needed
  // any more.
  const char* LineEnd(const char* from) {
    return from != end_ && *from == '\n' ? from : FindEnd(from);
  }
  // The same for one who keeps what is between them. Errors: kLimit, by status(),
  // if that is too long; then the text ends with what is returned.
  const char* TextEnd(const char* from);
  // Goes to the line after the one that ends at `line_end`.
  void Advance(const char* line_end) {
    if (line_end != end_ && *line_end == '\n') [[likely]] {
      ++line_ends_.lf;
      p_ = line_end + 1;
    } else {
      AdvanceSlowly(line_end);
    }
    ++line_;
    Release(p_);
  }
  // The text before `p` is not needed any more; text after it may be, even if
  // it was given back.
  void Release(const char* p) {
    if (is_direct_) trail_.Advance(static_cast<std::uint64_t>(p - base_));
  }

  Place place();
  std::uint64_t line() const { return line_; }
  // Whether p() is in the last line, and that has no line end.
  bool IsLastWithoutEnd(const char* line_end) const {
    return line_end == end_ && next_offset_ >= form_.end;
  }
  const LineEnds& line_ends() const { return line_ends_; }
  // The place of a character of the current line. For UTF-16, this reads all of
  // the block before it.
  Where At(const char* p) const;

 private:
  const char* FindEnd(const char* from);
  bool IsTooLong(const char* from, const char* end) const {
    return static_cast<std::uint64_t>(end - from) > max_text_;
  }
  void AdvanceSlowly(const char* line_end);
  bool IsInBlock(const Place& place) const;
  void SeekInBlock(std::uint64_t line);
  bool NextBlock();
  bool ConvertBlock(std::string_view rest, std::size_t size);
  std::uint64_t OffsetOf(const char* p) const;

  const ByteSource* source_;
  const char* base_;  // of the source
  TextForm form_;
  std::uint64_t max_text_;
  bool is_direct_;
  Trail trail_;
  Status status_;

  const char* p_ = nullptr;
  const char* end_ = nullptr;
  std::uint64_t line_ = 1;
  LineEnds line_ends_;

  // The block.
  const char* block_ = nullptr;
  std::uint64_t block_offset_ = 0;
  std::uint64_t block_line_ = 1;
  std::uint64_t next_offset_ = 0;  // of the block after it
  // The line in it that Seek() went to.
  const char* mark_ = nullptr;
  std::uint64_t mark_line_ = 1;
  // A character whose offset place() knows.
  const char* counted_ = nullptr;
  std::uint64_t counted_offset_ = 0;
  std::string converted_;
  std::string swapped_;
};

}  // namespace heapglot::netcf

#endif  // HEAPGLOT_READERS_NETCF_NETCF_TEXT_H_
