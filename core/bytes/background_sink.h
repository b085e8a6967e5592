// Writing while the caller goes on.
#ifndef HEAPGLOT_CORE_BYTES_BACKGROUND_SINK_H_
#define HEAPGLOT_CORE_BYTES_BACKGROUND_SINK_H_

#include <memory>

#include "heapglot/bytes.h"

namespace heapglot {

// A sink that passes on to `inner` what it gets, in a thread of its own and in
// blocks of kIoBuffer; the first full block starts it. So an error of `inner`
// comes with one of the next calls. Closing waits, and closes `inner` in the
// thread of the caller. Where no thread can be had, or with less than two
// `threads`, the caller's does the work, in the same blocks.
// Takes two blocks of memory and 512 KiB of stack.
std::unique_ptr<ByteSink> WriteInBackground(std::unique_ptr<ByteSink> inner,
                                            unsigned threads = 2);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_BYTES_BACKGROUND_SINK_H_
