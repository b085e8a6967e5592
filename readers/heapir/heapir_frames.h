// The frames of a heapir file, one after the other, and their contents.
#ifndef HEAPGLOT_READERS_HEAPIR_HEAPIR_FRAMES_H_
#define HEAPGLOT_READERS_HEAPIR_HEAPIR_FRAMES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/ir/byte_buffer.h"
#include "heapglot/ir/v1/frame.pb.h"
#include "heapglot/status.h"

struct ZSTD_DCtx_s;

namespace heapglot::heapir {

// A Frame, in place.
struct Frame {
  std::uint64_t number = 0;  // 0-based
  std::uint64_t offset = 0;  // of its length
  std::uint32_t kind = 0;
  bool names = false;
  std::uint32_t raw_size = 0;
  bool is_compressed = false;
  std::string_view content = {};  // as in the file
  std::string_view checked = {};  // what the checksum covers
  std::uint64_t checksum = 0;

  // "frame 7: `message`", at its place.
  Status Error(Code code, const std::string& message) const;
};

// Checks the magic number.
// Errors: kTruncated; kMalformed.
Status CheckMagic(std::string_view file);

class FrameCursor {
 public:
  // The magic number must have been checked.
  explicit FrameCursor(std::string_view file);

  // Reads the next frame; there is one unless at_end(). Checks only its
  // envelope: the content is not too large, but can be anything.
  // Errors: kTruncated at the end of the file; kMalformed, kLimit.
  Status Next(Frame* frame);

  bool at_end() const { return offset_ == file_.size(); }
  std::uint64_t offset() const { return offset_; }

 private:
  Status TakeLength(const Frame& frame, std::uint64_t* length);

  std::string_view file_;
  std::uint64_t offset_;  // of what comes next
  std::uint64_t number_ = 0;
};

// Errors: kMalformed.
Status CheckChecksum(const Frame& frame);

// Reads the Trailer in `bytes`. `*has_unknown` becomes true if it has unknown
// fields. False if it is broken.
bool ParseTrailer(std::string_view bytes, ir::v1::Trailer* trailer,
                  bool* has_unknown);

// Checks that the footer is the last frame, and its trailer that of the frames
// before it: `checksums` is the ChecksumOfNumbers of theirs. Errors:
// kMalformed.
Status CheckEnd(const FrameCursor& behind_footer, const Frame& footer,
                const ir::v1::Trailer& trailer, std::uint64_t checksums);

// Unpacks contents. Memory: the largest one.
class Unpacker {
 public:
  Unpacker();

  // The content of `frame`, raw_size bytes. Valid until the next call.
  // Errors: kMalformed.
  Result<std::string_view> Unpack(const Frame& frame);

 private:
  struct Free {
    void operator()(ZSTD_DCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_DCtx_s, Free> zstd_;
  ByteBuffer raw_;
};

}  // namespace heapglot::heapir

#endif  // HEAPGLOT_READERS_HEAPIR_HEAPIR_FRAMES_H_
