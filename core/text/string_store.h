// All strings of a stream, or of a part of it, by their index.
#ifndef HEAPGLOT_CORE_TEXT_STRING_STORE_H_
#define HEAPGLOT_CORE_TEXT_STRING_STORE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/bytes/spill_buffer.h"
#include "heapglot/stream.h"

namespace heapglot {

// For writers that put a text where it is used, when the source has it
// elsewhere (StringTexts is for names: truncated, and in memory).
//
// Memory: up to 1.5 MiB; more than that is in temporary files, of which up to
// 2.5 MiB are in memory at a time (SpillBuffer).
// Time: a view of a recently used string costs no more than its bytes.
class StringStore {
 public:
  struct Text {
    std::uint64_t begin = 0;  // where its bytes are
    std::uint64_t size = 0;
    // Of all its pieces together: BYTES if one is, else WTF8 if one is.
    pb::StringEncoding encoding = pb::UTF8;
  };

  // Keeps the strings of a chunk. Chunks come in stream order, possibly with
  // gaps between them.
  void Add(const pb::Strings& strings);
  // Forgets everything. A string that continues afterwards is not kept.
  void Clear();

  // Whether string `index` is stored completely. Index 0, the empty string, is.
  bool Has(std::uint64_t index) { return index == 0 || RowOf(index) != kNoRow; }
  // Where string `index` is; empty if it is not there.
  Text Locate(std::uint64_t index);

  // At most `max_size` bytes of a text, from its byte `offset` on. Valid until
  // Add(), Clear(), or seven more calls.
  std::string_view Piece(const Text& text, std::uint64_t offset,
                         std::uint64_t max_size) {
    const std::uint64_t left = text.size - offset;
    return bytes_.View(text.begin + offset, left < max_size ? left : max_size);
  }
  // The whole string, for short ones. Valid as long as a piece.
  std::string_view Find(std::uint64_t index) {
    const Text text = Locate(index);
    return Piece(text, 0, text.size);
  }

  // Bytes of all strings.
  std::uint64_t size() const { return bytes_.size(); }

  // Sticky; see SpillBuffer.
  const Status& status() const {
    return bytes_.status().ok() ? rows_.status() : bytes_.status();
  }

 private:
  // Strings with consecutive indices.
  struct Run {
    std::uint64_t first;      // index
    std::uint64_t first_row;  // in rows_
    std::uint64_t begin;      // in bytes_
  };
  static constexpr std::uint64_t kNoRow = ~std::uint64_t{0};
  static constexpr std::uint64_t kNoIndex = ~std::uint64_t{0};

  const Run* RunOf(std::uint64_t index) const;
  std::uint64_t RowOf(std::uint64_t index) const;
  std::uint64_t row_count() const { return rows_.size() / sizeof kNoRow; }
  std::uint64_t Row(std::uint64_t row);

  SpillBuffer bytes_{std::size_t{1} << 20, SpillBuffer::Reading::kScattered};
  // End of text << 2 | encoding.
  SpillBuffer rows_{std::size_t{512} << 10, SpillBuffer::Reading::kScattered};
  std::vector<Run> runs_;
  std::uint64_t next_ = kNoIndex;           // index after the last one
  bool continued_ = false;                  // the last string continues
  bool is_lost_ = false;                    // ... but its beginning was cleared
  pb::StringEncoding encoding_ = pb::UTF8;  // of its pieces so far
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TEXT_STRING_STORE_H_
