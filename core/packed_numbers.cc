#include "core/packed_numbers.h"

#include <algorithm>
#include <bit>

namespace heapglot {

// The highest line with this step that no number of the block is below.
PackedNumbers::Line PackedNumbers::LineBy(std::uint64_t step) const {
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  for (std::uint64_t i = 0; i < kBlock; ++i) {
    const auto above =
        static_cast<std::int64_t>(block_[i] - block_[0] - i * step);
    lowest = std::min(lowest, above);
    highest = std::max(highest, above);
  }
  const auto low = static_cast<std::uint64_t>(lowest);
  Line line;
  line.base = block_[0] + low;
  line.step = step;
  line.place = static_cast<std::uint64_t>(
      std::bit_width(static_cast<std::uint64_t>(highest) - low));
  return line;
}

void PackedNumbers::Pack() {
  Line line = LineBy(block_[1] - block_[0]);
  // The first step may not be typical, or the numbers may have no step.
  const std::uint64_t mean = (block_[kBlock - 1] - block_[0]) / (kBlock - 1);
  for (const std::uint64_t step : {mean, std::uint64_t{0}}) {
    if (line.bits() == 0) break;
    const Line other = LineBy(step);
    if (other.bits() < line.bits()) line = other;
  }
  line.place |= word_count_ << 7;
  lines_.push_back(line);
  if (line.bits() == 0) return;
  std::uint64_t word = 0;
  std::uint64_t used = 0;
  for (std::uint64_t i = 0; i < kBlock; ++i) {
    const std::uint64_t above = block_[i] - line.base - i * line.step;
    word |= above << used;
    used += line.bits();
    if (used < 64) continue;
    AddWord(word);
    used -= 64;
    word = used == 0 ? 0 : above >> (line.bits() - used);
  }
}

void PackedNumbers::AddWord(std::uint64_t word) {
  if (word_count_ % kPieceWords == 0) {
    words_.emplace_back();
    if (word_count_ != 0) words_.back().reserve(kPieceWords);
  }
  words_.back().push_back(word);
  ++word_count_;
}

}  // namespace heapglot
