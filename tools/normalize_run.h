// A run of `normalize`: many dumps into an archive.
#ifndef HEAPGLOT_TOOLS_NORMALIZE_RUN_H_
#define HEAPGLOT_TOOLS_NORMALIZE_RUN_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tools/archive_store.h"
#include "tools/console.h"
#include "tools/flags.h"
#include "tools/manifest.h"
#include "tools/normalize_dump.h"
#include "tools/normalize_inputs.h"
#include "tools/progress.h"
#include "tools/worker_pool.h"

namespace heapglot::tool {

struct NormalizeFlags {
  InputFlags in;  // `limits.max_threads`: dumps at a time
  std::vector<std::string> inputs;
  std::string directory;
  std::optional<Shard> shard;  // none: all, and the manifest at the end
  std::uint64_t top = 20;
  std::string report;
  bool merge = false;  // only make the manifest of what runs have done
  bool resume = false;
  bool keep_going = true;
  bool fail_fast = false;
  bool dry_run = false;
  bool verify = false;
  bool exact = false;
  bool delta = false;
  bool durable = false;
};

// What became of the inputs.
struct NormalizeTotals {
  std::uint64_t inputs = 0;
  std::uint64_t skipped = 0;     // done by an earlier run
  std::uint64_t stored = 0;      // new in the archive
  std::uint64_t duplicates = 0;  // already in the archive
  std::uint64_t failed = 0;
  std::uint64_t deltas = 0;  // made from dumps that were stored
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_stored = 0;
  std::uint64_t bytes_saved = 0;        // by deltas
  std::set<int> exit_codes;             // of those that failed
  std::map<std::string, int> failures;  // exit code by source
};

class NormalizeRun {
 public:
  NormalizeRun(const NormalizeFlags& flags, const Console& console)
      : flags_(flags),
        console_(console),
        progress_(flags.in.progress, console) {}

  // Returns the exit code.
  int Do();

 private:
  // What a worker writes.
  struct Files {
    NewFile dump;
    NewFile exact;
  };

  Status Prepare();
  Status Begin();
  Status CheckReportPath() const;
  Status ListDumps();
  void NoteLinks(const std::vector<std::string>& links) const;
  Status OpenReport();
  Status Merge();
  Status NormalizeAll();
  // Takes over what an earlier run has done; returns whether that is all of it.
  Result<bool> Skip(const NormalizeInput& input);
  Status Start(WorkerPool& pool, const NormalizeInput& input,
               const NormalizeOptions& options);
  Status Store(const NormalizeInput& input, Files& files,
               const Result<std::string>& told);
  Status Publish(const NormalizedDump& dump, Files& files);
  Status PublishOne(NewFile& file, const std::string& path, bool is_exact,
                    bool* is_new);
  void CountDump(bool is_new);
  Status Check(const NewFile& file, const std::string& path,
               bool is_exact) const;
  Result<std::string> NameOf(const std::string& path, bool is_exact) const;
  Status AddRow(const std::string& line);
  void AddFailure(const std::string& path, const Status& status);
  Status WriteReport() const;
  void SayWhatWasDone() const;
  int ExitCodeOfFailures() const;
  int Fail(const Status& status);

  const NormalizeFlags& flags_;
  const Console& console_;
  Progress progress_;
  std::vector<NormalizeInput> inputs_;
  std::optional<ManifestPart> part_;
  ManifestRows done_;              // by earlier runs
  std::set<std::string> digests_;  // of a dry run
  NormalizeTotals totals_;
  std::uint64_t bytes_done_ = 0;
  std::uint64_t bytes_total_ = 0;
  std::unique_ptr<ByteSink> report_;
};

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_NORMALIZE_RUN_H_
