// Writes V8 heap snapshots in the form of Node 22. How a heap is shaped so
// that it reads well in Chrome DevTools: README.md beside this.
#ifndef HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_WRITER_H_
#define HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_WRITER_H_

#include "heapglot/format.h"

namespace heapglot {

extern const WriterInfo kHeapsnapshotWriter;

}  // namespace heapglot

#endif  // HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_WRITER_H_
