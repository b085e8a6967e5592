// A sink into which any thread may write what is ready for it.
#ifndef HEAPGLOT_CORE_BYTES_SHAREABLE_SINK_H_
#define HEAPGLOT_CORE_BYTES_SHAREABLE_SINK_H_

#include <memory>

#include "heapglot/bytes.h"

namespace heapglot {

// A sink that passes on to `inner` what it gets. Once Share() has been called it
// does so in blocks of kIoBuffer, in order: full ones wait for a thread that has
// time, and when there are four of them, who fills them writes one. Takes these four
// blocks of memory.
std::unique_ptr<ByteSink> MakeShareable(std::unique_ptr<ByteSink> inner);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_BYTES_SHAREABLE_SINK_H_
