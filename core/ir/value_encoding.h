// What the encoding of a value may be.
#ifndef HEAPGLOT_CORE_IR_VALUE_ENCODING_H_
#define HEAPGLOT_CORE_IR_VALUE_ENCODING_H_

#include <cstdint>
#include <utility>

#include "heapglot/stream.h"

namespace heapglot {

// Whether a value of this ValueForm can have this encoding. The encoding of an
// array is the BasicType of its elements.
inline bool IsEncodingOf(std::uint32_t form, std::uint64_t encoding) {
  if (!std::in_range<int>(encoding)) return false;
  const int number = static_cast<int>(encoding);
  return form == pb::V_ARRAY ? pb::BasicType_IsValid(number)
                             : pb::ValueEncoding_IsValid(number);
}

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_IR_VALUE_ENCODING_H_
