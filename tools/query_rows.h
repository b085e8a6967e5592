// Prints the rows of a query as a table, CSV or JSON.
#ifndef HEAPGLOT_TOOLS_QUERY_ROWS_H_
#define HEAPGLOT_TOOLS_QUERY_ROWS_H_

#include <string>

#include "core/sqlite/database.h"
#include "tools/console.h"
#include "tools/page.h"

namespace heapglot::tool {

enum class RowsForm {
  kTable,  // for people: keeps all rows in memory, and cuts them to the page
  kCsv,    // RFC 4180 with line feeds, names of the columns first
  kJson,   // an array of objects, one per line
};

// Runs the statement and prints its rows. `*exit_code` is what printing
// returned.
// Errors: those of the statement.
Status PrintRows(sqlite::Statement& statement, RowsForm form,
                 const PageStyle& style, const Console& console,
                 int* exit_code);

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_QUERY_ROWS_H_
