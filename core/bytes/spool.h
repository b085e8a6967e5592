// Bytes that are written once and then read with random access: an input that
// has to be unpacked, or an output that is to be read again.
#ifndef HEAPGLOT_CORE_BYTES_SPOOL_H_
#define HEAPGLOT_CORE_BYTES_SPOOL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/bytes/fd.h"
#include "core/bytes/mapping.h"
#include "heapglot/bytes.h"

namespace heapglot {

// The content of a source.
struct SpooledContent {
  Mapping mapping;  // of at least `size` bytes; may be none if that is 0
  std::size_t size = 0;
  bool is_file = false;  // pages can be released and come back
  Fd file;               // that is mapped, if any
  Compression compression = Compression::kNone;
};

// A source with that content.
std::unique_ptr<ByteSource> MakeSource(SpooledContent content,
                                       std::string name);

// Keeps what is written to it: up to `memory` bytes in memory, more in an
// unlinked temporary file.
class Spool {
 public:
  static constexpr std::size_t kMemory = std::size_t{16} << 20;

  explicit Spool(std::size_t memory = kMemory) : capacity_(memory) {}

  // Room for at least one more byte. Writes to the file if necessary.
  // Errors: kOutput, kLimit.
  Result<std::pair<char*, std::size_t>> Room();
  // The first `size` bytes of the room are filled now.
  void Commit(std::size_t size) {
    used_ += size;
    size_ += size;
  }
  // Errors: as Room().
  Status Write(std::string_view bytes);
  std::uint64_t size() const { return size_; }
  // The first bytes. Valid until Room() is called.
  std::string_view head() const;

  // All of it. Nothing may be written afterwards.
  // Errors: as Room().
  Result<SpooledContent> Finish();

 private:
  Status Flush();

  Mapping memory_;
  std::size_t used_ = 0;
  std::size_t capacity_;
  std::uint64_t size_ = 0;
  Fd file_;
};

// A sink whose content can be read once it is closed. Errors are sticky.
class SpoolSink : public ByteSink {
 public:
  explicit SpoolSink(std::size_t memory = Spool::kMemory) : spool_(memory) {}

  Status Write(std::string_view bytes) override;
  Status Close() override { return status_; }
  std::uint64_t position() const override { return spool_.size(); }
  bool is_all_or_nothing() const override { return true; }

  // What was written. Call once.
  // Errors: those of the spool.
  Result<std::unique_ptr<ByteSource>> TakeSource(std::string name);

 private:
  Spool spool_;
  Status status_;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_BYTES_SPOOL_H_
