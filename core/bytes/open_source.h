#ifndef HEAPGLOT_CORE_BYTES_OPEN_SOURCE_H_
#define HEAPGLOT_CORE_BYTES_OPEN_SOURCE_H_

#include <memory>
#include <string>

#include "core/bytes/fd.h"
#include "heapglot/bytes.h"

namespace heapglot {

// ByteSource::Open() of what is open already. `name`: for messages. If `fd` is
// none, errno says why.
Result<std::unique_ptr<ByteSource>> OpenSource(
    Fd fd, const std::string& name, const Limits& limits,
    const ByteSource::OpenOptions& options);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_BYTES_OPEN_SOURCE_H_
