// The digest by which an archive names a dump: that of its canonical form.
#ifndef HEAPGLOT_CORE_CANONICAL_STREAM_DIGEST_H_
#define HEAPGLOT_CORE_CANONICAL_STREAM_DIGEST_H_

#include <string>

#include "core/bytes/sha256.h"
#include "core/ir/byte_buffer.h"
#include "heapglot/stream.h"

namespace heapglot {

// SHA-256 of the bytes that docs/canonical.md defines for a stream: a text in
// front; then, for each chunk, its kind, what is not a column, and its columns
// as ULEB128.
class StreamDigest : public ChunkSink {
 public:
  StreamDigest();

  Status Accept(const pb::Chunk& chunk) override;

  // The 32 bytes of the digest of the chunks so far. Nothing may follow.
  std::string Finish() { return digest_.Finish(); }

 private:
  Sha256 digest_;
  ByteBuffer body_;
  ByteBuffer bytes_;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_CANONICAL_STREAM_DIGEST_H_
