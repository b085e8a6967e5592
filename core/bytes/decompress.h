// Compressed inputs: recognising and unpacking them.
#ifndef HEAPGLOT_CORE_BYTES_DECOMPRESS_H_
#define HEAPGLOT_CORE_BYTES_DECOMPRESS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "core/bytes/deflate.h"
#include "core/bytes/fd.h"
#include "heapglot/bytes.h"

namespace heapglot {

// The bytes of a file descriptor, through one buffer.
class RawInput {
 public:
  explicit RawInput(int fd);

  // What was read and not consumed. After Fill(), empty only at the end.
  std::string_view available() const {
    return {buffer_.get() + begin_, end_ - begin_};
  }
  // Adds at least one byte to available(), except at the end. available() must
  // be less than kIoBuffer.
  // Errors: kInput.
  Status Fill();
  // Fills until available() has at least `size` bytes or the input ends.
  Status FillTo(std::size_t size);
  void Consume(std::size_t size) {
    begin_ += size;
    offset_ += size;
  }
  // The offset of available() in the input.
  std::uint64_t offset() const { return offset_; }

 private:
  int fd_;
  std::unique_ptr<char[]> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;
  bool at_end_ = false;
};

// How many bytes DetectCompression() needs.
inline constexpr std::size_t kCompressionMagic = 4;

// Goes by the magic number at the start of `head`, or by a part of it if the
// whole input is no more than that.
Compression DetectCompression(std::string_view head);

// Unpacks one input. Whatever follows a gzip member or a zstd frame must be
// another one; zeros at the end of gzip data, as tapes leave them, are skipped.
class Decoder {
 public:
  virtual ~Decoder() = default;
  // Puts up to `size` bytes, size <= kIoBuffer, into `out` and returns how
  // many; 0 only at the end.
  // Errors: those of `in`; kMalformed, kTruncated, kLimit (memory), with the
  // offset in `in`.
  virtual Result<std::size_t> Read(RawInput& in, char* out,
                                   std::size_t size) = 0;
};

// kNone: copies.
std::unique_ptr<Decoder> MakeDecoder(Compression compression);
// The same for gzip, with the given library.
std::unique_ptr<Decoder> MakeGzipDecoder(std::unique_ptr<Inflater> inflater);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_BYTES_DECOMPRESS_H_
