#ifndef HEAPGLOT_CORE_BYTES_OPEN_SOURCE_H_
#define HEAPGLOT_CORE_BYTES_OPEN_SOURCE_H_

#include <memory>
#include <string>

#include "core/bytes/fd.h"
#include "heapglot/bytes.h"

namespace heapglot {

// ByteSource::Open() for a file that is already open. `name` is for messages.
// If `fd` is not ok(), errno says why.
Result<std::unique_ptr<ByteSource>> OpenSource(
    Fd fd, const std::string& name, const Limits& limits,
    const ByteSource::OpenOptions& options);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_BYTES_OPEN_SOURCE_H_
