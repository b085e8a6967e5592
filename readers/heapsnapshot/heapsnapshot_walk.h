// A heap snapshot as DevTools goes over it: word by word, without a parser.
#ifndef HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_WALK_H_
#define HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_WALK_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heapglot/bytes.h"
#include "heapglot/context.h"
#include "readers/heapsnapshot/heapsnapshot_wire.h"

namespace heapglot::heapsnapshot {

// Where `word` begins for the first time `within` a part of the input.
std::optional<std::uint64_t> FindText(const ByteSource& source,
                                      std::string_view word,
                                      const Span& within);

// Goes from one key to the next as HeapSnapshotLoader.ts does: it looks for the
// quoted key anywhere behind what it has read, then for "[", then for "]". So a
// file may be JSON and yet not be found, or the other way round.
class DevtoolsWalk {
 public:
  // `source` must outlive this.
  explicit DevtoolsWalk(const ByteSource& source)
      : source_(source), bytes_(source.bytes()) {}

  // The snapshot object: the text that DevTools gives to JSON.parse. Nothing if
  // there is no such key, or no end. `colon` is where it expects the colon, behind
  // which it looks for all else.
  std::optional<Span> Snapshot(std::uint64_t* colon);
  // The array of `key`, from behind its "[" to its "]", and moves behind that.
  // Nothing if the key or the "[" does not come (*is_cut false), or the "]"
  // (*is_cut true).
  std::optional<Span> Array(std::string_view key, bool* is_cut);
  // Where Array() found a key last.
  std::uint64_t name() const { return name_; }
  // What DevTools takes for the trace tree.
  std::optional<Span> TraceTree();
  // The strings from their "[" to the end of the file.
  std::optional<Span> Strings();

 private:
  std::optional<std::uint64_t> Find(std::string_view word,
                                    std::uint64_t from) const;

  const ByteSource& source_;
  std::string_view bytes_;
  std::uint64_t at_ = 0;
  std::uint64_t name_ = 0;
};

// The numbers of an array as DevTools sees them: runs of digits, whatever
// stands between them. Memory: a block.
class DigitRuns {
 public:
  enum class Gap : std::uint8_t { kMinus, kFraction, kZeros, kOther };
  // What stands before number `position` of the block and is more than a comma,
  // or zeros that it begins with. A comma behind the last number is not seen.
  struct Stray {
    Gap gap = Gap::kOther;
    std::size_t position = 0;
    std::uint64_t offset = 0;
  };

  // `array` as DevtoolsWalk::Array() gives it; bytes[array.end] is the "]".
  DigitRuns(std::string_view bytes, const Span& array);

  // Reads the next numbers, up to `max`; none at the end. One with more than
  // 64 bits is 2^64 - 1.
  void Read(std::size_t max);
  std::span<const std::uint64_t> block() const {
    return {block_.data(), count_};
  }
  const std::vector<Stray>& strays() const { return strays_; }
  // Where number `position` of the block begins, found by counting.
  std::uint64_t OffsetOf(std::size_t position) const;
  // Up to where the array has been read.
  std::uint64_t offset() const {
    return static_cast<std::uint64_t>(p_ - bytes_.data());
  }

 private:
  // Skips what stands before a number; `commas` is how many may.
  void SkipGap(std::size_t commas);
  void ReadOne();
  // Whether the digits here are a fraction or an exponent, which may begin with
  // zeros. There is a "[" before them.
  bool GoesOn() const;

  std::string_view bytes_;
  const char* p_;
  const char* end_;
  const char* begin_;  // of the block
  std::vector<std::uint64_t> block_;
  std::size_t count_ = 0;  // of these, read
  std::vector<Stray> strays_;
};

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_WALK_H_
