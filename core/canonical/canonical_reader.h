// The canonical form of a dump: the same stream for all dumps with the same
// content (docs/canonical.md).
#ifndef HEAPGLOT_CORE_CANONICAL_CANONICAL_READER_H_
#define HEAPGLOT_CORE_CANONICAL_CANONICAL_READER_H_

#include <memory>

#include "heapglot/context.h"
#include "heapglot/format.h"
#include "heapglot/stream.h"

namespace heapglot {

// A reader that sends the content of `upstream` in one spelling: each string
// once, in the order of use; tables in one order, cut into chunks of
// kChunkRows; no columns that say only what is implied. Nodes, edges and all
// other rows keep their order, ids and kinds, except types that are only names
// (canonical_types.h). Left out are the header except the format, SourceImage,
// RecordOrder, Types.source_position, strings that nothing uses, ids of strings
// and Values of strings. The canonical form of a canonical stream is the same
// stream.
//
// `upstream` and `context` must outlive it. Each Read() reads upstream three
// times, twice without nodes and edges. The first Read() counts what is left
// out. `find`, which is FindReader() or nullptr, is for that, too
// (UnknownJson).
// Memory: everything but nodes, edges and texts; for these see CanonicalNodes
// and CanonicalStrings. Edges that are not grouped are in memory, too.
// Errors: those of upstream; kOutput if a temporary file cannot be written.
std::unique_ptr<Reader> MakeCanonicalReader(
    Reader& upstream, Context& context, decltype(&FindReader) find = nullptr);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_CANONICAL_CANONICAL_READER_H_
