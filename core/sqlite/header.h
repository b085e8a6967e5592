// The first bytes of an SQLite database.
#ifndef HEAPGLOT_CORE_SQLITE_HEADER_H_
#define HEAPGLOT_CORE_SQLITE_HEADER_H_

#include <cstdint>
#include <string_view>

#include "heapglot/bytes.h"
#include "heapglot/status.h"

namespace heapglot::sqlite {

// What every database begins with.
inline constexpr std::string_view kMagic{"SQLite format 3\0", 16};

// `bytes`, up to 8 of them, as an unsigned big-endian number.
std::uint64_t BigEndian(std::string_view bytes);

// Whether `source` can be a database, and is whole: SQLite itself accepts a
// truncated one, and one whose newest pages are in a log beside it. `name` is
// that of the format.
// Errors: kMalformed, kTruncated, kUnsupported, with the place.
Status CheckHeader(std::string_view name, const ByteSource& source);

// Where the pages end in `bytes`, which CheckHeader() has accepted: SQLite
// looks at nothing after them. The end of `bytes` if the header does not say
// so, as that of a version before 3.7.0.
std::uint64_t EndOfPages(std::string_view bytes);

}  // namespace heapglot::sqlite

#endif  // HEAPGLOT_CORE_SQLITE_HEADER_H_
