// Space on disk that nobody else sees.
#ifndef HEAPGLOT_CORE_BYTES_TEMPORARY_FILE_H_
#define HEAPGLOT_CORE_BYTES_TEMPORARY_FILE_H_

#include <string>

#include "core/bytes/fd.h"
#include "heapglot/status.h"

namespace heapglot {

// $TMPDIR if that is a directory, otherwise /tmp.
std::string TemporaryDirectory();

// An empty file without a name, open for reading and writing, in
// TemporaryDirectory(): it is gone when it is closed, however the process ends.
// Errors: kOutput.
Result<Fd> OpenTemporaryFile();

// kOutput, with the system's message about a file of OpenTemporaryFile().
Status TemporaryFileError(int error);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_BYTES_TEMPORARY_FILE_H_
