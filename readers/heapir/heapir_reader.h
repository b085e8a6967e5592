// Reads heapir files: the IR on disk. Layout, quirks and memory: README.md
// beside this and docs/heapir.md.
#ifndef HEAPGLOT_READERS_HEAPIR_HEAPIR_READER_H_
#define HEAPGLOT_READERS_HEAPIR_HEAPIR_READER_H_

#include "heapglot/format.h"

namespace heapglot {

extern const ReaderInfo kHeapirReader;
// What its findings mean to those who write such files.
extern const Validator kHeapirValidator;

}  // namespace heapglot

#endif  // HEAPGLOT_READERS_HEAPIR_HEAPIR_READER_H_
