#ifndef HEAPGLOT_CORE_MADE_H_
#define HEAPGLOT_CORE_MADE_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "heapglot/status.h"

namespace heapglot {

// The reader or writer that `format` made. Errors: kInternal if it made none,
// as formats of other programs may.
template <typename T>
Result<std::unique_ptr<T>> Made(std::unique_ptr<T> made,
                                std::string_view format) {
  if (made != nullptr) return made;
  return Status(Code::kInternal,
                "`make` of " + std::string(format) + " has made nothing");
}

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_MADE_H_
