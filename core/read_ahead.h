// Runs a reader and the sink of its chunks at the same time.
#ifndef HEAPGLOT_CORE_READ_AHEAD_H_
#define HEAPGLOT_CORE_READ_AHEAD_H_

#include <cstddef>

#include "heapglot/bytes.h"
#include "heapglot/stream.h"

namespace heapglot {

// How many chunks may wait: `chunks`, or up to 16 that have no more than
// `bytes` bytes together. The more, the less often one thread has to wait for
// the other; there should be room for more than come at once.
struct Ahead {
  std::size_t chunks = 4;
  std::size_t bytes = std::size_t{2} << 20;
  // What the reader's thread does instead of waiting, if anything.
  SpareWork* spare_work = nullptr;
};

// Reads a pass of `reader` into `out`. If `threads` is more than 1 and there
// are more than a few chunks, `out` gets them in a thread of its own, in the
// same order; a chunk that `reader` keeps is copied. Calls of `out` do not
// overlap, and are over when this returns. Errors of either have the same
// effect as without a thread.
//
// Memory: the chunks that wait.
// Errors: those of `reader` and of `out`.
Status ReadAhead(Reader& reader, ChunkSet wanted, ChunkSink& out,
                 unsigned threads, const Ahead& ahead = {});

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_READ_AHEAD_H_
