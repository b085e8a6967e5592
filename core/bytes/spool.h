// A place for bytes that come once and are read at random afterwards.
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

// What a source holds.
struct Content {
  Mapping mapping;  // of at least `size` bytes; maybe none for an empty input
  std::size_t size = 0;
  bool is_file = false;  // pages can be given back and come again
  Compression compression = Compression::kNone;
};

std::unique_ptr<ByteSource> MakeSource(Content content, std::string name);

// Keeps what is written to it: in memory while that suffices (16 MiB), then in
// a file that has no name.
// Errors: kOutput when the file cannot be written, kLimit without memory.
class Spool {
 public:
  // Room for at least one more byte. Writes out what is there if need be.
  Result<std::pair<char*, std::size_t>> Room();
  // The first `size` bytes of the room have been filled.
  void Commit(std::size_t size) {
    used_ += size;
    size_ += size;
  }
  std::uint64_t size() const { return size_; }
  // The first ByteSource::kHeadBytes. Valid until Room() is called.
  std::string_view head() const;

  // All of it; nothing may be written afterwards.
  Result<Content> Finish();

 private:
  static constexpr std::size_t kMemory = std::size_t{16} << 20;

  Status Flush();

  Mapping memory_;
  std::size_t used_ = 0;
  std::size_t capacity_ = kMemory;
  std::uint64_t size_ = 0;
  Fd file_;
};

// A spool as a sink.
class SpoolSink : public ByteSink {
 public:
  Status Write(std::string_view bytes) override;
  Status Close() override { return status_; }
  std::uint64_t position() const override { return spool_.size(); }

  // What was written; to be called once. Errors: those of the spool.
  Result<std::unique_ptr<ByteSource>> TakeSource(std::string name);

 private:
  Spool spool_;
  Status status_;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_BYTES_SPOOL_H_
