// Leftovers of a source that takes no more room than its IR: the source itself.
#ifndef HEAPGLOT_CORE_IMAGE_SOURCE_ONLY_H_
#define HEAPGLOT_CORE_IMAGE_SOURCE_ONLY_H_

#include <memory>

#include "heapglot/bytes.h"
#include "heapglot/stream.h"

namespace heapglot {

// A reader that shows the file `source` instead of what is in it
// (Header.is_source_only), with the header that `upstream` has. Both must outlive
// it. Reads the source once to take its digest, as soon as that is asked for.
std::unique_ptr<Reader> MakeSourceOnlyReader(Reader& upstream,
                                             const ByteSource& source);
// The same, `image` being WholeImage(source).
std::unique_ptr<Reader> MakeSourceOnlyReader(Reader& upstream,
                                             const ByteSource& source,
                                             pb::SourceImage image);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_IMAGE_SOURCE_ONLY_H_
