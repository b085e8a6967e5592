// Stores dumps of an archive as deltas from others (`normalize --delta`).
#ifndef HEAPGLOT_TOOLS_DELTA_RUN_H_
#define HEAPGLOT_TOOLS_DELTA_RUN_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/archive_dump.h"
#include "tools/archive_store.h"
#include "tools/delta_plan.h"
#include "tools/flags.h"
#include "tools/manifest.h"
#include "tools/progress.h"
#include "tools/worker_pool.h"

namespace heapglot::tool {

// The deltas of a chain are made in order, and each is on disk before the whole
// dump is removed: whenever this is interrupted, every dump can be read, and
// another run ends with the same files. A dump that is already a delta stays
// one, and the base of an existing delta stays as it is.
class DeltaRun {
 public:
  // `in.limits.max_threads`: chains at a time.
  DeltaRun(std::string directory, const InputFlags& in, Progress& progress)
      : directory_(std::move(directory)), in_(in), progress_(progress) {}

  // Must be called while the archive is locked. Errors: that of the first dump
  // that stayed whole because it could not be read, after the others are done;
  // kOutput at once.
  Status Do(const ManifestRows& rows);

  std::uint64_t made() const { return made_; }
  std::uint64_t bytes_saved() const { return bytes_saved_; }

 private:
  // The work of one worker: deltas from the second dump of a chain on.
  struct Task {
    // The dump that the delta with number `i` is made from.
    const std::string& BaseOf(std::size_t i) const {
      return i == 0 ? base.digests.back() : digests[i - 1];
    }

    DumpFiles base;
    std::vector<std::string> digests;
    std::vector<NewFile> files;  // one per digest
    // What the worker told, and what trying each of the deltas that it made has
    // shown: when none is untried any more, they are stored.
    Result<std::string> told = std::string();
    std::vector<Status> tried;
    std::size_t untried = 0;
  };

  // Finds out what the existing deltas are made from.
  Status FindBases();
  Status DoRound(const std::vector<DeltaChain>& chains, bool* is_done);
  // Finds the first dumps of a chain that are to become deltas now.
  Status FindTask(const DeltaChain& chain, Task* task);
  // Whether a dump can be one more delta on top of `below`.
  static bool CanBeOn(const DumpFiles& below, const std::string& digest,
                      std::size_t between);
  // Whether a dump is already as it will be, or has to stay as it is.
  Result<bool> IsSettled(const std::string& digest, const std::string& base);
  std::string Work(const Task& task) const;
  void Confine(const Task& task, Sandbox& sandbox) const;
  Status WorkOrFail(const Task& task, std::string* told) const;
  Result<std::unique_ptr<ByteSource>> MakeOne(const Task& task, std::size_t i,
                                              std::string_view base,
                                              std::string* told) const;
  // Has workers find out whether the deltas of `made_tasks_` restore their
  // dumps, and stores those that do.
  Status TryDeltas(WorkerPool& pool);
  Status TryDelta(const Task& task, std::size_t i) const;
  Status Store(Task& task);
  Status Replace(const std::string& digest, const std::string& base,
                 NewFile& file);
  static Status PublishDelta(NewFile& file, const std::string& path);
  // Removes the delta of a dump for which FindBase() has failed, if it is
  // useless.
  Status RemoveIfUseless(const std::string& digest, const Status& why) const;
  static Status Remove(const std::string& path);

  const std::string directory_;
  const InputFlags& in_;
  Progress& progress_;
  std::set<std::string> bases_;    // of all deltas that existed before
  std::set<std::string> settled_;  // dumps that have to stay as they are
  std::vector<std::shared_ptr<Task>> made_tasks_;  // whose workers have ended
  Status error_;  // of the first dump that could not be read
  std::size_t workers_ = 1;
  std::uint64_t planned_ = 0;
  std::uint64_t tried_ = 0;
  std::uint64_t made_ = 0;
  std::uint64_t bytes_saved_ = 0;
};

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_DELTA_RUN_H_
