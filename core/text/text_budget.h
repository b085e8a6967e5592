// Bounds what texts take that stand in many places.
#ifndef HEAPGLOT_CORE_TEXT_TEXT_BUDGET_H_
#define HEAPGLOT_CORE_TEXT_TEXT_BUDGET_H_

#include <cstdint>

namespace heapglot {

// For a format that has a text wherever it is meant, so that a small file with a
// long text would become one of any size. Texts may take their own bytes once, and
// kRepeated more; from then on a long one is to be cut or refused.
class TextBudget {
 public:
  static constexpr std::uint64_t kRepeated = std::uint64_t{256} << 20;
  static constexpr std::uint64_t kLong = 128;  // bytes of UTF-8

  // There are texts of so many bytes, or more of them.
  void Add(std::uint64_t size) { left_ += size; }
  // Takes so many bytes from what is left. False if that is too little, and the
  // text is a long one.
  bool Take(std::uint64_t size) {
    if (size > left_) return size <= kLong;
    left_ -= size;
    return true;
  }

 private:
  std::uint64_t left_ = kRepeated;  // bytes of UTF-8
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TEXT_TEXT_BUDGET_H_
