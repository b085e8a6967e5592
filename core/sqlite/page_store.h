// Bytes that are written and read with random access: what a database and its
// sorters hold while they work.
#ifndef HEAPGLOT_CORE_SQLITE_PAGE_STORE_H_
#define HEAPGLOT_CORE_SQLITE_PAGE_STORE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/bytes/fd.h"
#include "heapglot/bytes.h"
#include "heapglot/status.h"

namespace heapglot::sqlite {

// In memory as long as they are few, then in an unlinked temporary file.
//
// Errors are sticky: kOutput, returned by status().
// Memory: up to kMaxMemory; none once there is a file.
class PageStore {
 public:
  static constexpr std::uint64_t kMaxMemory = std::uint64_t{4} << 20;

  std::uint64_t size() const { return size_; }
  // The bytes from `offset` on; what is beyond the end is zeros. False if not
  // all of them are there, or if they cannot be read.
  bool Read(std::uint64_t offset, char* out, std::size_t size);
  // False if that failed: status() says why.
  bool Write(std::uint64_t offset, std::string_view bytes);
  bool Truncate(std::uint64_t size);
  const Status& status() const { return status_; }

  // Writes all of it to `sink`.
  Status CopyTo(ByteSink& sink);

 private:
  bool Spill();
  bool Fail(int error);

  std::string memory_;
  Fd file_;
  std::uint64_t size_ = 0;
  Status status_;
};

}  // namespace heapglot::sqlite

#endif  // HEAPGLOT_CORE_SQLITE_PAGE_STORE_H_
