// Encodes chunks as frames. Layout: docs/heapir.md.
#ifndef HEAPGLOT_WRITERS_HEAPIR_HEAPIR_ENCODER_H_
#define HEAPGLOT_WRITERS_HEAPIR_HEAPIR_ENCODER_H_

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/bytes/buffered_out.h"
#include "core/ir/byte_buffer.h"
#include "core/ir/checksum.h"
#include "core/ir/columns.h"
#include "core/ir/edge_prediction.h"
#include "heapglot/bytes.h"
#include "heapglot/stream.h"

struct ZSTD_CCtx_s;

namespace heapglot::heapir {

// Writes a file: the head with the first chunk, and one frame for each chunk.
// The same chunks, in the same order, give the same bytes. Memory: a few times
// the largest frame.
class FrameWriter : public ChunkSink {
 public:
  // Parameters of zstd: the level, the length of matches to look for, and the
  // binary logarithm of the entries of its tables. 0: that of the level.
  struct Packing {
    int level = 0;
    int match = 0;
    int table = 0;
  };

  // `compress`: frames that zstd makes smaller are compressed, and edges are
  // predicted where that makes them smaller still.
  FrameWriter(ByteSink& sink, bool compress);

  // Errors: those of the sink; kLimit if a chunk is too large for a frame.
  Status Accept(const pb::Chunk& chunk) override;
  // Writes a frame that is already encoded, from its length to its `checksum`.
  // Must not be the first one.
  Status Copy(std::string_view frame, std::uint64_t checksum);
  // Writes what is still in a buffer.
  Status Finish();

 private:
  void WriteFileHeader();
  void EncodeContent(const pb::Chunk& chunk);
  void EncodePredicted(const pb::Chunk& chunk);
  // Encodes the content of edges in the way that is expected to be the smaller
  // one, and sets packing_ for it.
  void EncodeEdges(const pb::Chunk& chunk);
  // `like`: 0, or Column.like.
  template <typename T>
  void EncodeColumn(const ColumnPath& path, std::span<const T> entries,
                    std::uint32_t like = 0);
  // Encodes Nodes.value, which mostly repeats Nodes.name.
  void EncodeValues(const ColumnPath& path, const pb::Nodes& nodes);
  void WriteFrame(std::uint32_t kind, bool names, bool compress);
  // Whether readers would take the file for a bomb if this frame's content took
  // only `stored` bytes.
  bool IsTooSmall(std::size_t stored) const;
  // The content, compressed with packing_; as it is if that is not smaller.
  std::string_view Compressed();

  struct Free {
    void operator()(ZSTD_CCtx_s* context) const;
  };

  BufferedOut out_;
  std::unique_ptr<ZSTD_CCtx_s, Free> zstd_;  // nullptr: no compression
  Packing packing_;                          // of the content
  std::uint64_t images_ = 0;                 // bytes of source images so far
  EdgePrediction prediction_;
  std::uint64_t edge_frames_ = 0;
  bool predicts_ = false;  // predict edges, until both ways are tried again
  std::uint64_t frames_ = 0;
  ChecksumOfNumbers checksums_;
  // Bytes, rows and fields of all contents so far, with this one, and the bytes
  // that they are stored in.
  std::uint64_t contents_ = 0;
  std::uint64_t stored_ = 0;

  // Reused from frame to frame.
  std::vector<std::uint64_t> other_values_;
  ByteBuffer part_;
  ByteBuffer content_;
  ByteBuffer compressed_;
  ByteBuffer frame_;  // without the stored content
  ChecksumOfPieces checksum_;
};

}  // namespace heapglot::heapir

#endif  // HEAPGLOT_WRITERS_HEAPIR_HEAPIR_ENCODER_H_
