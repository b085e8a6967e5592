// What others must know of the files that sinks write.
#ifndef HEAPGLOT_CORE_BYTES_FILE_SINK_H_
#define HEAPGLOT_CORE_BYTES_FILE_SINK_H_

#include <string>

#include "heapglot/status.h"

namespace heapglot {

// The descriptor of this process that ByteSink::Create(path) writes to: 1 for "-",
// N for what leads to /proc/self/fd/N, as /dev/stdout does. -1: `path` is that of
// a file.
int OutputDescriptor(const std::string& path);

// The directory in which ByteSink::Create(path) works: that of the file itself,
// if `path` is a link. Empty if it writes to no file of its own.
std::string OutputDirectory(const std::string& path);

// What ByteSink::Create(path) replaces or makes: `path`, with symbolic links of its
// last component followed, also into nothing. Errors: kOutput, if they never end.
Result<std::string> OutputTarget(std::string path);

// Removes the temporary files of all sinks that ByteSink::Create() made and
// that are neither closed nor destroyed. Async-signal-safe, for handlers of
// signals that end the process: the sinks cannot be used afterwards.
void UnlinkTemporaryFiles();

// For a new process: those that there are now are left to the one that it was
// forked from.
void DisownTemporaryFiles();

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_BYTES_FILE_SINK_H_
