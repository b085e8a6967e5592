// The stream of chunks between readers and writers.
#ifndef HEAPGLOT_STREAM_H_
#define HEAPGLOT_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>

#include "heapglot/bytes.h"
#include "heapglot/export.h"
#include "heapglot/feature.h"
#include "heapglot/ir/v1/chunk.pb.h"
#include "heapglot/status.h"

namespace heapglot {

namespace pb = ::heapglot::ir::v1;

// All kinds of chunks (pb::Chunk::BodyCase) are below this number.
inline constexpr std::size_t kChunkKinds = 24;

// A set of chunk kinds.
class ChunkSet {
 public:
  constexpr ChunkSet() = default;
  constexpr ChunkSet(std::initializer_list<pb::Chunk::BodyCase> kinds) {
    for (const auto kind : kinds) bits_ |= Bit(kind);
  }
  static constexpr ChunkSet All() {
    ChunkSet all;
    all.bits_ = ~std::uint64_t{0};
    return all;
  }

  constexpr bool Has(pb::Chunk::BodyCase kind) const {
    return (bits_ & Bit(kind)) != 0;
  }
  constexpr bool empty() const { return bits_ == 0; }
  // Whether a kind in the set uses names, so that Strings marked `names` are
  // sent even if kStrings is not in the set (rule 5).
  constexpr bool HasUserOfNames() const {
    return Has(pb::Chunk::kVocabulary) || Has(pb::Chunk::kTypes) ||
           Has(pb::Chunk::kRoots) || Has(pb::Chunk::kExternals);
  }
  // Whether `chunk` is to be sent.
  bool Includes(const pb::Chunk& chunk) const {
    return Has(chunk.body_case()) ||
           (chunk.has_strings() && chunk.strings().names() && HasUserOfNames());
  }
  constexpr ChunkSet operator|(ChunkSet other) const {
    other.bits_ |= bits_;
    return other;
  }
  constexpr ChunkSet operator&(ChunkSet other) const {
    other.bits_ &= bits_;
    return other;
  }
  constexpr ChunkSet Without(ChunkSet other) const {
    other.bits_ = bits_ & ~other.bits_;
    return other;
  }
  constexpr bool operator==(const ChunkSet&) const = default;

 private:
  static constexpr std::uint64_t Bit(pb::Chunk::BodyCase kind) {
    return std::uint64_t{1} << static_cast<int>(kind);
  }
  std::uint64_t bits_ = 0;
};

// Rows that a reader puts into one chunk.
inline constexpr std::uint32_t kChunkRows = 4096;
// The most rows in a chunk of any kind. A column of zeros takes no room.
inline constexpr std::uint64_t kMaxChunkRows = std::uint64_t{1} << 20;
// Bytes of text that a reader puts into one Strings chunk; it sends a longer
// string in pieces.
inline constexpr std::size_t kChunkText = std::size_t{256} << 10;

// Takes chunks in stream order (grammar: chunk.proto).
class HEAPGLOT_API ChunkSink {
 public:
  virtual ~ChunkSink() = default;
  // `chunk` is valid only during the call. An error ends the stream; the
  // producer returns it unchanged.
  virtual Status Accept(const pb::Chunk& chunk) = 0;
  // The same, for a chunk that the caller no longer needs. Afterwards its
  // content is unspecified, and it may be reused. So a sink that hands chunks
  // on to another thread need not copy them.
  virtual Status AcceptOwned(pb::Chunk& chunk) { return Accept(chunk); }
};

// Parses one input. Each conversion makes its own reader; not thread-safe.
class HEAPGLOT_API Reader {
 public:
  virtual ~Reader() = default;
  // Sends one pass of the stream to `out`: the chunks whose kind is in
  // `wanted`. May be called again, for the same stream in another selection. A
  // reader finds all errors of a file in the first pass, whatever is wanted, so
  // that a later pass can fail only because of `out`. With
  // Context::errors_may_come_late, an error may come later: in the first pass
  // that brings what is wrong.
  virtual Status Read(ChunkSet wanted, ChunkSink& out) = 0;
  // To be called after the last pass, with Context::errors_may_come_late:
  // whether there are errors in what no pass has sent.
  virtual Status CheckRest() { return {}; }
  // After a pass: how often each feature occurs in all nodes, edges and strings
  // that are not names, if the reader has counted them while it looked for
  // errors. Then they need not be read just to be counted. nullopt: it has not
  // counted them. kGraphEnd has the rest.
  virtual std::optional<FeatureCounts> CountedRows() const {
    return std::nullopt;
  }
};

// Produces one output from as many passes over the stream as it asks for.
class HEAPGLOT_API Writer : public ChunkSink {
 public:
  // What the writer wants from pass number `pass` (0, 1, ...); the empty set
  // means that everything is written. Called before each pass, when the reader
  // is idle: the Context belongs to the writer here and in Finish(), and
  // nowhere else.
  virtual ChunkSet Wanted(int pass) = 0;
  // Called once, after the last pass. The result says whether the output is
  // complete. Does not close the sink.
  virtual Status Finish() = 0;
  // After Finish(), with WriterOptions::native: whether the writer has put back
  // what the dump's own reader kept, so that nothing is lost. false: the writer
  // cannot do that, or the stream lacks what it takes and was written like one
  // from elsewhere.
  virtual bool HasPutBack() const { return false; }
  // Whether Accept() keeps most chunks, and now and then does the work for many
  // of them at once. With two threads, more chunks are then queued, so that the
  // reader does not have to wait.
  virtual bool TakesInBursts() const { return false; }
};

// Runs the passes of `writer` over `reader`. If `threads` is more than 1, both
// work at the same time: Wanted() and Finish() are called in this thread,
// Accept() may be called in another. When the reader is faster, it does
// `spare_work`, which may be work of the writer's sink (ByteSink::Share()).
// Errors: those of both.
HEAPGLOT_API Status RunPasses(Reader& reader, Writer& writer,
                              unsigned threads = 1,
                              SpareWork* spare_work = nullptr);

}  // namespace heapglot

#endif  // HEAPGLOT_STREAM_H_
