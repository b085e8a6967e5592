// Where leftovers stand in a dartheap.
#ifndef HEAPGLOT_READERS_DARTHEAP_DARTHEAP_LEFTOVERS_H_
#define HEAPGLOT_READERS_DARTHEAP_DARTHEAP_LEFTOVERS_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "heapglot/format.h"

namespace heapglot::dartheap {

// Where they begin in a file, if it ends in some.
std::optional<std::uint64_t> LeftoversBegin(std::string_view bytes);

// ReaderInfo::find_leftovers.
std::optional<LeftoversBlock> FindLeftovers(const ByteSource& source);

}  // namespace heapglot::dartheap

#endif  // HEAPGLOT_READERS_DARTHEAP_DARTHEAP_LEFTOVERS_H_
