#ifndef HEAPGLOT_WRITERS_SQLITE_SQLITE_WRITER_H_
#define HEAPGLOT_WRITERS_SQLITE_SQLITE_WRITER_H_

#include "heapglot/format.h"

namespace heapglot {

// Extensible heap dumps as an SQLite database: docs/sqlite.md.
extern const WriterInfo kSqliteWriter;

}  // namespace heapglot

#endif  // HEAPGLOT_WRITERS_SQLITE_SQLITE_WRITER_H_
