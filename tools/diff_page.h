// What `heapglot diff` shows to people, and the same for machines.
#ifndef HEAPGLOT_TOOLS_DIFF_PAGE_H_
#define HEAPGLOT_TOOLS_DIFF_PAGE_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "core/compare/graph_compare.h"
#include "tools/flags.h"
#include "tools/page.h"

namespace heapglot::tool {

// The largest `top` differences of classes are listed. `a` and `b` are what was
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
