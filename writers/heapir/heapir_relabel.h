// A heapir file with another label, its frames as they are.
#ifndef HEAPGLOT_WRITERS_HEAPIR_HEAPIR_RELABEL_H_
#define HEAPGLOT_WRITERS_HEAPIR_HEAPIR_RELABEL_H_

#include <string_view>

#include "heapglot/bytes.h"
#include "heapglot/stream.h"

namespace heapglot::heapir {

// Whether the frames of `file`, which the reader takes without an error, are as
// large and as well compressed as those that the writer would make of them, as
// far as their envelopes tell. Small files are none of these: nothing is gained.
bool IsWorthCopying(const ByteSource& file);

// Writes `file`, which the reader takes without an error and whose version is not
// a later one, with Header.leftovers_of set to `host`: what the writer makes of its
// stream, if it has made the file, too. Frames are not unpacked, save for the
// header and the footer.
// Memory: those two. Errors: kInput, when it has changed meanwhile; the sink's.
Status WriteRelabelled(const ByteSource& file, const pb::Host& host,
                       ByteSink& out);
// The same with `header` in place of all of its Header.
Status WriteWithHeader(const ByteSource& file, const pb::Header& header,
                       ByteSink& out);

}  // namespace heapglot::heapir

#endif  // HEAPGLOT_WRITERS_HEAPIR_HEAPIR_RELABEL_H_
