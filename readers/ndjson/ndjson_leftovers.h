// The place of leftovers in a file of records.
#ifndef HEAPGLOT_READERS_NDJSON_NDJSON_LEFTOVERS_H_
#define HEAPGLOT_READERS_NDJSON_NDJSON_LEFTOVERS_H_

#include <optional>

#include "heapglot/format.h"

namespace heapglot::ndjson {

// ReaderInfo::find_leftovers.
std::optional<LeftoversBlock> FindLeftovers(const ByteSource& source);

}  // namespace heapglot::ndjson

#endif  // HEAPGLOT_READERS_NDJSON_NDJSON_LEFTOVERS_H_
