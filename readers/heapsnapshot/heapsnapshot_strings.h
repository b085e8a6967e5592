// Finds and sends the strings of a .heapsnapshot file.
#ifndef HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_STRINGS_H_
#define HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_STRINGS_H_

#include <cstdint>
#include <string_view>

#include "core/chunk_builder.h"
#include "heapglot/status.h"
#include "readers/heapsnapshot/heapsnapshot_json.h"
#include "readers/heapsnapshot/heapsnapshot_wire.h"

namespace heapglot::heapsnapshot {

// Finds strings by number, fast if they are requested in order.
class StringCursor {
 public:
  StringCursor(std::string_view bytes, const Sections& sections);

  // Finds string `number`, which must be below sections.string_count. False if
  // the input has changed.
  bool Seek(std::uint64_t number);
  const StringToken& token() const { return token_; }
  // The offset after the string that was found last.
  std::uint64_t offset() const {
    return static_cast<std::uint64_t>(p_ - bytes_.data());
  }

 private:
  bool Next();

  std::string_view bytes_;
  const Sections& sections_;
  const char* p_;
  const char* end_;  // of the section
  std::uint64_t next_ = 0;
  StringToken token_;
};

// Sends a string of the file, in pieces if it is long.
Status SendString(const StringToken& token, StringBuilder& strings);

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_STRINGS_H_
