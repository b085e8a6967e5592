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

// Maps all pages of `bytes`, if they are of a file. Kernels before Linux 5.14
// cannot do that.
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

// Pages that are unmapped with the object. If one cannot be made, the result is
// not ok(), with errno; the same goes for a size of 0.
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

  // A file for reading, mostly from its start to its end.
  static Mapping OfFile(int fd, std::size_t size) {
    Mapping mapping(mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0), size,
                    true);
    if (!mapping.ok()) return mapping;
    madvise(mapping.data_, size, MADV_SEQUENTIAL);
    // If the page cache holds the file in huge pages, each place in it would
    // take up to 4 MiB. Not all kernels know this advice.
    (void)madvise(mapping.data_, size, MADV_NOHUGEPAGE);
    return mapping;
  }
  // A file for reading and writing, which must already have that size.
  static Mapping OfWritableFile(int fd, std::size_t size) {
    constexpr int kAccess = PROT_READ | PROT_WRITE;
    return {mmap(nullptr, size, kAccess, MAP_SHARED, fd, 0), size, true};
  }
  // Zeros, for reading and writing.
  static Mapping OfMemory(std::size_t size) {
    constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    return {mmap(nullptr, size, PROT_READ | PROT_WRITE, kFlags, -1, 0), size,
            false};
  }

  bool ok() const { return data_ != nullptr; }
  char* data() const { return static_cast<char*>(data_); }
  std::size_t size() const { return size_; }

  // Removes the whole pages among the bytes from `begin` up to `end` from this
  // process, so that they no longer count as its memory; for a file, also some
  // before them. Pages of a file come back unchanged when they are used; those
  // of memory come back as zeros.
  void Release(std::uint64_t begin, std::uint64_t end) const {
    static const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    end = std::min<std::uint64_t>(end, size_);
    // An access just after `begin` maps the whole folio that holds it in the
    // page cache, even what was released before.
    if (is_file_) begin -= std::min(begin, kFolio);
    // The rest of a page that is not whole may be in use.
    begin = (begin + page - 1) / page * page;
    end = end / page * page;
    if (begin < end) madvise(data() + begin, end - begin, MADV_DONTNEED);
  }

  // Maps the pages of a file that hold the bytes from `begin` up to `end`, all
  // at once. Mapped one by one, as they are used, each 64 KiB would cost a page
  // fault.
  void Fetch(std::uint64_t begin, std::uint64_t end) const {
    end = std::min<std::uint64_t>(end, size_);
    if (is_file_ && begin < end) MapAll({data() + begin, end - begin});
  }

 private:
  // The largest folio that Linux maps at once.
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
