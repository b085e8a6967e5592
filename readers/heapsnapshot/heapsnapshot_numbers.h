// The integers of a flat JSON array: nearly all that a heap snapshot is.
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
  // It does not look like one: "1.0", "1e3", "-0".
  bool is_odd = false;
};
// Reads any JSON number that is an integer of 64 bits, and moves `*p` behind it.
// False: there is none, and `*p` is where the trouble is. Ends before `end`.
bool ScanInteger(const char** p, const char* end, Integer* out);

// Goes over the numbers of an array, a block at a time.
class NumberCursor {
 public:
  // `array` is the part of `bytes` from "[" to a "]" behind it, of which the
  // first one is the array's end; `what` names it in messages, and must outlive
  // this.
  NumberCursor(std::string_view bytes, std::string_view array,
               std::string_view what);

  // Reads up to `max` numbers; fewer only at the end, where it reads none. What
  // block() and the others say holds until the next call.
  // Errors: kMalformed at what is no integer of 64 bits, or no number.
  Status Read(std::size_t max);

  std::span<const std::uint64_t> block() const { return {out_.data(), count_}; }
  // Positions in the block, in order, of the negative numbers, and of those that
  // do not look like integers.
  const std::vector<std::uint32_t>& negative() const { return negative_; }
  const std::vector<std::uint32_t>& odd() const { return odd_; }
  // Takes no time if the positions ascend from call to call.
  bool IsNegative(std::size_t position) const;
  // Where the number at `position` of the block is, found by looking for it.
  std::uint64_t OffsetOf(std::size_t position) const;
  // Where the next number is, or what is left of the array: once there is no
  // more to read, its "]".
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
  mutable std::size_t next_negative_ = 0;  // not before what was asked for last
  std::vector<std::uint32_t> odd_;
};

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_NUMBERS_H_
