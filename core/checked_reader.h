// Readers whose streams nobody has tested here.
#ifndef HEAPGLOT_CORE_CHECKED_READER_H_
#define HEAPGLOT_CORE_CHECKED_READER_H_

#include <memory>

#include "heapglot/format.h"

namespace heapglot {

// What `format` makes. If it does not come with heapglot, a bug in it shall not be
// one of ours: its first Read() takes a pass over everything before, and each pass
// is run into CheckSink and must have the totals of that one. What it has counted
// itself is not believed.
//
// Errors of its Read(): kInternal, "the reader of vmheap: chunk 9 (nodes): ...", for
// what breaks a rule; otherwise those of the reader and of the sink. Memory: that of
// CheckSink.
std::unique_ptr<Reader> MakeReader(const ReaderInfo& format,
                                   const ByteSource& source, Context& context);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_CHECKED_READER_H_
