#include "tools/signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <new>
#include <string>

#include "core/bytes/file_sink.h"
#include "core/out_of_memory.h"
#include "heapglot/status.h"

// For functions that run in a handler and call something that does not return.
// Before such a call, AddressSanitizer asks the C library for the stack of the
// thread; this allocates, and hangs if the signal came during another
// allocation.
#define HEAPGLOT_IN_HANDLER [[gnu::no_sanitize_address]]

namespace heapglot::tool {
namespace {

// Makes messages, unless they are text.
constinit MakeLine make_line = nullptr;

// A line that is made before it is needed. Size 0: none.
struct Message {
  // Has room for JSON with the longest path.
  std::array<char, 10'240> text;
  volatile sig_atomic_t size = 0;

  void Set(const Status& status, std::string_view file) {
    const std::string line = make_line != nullptr
                                 ? make_line(status, file)
                                 : "heapglot: " + status.ToString(file) + "\n";
    const std::size_t length = std::min(line.size(), text.size());
    std::memcpy(text.data(), line.data(), length);
    size = static_cast<sig_atomic_t>(length);
  }
};

// Everything that a handler may access.
constinit Message input_message = {};  // of the input that is being read
constinit Message sandbox_message = {};
constinit Message memory_message = {};  // also if there is none
volatile sig_atomic_t progress_shown = 0;
// Which came first: a signal that ends the run, or the end of the run. Any
// thread may get the signal.
enum class Ending : int { kOpen, kSignal, kDone };
constinit std::atomic<Ending> ending = Ending::kOpen;
static_assert(std::atomic<Ending>::is_always_lock_free);

bool Decide(Ending wish) {
  Ending expected = Ending::kOpen;
  return ending.compare_exchange_strong(expected, wish) || expected == wish;
}

void WriteToStderr(const char* text, std::size_t size) {
  // Nothing can be done about a failure here.
  if (write(STDERR_FILENO, text, size) < 0) return;
}

[[noreturn]] HEAPGLOT_IN_HANDLER void Leave(int exit_code) {
  UnlinkTemporaryFiles();
  _exit(exit_code);
}

void EraseProgress() {
  constexpr char kErase[] = "\r\033[K";
  if (progress_shown != 0) WriteToStderr(kErase, sizeof kErase - 1);
}

// If two threads come here, the first one reports.
constinit std::atomic_flag is_leaving;

[[noreturn]] HEAPGLOT_IN_HANDLER void LeaveWith(const Message& message,
                                                Code code) {
  while (is_leaving.test_and_set()) pause();
  EraseProgress();
  WriteToStderr(message.text.data(), static_cast<std::size_t>(message.size));
  Leave(ExitCode(code));
}

extern "C" HEAPGLOT_IN_HANDLER void OnTermination(int number) {
  if (!Decide(Ending::kSignal)) return;
  EraseProgress();
  Leave(128 + number);
}

// Signals that do more than end the process: they leave a core file, or report
// a limit.
extern "C" void OnOtherEnd(int number) {
  if (!Decide(Ending::kSignal)) return;
  EraseProgress();
  UnlinkTemporaryFiles();
  signal(number, SIG_DFL);
  raise(number);
}

// A bug of ours, whether or not the run was over.
extern "C" void OnCrash(int number) {
  UnlinkTemporaryFiles();
  signal(number, SIG_DFL);
  raise(number);
}

extern "C" HEAPGLOT_IN_HANDLER void OnBusError(int number, siginfo_t* info,
                                               void*) {
  if (info->si_code != BUS_ADRERR || input_message.size == 0)
    OnCrash(number);
  else
    LeaveWith(input_message, Code::kInput);
}

extern "C" HEAPGLOT_IN_HANDLER void OnForbiddenCall(int number) {
  EraseProgress();
  WriteToStderr(sandbox_message.text.data(),
                static_cast<std::size_t>(sandbox_message.size));
  Leave(128 + number);
}

[[noreturn]] void OnNoMemory() { LeaveWith(memory_message, Code::kLimit); }

void SetMessages(std::string_view file) {
  sandbox_message.Set(
      Status(Code::kInternal,
             "stopped by the sandbox: it tried what no reader ever does, so "
             "the input may be an attack"),
      file);
  memory_message.Set(OutOfMemory(), file);
}

void Handle(int number, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  // A signal may come too late to end the run, and a crash may be due to a lack
  // of stack.
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  sigaction(number, &action, nullptr);
}

// Like Handle(), but leaves `nohup heapglot` and the like in force, and
// handlers that were there first, such as those of a profiler.
void HandleIfDefault(int number, void (*handler)(int)) {
  struct sigaction old = {};
  sigaction(number, nullptr, &old);
  if (old.sa_handler == SIG_DFL) Handle(number, handler);
}

// For handlers in this thread. A stack of a sanitizer or a profiler stays.
void UseOwnStack() {
  static constinit std::array<char, std::size_t{64} << 10> memory = {};
  stack_t stack = {};
  if (sigaltstack(nullptr, &stack) != 0 || (stack.ss_flags & SS_DISABLE) == 0)
    return;
  stack = {};
  stack.ss_sp = memory.data();
  stack.ss_size = memory.size();
  sigaltstack(&stack, nullptr);
}

}  // namespace

void PrepareStandardDescriptors() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) != -1) continue;
    // The lowest free number is `fd`. In the wrong direction: reading from a
    // closed stdin and writing to a closed stdout must fail, not seem to work.
    const int mode = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (open("/dev/null", mode) != fd) return;
  }
}

void InstallSignalHandlers() {
  HandleIfDefault(SIGINT, OnTermination);
  HandleIfDefault(SIGTERM, OnTermination);
  HandleIfDefault(SIGHUP, OnTermination);
  for (const int number :
       {SIGQUIT, SIGABRT, SIGTRAP, SIGXCPU, SIGUSR1, SIGUSR2, SIGALRM,
        SIGVTALRM, SIGPROF, SIGIO, SIGPWR, SIGSTKFLT})
    HandleIfDefault(number, OnOtherEnd);
  for (int number = SIGRTMIN; number <= SIGRTMAX; ++number)
    HandleIfDefault(number, OnOtherEnd);
  UseOwnStack();
  for (const int number : {SIGSEGV, SIGILL, SIGFPE})
    HandleIfDefault(number, OnCrash);
  Handle(SIGSYS, OnForbiddenCall);
  Handle(SIGPIPE, SIG_IGN);
  Handle(SIGXFSZ, SIG_IGN);
  struct sigaction action = {};
  action.sa_sigaction = OnBusError;
  action.sa_flags = SA_SIGINFO;
  sigfillset(&action.sa_mask);
  sigaction(SIGBUS, &action, nullptr);
}

void SpeakBy(MakeLine line) {
  make_line = line;
  SetMessages({});
}

void InstallMemoryHandler() {
  SetMessages({});
  std::set_new_handler(OnNoMemory);
}

void IgnoreTermination() {
  // Another thread is ending the process.
  if (!Decide(Ending::kDone)) ending.wait(Ending::kSignal);
}

InputGuard::InputGuard(std::string_view name) {
  input_message.Set(Status(Code::kInput, "input changed while it was read"),
                    name);
  SetMessages(name);
}

InputGuard::~InputGuard() {
  input_message.size = 0;
  SetMessages({});
}

void SetProgressShown(bool shown) { progress_shown = shown ? 1 : 0; }

}  // namespace heapglot::tool
