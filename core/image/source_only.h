// Leftovers of a source that takes no more space than its IR: the source
// itself.
#ifndef HEAPGLOT_CORE_IMAGE_SOURCE_ONLY_H_
#define HEAPGLOT_CORE_IMAGE_SOURCE_ONLY_H_

#include <memory>

#include "heapglot/bytes.h"
#include "heapglot/stream.h"

namespace heapglot {

// A reader that sends the file `source` instead of its content
// (Header.is_source_only), with the header of `upstream`. Both must outlive it.
// Reads the source once for its digest, when that is first asked for.
std::unique_ptr<Reader> MakeSourceOnlyReader(Reader& upstream,
                                             const ByteSource& source);
// The same, with WholeImage(source) as `image`.
std::unique_ptr<Reader> MakeSourceOnlyReader(Reader& upstream,
                                             const ByteSource& source,
                                             pb::SourceImage image);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_IMAGE_SOURCE_ONLY_H_
