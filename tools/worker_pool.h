// Processes that each do one thing, and report about it.
#ifndef HEAPGLOT_TOOLS_WORKER_POOL_H_
#define HEAPGLOT_TOOLS_WORKER_POOL_H_

#include <sys/types.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/bytes/fd.h"
#include "heapglot/status.h"

namespace heapglot::tool {

// A worker that crashes, runs out of memory or is taken over harms nothing
// else, as long as its report is not trusted. Not for a program that has
// threads.
class WorkerPool {
 public:
  // More bytes than any worker has to report: it ends as kInternal.
  static constexpr std::size_t kMostTold = std::size_t{64} << 20;

  // Gets what `work` returned, or why its process ended without a result, as
  // kLimit (no memory), kInput (the input was truncated) or kInternal.
  using Done = std::function<Status(Result<std::string> told)>;

  // `wanted`, at least one, but no more than there are pieces of work: workers
  // share the memory.
  static std::size_t Fitting(std::uint64_t wanted,
                             std::uint64_t pieces_of_work) {
    return std::clamp<std::uint64_t>(
        wanted, 1, std::max<std::uint64_t>(pieces_of_work, 1));
  }

  explicit WorkerPool(std::size_t workers) : workers_(workers) {}
  // Kills the workers that are left.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Runs `work` in a process of its own, once a worker is free. Of the open
  // files, only `files` stay open there: if it is taken over, it can write to
  // nothing else. Descriptors below 0 are ignored. What it writes to stderr
  // goes nowhere.
  // Errors: kOutput if no process can be started, because the system has no
  // more of them or of open files; those of any `done`.
  Status Start(const std::function<std::string()>& work,
               const std::vector<int>& files, Done done);
  // Waits for all workers. Errors: those of any `done`.
  Status Finish();

 private:
  struct Worker {
    pid_t process = -1;
    Fd pipe;
    std::string told;
    Done done;
  };

  // Waits until one of them has ended.
  Status WaitForOne();
  Status End(Worker& worker);

  const std::size_t workers_;
  std::vector<Worker> running_;
};

// How a worker reports why it has failed, and where.
std::string TellStatus(const Status& status);
// Decodes that report. The worker may have been taken over: kInternal for
// nonsense.
Status ToldStatus(std::string_view told);

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_WORKER_POOL_H_
