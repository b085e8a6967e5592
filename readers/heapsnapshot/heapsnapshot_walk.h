// A heap snapshot as DevTools reads it: word by word, without a parser.
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

// The offset of the first `word` in the part `within` of the input.
std::optional<std::uint64_t> FindText(const ByteSource& source,
                                      std::string_view word,
                                      const Span& within);

// Goes from one key to the next as HeapSnapshotLoader.ts does: it looks for the
// quoted key anywhere after what it has read, then for "[", then for "]". So it
// may fail on a file that is JSON, and succeed on one that is not.
class DevtoolsWalk {
 public:
  // `source` must outlive this.
  explicit DevtoolsWalk(const ByteSource& source)
      : source_(source), bytes_(source.bytes()) {}

  // The snapshot object: the text that DevTools passes to JSON.parse. nullopt
  // if there is no such key, or no end. `*colon` is where DevTools expects the
  // colon; it looks for everything else after that.
  std::optional<Span> Snapshot(std::uint64_t* colon);
  // Finds the array of `key`, from after its "[" to its "]", and moves past
  // that. nullopt if the key or the "[" is missing (*is_cut false), or the "]"
  // (*is_cut true).
  std::optional<Span> Array(std::string_view key, bool* is_cut);
  // Where Array() last found a key.
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

// The numbers of an array as DevTools sees them: runs of digits, whatever is
// between them. Memory: a block.
class DigitRuns {
 public:
  enum class Gap : std::uint8_t { kMinus, kFraction, kZeros, kOther };
  // What is before number `position` of the block if it is more than a comma,
  // or leading zeros of the number. A comma after the last number is not
  // noticed.
  struct Stray {
    Gap gap = Gap::kOther;
    std::size_t position = 0;
    std::uint64_t offset = 0;
  };

  // `array` as DevtoolsWalk::Array() gives it; bytes[array.end] is the "]".
  DigitRuns(std::string_view bytes, const Span& array);

  // Reads the next numbers, at most `max`; none at the end. A number of more
  // than 64 bits is read as 2^64 - 1.
  void Read(std::size_t max);
  std::span<const std::uint64_t> block() const {
    return {block_.data(), count_};
  }
  const std::vector<Stray>& strays() const { return strays_; }
  // Where number `position` of the block begins, found by counting.
  std::uint64_t OffsetOf(std::size_t position) const;
  // The array has been read up to here.
  std::uint64_t offset() const {
    return static_cast<std::uint64_t>(p_ - bytes_.data());
  }

 private:
  // Skips what is before a number; `commas` is how many are expected.
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
  std::size_t count_ = 0;  // numbers in block_ that were read
  std::vector<Stray> strays_;
};

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_WALK_H_
