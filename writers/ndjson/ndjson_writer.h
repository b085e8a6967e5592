// Writes heap dumps in the NDJSON form of "Extensible heap dumps for Node
// programs". The format: docs/ndjson.md; what goes where: README.md beside
// this.
#ifndef HEAPGLOT_WRITERS_NDJSON_NDJSON_WRITER_H_
#define HEAPGLOT_WRITERS_NDJSON_NDJSON_WRITER_H_

#include "heapglot/format.h"

namespace heapglot {

extern const WriterInfo kNdjsonWriter;

}  // namespace heapglot

#endif  // HEAPGLOT_WRITERS_NDJSON_NDJSON_WRITER_H_
