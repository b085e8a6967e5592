// Gives back the pages of an input that a reader has left behind.
#ifndef HEAPGLOT_CORE_BYTES_TRAIL_H_
#define HEAPGLOT_CORE_BYTES_TRAIL_H_

#include <cstdint>

#include "heapglot/bytes.h"

namespace heapglot {

// One place in the input that moves forward. A reader with several such places
// has a trail for each. Without it a mapped input counts as resident memory as
// a whole.
class Trail {
 public:
  explicit Trail(const ByteSource& source, std::uint64_t begin = 0)
      : source_(&source), released_(begin), at_(begin) {}
  Trail(const Trail&) = default;
  Trail& operator=(const Trail&) = default;
  // The place is left for good: what it last used adds up over all places.
  ~Trail() {
    if (released_ < at_) source_->Release(released_, at_);
  }

  // Nothing before `offset` will be needed soon.
  void Advance(std::uint64_t offset) {
    at_ = offset;
    if (offset < released_ + kStep) return;
    source_->Release(released_, offset);
    released_ = offset;
  }

 private:
  // A system call is not worth it for less.
  static constexpr std::uint64_t kStep = std::uint64_t{1} << 19;

  const ByteSource* source_;
  std::uint64_t released_;
  std::uint64_t at_;
};

// Places in the input that are looked at out of turn, here and there: what they
// use is given back, all at once, when it may have become much.
class Strays {
 public:
  explicit Strays(const ByteSource& source) : source_(&source) {}

  // One more was looked at.
  void Note() {
    if (++places_ % kPlaces == 0) source_->Release(0, source_->bytes().size());
  }

 private:
  // The kernel maps up to 64 KiB around a page that is touched: 16 MiB.
  static constexpr std::uint64_t kPlaces = 256;

  const ByteSource* source_;
  std::uint64_t places_ = 0;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_BYTES_TRAIL_H_
