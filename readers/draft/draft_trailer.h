// The trailer: the last line of a file in lines.
#ifndef HEAPGLOT_READERS_DRAFT_DRAFT_TRAILER_H_
#define HEAPGLOT_READERS_DRAFT_DRAFT_TRAILER_H_

#include <cstdint>
#include <string>

#include "core/draft/draft_record.h"
#include "core/text_table.h"

namespace heapglot::draft {

// Returns what is wrong with a trailer that follows `records` records, in
// `bytes` bytes with the checksum `crc32`, as a clause; "" if nothing is. Does
// not check its counts.
std::string TrailerProblem(const Record& trailer, std::uint64_t records,
                           std::uint64_t bytes, std::uint32_t crc32);

// What is wrong with its counts, where so many records of each type are before it;
// "" if nothing is. Without `has_all` there are records that these leave out: no
// number is wrong then. *place: where in the trailer, if that is not all of it.
std::string CountsProblem(const Token& counts,
                          const OwnTextTable<std::uint64_t>& records,
                          bool has_all, std::uint64_t max_depth,
                          const char** place);

}  // namespace heapglot::draft

#endif  // HEAPGLOT_READERS_DRAFT_DRAFT_TRAILER_H_
