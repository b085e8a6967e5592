// What a heap snapshot has that its real readers do not take.
#ifndef HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_VALIDATE_H_
#define HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_VALIDATE_H_

#include "heapglot/validate.h"

namespace heapglot {

// Reads the file as DevTools does, so that it gets as far as that; memory is a
// block of numbers, and what IdBitmap and SortedIds need to find ids that come
// twice.
extern const Validator kHeapsnapshotValidator;

}  // namespace heapglot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_VALIDATE_H_
