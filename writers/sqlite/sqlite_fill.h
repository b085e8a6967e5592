// Columns of the draft that the stream says nothing of by itself.
#ifndef HEAPGLOT_WRITERS_SQLITE_SQLITE_FILL_H_
#define HEAPGLOT_WRITERS_SQLITE_SQLITE_FILL_H_

#include "core/sqlite/database.h"
#include "heapglot/status.h"
#include "writers/sqlite/sqlite_tables.h"

namespace heapglot::sqlite {

// Computes them from other tables, which have to be full: lengths of texts,
// further values of nodes, and references that V8 has names for. A reader of ours
// does not look at them, for they do not stand in hg_fields.
// Only for a stream of ours.
Status FillColumns(const Tables& tables, Database& database);

}  // namespace heapglot::sqlite

#endif  // HEAPGLOT_WRITERS_SQLITE_SQLITE_FILL_H_
