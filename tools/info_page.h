// The output of `heapglot info`, for people and for machines.
#ifndef HEAPGLOT_TOOLS_INFO_PAGE_H_
#define HEAPGLOT_TOOLS_INFO_PAGE_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "tools/dump_summary.h"
#include "tools/flags.h"
#include "tools/page.h"

namespace heapglot::tool {

// Whether a file with this image can be turned back into the bytes of its
// source.
bool IsByteIdentical(const pb::SourceImage& image);
// How: "verified", "patched", "embedded"; "none" if it cannot.
std::string_view ImageWord(const pb::SourceImage& image);

// "intact", "stale" or "damaged"; "none" if there are none.
std::string_view LeftoversWord(const LeftoversVerdict& leftovers);

// Lists the largest `top` classes.
std::string InfoPage(const DumpSummary& summary, const OpenInput& input,
                     std::size_t top, const PageStyle& style);

std::string InfoJson(const DumpSummary& summary, const OpenInput& input,
                     std::size_t top);

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_INFO_PAGE_H_
