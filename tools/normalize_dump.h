// Puts one dump into an archive: what a worker of `normalize` does.
#ifndef HEAPGLOT_TOOLS_NORMALIZE_DUMP_H_
#define HEAPGLOT_TOOLS_NORMALIZE_DUMP_H_

#include <cstdint>
#include <string>

#include "heapglot/status.h"
#include "tools/console.h"
#include "tools/flags.h"

namespace heapglot::tool {

struct NormalizeOptions {
  InputFlags in;         // `input` is the dump
  std::size_t top = 20;  // classes listed in the row
  bool verify = false;   // read what was written, and compare
};

// Open files; -1: none.
struct NormalizeFiles {
  int source = -1;
  int dump = -1;   // gets the canonical form
  int exact = -1;  // gets what restores the bytes of the source
};

// What became of a dump.
struct NormalizedDump {
  std::string row;     // its line of the manifest, without the newline
  std::string digest;  // empty if it could not be read
  std::string exact;   // SHA-256 of the dump, if its bytes can be restored
  Status status;       // why it could not be read
};

// Reads `files.source`; the options only give its name, which by then may be
// that of another file. Writes to the others that are given. Enters the sandbox
// for good. Errors in the dump are part of the result.
NormalizedDump NormalizeDump(const NormalizeOptions& options,
                             const NormalizeFiles& files,
                             const Console& console);

// What the file of an archive at `path` should be named after: the digest of a
// dump or, if it `is_exact`, the SHA-256 of the bytes that it restores. Enters
// the sandbox for good. Errors: those of readers.
Result<std::string> NameOfStored(const NormalizeOptions& options,
                                 const std::string& path, bool is_exact,
                                 const Console& console);

// The row of a dump about which nothing could be found out.
std::string ErrorRow(const std::string& source, const Status& status);

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_NORMALIZE_DUMP_H_
