// Views over the draft's tables that undo its tagging: docs/queries.md.
#ifndef HEAPGLOT_CORE_DRAFT_DRAFT_VIEWS_H_
#define HEAPGLOT_CORE_DRAFT_DRAFT_VIEWS_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace heapglot::draft {

// Whether the table of a database of ours has that column. Most are there only
// if the dump needs them.
using HasColumn =
    std::function<bool(std::string_view table, std::string_view column)>;

// The statements that make them. `create` is "CREATE VIEW", or "CREATE TEMP
// VIEW" for a database that is not to be changed, or whose own are not trusted.
std::vector<std::string> ViewStatements(const std::string& create,
                                        const HasColumn& has);

}  // namespace heapglot::draft

#endif  // HEAPGLOT_CORE_DRAFT_DRAFT_VIEWS_H_
