#include "core/roundtrip/compare_spool.h"

#include <algorithm>

namespace heapglot {

Status CompareSpool::Write(std::string_view bytes) {
  const std::uint64_t begin = position_;
  position_ += bytes.size();
  if (difference_) return spool_.Write(bytes);
  const std::string_view expected =
      expected_.bytes().substr(begin, bytes.size());
  if (expected == bytes) {
    trail_.Advance(position_);
    return {};
  }
  const auto [here, there] = std::mismatch(bytes.begin(), bytes.end(),
                                           expected.begin(), expected.end());
  const auto same = static_cast<std::uint64_t>(here - bytes.begin());
  HEAPGLOT_RETURN_IF_ERROR(Differ(begin + same));
  return spool_.Write(bytes.substr(same));
}

Status CompareSpool::Close() {
  if (!difference_ && position_ < expected_.bytes().size()) {
    HEAPGLOT_RETURN_IF_ERROR(Differ(position_));
  }
  return spool_.Close();
}

Status CompareSpool::Differ(std::uint64_t offset) {
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
  difference_ = offset;
  const std::string_view same = expected_.bytes().substr(0, offset);
  Trail trail(expected_);
  for (std::uint64_t at = 0; at < same.size(); at += kPiece) {
    HEAPGLOT_RETURN_IF_ERROR(spool_.Write(same.substr(at, kPiece)));
    trail.Advance(at);
  }
  return {};
}

}  // namespace heapglot
