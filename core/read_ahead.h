// A reader and what takes its chunks at work at the same time.
#ifndef HEAPGLOT_CORE_READ_AHEAD_H_
#define HEAPGLOT_CORE_READ_AHEAD_H_

#include <cstddef>

#include "heapglot/bytes.h"
#include "heapglot/stream.h"

namespace heapglot {

// How many chunks may wait: so many, or 16 that have no more than so many bytes
// together. The more, the less often a thread has to wait for the other one: they
// should be more than come at once.
struct Ahead {
  std::size_t chunks = 4;
  std::size_t bytes = std::size_t{2} << 20;
  // What the reader's thread does while it would have to wait, if there is any.
  SpareWork* spare_work = nullptr;
};

// Reads a pass of `reader` into `out`. With more than one of `threads`, and once
// there is more than a little, `out` gets the chunks in a thread of its own, in
// the same order, and copies of those that `reader` keeps; calls of `out` do not
// overlap, and are over when this returns. What an error of either does is the
// same as without.
//
// Memory: the chunks that wait.
// Errors: those of `reader` and of `out`.
Status ReadAhead(Reader& reader, ChunkSet wanted, ChunkSink& out,
                 unsigned threads, const Ahead& ahead = {});

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_READ_AHEAD_H_
