// The integers of a flat JSON array, which make up nearly all of a heap
// snapshot.
#ifndef HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_NUMBERS_H_
#define HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_NUMBERS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "heapglot/status.h"

namespace heapglot::heapsnapshot {

// One number, in two's complement if negative.
struct Integer {
  std::uint64_t value = 0;
  bool is_negative = false;
  // It is not written like an integer: "1.0", "1e3", "-0".
  bool is_odd = false;
};
// Reads any JSON number that is an integer of 64 bits, and moves `*p` past it.
// False: there is none, and `*p` is at the error. Does not read `*end`.
bool ScanInteger(const char** p, const char* end, Integer* out);

// Iterates over the numbers of an array, a block at a time.
class NumberCursor {
 public:
  // `array` is the part of `bytes` from "[" to some "]" after it; the first "]"
  // is the array's end. `what` names it in messages, and must outlive this.
  NumberCursor(std::string_view bytes, std::string_view array,
               std::string_view what);

  // Reads up to `max` numbers; fewer only at the end, where it reads none.
  // block() and the others are valid until the next call.
  // Errors: kMalformed at anything that is not an integer of 64 bits.
  Status Read(std::size_t max);

  std::span<const std::uint64_t> block() const { return {out_.data(), count_}; }
  // Positions in the block, in order, of the negative numbers, and of those
  // that do not look like integers.
  const std::vector<std::uint32_t>& negative() const { return negative_; }
  const std::vector<std::uint32_t>& odd() const { return odd_; }
  // Takes no time if positions ascend from call to call.
  bool IsNegative(std::size_t position) const;
  // The offset of the number at `position` of the block, found by a search.
  std::uint64_t OffsetOf(std::size_t position) const;
  // The offset of the next number, or of the rest of the array: its "]" once
  // there is nothing more to read.
  std::uint64_t offset() const {
    return static_cast<std::uint64_t>(p_ - bytes_.data());
  }

 private:
  // Reads one number of any form. False: there are no more.
  Result<bool> ReadOne();
  void SkipSpace();
  Status Bad(const char* expected) const;

  std::string_view bytes_;
  std::string_view what_;
  const char* p_;
  const char* end_;    // a "]"
  const char* block_;  // where the block begins
  bool is_first_ = true;
  bool is_behind_comma_ = false;  // so that a number must follow
  std::size_t count_ = 0;
  std::vector<std::uint64_t> out_;
  std::vector<std::uint32_t> negative_;
  // Index in negative_ of the first one that is not before the last query.
  mutable std::size_t next_negative_ = 0;
  std::vector<std::uint32_t> odd_;
};

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_NUMBERS_H_
