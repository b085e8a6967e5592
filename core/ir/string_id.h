// Ids of strings.
#ifndef HEAPGLOT_CORE_IR_STRING_ID_H_
#define HEAPGLOT_CORE_IR_STRING_ID_H_

#include <cstdint>

namespace heapglot {

// In Strings.source_id: a string that the reader made and the source has no id
// for.
inline constexpr std::uint64_t kNoStringId = ~std::uint64_t{0};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_IR_STRING_ID_H_
