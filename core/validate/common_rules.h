// Rules that hold for any format.
#ifndef HEAPGLOT_CORE_VALIDATE_COMMON_RULES_H_
#define HEAPGLOT_CORE_VALIDATE_COMMON_RULES_H_

#include <string_view>

#include "core/validate/rule_table.h"
#include "heapglot/validate.h"

namespace heapglot {

inline constexpr Rule kCommonRules[] = {
    {"heap.file.unknown", Severity::kError, "no reader recognizes this format",
     "Look at the first bytes: a dump begins with the magic word or the first "
     "key of its format. With --from FORMAT, the reader of that format says "
     "what is wrong."},
    {"heap.file.malformed", Severity::kError, "the file breaks its format here",
     "What is here cannot be read, so nothing after it can be trusted: write "
     "what the message expects."},
    {"heap.file.truncated", Severity::kError,
     "the file ends before its content does",
     "Write to the end, check that closing the file succeeds, and rename it to "
     "its name only then; compare the size after a transfer."},
    {"heap.file.unsupported", Severity::kError,
     "this version or feature is not known",
     "Use only versions and features that the format's documentation "
     "describes."},
    {"heap.file.limit", Severity::kError,
     "reading stops here because of a limit of heapglot",
     "If the file is meant to be like this, raise the limit that the message "
     "names; if not, the number here is wrong."},
    {"heap.nodes.none", Severity::kNote, "the dump has no nodes",
     "Write at least the root: most viewers refuse an empty graph."},
    {"heap.roots.none", Severity::kNote, "nothing says what the roots are",
     "Name the root node or list the roots, or no reader can tell what keeps "
     "an object alive."},
    {"heap.roots.unreachable", Severity::kNote,
     "no root reaches some of the nodes",
     "If they are garbage that had not been collected yet, all is well; if "
     "not, a kind of root or edge is missing."},
    {"heap.edge.dangling", Severity::kNote, "some edges lead to no node",
     "Leave out the edge, or write the node that it refers to."},
    {"heap.stated.nodes", Severity::kNote,
     "the stated number of nodes is not the real one",
     "Count what is written, and write that count."},
    {"heap.stated.edges", Severity::kNote,
     "the stated number of edges is not the real one",
     "Count what is written, and write that count."},
    {"heap.stated.self_size", Severity::kNote,
     "the stated size of all nodes is not the sum of their sizes",
     "Say in the format's documentation what else the total includes, or write "
     "the sum."},
    {"heap.stated.external_size", Severity::kNote,
     "the stated external size is not the sum of the external sizes",
     "Say in the format's documentation what else the total includes, or write "
     "the sum."},
};

// The common rule `id`, which is checked at compile time.
consteval const Rule& CommonRule(std::string_view id) {
  return FindRule(kCommonRules, id);
}

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_VALIDATE_COMMON_RULES_H_
