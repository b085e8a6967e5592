// The dumps of an archive, whether they are stored whole or as deltas.
#ifndef HEAPGLOT_TOOLS_ARCHIVE_DUMP_H_
#define HEAPGLOT_TOOLS_ARCHIVE_DUMP_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "heapglot/bytes.h"
#include "heapglot/status.h"
#include "tools/delta_file.h"
#include "tools/sandbox.h"

namespace heapglot::tool {

// Deltas on top of each other, at most.
inline constexpr std::size_t kMaxDeltas = 7;

// The files that make a dump: one that is whole, then deltas.
struct DumpFiles {
  std::vector<std::string> paths;
  std::vector<std::string> digests;  // a path each

  std::size_t deltas() const { return paths.size() - 1; }
};

// Looks at headers only. A dump that is there in both ways is whole.
// Errors: kInput when a file is missing or cannot be read; kMalformed when a
// delta is none, or is that of another dump, or when bases go in circles;
// kLimit when there are more than kMaxDeltas.
Result<DumpFiles> FindDump(const std::string& directory,
                           const std::string& digest);

// What the delta of a dump is made of; empty if there is none. A dump that is
// whole has no need of it. Errors: those of FindDump().
Result<std::string> FindBase(const std::string& directory,
                             const std::string& digest);

// The digests of all dumps of which there is a delta, whether or not the manifest
// knows of them, in no order. Errors: kInput.
Result<std::vector<std::string>> ListDeltas(const std::string& directory);

// What stands there in an archive. Errors: those of OpenStored(), and of reading.
Result<std::unique_ptr<ByteSource>> OpenStoredSource(
    const std::string& path, const Limits& limits,
    const ByteSource::OpenOptions& options = {});

// To be read in the sandbox, which is entered when nothing has been read yet:
// the heapir file itself, or the raw form that deltas make. `blamed` gets the
// file that an error is about.
Result<std::unique_ptr<ByteSource>> OpenDump(const DumpFiles& files,
                                             const Limits& limits,
                                             Sandbox& sandbox,
                                             std::string* blamed);

// The digest of the canonical form of what a heapir holds. Errors: those of
// reading it, and of the canonical form.
Result<std::string> CanonicalDigest(const ByteSource& source,
                                    const Limits& limits);

// Whether that is the dump `digest`. Errors: those of CanonicalDigest(); kMalformed
// when it is another one.
Status CheckDigest(const ByteSource& source, const std::string& digest,
                   const Limits& limits);

// What is told of a dump if the file `blamed` is at fault: its name and the place
// in it are part of the message.
Status ErrorOfFile(const Status& status, std::string_view blamed);

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_ARCHIVE_DUMP_H_
