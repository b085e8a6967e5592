// Compressed outputs.
#ifndef HEAPGLOT_CORE_BYTES_COMPRESSED_SINK_H_
#define HEAPGLOT_CORE_BYTES_COMPRESSED_SINK_H_

#include <memory>

#include "core/bytes/deflate.h"
#include "heapglot/bytes.h"

namespace heapglot {

// A sink that compresses into `inner` and closes it with itself; for kNone,
// `inner` itself. The same input gives the same output, however it is cut into
// calls: there is no clock and no file name in it. (For gzip, with the same
// version of ISA-L or zlib on processors of the same kind; for zstd, with the
// same version of libzstd.)
// With more than one of `threads`, compression and `inner` run in a thread of
// their own (background_sink.h).
std::unique_ptr<ByteSink> Compress(std::unique_ptr<ByteSink> inner,
                                   Compression compression,
                                   unsigned threads = 2);
// The same for gzip, with the given library.
std::unique_ptr<ByteSink> PackGzip(std::unique_ptr<ByteSink> inner,
                                   std::unique_ptr<Deflater> deflater,
                                   unsigned threads = 2);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_BYTES_COMPRESSED_SINK_H_
