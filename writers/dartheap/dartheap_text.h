// Texts as the data of objects: from UTF-8 back to the units of a Dart string.
#ifndef HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_TEXT_H_
#define HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_TEXT_H_

#include <cstdint>

#include "core/bytes/spill_buffer.h"
#include "core/id_table.h"
#include "core/text/string_store.h"

namespace heapglot::dartheap {

// What a text needs as a Dart string.
struct Units {
  std::uint64_t count = 0;  // code units of UTF-16
  std::uint32_t all = 0;    // its code points, or-ed
  std::uint64_t bad_bytes = 0;

  // Whether one byte per unit suffices.
  bool IsLatin1() const { return all <= 0xff && bad_bytes == 0; }
};

// Measures a whole text. A byte that does not begin UTF-8 counts as one unit.
// Time: linear. Memory: none, however long the text is.
Units MeasureText(const StringStore::Text& text, StringStore& store);

// MeasureText() for texts of one store that many objects may share: measures a
// text of more than 64 KiB only once. Memory: about 60 bytes for each of those.
class TextMeasure {
 public:
  Units Of(const StringStore::Text& text, StringStore& store);

 private:
  IdTable<Units> long_ones_;  // by Text::begin
};

// Each writes a whole text: as Latin-1 (which it must be), as little-endian
// UTF-16 (lone surrogates as they are, U+FFFD for bad bytes), or as its bytes.
void WriteLatin1(const StringStore::Text& text, StringStore& store,
                 SpillBuffer& out);
void WriteUtf16(const StringStore::Text& text, StringStore& store,
                SpillBuffer& out);
void WriteBytes(const StringStore::Text& text, StringStore& store,
                SpillBuffer& out);

}  // namespace heapglot::dartheap

#endif  // HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_TEXT_H_
