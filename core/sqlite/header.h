// The first bytes of an SQLite database.
#ifndef HEAPGLOT_CORE_SQLITE_HEADER_H_
#define HEAPGLOT_CORE_SQLITE_HEADER_H_

#include <cstdint>
#include <string_view>

#include "heapglot/bytes.h"
#include "heapglot/status.h"

namespace heapglot::sqlite {

// What every one begins with.
inline constexpr std::string_view kMagic{"SQLite format 3\0", 16};

// The unsigned number that `bytes` are, up to 8 of them.
std::uint64_t BigEndian(std::string_view bytes);

// Whether `source` can be a database, and is whole: SQLite itself takes a cut one,
// and one whose newest pages are in a log beside it. `name` is the format's.
// Errors: kMalformed, kTruncated, kUnsupported, with the place.
Status CheckHeader(std::string_view name, const ByteSource& source);

// Where the pages end of what CheckHeader() takes: SQLite looks at nothing behind.
// All of `bytes` where the header does not say so, as that of a version before
// 3.7.0.
std::uint64_t EndOfPages(std::string_view bytes);

}  // namespace heapglot::sqlite

#endif  // HEAPGLOT_CORE_SQLITE_HEADER_H_
