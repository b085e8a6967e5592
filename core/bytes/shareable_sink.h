// A sink that lets any thread write what is waiting in it.
#ifndef HEAPGLOT_CORE_BYTES_SHAREABLE_SINK_H_
#define HEAPGLOT_CORE_BYTES_SHAREABLE_SINK_H_

#include <memory>

#include "heapglot/bytes.h"

namespace heapglot {

// A sink that passes what it gets on to `inner`. After Share() it does so in
// blocks of kIoBuffer, in order: full blocks wait for a thread that has time,
// and when there are four, the thread that fills them writes one. Takes these
// four blocks of memory.
std::unique_ptr<ByteSink> MakeShareable(std::unique_ptr<ByteSink> inner);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_BYTES_SHAREABLE_SINK_H_
