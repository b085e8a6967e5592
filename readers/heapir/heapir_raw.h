// A heapir file with its frames as they are before compression.
#ifndef HEAPGLOT_READERS_HEAPIR_HEAPIR_RAW_H_
#define HEAPGLOT_READERS_HEAPIR_HEAPIR_RAW_H_

#include <cstdint>
#include <string_view>

#include "heapglot/bytes.h"
#include "heapglot/status.h"

namespace heapglot::heapir {

// Bytes of all contents of a heapir file, unpacked; its raw form is little larger.
// Looks at envelopes only. Errors: kMalformed, kTruncated, kLimit, as those of the
// reader; kLimit when it is more than `max_size`.
Result<std::uint64_t> SizeOfContents(std::string_view file,
                                     std::uint64_t max_size);

// Writes the raw form of the heapir file `file`: the same frames with the same
// contents, none of them compressed. It depends on these only, not on who
// compressed them how, and is its own raw form; readers take it like any other.
//
// Looks at envelopes, checksums and the trailer only. Memory: the largest content.
// Errors: those of SizeOfContents(), before anything is written; kMalformed,
// kTruncated, as those of the reader; the sink's.
Status WriteRawForm(std::string_view file, std::uint64_t max_size,
                    ByteSink& out);

}  // namespace heapglot::heapir

#endif  // HEAPGLOT_READERS_HEAPIR_HEAPIR_RAW_H_
