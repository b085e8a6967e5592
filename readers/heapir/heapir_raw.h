// A heapir file with its frames as they were before compression.
#ifndef HEAPGLOT_READERS_HEAPIR_HEAPIR_RAW_H_
#define HEAPGLOT_READERS_HEAPIR_HEAPIR_RAW_H_

#include <cstdint>
#include <string_view>

#include "heapglot/bytes.h"
#include "heapglot/status.h"

namespace heapglot::heapir {

// The bytes of all contents of a heapir file, unpacked; its raw form is little
// larger. Reads only envelopes. Errors: kMalformed, kTruncated, kLimit, as the
// reader's; kLimit if there are more than `max_size`.
Result<std::uint64_t> SizeOfContents(std::string_view file,
                                     std::uint64_t max_size);

// Writes the raw form of the heapir file `file`: the same frames with the same
// contents, none of them compressed. It depends only on these, not on how they
// were compressed, and is its own raw form; readers accept it like any other
// file.
//
// Checks only envelopes, checksums and the trailer. Memory: the largest
// content.
// Errors: those of SizeOfContents(), before anything is written; kMalformed,
// kTruncated, as the reader's; the sink's.
Status WriteRawForm(std::string_view file, std::uint64_t max_size,
                    ByteSink& out);

}  // namespace heapglot::heapir

#endif  // HEAPGLOT_READERS_HEAPIR_HEAPIR_RAW_H_
