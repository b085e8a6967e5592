// Views over the draft's tables that undo its tagging: docs/queries.md.
#ifndef HEAPGLOT_CORE_DRAFT_DRAFT_VIEWS_H_
#define HEAPGLOT_CORE_DRAFT_DRAFT_VIEWS_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace heapglot::draft {

// Whether a table in a database of ours has a column. Most columns exist only
// if the dump needs them.
using HasColumn =
    std::function<bool(std::string_view table, std::string_view column)>;

// The statements that create the views. `create` is "CREATE VIEW", or "CREATE
// TEMP VIEW" for a database that must not be changed or whose own views are not
// trusted.
std::vector<std::string> ViewStatements(const std::string& create,
                                        const HasColumn& has);

}  // namespace heapglot::draft

#endif  // HEAPGLOT_CORE_DRAFT_DRAFT_VIEWS_H_
