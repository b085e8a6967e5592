// Vectors of many megabytes that are read at random.
#ifndef HEAPGLOT_CORE_LARGE_VECTOR_H_
#define HEAPGLOT_CORE_LARGE_VECTOR_H_

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

namespace heapglot {

// Asks for huge pages where there is much: 512 times fewer page faults, and
// nearly no misses of the cache of addresses. Where the system has none,
// nothing happens.
template <typename T>
struct HugePages {
  // NOLINTNEXTLINE(readability-identifier-naming): as containers want it.
  using value_type = T;
  static constexpr std::size_t kPage = std::size_t{2} << 20;

  HugePages() = default;
  template <typename U>
  // NOLINTNEXTLINE(google-explicit-constructor): allocators are made so.
  HugePages(const HugePages<U>&) {}

  static bool IsLarge(std::size_t count) { return count >= kPage / sizeof(T); }

  T* allocate(std::size_t count) {
    if (!IsLarge(count))
      return static_cast<T*>(::operator new(count * sizeof(T)));
    void* const memory =
        ::operator new(count * sizeof(T), std::align_val_t(kPage));
    // Whole ones only: what is behind belongs to others.
    static_cast<void>(
        madvise(memory, count * sizeof(T) / kPage * kPage, MADV_HUGEPAGE));
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    if (IsLarge(count)) {
      ::operator delete(memory, std::align_val_t(kPage));
    } else {
      ::operator delete(memory);
    }
  }
  bool operator==(const HugePages&) const { return true; }
};

template <typename T>
using LargeVector = std::vector<T, HugePages<T>>;

// Of numbers, which are anything until they are written: threads that write a part
// each get the memory for it from the system side by side.
template <typename T>
class LargeArray {
 public:
  static_assert(std::is_trivially_copyable_v<T>);

  explicit LargeArray(std::size_t size)
      : all_(HugePages<T>().allocate(size), size) {}
  ~LargeArray() { HugePages<T>().deallocate(all_.data(), all_.size()); }
  LargeArray(const LargeArray&) = delete;
  LargeArray& operator=(const LargeArray&) = delete;

  std::span<T> all() const { return all_; }

 private:
  const std::span<T> all_;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_LARGE_VECTOR_H_
