// Arrays of rows of integers, checked a block at a time.
#ifndef HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_BLOCKS_H_
#define HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_BLOCKS_H_

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/bytes/trail.h"
#include "heapglot/bytes.h"
#include "heapglot/context.h"
#include "readers/heapsnapshot/heapsnapshot_json.h"
#include "readers/heapsnapshot/heapsnapshot_numbers.h"
#include "readers/heapsnapshot/heapsnapshot_place.h"
#include "readers/heapsnapshot/heapsnapshot_wire.h"

namespace heapglot::heapsnapshot {

// Largest number in a column that is signed.
inline constexpr std::uint64_t kMaxSigned =
    std::numeric_limits<std::int64_t>::max();

inline Status Malformed(std::string message, std::uint64_t where) {
  return {Code::kMalformed, std::move(message), Where::Byte(where)};
}

// What the checks of all tables share. Memory: a block, and the pages of the
// input around it.
class BlockChecker {
 public:
  // Numbers in a block, or one row if that has more: they and their text stay
  // in the second-level cache.
  static constexpr std::size_t kNumbers = 16'384;

  // Both must outlive this.
  BlockChecker(const ByteSource& source, Context& context)
      : source_(source), context_(context) {}

  const ByteSource& source() const { return source_; }
  std::string_view bytes() const { return source_.bytes(); }

  // Reads the rows of a section, which have `width` numbers each, and passes
  // each block to `check`(const NumberCursor&), which returns a Status. The
  // section may extend past the first "]"; `*end` is set to where the array
  // ends.
  // Errors: those of NumberCursor and of `check`.
  template <typename CheckRows>
  Status ForEach(const Section& section, std::size_t width, CheckRows check,
                 std::uint64_t* end = nullptr) {
    NumberCursor in(bytes(), TextOf(bytes(), section.value), section.name);
    Trail trail(source_, section.value.begin);
    const std::size_t rows = std::max<std::size_t>(kNumbers / width, 1);
    for (;;) {
      HEAPGLOT_RETURN_IF_ERROR(in.Read(rows * width));
      if (in.block().empty()) {
        if (end != nullptr) *end = in.offset() + 1;
        return {};
      }
      HEAPGLOT_RETURN_IF_ERROR(check(in));
      trail.Advance(in.offset());
      HEAPGLOT_RETURN_IF_ERROR(Proceed(in.offset()));
    }
  }

  // Checks what holds for each block: whole rows, signs only where allowed.
  // Warns of numbers that do not look like integers. Errors: kMalformed.
  Status Check(const NumberCursor& in, const Section& section,
               std::size_t width,
               const std::vector<std::size_t>& signed_columns);

  // Notes an oddity (Context::Warn) with its line. Makes neither offset nor
  // message for those that are not kept.
  template <std::invocable MakeOffset, std::invocable MakeMessage>
  Status Warn(std::string_view code, MakeOffset make_offset,
              MakeMessage make_message) {
    return context_.Warn(
        code, [&] { return lines_.Find(make_offset()); },
        [&] { return kMessagePrefix + make_message(); });
  }
  Status Warn(std::string_view code, std::string message,
              std::uint64_t offset) {
    return Warn(
        code, [&] { return offset; }, [&] { return std::move(message); });
  }

  Status Proceed(std::uint64_t offset) const {
    return context_.Proceed("checking", offset, bytes().size());
  }

 private:
  const ByteSource& source_;
  Context& context_;
  LineFinder lines_{source_};
};

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_BLOCKS_H_
