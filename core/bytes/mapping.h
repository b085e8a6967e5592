// Pages of memory or of a file.
#ifndef HEAPGLOT_CORE_BYTES_MAPPING_H_
#define HEAPGLOT_CORE_BYTES_MAPPING_H_

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace heapglot {

// Maps all pages of `bytes`, if those are of a file. Kernels before Linux 5.14 do
// not know how.
inline void MapAll(std::string_view bytes) {
#ifdef MADV_POPULATE_READ
  static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t before =
      reinterpret_cast<std::uintptr_t>(bytes.data()) % page;
  (void)madvise(const_cast<char*>(bytes.data()) - before, bytes.size() + before,
                MADV_POPULATE_READ);
#else
  (void)bytes;
#endif
}

// Pages that go away with the object. What makes one answers with one that is
// not ok(), and errno, if it fails; so does any for a size of 0.
class Mapping {
 public:
  Mapping() = default;
  Mapping(Mapping&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        is_file_(other.is_file_) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(is_file_, other.is_file_);
    return *this;
  }
  ~Mapping() {
    if (data_ != nullptr) munmap(data_, size_);
  }

  // A file to be read, mostly from its start to its end.
  static Mapping OfFile(int fd, std::size_t size) {
    Mapping mapping(mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0), size,
                    true);
    if (!mapping.ok()) return mapping;
    madvise(mapping.data_, size, MADV_SEQUENTIAL);
    // Where the page cache holds the file in huge pages, a place in it would
    // take up to 4 MiB. Not known to all kernels.
    (void)madvise(mapping.data_, size, MADV_NOHUGEPAGE);
    return mapping;
  }
  // A file to be read and written. It must have that size already.
  static Mapping OfWritableFile(int fd, std::size_t size) {
    constexpr int kAccess = PROT_READ | PROT_WRITE;
    return {mmap(nullptr, size, kAccess, MAP_SHARED, fd, 0), size, true};
  }
  // Zeros to be read and written.
  static Mapping OfMemory(std::size_t size) {
    constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    return {mmap(nullptr, size, PROT_READ | PROT_WRITE, kFlags, -1, 0), size,
            false};
  }

  bool ok() const { return data_ != nullptr; }
  char* data() const { return static_cast<char*>(data_); }
  std::size_t size() const { return size_; }

  // Takes the whole pages among the bytes from `begin` up to `end` out of this
  // process, so that they no longer count as its memory; of a file also some
  // before them. Pages of a file come again when they are used, as they were;
  // those of memory are zeros then.
  void Release(std::uint64_t begin, std::uint64_t end) const {
    static const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    end = std::min<std::uint64_t>(end, size_);
    // An access right behind `begin` maps all of a folio that the page cache
    // holds in one piece, also what had been released before.
    if (is_file_) begin -= std::min(begin, kFolio);
    // What is beside whole pages may be in use.
    begin = (begin + page - 1) / page * page;
    end = end / page * page;
    if (begin < end) madvise(data() + begin, end - begin, MADV_DONTNEED);
  }

  // Maps the pages of a file with the bytes from `begin` up to `end` at once. One
  // after the other, as they are used, each 64 KiB cost a page fault.
  void Fetch(std::uint64_t begin, std::uint64_t end) const {
    end = std::min<std::uint64_t>(end, size_);
    if (is_file_ && begin < end) MapAll({data() + begin, end - begin});
  }

 private:
  // The greatest folio that Linux maps at once.
  static constexpr std::uint64_t kFolio = std::uint64_t{2} << 20;

  Mapping(void* data, std::size_t size, bool is_file)
      : data_(data == MAP_FAILED ? nullptr : data),
        size_(size),
        is_file_(is_file) {}

  void* data_ = nullptr;
  std::size_t size_ = 0;
  bool is_file_ = false;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_BYTES_MAPPING_H_
