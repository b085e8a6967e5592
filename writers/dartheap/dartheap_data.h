// The data of an object: a tag and a value.
#ifndef HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_DATA_H_
#define HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_DATA_H_

#include <cstdint>
#include <string_view>

#include "core/bytes/spill_buffer.h"
#include "core/text/string_store.h"
#include "core/text/text_budget.h"
#include "heapglot/stream.h"
#include "readers/dartheap/dartheap_wire.h"
#include "writers/dartheap/dartheap_text.h"

namespace heapglot::dartheap {

// Data on its way to the file.
struct Data {
  std::uint64_t tag = kTagNone;
  std::uint64_t number = 0;      // bool, integer, bits of a double, LengthData
  bool is_signed = false;        // the integer is written as SLEB128
  StringStore* store = nullptr;  // has the text
  StringStore::Text text;        // strings and NameData
  std::uint64_t units = 0;       // strings: code units of the text
  std::uint64_t length = 0;      // strings: full length; 0 = units
  bool is_raw = false;           // strings: the bytes are the units
};

// Writes the tag and its value.
void WriteData(const Data& data, SpillBuffer& out);

// A string that was measured: one byte per unit if that suffices, unless
// `prefer_utf16`.
Data StringData(const StringStore::Text& text, const Units& units,
                StringStore& store, bool prefer_utf16);
// A NameData.
Data NameData(const StringStore::Text& text, StringStore& store);
// An integer of a class. `encoding` is a pb::ValueEncoding; `pointer_size` is
// the VM's: the bytes of a Smi.
Data IntData(std::uint64_t value, std::uint32_t encoding, IntClass of,
             std::uint32_t pointer_size);

// Takes the text of `data` from the budget; if too little is left, cuts it at
// 128 bytes, much as the VM does (at 128 code units). A dartheap repeats a text
// in each object, and names in each class. A cut string states its full length.
// Returns whether it was cut.
bool Spend(TextBudget& budget, Data& data);
// The same for a name.
bool Spend(TextBudget& budget, std::string_view& name);

}  // namespace heapglot::dartheap

#endif  // HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_DATA_H_
