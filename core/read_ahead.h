// A reader and what takes its chunks at work at the same time.
#ifndef HEAPGLOT_CORE_READ_AHEAD_H_
#define HEAPGLOT_CORE_READ_AHEAD_H_

#include <cstddef>

#include "heapglot/stream.h"

namespace heapglot {

// Reads a pass of `reader` into `out`. With more than one of `threads`, and once
// there is more than a little, `out` gets the chunks in a thread of its own, in
// the same order, and copies of those that `reader` keeps; calls of `out` do not
// overlap, and are over when this returns. What an error of either does is the
// same as without.
//
// Memory: `chunks`, at least one, or 16 that have no more than 2 MiB together. The
// more there are, the less often a thread has to wait for the other one: they should
// be more than come at once.
// Errors: those of `reader` and of `out`.
Status ReadAhead(Reader& reader, ChunkSet wanted, ChunkSink& out,
                 unsigned threads, std::size_t chunks = 4);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_READ_AHEAD_H_
