// Copies a heapir file with another header, and its other frames as they are.
#ifndef HEAPGLOT_WRITERS_HEAPIR_HEAPIR_RELABEL_H_
#define HEAPGLOT_WRITERS_HEAPIR_HEAPIR_RELABEL_H_

#include <string_view>

#include "heapglot/bytes.h"
#include "heapglot/stream.h"

namespace heapglot::heapir {

// Whether the frames of `file`, which the reader accepts without an error, are
// as large and as well compressed as the writer's own would be, as far as their
// envelopes tell. False for small files, where copying gains nothing.
bool IsWorthCopying(const ByteSource& file);

// Writes `file` with Header.leftovers_of set to `host`. The reader must accept
// `file` without an error, and its version must not be later than ours. If the
// writer made `file`, the result is what it would make of such a stream. Only
// the frames of the header and the footer are unpacked.
// Memory: those two. Errors: kInput if `file` has changed meanwhile; the
// sink's.
Status WriteRelabelled(const ByteSource& file, const pb::Host& host,
                       ByteSink& out);
// The same, but with `header` instead of the whole Header.
Status WriteWithHeader(const ByteSource& file, const pb::Header& header,
                       ByteSink& out);

}  // namespace heapglot::heapir

#endif  // HEAPGLOT_WRITERS_HEAPIR_HEAPIR_RELABEL_H_
