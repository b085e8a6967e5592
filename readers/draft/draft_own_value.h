// A value that a record in our own files gives in parts.
#ifndef HEAPGLOT_READERS_DRAFT_DRAFT_OWN_VALUE_H_
#define HEAPGLOT_READERS_DRAFT_DRAFT_OWN_VALUE_H_

#include <cstdint>
#include <utility>

#include "core/ir/index_columns.h"
#include "core/ir/value_encoding.h"
#include "heapglot/stream.h"

namespace heapglot::draft {

// hg.form says what the value is and where it is: in hg.value, in hg.text, or
// in a field of the draft. 0: the part is absent.
struct OwnValue {
  std::uint64_t form = 0;  // ValueForm
  std::uint64_t encoding = 0;
  std::uint64_t bits = 0;
  std::uint64_t text = 0;  // a string

  bool empty() const { return (form | encoding | bits | text) == 0; }
  bool HasKnownForm() const {
    return std::in_range<int>(form) &&
           pb::ValueForm_IsValid(static_cast<int>(form));
  }
  // The form must be known.
  std::uint32_t Form() const { return static_cast<std::uint32_t>(form); }
  // Whether the parts go together, so that none has to be left out.
  bool IsSound() const {
    if (!HasKnownForm() || !IsEncodingOf(Form(), encoding)) return false;
    const bool has_text = text != 0 && !IsStringForm(Form());
    const bool has_bits =
        bits != 0 && (form == pb::V_NONE || IsStringForm(Form()));
    return !has_text && !has_bits;
  }
};

}  // namespace heapglot::draft

#endif  // HEAPGLOT_READERS_DRAFT_DRAFT_OWN_VALUE_H_
