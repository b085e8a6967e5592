// Chunks to the bytes of frames. Layout: docs/heapir.md.
#ifndef HEAPGLOT_WRITERS_HEAPIR_HEAPIR_ENCODER_H_
#define HEAPGLOT_WRITERS_HEAPIR_HEAPIR_ENCODER_H_

#include <cstdint>
#include <memory>
#include <string_view>

#include "core/bytes/buffered_out.h"
#include "core/ir/byte_buffer.h"
#include "core/ir/checksum.h"
#include "core/ir/columns.h"
#include "heapglot/bytes.h"
#include "heapglot/stream.h"

struct ZSTD_CCtx_s;

namespace heapglot::heapir {

// Writes a file: the head with the first chunk, and one frame for each chunk.
// The same chunks give the same bytes. Memory: a few times the largest frame.
class FrameWriter : public ChunkSink {
 public:
  // `compress`: frames that zstd makes smaller are compressed.
  FrameWriter(ByteSink& sink, bool compress);

  // Errors: those of the sink; kLimit when a chunk is too large for a frame.
  Status Accept(const pb::Chunk& chunk) override;
  // Writes a frame that is one already, from its length to its `checksum`. Not the
  // first one.
  Status Copy(std::string_view frame, std::uint64_t checksum);
  // Passes on what is still in a buffer.
  Status Finish();

 private:
  void WriteFileHeader();
  void EncodeContent(const pb::Chunk& chunk);
  template <typename T>
  void EncodeColumn(const ColumnPath& path, std::span<const T> entries);
  void WriteFrame(std::uint32_t kind, bool names, bool compress);
  // The content in as few bytes as it takes; it itself if that is not less.
  std::string_view Compressed();

  struct Free {
    void operator()(ZSTD_CCtx_s* context) const;
  };

  BufferedOut out_;
  std::unique_ptr<ZSTD_CCtx_s, Free> zstd_;  // nullptr: no compression
  std::uint64_t frames_ = 0;
  ChecksumOfNumbers checksums_;

  // Reused from frame to frame.
  ByteBuffer part_;
  ByteBuffer content_;
  ByteBuffer compressed_;
  ByteBuffer frame_;  // but for what is stored
  ChecksumOfPieces checksum_;
};

}  // namespace heapglot::heapir

#endif  // HEAPGLOT_WRITERS_HEAPIR_HEAPIR_ENCODER_H_
