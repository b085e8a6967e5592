#include "readers/netcf/netcf_text.h"

#include <algorithm>

#include "core/text/utf.h"

namespace heapglot::netcf {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{256} << 10;

// The number of bytes up to and including the last line end; 0 if there is
// none. A CR at the very end may be half of a line end.
std::size_t CutAtLine(std::string_view bytes, Encoding encoding) {
  for (std::size_t at = bytes.size(); at >= 2; at -= 2) {
    const unsigned unit = UnitAt(bytes.data() + at - 2, encoding);
    if (unit == '\n' || (unit == '\r' && at != bytes.size())) return at;
  }
  return 0;
}

// How many UTF-16 units a text of generalized UTF-8 was made from.
std::uint64_t CountUnits(const char* p, const char* end) {
  std::uint64_t units = 0;
  while (p != end) units += DecodeWtf8(p, end) >= 0x10000 ? 2 : 1;
  return units;
}

}  // namespace

Text::Text(const ByteSource& source, const TextForm& form,
           std::uint64_t max_text)
    : source_(&source),
      base_(source.bytes().data()),
      form_(form),
      max_text_(max_text),
      is_direct_(form.encoding == Encoding::kUtf8),
      trail_(source) {
  Seek({.line = 1, .offset = form.begin});
}

void Text::Seek(const Place& place) {
  if (IsInBlock(place)) return SeekInBlock(place.line);
  p_ = end_ = block_ = nullptr;
  line_ = place.line;
  next_offset_ = place.offset;
  trail_ = Trail(*source_, place.offset);
}

bool Text::IsInBlock(const Place& place) const {
  return !is_direct_ && block_ != nullptr && status_.ok() &&
         place.offset >= block_offset_ && place.offset < next_offset_;
}

// Domains follow each other, and each is sought twice, so the line is here, or
// ahead, or where we last went.
void Text::SeekInBlock(std::uint64_t line) {
  if (line < line_) {
    const bool is_behind_mark = line >= mark_line_;
    p_ = is_behind_mark ? mark_ : block_;
    line_ = is_behind_mark ? mark_line_ : block_line_;
  }
  while (line_ < line && HasLine()) Advance(LineEnd(p_));
  mark_ = p_;
  mark_line_ = line_;
}

bool Text::NextBlock() {
  if (!status_.ok() || next_offset_ >= form_.end) return false;
  block_offset_ = next_offset_;
  block_line_ = line_;
  const std::string_view rest =
      source_->bytes().substr(block_offset_, form_.end - block_offset_);
  if (is_direct_) {
    block_ = p_ = rest.data();
    end_ = p_ + rest.size();
    next_offset_ = form_.end;
    return true;
  }
  trail_.Advance(block_offset_);
  for (std::size_t size = kBlockBytes;; size *= 2) {
    if (ConvertBlock(rest, size)) return true;
    if (size > max_text_) {
      status_ = {Code::kLimit,
                 "a line of more than --max-string bytes",
                 {.byte = block_offset_, .line = line_, .column = 1}};
      return false;
    }
  }
}

// Makes a block of the lines that end in the next `size` bytes; false if none
// does.
bool Text::ConvertBlock(std::string_view rest, std::size_t size) {
  std::string_view bytes = rest.substr(0, size);
  if (size < rest.size())
    bytes = bytes.substr(0, CutAtLine(bytes, form_.encoding));
  if (bytes.empty()) return false;
  next_offset_ = block_offset_ + bytes.size();
  if (form_.encoding == Encoding::kUtf16Be) {
    swapped_ = bytes;
    for (std::size_t i = 0; i + 1 < swapped_.size(); i += 2)
      std::swap(swapped_[i], swapped_[i + 1]);
    bytes = swapped_;
  }
  converted_.clear();
  (void)AppendUtf16Le(bytes, &converted_);
  block_ = p_ = mark_ = counted_ = converted_.data();
  mark_line_ = line_;
  counted_offset_ = block_offset_;
  end_ = p_ + converted_.size();
  return true;
}

const char* Text::TextEnd(const char* from) {
  const char* const end = LineEnd(from);
  if (!IsTooLong(from, end)) return end;
  status_ = {Code::kLimit, "a text of more than --max-string bytes", At(from)};
  return end_ = end;
}

const char* Text::FindEnd(const char* from) {
  // In steps, so that a long line that nobody needs is given back on the way.
  constexpr std::ptrdiff_t kStep = std::ptrdiff_t{1} << 20;
  for (const char* p = from;;) {
    const char* const step = p + std::min(kStep, end_ - p);
    p = FindLineEnd(p, step);
    if (p != step || p == end_) return p;
    if (from != p_ || IsTooLong(from, p)) Release(p);
  }
}

void Text::AdvanceSlowly(const char* line_end) {
  p_ = line_end;
  if (p_ == end_) return;
  ++p_;
  if (p_ != end_ && *p_ == '\n') {
    ++line_ends_.crlf;
    ++p_;
  } else {
    ++line_ends_.cr;
  }
}

Text::Place Text::place() {
  if (is_direct_) return {line_, OffsetOf(p_)};
  // Lines are requested in order, so none is counted twice.
  if (p_ < counted_) {
    counted_ = block_;
    counted_offset_ = block_offset_;
  }
  counted_offset_ += 2 * CountUnits(counted_, p_);
  counted_ = p_;
  return {line_, counted_offset_};
}

std::uint64_t Text::OffsetOf(const char* p) const {
  if (is_direct_) return static_cast<std::uint64_t>(p - base_);
  return block_offset_ + 2 * CountUnits(block_, p);
}

Where Text::At(const char* p) const {
  return {.byte = OffsetOf(p),
          .line = line_,
          .column = static_cast<std::uint64_t>(p - p_) + 1};
}

}  // namespace heapglot::netcf
