// Bytes that are written in order and read with random access, in bounded
// memory.
#ifndef HEAPGLOT_CORE_BYTES_SPILL_BUFFER_H_
#define HEAPGLOT_CORE_BYTES_SPILL_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "core/bytes/fd.h"
#include "core/bytes/file_pages.h"
#include "core/bytes/mapping.h"
#include "heapglot/status.h"

namespace heapglot {

// Bytes are in memory as long as they are few, then in an unlinked temporary
// file that is mapped for reading; mapped pages are released now and then.
// Small scattered pieces are read instead.
//
// Errors are sticky: after one, nothing more is kept, what is read is empty,
// and status() returns it. Errors: kOutput if the file cannot be written or
// read, kLimit if it cannot be mapped.
// Memory: up to `max_memory`; once there is a file, 64 KiB, that of FilePages,
// and 1 MiB of mapped pages.
class SpillBuffer {
 public:
  static constexpr std::size_t kMaxReserve = 4096;

  // Where the pieces to view are: mostly near recent ones, or anywhere.
  enum class Reading { kNear, kScattered };

  explicit SpillBuffer(std::size_t max_memory,
                       Reading reading = Reading::kNear);
  ~SpillBuffer() = default;
  SpillBuffer(const SpillBuffer&) = delete;
  SpillBuffer& operator=(const SpillBuffer&) = delete;

  // Room for `size` bytes (at most kMaxReserve). Fill it from the returned
  // address on, then call Commit() with the end of what was written.
  char* Reserve(std::size_t size) {
    if (capacity_ - used_ < size) [[unlikely]]
      MakeRoom(size);
    return memory_.get() + used_;
  }
  void Commit(const char* end) {
    used_ = static_cast<std::size_t>(end - memory_.get());
  }
  void Write(std::string_view bytes) {
    if (bytes.size() > capacity_ - used_) [[unlikely]]
      return WriteSlow(bytes);
    if (bytes.empty()) return;
    std::memcpy(memory_.get() + used_, bytes.data(), bytes.size());
    used_ += bytes.size();
  }

  std::uint64_t size() const { return in_file_ + used_; }

  // Bytes `begin` up to `begin` + `size`, which must have been written. Valid
  // until something is written or cleared, or seven more pieces are viewed. To
  // go over a large part, view it in pieces.
  std::string_view View(std::uint64_t begin, std::uint64_t size) {
    if (begin >= in_file_) [[likely]]
      return {memory_.get() + (begin - in_file_), size};
    return ViewFile(begin, size);
  }

  // Forgets the content; memory and file are reused.
  void Clear();

  const Status& status() const { return status_; }

 private:
  void MakeRoom(std::size_t size);
  void WriteSlow(std::string_view bytes);
  void Flush();
  std::string_view ViewFile(std::uint64_t begin, std::uint64_t size);
  std::string_view ReadPiece(std::uint64_t begin, std::uint64_t size);
  bool Map();
  void NoteTouched(std::uint64_t begin, std::uint64_t end);
  void Fail(Status status);

  const std::size_t max_memory_;
  const Reading reading_;
  std::size_t limit_;               // of capacity_ for now
  std::unique_ptr<char[]> memory_;  // what follows the first in_file_ bytes
  std::size_t capacity_ = 0;
  std::size_t used_ = 0;
  Fd file_;
  std::uint64_t in_file_ = 0;
  FilePages pages_;  // of the file
  Mapping mapping_;  // of the file
  Mapping old_mapping_;
  // Blocks of the mapping that may be resident: one bit for each, and their
  // number.
  std::vector<bool> touched_;
  std::size_t touched_blocks_ = 0;
  Status status_;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_BYTES_SPILL_BUFFER_H_
