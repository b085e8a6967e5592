// The last line of a file in lines.
#ifndef HEAPGLOT_READERS_DRAFT_DRAFT_TRAILER_H_
#define HEAPGLOT_READERS_DRAFT_DRAFT_TRAILER_H_

#include <cstdint>
#include <string>

#include "core/draft/draft_record.h"

namespace heapglot::draft {

// What is wrong with a trailer that stands behind so many records and bytes of
// that checksum, a clause; "" if nothing is. Its counts are not looked at.
std::string TrailerProblem(const Record& trailer, std::uint64_t records,
                           std::uint64_t bytes, std::uint32_t crc32);

}  // namespace heapglot::draft

#endif  // HEAPGLOT_READERS_DRAFT_DRAFT_TRAILER_H_
