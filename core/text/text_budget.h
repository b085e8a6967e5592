// Limits how much repeated texts may take.
#ifndef HEAPGLOT_CORE_TEXT_TEXT_BUDGET_H_
#define HEAPGLOT_CORE_TEXT_TEXT_BUDGET_H_

#include <cstdint>

namespace heapglot {

// For a format that repeats a text wherever it is used, where a small file with
// a long text could become one of any size. Texts may take their own size once,
// and kRepeated bytes more; after that, long ones must be cut or refused.
class TextBudget {
 public:
  static constexpr std::uint64_t kRepeated = std::uint64_t{256} << 20;
  static constexpr std::uint64_t kLong = 128;  // bytes of UTF-8

  // Allows for a text of that size.
  void Add(std::uint64_t size) { left_ += size; }
  // Takes `size` bytes from what is left. False if that is too little and the
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
