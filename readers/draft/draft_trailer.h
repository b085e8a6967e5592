// The trailer: the last line of a file in lines.
#ifndef HEAPGLOT_READERS_DRAFT_DRAFT_TRAILER_H_
#define HEAPGLOT_READERS_DRAFT_DRAFT_TRAILER_H_

#include <cstdint>
#include <string>

#include "core/draft/draft_record.h"

namespace heapglot::draft {

// Returns what is wrong with a trailer that follows `records` records, in
// `bytes` bytes with the checksum `crc32`, as a clause; "" if nothing is. Does
// not check its counts.
std::string TrailerProblem(const Record& trailer, std::uint64_t records,
                           std::uint64_t bytes, std::uint32_t crc32);

}  // namespace heapglot::draft

#endif  // HEAPGLOT_READERS_DRAFT_DRAFT_TRAILER_H_
