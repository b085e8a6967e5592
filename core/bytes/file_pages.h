// Small pieces of a file, read here and there.
#ifndef HEAPGLOT_CORE_BYTES_FILE_PAGES_H_
#define HEAPGLOT_CORE_BYTES_FILE_PAGES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace heapglot {

// Copies of the pages of a file that were used lately. If each piece is far
// from the one before, mapping the file costs ten times as much: with every
// page, the kernel maps 64 KiB or more around it, which must be given back.
//
// Memory: up to 256 KiB, once something was read.
class FilePages {
 public:
  // The most bytes that a piece may have.
  static constexpr std::size_t kMaxPiece = 1024;

  // Bytes `begin` up to `begin` + `size` of the file if they are here;
  // otherwise data() is nullptr. Valid until seven more are taken, or Forget().
  std::string_view Find(std::uint64_t begin, std::size_t size) {
    if (pages_.empty()) return {};
    const std::uint64_t number = begin / kPage;
    const std::size_t offset = begin % kPage;
    const std::size_t set = number % kSets * kWays;
    for (std::size_t way = set; way < set + kWays; ++way) {
      Page& page = pages_[way];
      if (page.number != number || page.size < offset + size) continue;
      page.used = ++uses_;
      return {BytesOf(way) + offset, size};
    }
    return {};
  }
  // The same, but reads them from `fd`, which must always be the same file;
  // what was read once must not change. Shorter, with errno, if they cannot be
  // read.
  std::string_view Read(int fd, std::uint64_t begin, std::size_t size);

  // The file has new content from now on.
  void Forget() { pages_.clear(); }

 private:
  static constexpr std::size_t kPage = 3072;
  // Pages overlap by a piece, so that none lies across two.
  static constexpr std::size_t kCopy = kPage + kMaxPiece;
  // A page has its place in one set, in which the least recently used page is
  // replaced.
  static constexpr std::size_t kSets = 8;
  static constexpr std::size_t kWays = 8;

  struct Page {
    std::uint64_t number = ~std::uint64_t{0};
    std::uint64_t used = 0;  // when, by uses_
    std::size_t size = 0;    // of what was there; 0: nothing is
  };

  char* BytesOf(std::size_t place) const {
    return bytes_.get() + place * kCopy;
  }

  std::vector<Page> pages_;  // none, or all
  std::unique_ptr<char[]> bytes_;
  std::uint64_t uses_ = 0;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_BYTES_FILE_PAGES_H_
