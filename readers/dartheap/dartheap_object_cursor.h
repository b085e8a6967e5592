// Objects one after another, quicker than number by number.
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
// numbers are taken many at a time ahead of it; those that are odd in any way
// are left to `in`, which nothing else may move meanwhile.
class ObjectCursor {
 public:
  // `bytes` and `in`, which goes over them, must outlive this. `takes_ahead`:
  // otherwise all numbers are left to `in`.
  ObjectCursor(std::string_view bytes, Cursor& in,
               bool takes_ahead = TakesUlebsQuickly())
      : bytes_(bytes), in_(in), takes_ahead_(takes_ahead) {}

  const Cursor& in() const { return in_; }
  // Whether PlainObject() may ever have one.
  bool takes_ahead() const { return takes_ahead_; }

  bool ReadHead(const Index& index, ObjectHead* head) {
    if (left() < kHeadNumbers) Refill();
    if (left() < kHeadNumbers) [[unlikely]] {
      at_ = run_.count;
      return ReadObjectHead(in_, index, head);
    }
    *head = {};
    const std::uint32_t* const numbers = run_.numbers.data() + at_;
    head->class_id = numbers[0];
    head->self_size = numbers[1];
    head->tag = numbers[2];
    // Most have no data.
    if (head->tag <= kTagNull) [[likely]] {
      head->reference_count = numbers[3];
      Pass(4);
      return true;
    }
    Pass(3);
    const bool known_tag = ReadObjectData(in_, index, head);
    if (known_tag) head->reference_count = in_.Uleb();
    FindPlace();
    return known_tag;
  }

  // Class id, size, tag, and count of references.
  static constexpr std::size_t kHeadNumbers = 4;
  // The numbers of the next object, which has no data, from its class id to its
  // last reference; none if it has, or they have not all been taken ahead. Stays
  // where it is; they are valid until it moves.
  const std::uint32_t* PlainObject() {
    for (bool is_new = at_ == 0;; is_new = true) {
      const std::uint32_t* const numbers = run_.numbers.data() + at_;
      if (left() >= kHeadNumbers) {
        if (numbers[2] > kTagNull) return nullptr;
        if (numbers[3] <= left() - kHeadNumbers) [[likely]]
          return numbers;
      }
      if (is_new) return nullptr;
      Refill();
    }
  }
  void PassPlainObject() {
    Pass(kHeadNumbers + run_.numbers[at_ + kHeadNumbers - 1]);
  }

  // Whether all of `numbers` are from 1 to `most`.
  static bool AreWithin(const std::uint32_t* numbers, std::size_t count,
                        std::uint64_t most) {
    const auto limit = static_cast<std::uint32_t>(
        std::min(most, std::uint64_t{~std::uint32_t{0}}));
    bool are_within = true;
    for (std::size_t i = 0; i < count; ++i)
      are_within &= numbers[i] - 1 < limit;
    return are_within;
  }

  // What may be written behind what ReadReferences() reads.
  static constexpr std::size_t kBeyond = 3;
  // Reads `count` of the references that are left of the object. There must be
  // room for kBeyond more.
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

  // Passes over all references of the object.
  void SkipReferences(std::uint64_t count) {
    if (count <= left()) [[likely]]
      return Pass(count);
    in_.SkipUlebs(count);
    at_ = run_.count;
  }

 private:
  // Where hardly any number can be taken ahead, as in a heap of so many objects
  // that references are longer, it is tried again only now and then.
  static constexpr std::size_t kFewNumbers = 8;
  static constexpr unsigned kPause = 16;

  std::size_t left() const { return run_.count - at_; }

  void Pass(std::uint64_t count) {
    if (count == 0) return;
    at_ += count;
    in_.MoveTo(run_offset_ + run_.ends[at_ - 1]);
  }

  void Copy(std::uint64_t* out, std::size_t count) {
    const std::uint32_t* const numbers = run_.numbers.data() + at_;
    // Four at a time: most objects have no more.
    for (std::size_t i = 0; i < count; i += kBeyond + 1) {
      for (std::size_t k = i; k <= i + kBeyond; ++k) out[k] = numbers[k];
    }
    Pass(count);
  }

  // Goes on from where `in` is.
  void Refill();
  // `in` has moved by itself from at_ on: makes that the place here.
  void FindPlace();

  std::string_view bytes_;
  Cursor& in_;
  const bool takes_ahead_;
  UlebRun run_;
  std::uint64_t run_offset_ = 0;  // of its first number
  // The number at which `in` is, unless all of them are behind it.
  std::size_t at_ = 0;
  unsigned pause_ = 0;
};

}  // namespace heapglot::dartheap

#endif  // HEAPGLOT_READERS_DARTHEAP_DARTHEAP_OBJECT_CURSOR_H_
