// The manifest of an archive, and the parts that runs write before it.
#ifndef HEAPGLOT_TOOLS_MANIFEST_H_
#define HEAPGLOT_TOOLS_MANIFEST_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/bytes/fd.h"
#include "heapglot/context.h"
#include "heapglot/status.h"
#include "tools/json.h"

namespace heapglot::tool {

// A line of the manifest: what is known about a source. docs/archives.md has
// all keys; the command reads only those of these members.
struct ManifestRow {
  std::string line;    // all of it, without the newline
  std::string source;  // its path, all bytes
  std::string sha256;  // of the source, as it is
  std::string format;
  std::string dialect;
  std::string digest;  // empty: it could not be read
  std::string exact;   // SHA-256 of its bytes, if restorable
  int exit_code = 0;   // why it could not be read
  std::uint64_t size = 0;
  std::uint64_t nodes = 0;
  std::uint64_t type_count = 0;    // classes with objects
  std::vector<std::string> types;  // the largest of them

  bool ok() const { return !digest.empty(); }
  // Whether its digest or a SHA-256 of the source begins with `prefix`: of the
  // source as it is or, if its bytes can be restored, decompressed.
  bool HasDigest(std::string_view prefix) const {
    return digest.starts_with(prefix) || sha256.starts_with(prefix) ||
           exact.starts_with(prefix);
  }
  // Whether another attempt may succeed: memory ran out, the process crashed,
  // or the file was not there.
  bool may_be_retried() const;
};

// Adds the path of a source, as rows and reports have it: under "source", and
// also as base64 if it is not UTF-8, for which JSON has only U+FFFD.
void AddSource(std::string_view path, Json* json);

// False if it is not a row.
bool ParseManifestRow(std::string_view line, ManifestRow* row);

// Adds what the canonical form leaves out of the row's source.
void AddLosses(const ManifestRow& row, LossReport* losses);

// By source.
using ManifestRows = std::map<std::string, ManifestRow>;

// A shard of the inputs: number `index` (from 1) of `count`.
struct Shard {
  std::uint64_t index = 1;
  std::uint64_t count = 1;

  // The same for a path in every run, whatever the other inputs are.
  bool Has(std::string_view path) const;
  std::string name() const {  // "3-of-8"
    return std::to_string(index) + "-of-" + std::to_string(count);
  }
};

// What one run does, line by line: whatever is in it is done. Only that run
// writes to it.
class ManifestPart {
 public:
  // Errors of all: kOutput.
  static Result<ManifestPart> Create(const std::string& directory,
                                     const Shard& shard);
  Status Add(const ManifestRow& row);
  // Marks the shard's inputs as done. If another run that did the same has
  // already merged and removed this part, it is written again.
  Status Finish();

 private:
  ManifestPart(std::string directory, Shard shard, Fd fd)
      : directory_(std::move(directory)), shard_(shard), fd_(std::move(fd)) {}
  Status Write(const std::string& text);

  std::string directory_;
  Shard shard_;
  Fd fd_;
  std::string text_;  // what was written so far
};

// All that is known about the archive: the manifest and all parts, even
// unfinished ones. A line of a part that is cut off does not count.
// Errors: kInput; kMalformed for a manifest with anything else in it; no error
// if none of them exists.
Result<ManifestRows> ReadArchiveRows(const std::string& directory);
// Only the manifest. Errors: the same, and kInput if there is none.
Result<ManifestRows> ReadManifest(const std::string& directory);

// Merges the manifest and all parts into one sorted manifest, and removes the
// parts of those sets of shards that are complete. Waits for others that do the
// same. `missing` gets the names of shards that are not complete; if there are
// none, `arrange`, which may be empty, first sees all rows, while the archive
// is locked. Each row says which dump its own is a delta from.
// Errors: kOutput, kInput, kMalformed as above; those of `arrange`, after the
// manifest has been written.
Status MergeManifest(const std::string& directory,
                     const std::function<Status(const ManifestRows&)>& arrange,
                     std::vector<std::string>* missing);

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_MANIFEST_H_
