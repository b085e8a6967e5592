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

// Maximum number of deltas on top of each other.
inline constexpr std::size_t kMaxDeltas = 7;

// The files that make up a dump: a whole one, then deltas.
struct DumpFiles {
  std::vector<std::string> paths;
  std::vector<std::string> digests;  // one per path

  std::size_t deltas() const { return paths.size() - 1; }
};

// Reads headers only. A dump that is stored both ways is whole.
// Errors: kInput if a file is missing or cannot be read; kMalformed if a delta
// is not one, or is that of another dump, or if bases form a circle; kLimit if
// there are more than kMaxDeltas.
Result<DumpFiles> FindDump(const std::string& directory,
                           const std::string& digest);

// The base of a dump's delta; empty if there is no delta. A whole dump does not
// need one. Errors: those of FindDump().
Result<std::string> FindBase(const std::string& directory,
                             const std::string& digest);

// The digests of all dumps that have a delta, whether or not the manifest knows
// them, in no order. Errors: kInput.
Result<std::vector<std::string>> ListDeltas(const std::string& directory);

// Opens a file of an archive. Errors: those of OpenStored(), and of reading.
Result<std::unique_ptr<ByteSource>> OpenStoredSource(
    const std::string& path, const Limits& limits,
    const ByteSource::OpenOptions& options = {});

// Opens a dump for reading in the sandbox, which is entered before anything has
// been read: the heapir file itself, or the raw form that deltas make. `blamed`
// gets the file that an error is about.
Result<std::unique_ptr<ByteSource>> OpenDump(const DumpFiles& files,
                                             const Limits& limits,
                                             Sandbox& sandbox,
                                             std::string* blamed);

// The digest of the canonical form of a heapir file's content. Errors: those of
// reading it, and of the canonical form.
Result<std::string> CanonicalDigest(const ByteSource& source,
                                    const Limits& limits);

// Checks that this is the dump `digest`. Errors: those of CanonicalDigest();
// kMalformed if it is another one.
Status CheckDigest(const ByteSource& source, const std::string& digest,
                   const Limits& limits);

// The error to report for a dump if the file `blamed` is at fault: its name and
// the place in it are part of the message.
Status ErrorOfFile(const Status& status, std::string_view blamed);

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_ARCHIVE_DUMP_H_
