// The bytes of a dartheap file. Layout and sources: README.md beside this.
#ifndef HEAPGLOT_READERS_DARTHEAP_DARTHEAP_WIRE_H_
#define HEAPGLOT_READERS_DARTHEAP_DARTHEAP_WIRE_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace heapglot::dartheap {

inline constexpr std::string_view kMagic = "dartheap";

// The Extra section with the bytes that follow the end of a snapshot.
inline constexpr std::string_view kTrailingSection = "dartheap.trailing";

// SnapshotObject.data.tag. The published document gives NameData the number 7
// as well; the VM writes 8.
enum Tag : std::uint64_t {
  kTagNone = 0,
  kTagNull = 1,
  kTagBool = 2,
  kTagInt = 3,
  kTagDouble = 4,
  kTagLatin1 = 5,
  kTagUtf16 = 6,
  kTagLength = 7,
  kTagName = 8,
};

// Classes whose integers are written in a special way: the VM writes the word
// of a _Smi in ULEB128, and the 64 bits of a _Mint in SLEB128.
enum class IntClass : std::uint8_t { kOther, kSmi, kMint };

constexpr IntClass IntClassOf(std::string_view class_name,
                              std::string_view library_uri) {
  if (!library_uri.starts_with("dart:")) return IntClass::kOther;
  if (class_name == "_Smi") return IntClass::kSmi;
  return class_name == "_Mint" ? IntClass::kMint : IntClass::kOther;
}

// The fewest bytes that a record can take. Counts are checked against this.
inline constexpr std::uint64_t kMinClassBytes = 6;
inline constexpr std::uint64_t kMinFieldBytes = 4;
inline constexpr std::uint64_t kMinObjectBytes = 4;
inline constexpr std::uint64_t kMinExternalBytes = 3;

// If the input is too short for a count or length of 2^32 or more, the number
// is wrong; a smaller number may be right and the input truncated.
inline constexpr std::uint64_t kImplausible = std::uint64_t{1} << 32;

// Reads a snapshot front to back, from any place. Errors are sticky: the first
// failure is kept, and everything read after it is 0 or empty, so a parser need
// only check once per record.
class Cursor {
 public:
  enum class Failure { kNone, kTruncated, kOverflow };

  explicit Cursor(std::string_view bytes, std::uint64_t offset = 0)
      : begin_(reinterpret_cast<const std::uint8_t*>(bytes.data())),
        next_(begin_ + offset),
        end_(begin_ + bytes.size()) {}

  bool ok() const { return failure_ == Failure::kNone; }
  Failure failure() const { return failure_; }
  // Offset of the first byte of what could not be read.
  std::uint64_t failure_offset() const { return failure_offset_; }

  std::uint64_t offset() const {
    return static_cast<std::uint64_t>(next_ - begin_);
  }
  // The byte at offset().
  const char* data() const { return reinterpret_cast<const char*>(next_); }
  std::uint64_t left() const {
    return static_cast<std::uint64_t>(end_ - next_);
  }

  // Continues at an offset, which must not be past the end.
  void MoveTo(std::uint64_t offset) { next_ = begin_ + offset; }

  // ULEB128 of at most 64 bits.
  std::uint64_t Uleb() {
    std::uint64_t value;
    return TakeShort(&next_, &value) ? value : UlebSlow();
  }

  // IntegerData. The VM writes SLEB128 for a _Mint and ULEB128 of the word for
  // a _Smi, under the same tag. `prefer_signed` is the VM's choice; a number
  // that does not fit ULEB128 in 64 bits is read as SLEB128 in any case, and
  // *was_signed says how it was read.
  std::uint64_t Integer(bool prefer_signed, bool* was_signed);

  // 8 bytes, little-endian.
  std::uint64_t Fixed64() {
    const std::string_view raw = Raw(8);
    std::uint64_t bits = 0;
    for (std::size_t i = raw.size(); i-- > 0;)
      bits = bits << 8 | static_cast<std::uint8_t>(raw[i]);
    return bits;
  }

