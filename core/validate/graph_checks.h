// What can be said about any dump, whatever its format.
#ifndef HEAPGLOT_CORE_VALIDATE_GRAPH_CHECKS_H_
#define HEAPGLOT_CORE_VALIDATE_GRAPH_CHECKS_H_

#include "heapglot/status.h"
#include "heapglot/stream.h"
#include "heapglot/validate.h"

namespace heapglot {

// Reads the dump of `reader` and adds to `*validation` what the common rules
// say about its graphs: numbers of nodes and roots, stated totals, unreachable
// nodes.
// Errors: those of the reader. Memory: that of MakeUnreachableFilter().
Status CheckGraphs(Reader& reader, Context& context, Validation* validation);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_VALIDATE_GRAPH_CHECKS_H_
