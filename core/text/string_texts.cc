#include "core/text/string_texts.h"

#include <algorithm>

#include "core/text/utf.h"

namespace heapglot {

void StringTexts::Add(const pb::Strings& strings) {
  const std::string_view data = strings.data();
  std::size_t begin = 0;
  std::uint64_t index = strings.first();
  for (const std::uint32_t length : strings.length()) {
    const std::string_view text = data.substr(begin, length);
    begin += length;
    if (!continued_) {
      if (runs_.empty() || index != next_)
        runs_.push_back({index, ends_.size()});
      ends_.push_back(blob_.size());
      next_ = ++index;
    } else {
      ++index;
    }
    continued_ = false;
    const std::size_t row_begin =
        ends_.size() > 1 ? ends_[ends_.size() - 2] : 0;
    const std::size_t room = max_bytes_ - (blob_.size() - row_begin);
    blob_.append(text.substr(0, CutAtCodePoint(text, room)));
    ends_.back() = blob_.size();
  }
  continued_ = strings.continued();
}

void StringTexts::Clear() {
  blob_.clear();
  ends_.clear();
  runs_.clear();
  next_ = 0;
}

std::string_view StringTexts::Find(std::uint64_t index) const {
  const auto after = std::upper_bound(
      runs_.begin(), runs_.end(), index,
      [](std::uint64_t wanted, const Run& run) { return wanted < run.first; });
  if (after == runs_.begin()) return {};
  const Run& run = *(after - 1);
  const std::size_t row = run.first_row + (index - run.first);
  const std::size_t end_row =
      after == runs_.end() ? ends_.size() : after->first_row;
  if (row >= end_row) return {};
  const std::size_t begin = row > 0 ? ends_[row - 1] : 0;
  return std::string_view(blob_).substr(begin, ends_[row] - begin);
}

}  // namespace heapglot
