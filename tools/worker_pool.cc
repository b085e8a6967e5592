#include "tools/worker_pool.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>

#include "core/bytes/file_sink.h"
#include "core/no_exceptions.h"
#include "core/out_of_memory.h"

namespace heapglot::tool {
namespace {

// A worker's sign that it has reported everything.
constexpr char kAllTold = '\n';

// What precedes the message of a status: its code, whether it has an offset,
// the offset, line and column.
using ToldHead = std::array<std::uint64_t, 5>;

Status WhyEnded(int status) {
  constexpr char kWasCut[] = "was made shorter while it was read";
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS)
    return {Code::kInput, kWasCut};
  if (WIFSIGNALED(status)) {
    return {Code::kInternal, "the process that read it was ended by signal " +
                                 std::to_string(WTERMSIG(status))};
  }
  // The handlers of signals.h end with these.
  if (WEXITSTATUS(status) == ExitCode(Code::kLimit)) return OutOfMemory();
  if (WEXITSTATUS(status) == ExitCode(Code::kInput))
    return {Code::kInput, kWasCut};
  return {Code::kInternal, "the process that read it ended with " +
                               std::to_string(WEXITSTATUS(status))};
}

// Closes the descriptors from `first` to `last`. False if it cannot.
bool CloseRange(unsigned first, unsigned last) {
  if (first > last) return true;
#ifdef SYS_close_range
  if (syscall(SYS_close_range, first, last, 0) == 0) return true;
#endif
  // Before Linux 5.9, and if a seccomp filter does not know the call.
  namespace fs = std::filesystem;
  std::vector<unsigned> open;
  std::error_code error;
  for (fs::directory_iterator at("/proc/self/fd", error), end;
       !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename();
    unsigned fd = 0;
    std::from_chars(name.data(), name.data() + name.size(), fd);
    if (fd >= first && fd <= last) open.push_back(fd);
  }
  // Not earlier, because one of them is used for listing them.
  for (const unsigned fd : open) close(static_cast<int>(fd));
  return !error;
}

// Leaves nothing open but `kept`. Standard input, output and error lead
// nowhere.
bool CloseAllBut(std::vector<int> kept) {
  std::ranges::sort(kept);
  unsigned next = STDERR_FILENO + 1;
  for (const int fd : kept) {
    if (fd <= STDERR_FILENO) continue;
    const auto number = static_cast<unsigned>(fd);
    if (!CloseRange(next, number - 1)) return false;
    next = number + 1;
  }
  constexpr unsigned kLast = std::numeric_limits<int>::max();
  if (!CloseRange(next, kLast)) return false;
  const Fd nowhere = OpenFile("/dev/null", O_RDWR);
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (!nowhere.ok() || dup2(nowhere.get(), fd) != fd) close(fd);
  }
  return true;
}

// Runs in the new process; does not return.
[[noreturn]] void RunWorker(const std::function<std::string()>& work,
                            std::vector<int> files, int out, pid_t parent) {
  DisownTemporaryFiles();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(EXIT_FAILURE);
  files.push_back(out);
  std::string told;
  const Status status = WithoutExceptions([&] {
    if (!CloseAllBut(std::move(files)))
      return Status(Code::kInternal, "cannot close what is not needed");
    told = work();
    return Status();
  });
  if (!status.ok()) _exit(ExitCode(status.code()));
  told += kAllTold;
  // Not exit(): what the parent process has registered is its own.
  _exit(WriteAll(out, told.data(), told.size()) ? EXIT_SUCCESS : EXIT_FAILURE);
}

}  // namespace

WorkerPool::~WorkerPool() {
  for (const Worker& worker : running_) {
    kill(worker.process, SIGKILL);
    waitpid(worker.process, nullptr, 0);
  }
}

Status WorkerPool::Start(const std::function<std::string()>& work,
                         const std::vector<int>& files, Done done) {
  while (running_.size() >= workers_) HEAPGLOT_RETURN_IF_ERROR(WaitForOne());
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return {Code::kOutput, "cannot make a pipe: " + ErrnoText(errno)};
  Fd in(ends[0]);
  const Fd out(ends[1]);
  const pid_t parent = getpid();
  const pid_t process = fork();
  if (process < 0)
    return {Code::kOutput, "cannot start a process: " + ErrnoText(errno)};
  if (process == 0) RunWorker(work, files, out.get(), parent);
  running_.push_back({.process = process,
                      .pipe = std::move(in),
                      .told = {},
                      .done = std::move(done)});
  return {};
}

Status WorkerPool::Finish() {
  while (!running_.empty()) HEAPGLOT_RETURN_IF_ERROR(WaitForOne());
  return {};
}

Status WorkerPool::WaitForOne() {
  for (;;) {
    std::vector<pollfd> pipes;
    pipes.reserve(running_.size());
    for (const Worker& worker : running_)
      pipes.push_back(
          {.fd = worker.pipe.get(), .events = POLLIN, .revents = 0});
    if (RetryOnSignal([&] { return poll(pipes.data(), pipes.size(), -1); }) < 0)
      return {Code::kInternal, "cannot wait: " + ErrnoText(errno)};
    for (std::size_t i = 0; i < pipes.size(); ++i) {
      if (pipes[i].revents == 0) continue;
      char buffer[65'536];
      const ssize_t size =
          ReadSome(running_[i].pipe.get(), buffer, sizeof buffer);
      if (size > 0 && running_[i].told.size() < kMostTold) {
        running_[i].told.append(buffer, static_cast<std::size_t>(size));
        continue;
      }
      if (size > 0) running_[i].told.clear();
      Worker ended = std::move(running_[i]);
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
      return End(ended);
    }
  }
}

Status WorkerPool::End(Worker& worker) {
  int status = 0;
  // It reports nothing more, but may live on for ever if it was taken over. If
  // the pipe was closed because the process ended, its exit status is already
  // settled.
  kill(worker.process, SIGKILL);
  RetryOnSignal([&] { return waitpid(worker.process, &status, 0); });
  if (!worker.told.empty() && worker.told.back() == kAllTold) {
    worker.told.pop_back();
    return worker.done(std::move(worker.told));
  }
  return worker.done(WhyEnded(status));
}

std::string TellStatus(const Status& status) {
  const Where& where = status.where();
  const ToldHead head = {static_cast<std::uint64_t>(status.code()),
                         where.byte ? 1U : 0U, where.byte.value_or(0),
                         where.line, where.column};
  std::string told(sizeof head, '\0');
  std::memcpy(told.data(), head.data(), sizeof head);
  return told + status.message();
}

Status ToldStatus(std::string_view told) {
  ToldHead head = {};
  if (told.size() >= sizeof head)
    std::memcpy(head.data(), told.data(), sizeof head);
  const auto [code, has_byte, byte, line, column] = head;
  if (code == 0 || code > static_cast<std::uint64_t>(Code::kCancelled))
    return {Code::kInternal, "a process told nonsense"};
  Where where = Where::Line(line, column);
  if (has_byte != 0) where.byte = byte;
  return {static_cast<Code>(code), std::string(told.substr(sizeof head)),
          where};
}

}  // namespace heapglot::tool
