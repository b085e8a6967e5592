// Reads heap dumps in the NDJSON form of "Extensible heap dumps for Node
// programs". The format: docs/ndjson.md; how it is read: README.md beside this.
#ifndef HEAPGLOT_READERS_NDJSON_NDJSON_READER_H_
#define HEAPGLOT_READERS_NDJSON_NDJSON_READER_H_

#include "heapglot/format.h"

namespace heapglot {

extern const ReaderInfo kNdjsonReader;
// What its findings mean to those who write such files.
extern const Validator kNdjsonValidator;

}  // namespace heapglot

#endif  // HEAPGLOT_READERS_NDJSON_NDJSON_READER_H_
