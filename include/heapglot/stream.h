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

// All kinds of chunks (pb::Chunk::BodyCase) are below it.
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
  // Whether names come along, whatever is said of strings (rule 5).
  constexpr bool HasUserOfNames() const {
    return Has(pb::Chunk::kVocabulary) || Has(pb::Chunk::kTypes) ||
           Has(pb::Chunk::kRoots) || Has(pb::Chunk::kExternals);
  }
  // Whether this very chunk is to be sent.
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
// Rows in a chunk of any sort, at most. A column of zeros takes no room.
inline constexpr std::uint64_t kMaxChunkRows = std::uint64_t{1} << 20;
// Bytes of text that a reader puts into one Strings chunk; a longer string is
// sent in pieces.
inline constexpr std::size_t kChunkText = std::size_t{256} << 10;

// Takes chunks in stream order (grammar: chunk.proto).
class HEAPGLOT_API ChunkSink {
 public:
  virtual ~ChunkSink() = default;
  // `chunk` is valid only during the call. An error ends the stream; the
  // producer returns it unchanged.
  virtual Status Accept(const pb::Chunk& chunk) = 0;
  // The same, of a chunk that the caller has no more use for: what is in it
  // afterwards is anything, and there to be reused. So one who hands chunks on
  // to another thread need not copy them.
  virtual Status AcceptOwned(pb::Chunk& chunk) { return Accept(chunk); }
};

// Parses one input. Made for one conversion; not thread-safe.
class HEAPGLOT_API Reader {
 public:
  virtual ~Reader() = default;
  // Sends one pass of the stream to `out`: the chunks whose kind is in
  // `wanted`. May be called again, for the same stream in another selection;
  // a reader of a hostile file finds all errors in the first pass, whatever
  // is wanted, so that no later pass can fail but by `out`; with
  // Context::errors_may_come_late in the first one with what is wrong in it.
  virtual Status Read(ChunkSet wanted, ChunkSink& out) = 0;
  // After the last pass, with Context::errors_may_come_late: whether there are
  // errors in what none of them has brought.
  virtual Status CheckRest() { return {}; }
  // After a pass: what there is in all nodes, edges and strings that are not
  // names, if the reader has counted it while it looked for errors, so that nobody
  // has to read them for that.
  // kGraphEnd tells the rest. nullopt: it has not.
  virtual std::optional<FeatureCounts> CountedRows() const {
    return std::nullopt;
  }
};

// Produces one output from as many passes over the stream as it asks for.
class HEAPGLOT_API Writer : public ChunkSink {
 public:
  // What pass number `pass` (0, 1, ...) shall bring; the empty set means that
  // all is written. Called before each pass, when nobody reads: the Context is the
  // writer's here and in Finish(), and nowhere else.
  virtual ChunkSet Wanted(int pass) = 0;
  // Called once after the last pass. Its answer says whether the output is
  // complete; the sink is not closed by it.
  virtual Status Finish() = 0;
  // After Finish(), with WriterOptions::native: whether what the dump's own reader
  // kept is put back, so that nothing is lost. false: the writer cannot do that, or
  // the stream lacks what it takes, and was written like one from elsewhere.
  virtual bool HasPutBack() const { return false; }
  // Whether Accept() keeps most of what it gets, and now and then does what there is
  // to do for many chunks at once. With two threads more chunks wait for it then, so
  // that the reader need not.
  virtual bool TakesInBursts() const { return false; }
};

// Runs `writer`'s passes over `reader`. With more than one of `threads` both work
// at the same time; Wanted() and Finish() are called in this thread, Accept()
// may be in another. Where the reader is quicker, it does `spare_work`, which may
// be what the writer's sink has left (ByteSink::Share()). Errors: those of both.
HEAPGLOT_API Status RunPasses(Reader& reader, Writer& writer,
                              unsigned threads = 1,
                              SpareWork* spare_work = nullptr);

}  // namespace heapglot

#endif  // HEAPGLOT_STREAM_H_
