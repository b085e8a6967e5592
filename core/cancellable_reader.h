// Ends a stream when its run is cancelled.
#ifndef HEAPGLOT_CORE_CANCELLABLE_READER_H_
#define HEAPGLOT_CORE_CANCELLABLE_READER_H_

#include <memory>

#include "heapglot/context.h"
#include "heapglot/stream.h"

namespace heapglot {

// The stream of `upstream`, of which no chunk gets through once `context` is
// cancelled. For readers that call Context::Proceed() seldom or never. Both
// arguments must outlive it.
std::unique_ptr<Reader> MakeCancellableReader(Reader& upstream,
                                              const Context& context);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_CANCELLABLE_READER_H_
