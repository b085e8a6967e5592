// What others must know about the files that sinks write.
#ifndef HEAPGLOT_CORE_BYTES_FILE_SINK_H_
#define HEAPGLOT_CORE_BYTES_FILE_SINK_H_

#include <string>

#include "heapglot/status.h"

namespace heapglot {

// The descriptor of this process that ByteSink::Create(path) writes to: 1 for
// "-", N for a path that leads to /proc/self/fd/N, as /dev/stdout does; -1 if
// `path` is that of a file.
int OutputDescriptor(const std::string& path);

// The directory in which ByteSink::Create(path) works: that of the file itself
// if `path` is a link. Empty if it does not write to a file of its own.
std::string OutputDirectory(const std::string& path);

// What ByteSink::Create(path) replaces or makes: `path`, with symbolic links in
// its last component followed, even into nothing. Errors: kOutput if they never
// end.
Result<std::string> OutputTarget(std::string path);

// Removes the temporary files of all sinks that ByteSink::Create() made and
// that are neither closed nor destroyed. Async-signal-safe, for handlers of
// signals that end the process: afterwards, the sinks cannot be used.
void UnlinkTemporaryFiles();

// For a forked process: leaves the temporary files that exist now to its
// parent.
void DisownTemporaryFiles();

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_BYTES_FILE_SINK_H_
