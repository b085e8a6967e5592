#ifndef HEAPGLOT_CORE_OUT_OF_MEMORY_H_
#define HEAPGLOT_CORE_OUT_OF_MEMORY_H_

#include "heapglot/status.h"

namespace heapglot {

// The error for memory that cannot be had, however it was asked for.
inline Status OutOfMemory() {
  return {Code::kLimit, "out of memory (--max-memory)"};
}

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_OUT_OF_MEMORY_H_
