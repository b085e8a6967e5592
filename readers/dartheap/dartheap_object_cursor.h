// Reads objects one after another, faster than number by number.
#ifndef HEAPGLOT_READERS_DARTHEAP_DARTHEAP_OBJECT_CURSOR_H_
#define HEAPGLOT_READERS_DARTHEAP_DARTHEAP_OBJECT_CURSOR_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/bytes/take_ulebs.h"
#include "readers/dartheap/dartheap_index.h"
#include "readers/dartheap/dartheap_wire.h"

namespace heapglot::dartheap {

// Moves `in` over objects as ReadObjectHead(), Cursor::Ulebs() and
// Cursor::SkipUlebs() do, and leaves it in the same places and states. Most
// numbers are taken many at a time, ahead of `in`; those that are odd in any
// way are left to `in`, which nothing else may move meanwhile.
class ObjectCursor {
 public:
  // `bytes` and `in`, which reads them, must outlive this. Without
  // `takes_ahead`, all numbers are left to `in`.
  ObjectCursor(std::string_view bytes, Cursor& in,
               bool takes_ahead = TakesUlebsQuickly())
      : bytes_(bytes), in_(in), takes_ahead_(takes_ahead) {}

  const Cursor& in() const { return in_; }
  // Whether TakePlain() can ever succeed.
  bool takes_ahead() const { return takes_ahead_; }

  bool ReadHead(const Index& index, ObjectHead* head) {
    if (left() < kHeadNumbers) Refill();
    const std::uint32_t* const numbers = run_.numbers.data() + at_;
    if (left() < kHeadNumbers || AreOdd(numbers, kHeadNumbers - 1))
        [[unlikely]] {
      at_ = run_.count;
      return ReadObjectHead(in_, index, head);
    }
    *head = {};
    head->class_id = numbers[0];
    head->self_size = numbers[1];
    head->tag = numbers[2];
    if (head->tag <= kTagNull && numbers[3] != UlebRun::kOdd) {
      head->reference_count = numbers[3];
      Pass(kHeadNumbers);
      return true;
    }
    Pass(kHeadNumbers - 1);
    const bool known_tag =
        head->tag <= kTagNull || ReadObjectData(in_, index, head);
    if (known_tag) head->reference_count = in_.Uleb();
    FindPlace();
    return known_tag;
  }

  // An object without a text or the like.
  struct Plain {
    std::uint32_t class_id;
    std::uint32_t self_size;
    std::uint32_t tag;
    // Data of kTagBool, kTagInt, kTagLength. UlebRun::kOdd: it must be read.
    bool has_number;
    std::uint32_t number;
    std::uint32_t reference_count;
    const std::uint32_t* references;  // each may be UlebRun::kOdd
  };
  // Gets the next object if it is plain and all of it has been taken ahead;
  // false otherwise. Does not move; what `*object` refers to is valid until
  // this moves.
  bool TakePlain(Plain* object) {
    for (bool is_new = at_ == 0;; is_new = true) {
      const std::uint32_t* const numbers = run_.numbers.data() + at_;
      if (left() >= kHeadNumbers) {
        const std::uint32_t tag = numbers[2];
        if (tag > kTagLength || (kPlainTags >> tag & 1) == 0) return false;
        const std::size_t data = kNumberTags >> tag & 1;
        const std::size_t head = kHeadNumbers + data;
        const std::uint32_t count = numbers[head - 1];
        if (left() >= head && count <= left() - head) [[likely]] {
          *object = {numbers[0],        numbers[1], tag,           data != 0,
                     numbers[head - 2], count,      numbers + head};
          return !AreOdd(numbers, 2);
        }
      }
      if (is_new) return false;
      Refill();
    }
  }
  void Pass(const Plain& object) {
    Pass(kHeadNumbers + (object.has_number ? 1 : 0) + object.reference_count);
  }
  // A cursor at the number of the object that TakePlain() got last.
  Cursor AtNumber() const {
    return Cursor(bytes_, run_offset_ + run_.ends[at_ + kHeadNumbers - 2]);
  }

  // Whether all of `numbers` are from 1 to `most`, and none is odd.
  static bool AreWithin(const std::uint32_t* numbers, std::size_t count,
                        std::uint64_t most) {
    const auto limit = static_cast<std::uint32_t>(
        std::min(most, std::uint64_t{UlebRun::kOdd - 1}));
    bool are_within = true;
    for (std::size_t i = 0; i < count; ++i)
      are_within &= numbers[i] - 1 < limit;
    return are_within;
  }

  // How much may be written behind what ReadReferences() reads.
  static constexpr std::size_t kBeyond = 3;
  // Reads the next `count` references of the object. `out` must have room for
  // kBeyond more.
  void ReadReferences(std::uint64_t* out, std::size_t count) {
    while (count > left()) [[unlikely]] {
        const std::size_t some = left();
        Copy(out, some);
        out += some;
        count -= some;
        Refill();
        if (left() > 0) continue;
        in_.Ulebs(out, count);
        return;
      }
    Copy(out, count);
  }

  // Skips all references of the object.
  void SkipReferences(std::uint64_t count) {
    if (count <= left()) [[likely]]
      return Pass(count);
    in_.SkipUlebs(count);
    at_ = run_.count;
  }

 private:
  // Class id, size, tag, and count of references.
  static constexpr std::size_t kHeadNumbers = 4;
  // Tags, one bit each: those followed by a number, and those followed by a
  // number or nothing.
  static constexpr unsigned kNumberTags =
      1U << kTagBool | 1U << kTagInt | 1U << kTagLength;
  static constexpr unsigned kPlainTags =
      1U << kTagNone | 1U << kTagNull | kNumberTags;

  static bool AreOdd(const std::uint32_t* numbers, std::size_t count) {
    bool are_odd = false;
    for (std::size_t i = 0; i < count; ++i)
      are_odd |= numbers[i] == UlebRun::kOdd;
    return are_odd;
  }

  std::size_t left() const { return run_.count - at_; }

  void Pass(std::uint64_t count) {
    if (count == 0) return;
    at_ += count;
    in_.MoveTo(run_offset_ + run_.ends[at_ - 1]);
  }

  // Copies `count` numbers, which must have been taken.
  void Copy(std::uint64_t* out, std::size_t count) {
    const std::uint32_t* const numbers = run_.numbers.data() + at_;
    bool are_odd = false;
    // Four at a time: most objects have no more.
    for (std::size_t i = 0; i < count; i += kBeyond + 1) {
      for (std::size_t k = i; k <= i + kBeyond; ++k) {
        out[k] = numbers[k];
        are_odd |= numbers[k] == UlebRun::kOdd;
      }
    }
    // The odd number may also be one behind them.
    if (are_odd) [[unlikely]] {
      in_.Ulebs(out, count);
      at_ += count;
      return;
    }
    Pass(count);
  }

  // Takes numbers ahead from where `in` is.
  void Refill();
  // Sets at_ to the place of `in`, which has moved on its own from at_ on.
  void FindPlace();

  std::string_view bytes_;
  Cursor& in_;
  const bool takes_ahead_;
  UlebRun run_;
  std::uint64_t run_offset_ = 0;  // of its first number
  // The number that `in` is at, unless `in` is behind all of them.
  std::size_t at_ = 0;
};

}  // namespace heapglot::dartheap

#endif  // HEAPGLOT_READERS_DARTHEAP_DARTHEAP_OBJECT_CURSOR_H_