  std::string_view Raw(std::uint64_t size) {
    if (size > left()) [[unlikely]] {
      Fail(Failure::kTruncated, next_);
      return {};
    }
    const std::string_view raw(reinterpret_cast<const char*>(next_), size);
    next_ += size;
    return raw;
  }

  // Utf8String: length, bytes.
  std::string_view String() { return Raw(Uleb()); }

  // Reads `count` ULEB128 numbers.
  void Ulebs(std::uint64_t* out, std::size_t count) {
    // Keeps the place in a register.
    const std::uint8_t* next = next_;
    for (std::size_t i = 0; i < count; ++i) {
      if (TakeShort(&next, &out[i])) [[likely]]
        continue;
      next_ = next;
      out[i] = UlebSlow();
      next = next_;
    }
    next_ = next;
  }

  // Skips `count` ULEB128 numbers, with the checks of reading each.
  void CheckUlebs(std::uint64_t count) {
    while (count-- > 0 && ok()) Uleb();
  }

  // The same for numbers that have been checked before, of any length.
  void SkipUlebs(std::uint64_t count) {
    constexpr std::uint64_t kEnds = 0x8080'8080'8080'8080;
    while (count > 0 && end_ - next_ >= 8) {
      // One bit for each byte that ends a number.
      std::uint64_t bytes;
      std::memcpy(&bytes, next_, sizeof bytes);
      std::uint64_t ends = ~bytes & kEnds;
      const std::uint64_t numbers = (ends >> 7) * 0x0101'0101'0101'0101 >> 56;
      if (numbers < count) {
        count -= numbers;
        next_ += 8;
        continue;
      }
      for (; count > 1; --count) ends &= ends - 1;
      next_ += std::countr_zero(ends) / 8 + 1;
      return;
    }
    CheckUlebs(count);
  }

  // The number of numbers that are longer than necessary, and the first one's
  // offset.
  std::uint64_t padded() const { return padded_; }
  std::uint64_t first_padded() const { return first_padded_; }

 private:
  // Takes a number of up to four bytes, which suffice for references in a heap
  // of up to 268 M objects. Padded numbers, which end in 0, are left to
  // UlebSlow().
  // False, and nothing is taken, if it is any other number.
  bool TakeShort(const std::uint8_t** next, std::uint64_t* value) const {
    const std::uint8_t* const at = *next;
    if (end_ - at < 4) [[unlikely]]
      return false;
    const std::uint32_t a = at[0];
    if (a < 0x80) {
      *value = a;
      *next = at + 1;
      return true;
    }
    const std::uint32_t b = at[1];
    if (b < 0x80 && b != 0) {
      *value = (a & 0x7f) | b << 7;
      *next = at + 2;
      return true;
    }
    const std::uint32_t c = at[2];
    if (b < 0x80) [[unlikely]]
      return false;
    if (c < 0x80 && c != 0) {
      *value = (a & 0x7f) | (b & 0x7f) << 7 | c << 14;
      *next = at + 3;
      return true;
    }
    const std::uint32_t d = at[3];
    if (c < 0x80 || d >= 0x80 || d == 0) [[unlikely]]
      return false;
    *value = (a & 0x7f) | (b & 0x7f) << 7 | (c & 0x7f) << 14 | d << 21;
    *next = at + 4;
    return true;
  }
  std::uint64_t UlebSlow();
  void Fail(Failure failure, const std::uint8_t* at);
  void NotePadding(const std::uint8_t* at) {
    if (padded_++ == 0) first_padded_ = static_cast<std::uint64_t>(at - begin_);
  }

  const std::uint8_t* begin_;
  const std::uint8_t* next_;
  const std::uint8_t* end_;
  Failure failure_ = Failure::kNone;
  std::uint64_t failure_offset_ = 0;
  std::uint64_t padded_ = 0;
  std::uint64_t first_padded_ = 0;
};

}  // namespace heapglot::dartheap

#endif  // HEAPGLOT_READERS_DARTHEAP_DARTHEAP_WIRE_H_
