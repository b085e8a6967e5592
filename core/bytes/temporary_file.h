// A file without a name, for what is too much for memory.
#ifndef HEAPGLOT_CORE_BYTES_TEMPORARY_FILE_H_
#define HEAPGLOT_CORE_BYTES_TEMPORARY_FILE_H_

#include "core/bytes/fd.h"
#include "heapglot/status.h"

namespace heapglot {

// An empty file in $TMPDIR or /tmp, for reading and writing, that is gone with
// its descriptor. Errors: kOutput.
Result<Fd> OpenTemporaryFile();

// The error for a call on such a file that failed with `error`.
Status TemporaryFileError(int error);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_BYTES_TEMPORARY_FILE_H_
