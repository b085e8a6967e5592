// A buffer for bytes that are written and thrown away again and again.
#ifndef HEAPGLOT_CORE_IR_BYTE_BUFFER_H_
#define HEAPGLOT_CORE_IR_BYTE_BUFFER_H_

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>

namespace heapglot {

// Like std::string, but new bytes are not filled with zeros. Keeps its memory
// until it is destroyed.
class ByteBuffer {
 public:
  std::size_t size() const { return size_; }
  char* data() { return bytes_.get(); }
  std::string_view view() const { return {bytes_.get(), size_}; }

  void Clear() { size_ = 0; }

  // Adds `size` bytes of any content. The address is valid until the next
  // addition.
  char* Grow(std::size_t size) {
    if (capacity_ - size_ < size)
      Reallocate(std::max(size_ + size, 2 * capacity_));
    char* const begin = bytes_.get() + size_;
    size_ += size;
    return begin;
  }
  void Append(std::string_view bytes) {
    if (!bytes.empty())
      std::memcpy(Grow(bytes.size()), bytes.data(), bytes.size());
  }
  // Makes room for `size` bytes that are added next, and for little more.
  void Reserve(std::size_t size) {
    // Grow by a fraction of the capacity: many such additions may follow.
    if (capacity_ - size_ < size)
      Reallocate(std::max(size_ + size, capacity_ + capacity_ / 4));
  }
  // Removes everything after the first `size` bytes.
  void Shrink(std::size_t size) { size_ = size; }
  // Inserts bytes at `offset`.
  void Insert(std::size_t offset, std::string_view bytes) {
    const std::size_t moved = size_ - offset;
    Grow(bytes.size());
    char* const at = bytes_.get() + offset;
    std::memmove(at + bytes.size(), at, moved);
    std::memcpy(at, bytes.data(), bytes.size());
  }

 private:
  void Reallocate(std::size_t capacity) {
    auto bytes = std::make_unique_for_overwrite<char[]>(capacity);
    if (size_ != 0) std::memcpy(bytes.get(), bytes_.get(), size_);
    bytes_ = std::move(bytes);
    capacity_ = capacity;
  }

  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_IR_BYTE_BUFFER_H_
