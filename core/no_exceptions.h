#ifndef HEAPGLOT_CORE_NO_EXCEPTIONS_H_
#define HEAPGLOT_CORE_NO_EXCEPTIONS_H_

#include <exception>
#include <new>
#include <string>

#include "core/out_of_memory.h"
#include "heapglot/status.h"

namespace heapglot {

// Returns the status of work(), or one for what it throws: no exception may
// leave a thread.
template <typename Work>
Status WithoutExceptions(Work work) try {
  return work();
} catch (const std::bad_alloc&) {
  return OutOfMemory();
} catch (const std::exception& error) {
  return {Code::kInternal, std::string("internal error: ") + error.what()};
} catch (...) {
  return {Code::kInternal, "internal error: something was thrown"};
}

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_NO_EXCEPTIONS_H_
