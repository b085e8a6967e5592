#include "tools/signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <string>

#include "core/bytes/file_sink.h"
#include "heapglot/status.h"

namespace heapglot::tool {
namespace {

// All that a handler may look at. `size` 0: no input is being read.
std::array<char, 640> input_message;
volatile sig_atomic_t input_message_size = 0;
volatile sig_atomic_t progress_shown = 0;

void WriteToStderr(const char* text, std::size_t size) {
  // Nothing can be done about a failure here.
  if (write(STDERR_FILENO, text, size) < 0) return;
}

[[noreturn]] void Leave(int exit_code) {
  UnlinkTemporaryFiles();
  _exit(exit_code);
}

void EraseProgress() {
  constexpr char kErase[] = "\r\033[K";
  if (progress_shown != 0) WriteToStderr(kErase, sizeof kErase - 1);
}

extern "C" void OnTermination(int number) {
  EraseProgress();
  Leave(128 + number);
}

extern "C" void OnBusError(int number, siginfo_t* info, void*) {
  if (info->si_code != BUS_ADRERR || input_message_size == 0) {
    UnlinkTemporaryFiles();
    signal(number, SIG_DFL);
    raise(number);
    return;
  }
  EraseProgress();
  WriteToStderr(input_message.data(),
                static_cast<std::size_t>(input_message_size));
  Leave(ExitCode(Code::kInput));
}

void Handle(int number, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigfillset(&action.sa_mask);
  sigaction(number, &action, nullptr);
}

// As Handle(), but `nohup heapglot` and the like stay in force.
void HandleUnlessIgnored(int number, void (*handler)(int)) {
  struct sigaction old = {};
  sigaction(number, nullptr, &old);
  if (old.sa_handler != SIG_IGN) Handle(number, handler);
}

}  // namespace

void PrepareStandardDescriptors() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) != -1) continue;
    // The lowest free number is `fd`. The wrong direction: reading from a
    // closed stdin and writing to a closed stdout must fail, not seem to work.
    const int mode = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (open("/dev/null", mode) != fd) return;
  }
}

void InstallSignalHandlers() {
  HandleUnlessIgnored(SIGINT, OnTermination);
  HandleUnlessIgnored(SIGTERM, OnTermination);
  HandleUnlessIgnored(SIGHUP, OnTermination);
  Handle(SIGPIPE, SIG_IGN);
  Handle(SIGXFSZ, SIG_IGN);
  struct sigaction action = {};
  action.sa_sigaction = OnBusError;
  action.sa_flags = SA_SIGINFO;
  sigfillset(&action.sa_mask);
  sigaction(SIGBUS, &action, nullptr);
}

InputGuard::InputGuard(std::string_view name) {
  const Status status(Code::kInput, "input changed while it was read");
  const std::string text = "heapglot: " + status.ToString(name) + "\n";
  const std::size_t size = std::min(text.size(), input_message.size());
  std::memcpy(input_message.data(), text.data(), size);
  input_message_size = static_cast<sig_atomic_t>(size);
}

InputGuard::~InputGuard() { input_message_size = 0; }

void SetProgressShown(bool shown) { progress_shown = shown ? 1 : 0; }

}  // namespace heapglot::tool
