// Reads V8 heap snapshots. Layout, sources, quirks and memory: README.md beside
// this.
#ifndef HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_READER_H_
#define HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_READER_H_

#include "heapglot/format.h"

namespace heapglot {

extern const ReaderInfo kHeapsnapshotReader;

}  // namespace heapglot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_READER_H_
