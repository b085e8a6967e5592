// Leftovers at the end of a binary file whose readers know where it ends: the
// heapir, its size in 8 bytes, little-endian, and kLeftoversMagic.
#ifndef HEAPGLOT_CORE_LEFTOVERS_LEFTOVERS_TAIL_H_
#define HEAPGLOT_CORE_LEFTOVERS_LEFTOVERS_TAIL_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "heapglot/format.h"

namespace heapglot {

inline constexpr std::string_view kLeftoversMagic = "HGLEFT01";
inline constexpr std::size_t kLeftoversEnd = 8 + kLeftoversMagic.size();

// Where leftovers begin in a file, if it ends in some.
std::optional<std::uint64_t> LeftoversBegin(std::string_view bytes);

// Writes leftovers with `write`.
// Errors: those of the leftovers and of `write`.
Status WriteLeftoversTail(
    Leftovers& leftovers,
    const std::function<Status(std::string_view bytes)>& write);

// For ReaderInfo::find_leftovers.
std::optional<LeftoversBlock> FindLeftovers(const ByteSource& source);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_LEFTOVERS_LEFTOVERS_TAIL_H_
