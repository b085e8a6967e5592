// Fills columns of the draft that the stream does not give directly.
#ifndef HEAPGLOT_WRITERS_SQLITE_SQLITE_FILL_H_
#define HEAPGLOT_WRITERS_SQLITE_SQLITE_FILL_H_

#include "core/sqlite/database.h"
#include "heapglot/status.h"
#include "writers/sqlite/sqlite_tables.h"

namespace heapglot::sqlite {

// Computes them from other tables, which must be complete: lengths of texts,
// further values of nodes, and references that V8 has names for. Our reader
// ignores them, since they are not in hg_fields.
// Only for a stream of ours.
Status FillColumns(const Tables& tables, Database& database);

}  // namespace heapglot::sqlite

#endif  // HEAPGLOT_WRITERS_SQLITE_SQLITE_FILL_H_
