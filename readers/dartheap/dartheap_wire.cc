#include "readers/dartheap/dartheap_wire.h"

namespace heapglot::dartheap {
namespace {

// A 64-bit number takes at most ten groups of seven bits.
constexpr int kMaxLebBytes = 10;

}  // namespace

void Cursor::Fail(Failure failure, const std::uint8_t* at) {
  if (failure_ != Failure::kNone) return;
  failure_ = failure;
  failure_offset_ = static_cast<std::uint64_t>(at - begin_);
  next_ = end_;
}

std::uint64_t Cursor::UlebSlow() {
  const std::uint8_t* const start = next_;
  std::uint64_t value = 0;
  for (int i = 0; i < kMaxLebBytes; ++i) {
    if (next_ == end_) {
      Fail(Failure::kTruncated, start);
      return 0;
    }
    const std::uint8_t byte = *next_++;
    value |= std::uint64_t{byte & 0x7fu} << (7 * i);
    if (byte >= 0x80) continue;
    if (i == kMaxLebBytes - 1 && byte > 1) break;
    if (byte == 0 && i > 0) NotePadding(start);
    return value;
  }
  Fail(Failure::kOverflow, start);
  return 0;
}

std::uint64_t Cursor::Integer(bool prefer_signed, bool* was_signed) {
  const std::uint8_t* const start = next_;
  std::uint64_t value = 0;
  *was_signed = prefer_signed;
  for (int i = 0; i < kMaxLebBytes; ++i) {
    if (next_ == end_) {
      Fail(Failure::kTruncated, start);
      return 0;
    }
    const std::uint8_t byte = *next_++;
    value |= std::uint64_t{byte & 0x7fu} << (7 * i);
    if (byte >= 0x80) continue;
    if (i == kMaxLebBytes - 1) {
      // Bit 63 is the lowest of the last group; the rest must repeat it in
      // SLEB128 and be clear in ULEB128.
      if (byte == 0x7f)
        *was_signed = true;
      else if (byte == 1)
        *was_signed = false;
      else if (byte != 0)
        break;
      return value;
    }
    if (*was_signed && i > 0 && byte == 0x7f && (next_[-2] & 0x40) != 0) {
      // SLEB128 would have ended a byte earlier: DevTools' exports have every
      // integer in ULEB128.
      *was_signed = false;
    }
    if (byte == 0 && i > 0 && (!*was_signed || (next_[-2] & 0x40) == 0))
      NotePadding(start);
    if (*was_signed && (byte & 0x40) != 0)
      value |= ~std::uint64_t{0} << (7 * (i + 1));
    return value;
  }
  Fail(Failure::kOverflow, start);
  return 0;
}

}  // namespace heapglot::dartheap
