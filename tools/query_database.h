// The database that a query is run over, if there is one already.
#ifndef HEAPGLOT_TOOLS_QUERY_DATABASE_H_
#define HEAPGLOT_TOOLS_QUERY_DATABASE_H_

#include <memory>
#include <string_view>

#include "core/sqlite/database.h"
#include "heapglot/bytes.h"

namespace heapglot::tool {

// A database that heapglot wrote, which can be asked as it is; nullptr if it is
// another one, or not what it should be, so that its reader has to look at it.
// Nothing of its schema is trusted: the tables have to be plain ones with stored
// columns, and views of our own hide those of the file.
// `source` must outlive it. `name` is for messages.
std::unique_ptr<sqlite::Database> OpenOwnDatabase(std::string_view name,
                                                  const ByteSource& source);

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_QUERY_DATABASE_H_
