#include "core/bytes/file_pages.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/bytes/fd.h"

namespace heapglot {

std::string_view FilePages::Read(int fd, std::uint64_t begin,
                                 std::size_t size) {
  if (bytes_ == nullptr)
    bytes_ = std::make_unique_for_overwrite<char[]>(kSets * kWays * kCopy);
  if (pages_.empty()) pages_.resize(kSets * kWays);
  const std::uint64_t number = begin / kPage;
  const auto set =
      pages_.begin() + static_cast<std::ptrdiff_t>(number % kSets * kWays);
  // The page is here but too short, as the file has grown, or it is not here.
  auto page = std::find_if(set, set + kWays, [number](const Page& other) {
    return other.number == number;
  });
  if (page == set + kWays) {
    page = std::min_element(set, set + kWays, [](const Page& a, const Page& b) {
      return a.used < b.used;
    });
  }
  char* const bytes = BytesOf(static_cast<std::size_t>(page - pages_.begin()));
  const ssize_t count = ReadAllAt(fd, number * kPage, bytes, kCopy);
  *page = {};
  if (count < 0) return {};
  *page = {number, ++uses_, static_cast<std::size_t>(count)};
  const std::size_t offset = begin % kPage;
  if (page->size < offset + size) errno = EIO;  // somebody has truncated it
  return std::string_view(bytes, page->size)
      .substr(std::min(offset, page->size), size);
}

}  // namespace heapglot
