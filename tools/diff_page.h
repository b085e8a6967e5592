// The output of `heapglot diff`, for people and for machines.
#ifndef HEAPGLOT_TOOLS_DIFF_PAGE_H_
#define HEAPGLOT_TOOLS_DIFF_PAGE_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "core/compare/graph_compare.h"
#include "tools/flags.h"
#include "tools/page.h"

namespace heapglot::tool {

// Lists the largest `top` differences of classes. `a` and `b` are what was
// compared.
std::string DiffPage(const GraphComparison& comparison, const OpenInput& a,
                     const OpenInput& b, std::size_t top,
                     const PageStyle& style);

std::string DiffJson(const GraphComparison& comparison, const OpenInput& a,
                     const OpenInput& b, std::size_t top);

// "added", "removed", "grown", "shrunk", "changed".
std::string_view ToString(NodeDifference::What what);

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_DIFF_PAGE_H_
