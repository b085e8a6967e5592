#include "readers/heapsnapshot/heapsnapshot_place.h"

#include <algorithm>
#include <string_view>

#include "core/bytes/trail.h"

namespace heapglot::heapsnapshot {

Where LineFinder::Find(std::uint64_t offset) {
  constexpr std::uint64_t kPiece = std::uint64_t{256} << 10;
  if (offset < at_) {
    at_ = line_begin_ = 0;
    line_ = 1;
  }
  Trail trail(source_, at_);
  const std::string_view bytes = source_.bytes().substr(0, offset);
  while (at_ < bytes.size()) {
    const std::string_view piece = bytes.substr(at_, kPiece);
    const auto lines = std::count(piece.begin(), piece.end(), '\n');
    line_ += static_cast<std::uint64_t>(lines);
    if (lines > 0) line_begin_ = at_ + piece.rfind('\n') + 1;
    at_ += piece.size();
    trail.Advance(at_);
  }
  Where where = Where::Byte(offset);
  where.line = line_;
  where.column = offset - line_begin_ + 1;
  return where;
}

Status InFile(const Status& status, const ByteSource& source) {
  if (status.ok() || !status.where().byte || status.where().line != 0)
    return status;
  return {status.code(), kMessagePrefix + status.message(),
          LineFinder(source).Find(*status.where().byte)};
}

}  // namespace heapglot::heapsnapshot
