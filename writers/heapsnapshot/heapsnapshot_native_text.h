// Writes strings of a .heapsnapshot file in the style of the file that they
// come from.
#ifndef HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_NATIVE_TEXT_H_
#define HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_NATIVE_TEXT_H_

#include <array>
#include <cstdint>
#include <string_view>

#include "core/bytes/buffered_out.h"
#include "heapglot/stream.h"
#include "writers/heapsnapshot/heapsnapshot_profile.h"

namespace heapglot::heapsnapshot {

// Writes the inside of JSON strings. Nothing is replaced: a lone surrogate
// becomes an escape, and bytes that are not text stay as they are.
class NativeText {
 public:
  explicit NativeText(const TextStyle& style);

  // `text` may be a piece of a longer one, cut between code points.
  void Write(std::string_view text, pb::StringEncoding encoding,
             BufferedOut& out) const;

 private:
  void WriteCodePoint(std::int32_t code_point, std::string_view bytes,
                      pb::StringEncoding encoding, BufferedOut& out) const;
  void WriteUnit(std::int32_t unit, BufferedOut& out) const;

  bool raw_;
  const char* hex_;
  std::array<bool, 256> plain_{};   // written as it is
  std::array<char, 128> letter_{};  // of a two-character escape, 0 if none
};

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_NATIVE_TEXT_H_
