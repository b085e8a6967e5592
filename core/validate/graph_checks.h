// What can be said of any dump, whatever its format.
#ifndef HEAPGLOT_CORE_VALIDATE_GRAPH_CHECKS_H_
#define HEAPGLOT_CORE_VALIDATE_GRAPH_CHECKS_H_

#include "heapglot/status.h"
#include "heapglot/stream.h"
#include "heapglot/validate.h"

namespace heapglot {

// Reads the dump of `reader` and adds to `*validation` what common rules say
// about its graphs: how many nodes, roots, what is stated, what is not reached.
// Errors: those of the reader. Memory: that of MakeUnreachableFilter().
Status CheckGraphs(Reader& reader, Context& context, Validation* validation);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_VALIDATE_GRAPH_CHECKS_H_
