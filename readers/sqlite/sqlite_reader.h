// Reads heap dumps in the SQLite form of "Extensible heap dumps for Node
// programs". The format: docs/sqlite.md; how it is read: README.md beside this.
#ifndef HEAPGLOT_READERS_SQLITE_SQLITE_READER_H_
#define HEAPGLOT_READERS_SQLITE_SQLITE_READER_H_

#include "heapglot/format.h"

namespace heapglot {

extern const ReaderInfo kSqliteReader;
// What its findings mean to those who write such files.
extern const Validator kSqliteValidator;

}  // namespace heapglot

#endif  // HEAPGLOT_READERS_SQLITE_SQLITE_READER_H_
