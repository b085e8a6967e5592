#ifndef HEAPGLOT_CORE_MADE_H_
#define HEAPGLOT_CORE_MADE_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "heapglot/status.h"

namespace heapglot {

// The reader or writer that `format` has made. Errors: kInternal, it has made none,
// which those of other programs may do.
template <typename T>
Result<std::unique_ptr<T>> Made(std::unique_ptr<T> made,
                                std::string_view format) {
  if (made != nullptr) return made;
  return Status(Code::kInternal,
                "`make` of " + std::string(format) + " has made nothing");
}

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_MADE_H_
