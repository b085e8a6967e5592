#include "tools/signals.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace heapglot::tool {
namespace {

// How a process ends that gets this signal before or after its output is
// complete.
int ExitCodeAfter(int number, bool is_done) {
  const pid_t child = fork();
  if (child == 0) {
    InstallSignalHandlers();
    if (is_done) IgnoreTermination();
    raise(number);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(SignalsTest, EndTheRunUntilItIsDone) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    EXPECT_EQ(ExitCodeAfter(number, false), 128 + number);
    EXPECT_EQ(ExitCodeAfter(number, true), 0);
  }
}

}  // namespace
}  // namespace heapglot::tool
