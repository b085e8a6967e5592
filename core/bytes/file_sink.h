// What is left to do when the process dies while it writes a file.
#ifndef HEAPGLOT_CORE_BYTES_FILE_SINK_H_
#define HEAPGLOT_CORE_BYTES_FILE_SINK_H_

namespace heapglot {

// Removes the temporary files of all sinks that ByteSink::Create() made and
// that are neither closed nor destroyed. Async-signal-safe, for handlers of
// signals that end the process: the sinks cannot be used afterwards.
void UnlinkTemporaryFiles();

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_BYTES_FILE_SINK_H_
