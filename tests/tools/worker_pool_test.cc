#include "tools/worker_pool.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string>
#include <vector>

#include "core/bytes/temporary_file.h"

namespace heapglot::tool {
namespace {

Fd Scratch() {
  Result<Fd> file = OpenTemporaryFile();
  EXPECT_TRUE(file.ok());
  return file.ok() ? *std::move(file) : Fd();
}

bool IsOpen(int fd) { return fcntl(fd, F_GETFD) != -1; }

bool IsNowhere(int fd) {
  struct stat info = {};
  struct stat nowhere = {};
  return fstat(fd, &info) == 0 && stat("/dev/null", &nowhere) == 0 &&
         S_ISCHR(info.st_mode) && info.st_rdev == nowhere.st_rdev;
}

// What `work` reports from a worker that is given `files`.
std::string ToldBy(const std::function<std::string()>& work,
                   const std::vector<int>& files) {
  std::string text = "nothing";
  WorkerPool pool(1);
  Status status = pool.Start(work, files, [&](Result<std::string> told) {
    text = told.ok() ? *std::move(told) : told.status().ToString();
    return Status();
  });
  if (status.ok()) status = pool.Finish();
  return status.ok() ? text : status.ToString();
}

// Which of these files are open in a worker, and how many in all, besides the
// standard ones.
std::string WhatIsOpen(const std::vector<int>& of,
                       const std::vector<int>& kept) {
  return ToldBy(
      [&] {
        std::string told;
        for (const int fd : of) told += IsOpen(fd) ? '+' : '-';
        constexpr int kMany = 1024;
        int open = 0;
        for (int fd = STDERR_FILENO + 1; fd < kMany; ++fd)
          open += IsOpen(fd) ? 1 : 0;
        return told + std::to_string(open);
      },
      kept);
}

TEST(WorkerPoolTest, WorkersHaveTheirOwnFilesOnly) {
  const Fd secret = Scratch();
  const Fd given = Scratch();
  const Fd other = Scratch();
  const Fd also_given = Scratch();
  const std::vector<int> all = {secret.get(), given.get(), other.get(),
                                also_given.get()};
  // One more is the one that it reports through.
  EXPECT_EQ(WhatIsOpen(all, {also_given.get(), -1, given.get()}), "-+-+3");
  EXPECT_EQ(WhatIsOpen(all, {}), "----1");
  for (const int fd : all) EXPECT_TRUE(IsOpen(fd));
}

TEST(WorkerPoolTest, WorkersWriteWhatTheyAreGiven) {
  const Fd given = Scratch();
  EXPECT_EQ(
      ToldBy(
          [&] { return WriteAll(given.get(), "text", 4) ? "done" : "failed"; },
          {given.get()}),
      "done");
  char text[8];
  EXPECT_EQ(ReadAllAt(given.get(), 0, text, sizeof text), 4);
}

TEST(WorkerPoolTest, StandardDescriptorsOfWorkersLeadNowhere) {
  EXPECT_EQ(
      ToldBy(
          [] {
            std::string told;
            for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
              told += IsNowhere(fd) ? '+' : '-';
            return told;
          },
          {}),
      "+++");
}

TEST(WorkerPoolTest, WorkersThatTellNothingAnyMoreAreEnded) {
  EXPECT_EQ(ToldBy(
                [] {
                  for (int fd = 0; fd < 1024; ++fd) close(fd);
                  for (;;) pause();
                  return std::string();
                },
                {}),
            "the process that read it was ended by signal 9");
}

TEST(WorkerPoolTest, HowAWorkerEndedIsTold) {
  constexpr int kTimes = 100;  // the worker may be just about to end
  for (int i = 0; i < kTimes; ++i) {
    ASSERT_EQ(
        ToldBy([]() -> std::string { _exit(ExitCode(Code::kInput)); }, {}),
        "was made shorter while it was read");
  }
}

TEST(WorkerPoolTest, WhyAWorkerFailedIsToldWithItsPlace) {
  for (const Where& where : {Where(), Where::Byte(0), Where::Byte(7),
                             Where::Line(12, 3), Where{.byte = 9, .line = 2}}) {
    const Status told =
        ToldStatus(TellStatus({Code::kTruncated, "it ends", where}));
    EXPECT_EQ(told.code(), Code::kTruncated);
    EXPECT_EQ(told.message(), "it ends");
    EXPECT_EQ(told.where().byte, where.byte);
    EXPECT_EQ(told.where().line, where.line);
    EXPECT_EQ(told.where().column, where.column);
  }
}

TEST(WorkerPoolTest, NonsenseIsNoStatus) {
  const std::string good = TellStatus({Code::kCancelled, ""});
  EXPECT_EQ(ToldStatus(good).code(), Code::kCancelled);
  std::string unknown = good;
  ++unknown[0];
  for (const std::string& told :
       {std::string(), good.substr(1), unknown, TellStatus(Status())})
    EXPECT_EQ(ToldStatus(told).code(), Code::kInternal);
}

#ifdef SYS_close_range
// Acts as if the kernel were older. False: that is not possible.
bool ForgetCloseRange() {
  sock_filter program[] = {
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_close_range},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | ENOSYS},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
  const sock_fprog whole = {.len = 4, .filter = program};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &whole) == 0;
}

TEST(WorkerPoolTest, FilesAreClosedOnOldKernelsToo) {
  constexpr int kCannotBeTried = 2;
  const Fd secret = Scratch();
  const Fd given = Scratch();
  const pid_t child = fork();
  if (child == 0) {
    if (!ForgetCloseRange()) _exit(kCannotBeTried);
    const std::string told =
        WhatIsOpen({secret.get(), given.get()}, {given.get()});
    _exit(told == "-+2" ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kCannotBeTried) GTEST_SKIP() << "no seccomp";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}
#endif

}  // namespace
}  // namespace heapglot::tool
