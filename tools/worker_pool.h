// Processes that each do one thing, and tell about it.
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

// A worker that crashes, runs out of memory or takes over its process harms
// nobody else, as long as what it tells is not believed. Not for a program that
// has threads.
class WorkerPool {
 public:
  // More than anybody has to tell: it ends as kInternal.
  static constexpr std::size_t kMostTold = std::size_t{64} << 20;

  // Gets what `work` has returned; or why its process ended without, as kLimit
  // (no memory), kInput (the input was made shorter) or kInternal.
  using Done = std::function<Status(Result<std::string> told)>;

  // As many as `wanted`, at least one, but no more than there is work for: workers
  // share the memory.
  static std::size_t Fitting(std::uint64_t wanted,
                             std::uint64_t pieces_of_work) {
    return std::clamp<std::uint64_t>(
        wanted, 1, std::max<std::uint64_t>(pieces_of_work, 1));
  }

  explicit WorkerPool(std::size_t workers) : workers_(workers) {}
  // Ends the workers that are left.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Runs `work` in a process of its own, once a worker is free. Of what is open
  // here, only `files` are open there: whoever takes it over can write to nothing
  // else. Descriptors below 0 are none. What it says on stderr goes nowhere.
  // Errors: kInternal if there can be no process; those of some `done`.
  Status Start(const std::function<std::string()>& work,
               const std::vector<int>& files, Done done);
  // Waits for all. Errors: those of some `done`.
  Status Finish();

 private:
  struct Worker {
    pid_t process = -1;
    Fd pipe;
    std::string told;
    Done done;
  };

  // Waits until one has ended.
  Status WaitForOne();
  Status End(Worker& worker);

  const std::size_t workers_;
  std::vector<Worker> running_;
};

// How a worker tells why it has failed, and where.
std::string TellStatus(const Status& status);
// What it has told. It may have been taken over: kInternal for nonsense.
Status ToldStatus(std::string_view told);

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_WORKER_POOL_H_
