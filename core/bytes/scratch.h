// Working memory for tables that may be larger than memory.
#ifndef HEAPGLOT_CORE_BYTES_SCRATCH_H_
#define HEAPGLOT_CORE_BYTES_SCRATCH_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "core/bytes/mapping.h"
#include "heapglot/status.h"

namespace heapglot {

// A block of zeros for reading and writing: in memory up to kInMemory bytes,
// otherwise in an unlinked temporary file that is mapped. The pages in use
// count as memory of the process until they are released.
class Scratch {
 public:
  static constexpr std::uint64_t kInMemory = std::uint64_t{16} << 20;

  // An empty block.
  Scratch() = default;

  // Takes all of the disk space at once, so that no access can fail later.
  // Errors: kLimit if memory or the address space runs out; kOutput if the
  // temporary file cannot be made that large.
  static Result<Scratch> Create(std::uint64_t bytes);

  std::uint64_t size() const { return size_; }

  // The block as a table, without bytes at the end that are not a whole row.
  // Valid as long as this object, or the one it was moved to.
  template <typename T>
  std::span<T> As() const {
    static_assert(std::is_trivially_copyable_v<T> &&
                  alignof(T) <= alignof(std::max_align_t));
    return {reinterpret_cast<T*>(mapping_.data()), size_ / sizeof(T)};
  }

  // The bytes from `begin` up to `end` will not be needed soon. They keep their
  // content.
  void Release(std::uint64_t begin, std::uint64_t end) const {
    if (size_ > kInMemory) mapping_.Release(begin, end);
  }

 private:
  Mapping mapping_;
  std::size_t size_ = 0;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_BYTES_SCRATCH_H_
