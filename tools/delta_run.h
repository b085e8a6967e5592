// Stores dumps of an archive as deltas of others (`normalize --delta`).
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

// Of a chain the deltas are made in order, and each is on disk before the whole
// dump is removed: whenever this is ended, every dump can be read, and
// another run ends with the same files. What is a delta already stays one, and
// what a delta was made of before stays what it is.
class DeltaRun {
 public:
  // `in.limits.max_threads`: chains at a time.
  DeltaRun(std::string directory, const InputFlags& in, Progress& progress)
      : directory_(std::move(directory)), in_(in), progress_(progress) {}

  // While the archive is locked. Errors: of the first dump that had to stay
  // whole since it could not be read; the others are done. kOutput: at once.
  Status Do(const ManifestRows& rows);

  std::uint64_t made() const { return made_; }
  std::uint64_t bytes_saved() const { return bytes_saved_; }

 private:
  // What one worker does: deltas from the second dump of a chain on.
  struct Task {
    // The dump that number `i` becomes a delta of.
    const std::string& BaseOf(std::size_t i) const {
      return i == 0 ? base.digests.back() : digests[i - 1];
    }

    DumpFiles base;
    std::vector<std::string> digests;
    std::vector<NewFile> files;  // a digest each
    // What it has told, and of the deltas that it has made what came of trying
    // them: when none is untried any more, they are stored.
    Result<std::string> told = std::string();
    std::vector<Status> tried;
    std::size_t untried = 0;
  };

  // Finds out what the deltas are made of that there are.
  Status FindBases();
  Status DoRound(const std::vector<DeltaChain>& chains, bool* is_done);
  // The first dumps of a chain that are to become deltas now.
  Status FindTask(const DeltaChain& chain, Task* task);
  // Whether a dump can be one delta more on top of `below`.
  static bool CanBeOn(const DumpFiles& below, const std::string& digest,
                      std::size_t between);
  // Whether a dump is, or has to stay, what it is.
  Result<bool> IsSettled(const std::string& digest, const std::string& base);
  std::string Work(const Task& task) const;
  void Confine(const Task& task, Sandbox& sandbox) const;
  Status WorkOrFail(const Task& task, std::string* told) const;
  Result<std::unique_ptr<ByteSource>> MakeOne(const Task& task, std::size_t i,
                                              std::string_view base,
                                              std::string* told) const;
  // Lets workers find out whether the deltas of `made_tasks_` give their dumps
  // back, and stores those that do.
  Status TryDeltas(WorkerPool& pool);
  Status TryDelta(const Task& task, std::size_t i) const;
  Status Store(Task& task);
  Status Replace(const std::string& digest, const std::string& base,
                 NewFile& file);
  static Status PublishDelta(NewFile& file, const std::string& path);
  // The delta of a dump for which FindBase() has failed so.
  Status RemoveIfUseless(const std::string& digest, const Status& why) const;
  static Status Remove(const std::string& path);

  const std::string directory_;
  const InputFlags& in_;
  Progress& progress_;
  std::set<std::string> bases_;    // of all deltas that were there before
  std::set<std::string> settled_;  // those that have to stay whole
  std::vector<std::shared_ptr<Task>> made_tasks_;  // whose worker has ended
  Status error_;  // of the first that could not be read
  std::size_t workers_ = 1;
  std::uint64_t planned_ = 0;
  std::uint64_t tried_ = 0;
  std::uint64_t made_ = 0;
  std::uint64_t bytes_saved_ = 0;
};

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_DELTA_RUN_H_
