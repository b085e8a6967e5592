// Finds what the real readers of a heap snapshot do not accept.
#ifndef HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_VALIDATE_H_
#define HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_VALIDATE_H_

#include "heapglot/validate.h"

namespace heapglot {

// Reads the file as DevTools does, and so gets as far as DevTools. Memory: a
// block of numbers, and what IdBitmap and SortedIds need to find duplicate ids.
extern const Validator kHeapsnapshotValidator;

}  // namespace heapglot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_VALIDATE_H_
