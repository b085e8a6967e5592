// Releases the pages of an input that a reader has left behind, and fetches
// those that it is coming to.
#ifndef HEAPGLOT_CORE_BYTES_TRAIL_H_
#define HEAPGLOT_CORE_BYTES_TRAIL_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "heapglot/bytes.h"

namespace heapglot {

// One place in the input that moves forward, and sometimes back. A reader with
// several such places has a trail for each. Without it, a mapped input counts
// as resident memory as a whole.
class Trail {
 public:
  // Less than `step` bytes are not worth a system call.
  explicit Trail(const ByteSource& source, std::uint64_t begin = 0,
                 std::uint64_t step = kStep)
      : source_(&source), step_(step), released_(begin), at_(begin) {}
  Trail(const Trail&) = default;
  Trail& operator=(const Trail&) = default;
  // Releases what was used last, which would add up over all such places.
  ~Trail() {
    const std::uint64_t end = std::max(at_, fetched_);
    if (released_ < end) source_->Release(released_, end);
  }

  // Nothing before `offset` will be needed soon. If `offset` is before the
  // current place, what is between the two will be used once more.
  void Advance(std::uint64_t offset) {
    if (offset < at_) released_ = std::min(released_, offset);
    at_ = offset;
    if (offset < released_ + step_) return;
    source_->Release(released_, offset);
    // Not if the reader leaps.
    if (offset < released_ + 2 * step_) {
      fetched_ = offset + step_;
      source_->Fetch(offset, fetched_);
    }
    released_ = offset;
  }

 private:
  static constexpr std::uint64_t kStep = std::uint64_t{1} << 19;

  const ByteSource* source_;
  std::uint64_t step_;
  std::uint64_t released_;
  std::uint64_t at_;
  std::uint64_t fetched_ = 0;  // the end of what was fetched
};

// Places in the input that are read out of turn, here and there: what they use
// is released, all at once, when it may have become much.
// Memory: a bit for each 64 KiB of the input.
class Strays {
 public:
  explicit Strays(const ByteSource& source) : source_(source) {}
  Strays(const Strays&) = delete;
  Strays& operator=(const Strays&) = delete;
  ~Strays() {
    if (count_ > 0) GiveBack();
  }

  // What is at `offset`, which must be in the input, was looked at.
  void Note(std::uint64_t offset) {
    const std::uint64_t block = offset / kBlock;
    if (block == last_) return;
    last_ = block;
    if (touched_.empty()) touched_.resize(source_.bytes().size() / kBlock + 1);
    if (touched_[block]) return;
    touched_[block] = true;
    if (++count_ < kMaxBlocks) return;
    GiveBack();
    touched_.assign(touched_.size(), false);
    count_ = 0;
  }

 private:
  void GiveBack() const { source_.Release(0, source_.bytes().size()); }

  // The kernel maps up to this much around a page that is touched, or the whole
  // folio, of up to 2 MiB, that holds it in the page cache: 0.5 MiB in all, or
  // 16.
  static constexpr std::uint64_t kBlock = std::uint64_t{64} << 10;
  static constexpr std::uint64_t kMaxBlocks = 8;

  const ByteSource& source_;
  std::vector<bool> touched_;  // by block
  std::uint64_t count_ = 0;    // of those touched
  std::uint64_t last_ = ~std::uint64_t{0};
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_BYTES_TRAIL_H_
