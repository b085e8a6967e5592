#include "core/sqlite/header.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace heapglot::sqlite {
namespace {

constexpr std::size_t kHeaderBytes = 100;

// Not checked; 0 for none.
std::uint64_t PageSize(std::string_view bytes) {
  const std::uint64_t size = BigEndian(bytes.substr(16, 2));
  return size == 1 ? 65'536 : size;
}

// As the header says.
std::uint64_t PageCount(std::string_view bytes) {
  return BigEndian(bytes.substr(28, 4));
}

}  // namespace

std::uint64_t BigEndian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char byte : bytes)
    value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

Status CheckHeader(std::string_view name, const ByteSource& source) {
  const std::string prefix = std::string(name) + ": ";
  const std::string_view bytes = source.bytes();
  const Where end = Where::Byte(bytes.size());
  if (bytes.substr(0, kMagic.size()) != kMagic.substr(0, bytes.size()))
    return {Code::kMalformed,
            prefix + "the file does not begin with \"SQLite format 3\"",
            Where::Byte(0)};
  if (bytes.size() < kHeaderBytes)
    return {Code::kTruncated, prefix + "the file ends in its header", end};
  const std::uint64_t page = PageSize(bytes);
  if (page < 512 || (page & (page - 1)) != 0)
    return {Code::kMalformed,
            prefix + "pages of " + std::to_string(page) + " bytes",
            Where::Byte(16)};
  // A log would have to be beside it.
  if (bytes[18] == '\2' || bytes[19] == '\2') {
    return {Code::kUnsupported,
            prefix +
                "the database has a write-ahead log; PRAGMA "
                "journal_mode=delete makes it one file",
            Where::Byte(18)};
  }
  const std::uint64_t size = page * PageCount(bytes);
  if (bytes.size() >= size) return {};
  return {Code::kTruncated,
          prefix + "the file has " + std::to_string(bytes.size()) +
              " bytes, its header says " + std::to_string(size),
          end};
}

std::uint64_t EndOfPages(std::string_view bytes) {
  const std::uint64_t pages = PageCount(bytes);
  // A version that does not know the count leaves it, and updates only the
  // change counter.
  const bool is_valid =
      pages != 0 && bytes.substr(24, 4) == bytes.substr(92, 4);
  return is_valid ? PageSize(bytes) * pages : bytes.size();
}

}  // namespace heapglot::sqlite
