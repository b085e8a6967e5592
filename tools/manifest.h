// The manifest of an archive, and the parts that runs write on the way to it.
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

// A line of the manifest: what is known of a source. The keys are those of
// docs/archives.md; only these are read by the command.
struct ManifestRow {
  std::string line;    // all of it, without the newline
  std::string source;  // its path, all bytes
  std::string sha256;  // of the source, as it is
  std::string format;
  std::string dialect;
  std::string digest;  // empty: it could not be read
  std::string exact;   // SHA-256 of its bytes if they can be had back
  int exit_code = 0;   // why it could not be read
  std::uint64_t size = 0;
  std::uint64_t nodes = 0;
  std::uint64_t type_count = 0;    // classes with objects
  std::vector<std::string> types;  // the largest of them

  bool ok() const { return !digest.empty(); }
  // Whether its digest or a SHA-256 of the source begins so: as it is, or, if its
  // bytes can be had back, not compressed.
  bool HasDigest(std::string_view prefix) const {
    return digest.starts_with(prefix) || sha256.starts_with(prefix) ||
           exact.starts_with(prefix);
  }
  // Whether another try may go better: memory ran out, the process crashed, or
  // the file was not there.
  bool may_be_retried() const;
};

// The path of a source, as a row and reports have it: under "source", and where
// that is no UTF-8, of which JSON holds no more than U+FFFD, as base64 besides.
void AddSource(std::string_view path, Json* json);

// False: it is no row.
bool ParseManifestRow(std::string_view line, ManifestRow* row);

// What the canonical form leaves out of the row's source.
void AddLosses(const ManifestRow& row, LossReport* losses);

// By source.
using ManifestRows = std::map<std::string, ManifestRow>;

// A shard of the inputs: those of number `index` (from 1) of `count`.
struct Shard {
  std::uint64_t index = 1;
  std::uint64_t count = 1;

  // The same for a path in every run, whatever the other inputs are.
  bool Has(std::string_view path) const;
  std::string name() const {  // "3-of-8"
    return std::to_string(index) + "-of-" + std::to_string(count);
  }
};

// What one run does, line by line: whatever stands in it is done. Nobody else
// writes to it.
class ManifestPart {
 public:
  // Errors of all: kOutput.
  static Result<ManifestPart> Create(const std::string& directory,
                                     const Shard& shard);
  Status Add(const ManifestRow& row);
  // All inputs of the shard are done. Another run that did the same may have
  // merged and removed this part meanwhile: then it is written again.
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

// All that is known of the archive: the manifest and all parts, also unfinished
// ones. A line of theirs that is cut is none.
// Errors: kInput; kMalformed for a manifest with something else in it; not when
// there is none of them.
Result<ManifestRows> ReadArchiveRows(const std::string& directory);
// The manifest alone. Errors: the same, and kInput when there is none.
Result<ManifestRows> ReadManifest(const std::string& directory);

// Makes one sorted manifest of it and of all parts, and removes those of the sets of
// shards that are complete. Waits for others that do the same.
// `missing` gets the names of shards that are not complete; if there are none,
// `arrange`, which may be empty, sees all rows before, while the archive is locked.
// Each row tells which dump its own is a delta of.
// Errors: kOutput, kInput, kMalformed as above; those of `arrange`, when the
// manifest is there.
Status MergeManifest(const std::string& directory,
                     const std::function<Status(const ManifestRows&)>& arrange,
                     std::vector<std::string>* missing);

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_MANIFEST_H_
