// Writes any graph as a dartheap that Dart's own readers accept.
#ifndef HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_FOREIGN_H_
#define HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_FOREIGN_H_

#include <memory>

#include "heapglot/bytes.h"
#include "heapglot/context.h"
#include "heapglot/format.h"
#include "heapglot/stream.h"

namespace heapglot::dartheap {

// See README.md beside this. `leftovers` may be nullptr. Memory: that of Survey
// and ObjectQueue.
std::unique_ptr<Writer> MakeForeignWriter(ByteSink& sink, Leftovers* leftovers,
                                          Context& context);

}  // namespace heapglot::dartheap

#endif  // HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_FOREIGN_H_
