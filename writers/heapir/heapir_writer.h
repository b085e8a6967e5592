// Writes heapir files: the IR on disk. Layout, order and memory: README.md
// beside this and docs/heapir.md.
#ifndef HEAPGLOT_WRITERS_HEAPIR_HEAPIR_WRITER_H_
#define HEAPGLOT_WRITERS_HEAPIR_HEAPIR_WRITER_H_

#include "heapglot/format.h"

namespace heapglot {

extern const WriterInfo kHeapirWriter;

}  // namespace heapglot

#endif  // HEAPGLOT_WRITERS_HEAPIR_HEAPIR_WRITER_H_
