// Rows of a query as a table, CSV or JSON.
#ifndef HEAPGLOT_TOOLS_QUERY_ROWS_H_
#define HEAPGLOT_TOOLS_QUERY_ROWS_H_

#include <string>

#include "core/sqlite/database.h"
#include "tools/console.h"
#include "tools/page.h"

namespace heapglot::tool {

enum class RowsForm {
  kTable,  // for people: all rows are in memory, and cut to the page
  kCsv,    // RFC 4180 with line feeds, names of the columns first
  kJson,   // an array of objects, one a line
};

// Runs the statement and prints what comes. In `*exit_code` what printing
// answered.
// Errors: those of the statement.
Status PrintRows(sqlite::Statement& statement, RowsForm form,
                 const PageStyle& style, const Console& console,
                 int* exit_code);

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_QUERY_ROWS_H_
