// Writing while the caller goes on.
#ifndef HEAPGLOT_CORE_BYTES_BACKGROUND_SINK_H_
#define HEAPGLOT_CORE_BYTES_BACKGROUND_SINK_H_

#include <memory>

#include "heapglot/bytes.h"

namespace heapglot {

// A sink that passes what it gets on to `inner`, in a thread of its own and in
// blocks of kIoBuffer; the first full block starts the thread. So an error of
// `inner` is returned by one of the next calls. Closing waits, and closes
// `inner` in the caller's thread. If no thread can be started, or `threads` is
// less than two, the caller's thread does the work, in the same blocks.
// Takes two blocks of memory and 512 KiB of stack.
std::unique_ptr<ByteSink> WriteInBackground(std::unique_ptr<ByteSink> inner,
                                            unsigned threads = 2);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_BYTES_BACKGROUND_SINK_H_
