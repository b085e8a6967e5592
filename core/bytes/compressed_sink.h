// Compressed outputs.
#ifndef HEAPGLOT_CORE_BYTES_COMPRESSED_SINK_H_
#define HEAPGLOT_CORE_BYTES_COMPRESSED_SINK_H_

#include <memory>

#include "core/bytes/deflate.h"
#include "heapglot/bytes.h"

namespace heapglot {

// A sink that compresses into `inner` and closes it with itself; `inner`
// itself for kNone. The same bytes in give the same bytes out, however they
// are cut into calls: no clock, no file name. (For gzip that is with one version
// of ISA-L, or of zlib, on processors of one kind, for zstd with one version of
// libzstd.)
// With more than one of `threads`, compression and `inner` run in one of their
// own (background_sink.h).
std::unique_ptr<ByteSink> Compress(std::unique_ptr<ByteSink> inner,
                                   Compression compression,
                                   unsigned threads = 2);
// The same for gzip, with the library that is given.
std::unique_ptr<ByteSink> PackGzip(std::unique_ptr<ByteSink> inner,
                                   std::unique_ptr<Deflater> deflater,
                                   unsigned threads = 2);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_BYTES_COMPRESSED_SINK_H_
