// The database for a query, if the input already is one.
#ifndef HEAPGLOT_TOOLS_QUERY_DATABASE_H_
#define HEAPGLOT_TOOLS_QUERY_DATABASE_H_

#include <memory>
#include <string_view>

#include "core/sqlite/database.h"
#include "heapglot/bytes.h"

namespace heapglot::tool {

// Opens a database that heapglot wrote, and that can be queried as it is;
// nullptr if it is another one, or not what it should be, so that its reader
// has to look at it. Nothing in its schema is trusted: the tables must be plain
// ones with stored columns, and our own views hide those of the file. `source`
// must outlive it. `name` is for messages.
std::unique_ptr<sqlite::Database> OpenOwnDatabase(std::string_view name,
                                                  const ByteSource& source);

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_QUERY_DATABASE_H_
