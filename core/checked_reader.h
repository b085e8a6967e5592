// Checks the streams of readers that are not tested here.
#ifndef HEAPGLOT_CORE_CHECKED_READER_H_
#define HEAPGLOT_CORE_CHECKED_READER_H_

#include <memory>

#include "heapglot/format.h"

namespace heapglot {

// The reader that `format` makes. If `format` does not come with heapglot, a
// bug in it must not become one of ours: the first Read() begins with a pass
// over everything, and each pass goes through CheckSink and must have the
// totals of that first one. What the reader has counted itself is not trusted.
//
// Errors of its Read(): kInternal, "the reader of vmheap: chunk 9 (nodes):
// ...", if a rule is broken; otherwise those of the reader and of the sink.
// Memory: that of CheckSink.
std::unique_ptr<Reader> MakeReader(const ReaderInfo& format,
                                   const ByteSource& source, Context& context);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_CHECKED_READER_H_
