#include "tools/sandbox.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "core/bytes/temporary_file.h"
#include "heapglot/bytes.h"
#include "tools/signals.h"

namespace heapglot::tool {
namespace {

namespace fs = std::filesystem;

// Files around a process that is in the sandbox.
class SandboxTest : public ::testing::Test {
 protected:
  void SetUp() override {
#ifndef HEAPGLOT_SANDBOX
    GTEST_SKIP() << "built without it";
#endif
    std::string name = (fs::temp_directory_path() / "heapglot-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    directory_ = name;
    for (const char* const folder : {"in", "out", "tmp", "other"})
      fs::create_directory(directory_ / folder);
    for (const char* const file : {"in/a", "in/b", "out/o", "other/x"})
      std::ofstream(directory_ / file) << "content";
    ASSERT_EQ(setenv("TMPDIR", Path("tmp").c_str(), 1), 0);
  }
  void TearDown() override {
    unsetenv("TMPDIR");
    fs::remove_all(directory_);
  }

  std::string Path(const std::string& name) const {
    return (directory_ / name).string();
  }

  // The exit code of a process that enters the sandbox and then does this; if a
  // signal ends it, the signal's number, negative.
  static int Inside(Sandbox& sandbox, const std::function<int()>& action) {
    const pid_t child = fork();
    if (child == 0) {
      // Messages are for the user of the command.
      if (close(STDERR_FILENO) == 0) PrepareStandardDescriptors();
      InstallSignalHandlers();
      sandbox.Enter();
      _exit(sandbox.problem().empty() ? action() : kNoSandbox);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  // The errno of a call that returned `result`; 0 if it succeeded.
  static int ErrorOf(long result) { return result < 0 ? errno : 0; }

  static constexpr int kForbidden = 128 + SIGSYS;
  static constexpr int kNoSandbox = 99;

 private:
  fs::path directory_;
};

// Skips what cannot be tried here: the kernel is old, or a container refuses.
#define ENTER_OR_SKIP()                                         \
  do {                                                          \
    Sandbox probe(true);                                        \
    if (Inside(probe, [] { return 0; }) == kNoSandbox)          \
      GTEST_SKIP() << "this kernel has not all of the sandbox"; \
  } while (false)

TEST_F(SandboxTest, StopsWhatIsASignOfAnAttack) {
  ENTER_OR_SKIP();
  const std::function<int()> attempts[] = {
      [] { return socket(AF_INET, SOCK_STREAM, 0); },
      [] { return socket(AF_UNIX, SOCK_STREAM, 0); },
      [] { return execl("/bin/true", "true", nullptr); },
      [] { return static_cast<int>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)); },
      [] { return kill(getppid(), 0); },
      [] {
        return static_cast<int>(syscall(SYS_tgkill, getppid(), getppid(), 0));
      }};
  for (const auto& attempt : attempts) {
    Sandbox sandbox(true);
    EXPECT_EQ(Inside(sandbox, attempt), kForbidden);
  }
}

TEST_F(SandboxTest, OpensNoFile) {
  ENTER_OR_SKIP();
  Sandbox sandbox(true);
  sandbox.AnnounceOutput(Path("out/o"));
  EXPECT_EQ(
      Inside(sandbox,
             [&] {
               for (const char* const name :
                    {"in/a", "out/o", "out/new", "tmp/new"}) {
                 for (const int flags :
                      {O_RDONLY | O_CLOEXEC | O_NOCTTY, O_RDWR, O_WRONLY,
                       O_WRONLY | O_CREAT | O_EXCL}) {
                   if (ErrorOf(open(Path(name).c_str(), flags, 0600)) != EPERM)
                     return 1;
                 }
               }
               return 0;
             }),
      0);
}

TEST_F(SandboxTest, OpensOnlyInputsThatWereAnnounced) {
  ENTER_OR_SKIP();
  Sandbox sandbox(true);
  sandbox.AnnounceInput(Path("in/a"));
  sandbox.AnnounceInput(Path("in/missing"));
  EXPECT_EQ(Inside(sandbox,
                   [&] {
                     if (!ByteSource::Open(Path("in/a"), Limits()).ok())
                       return 1;
                     if (ByteSource::Open(Path("in/b"), Limits()).ok())
                       return 2;
                     if (ByteSource::Open("/etc/passwd", Limits()).ok())
                       return 3;
                     return ErrorOf(open(Path("in/a").c_str(), O_RDWR)) == EPERM
                                ? 0
                                : 4;
                   }),
            0);
}

TEST_F(SandboxTest, CreatesOnlyFilesThatWereAnnounced) {
  ENTER_OR_SKIP();
  Sandbox sandbox(true);
  sandbox.AnnounceNewFile(Path("out/new"));
  EXPECT_EQ(Inside(sandbox,
                   [&] {
                     const ByteSink::FileOptions options = {.replace = true};
                     const auto write = [&](const char* name) {
                       auto sink = ByteSink::Create(Path(name), options);
                       return sink.ok() && (*sink)->Write("text").ok() &&
                              (*sink)->Close().ok();
                     };
                     if (!write("out/new")) return 1;
                     return write("other/new") ? 2 : 0;
                   }),
            0);
  EXPECT_TRUE(fs::exists(Path("out/new")));
}

TEST_F(SandboxTest, ReachesNothingOutsideOfTheOutputsDirectory) {
  ENTER_OR_SKIP();
  Sandbox sandbox(true);
  sandbox.AnnounceOutput(Path("out/o"));
  EXPECT_EQ(
      Inside(sandbox,
             [&] {
               if (unlink(Path("other/x").c_str()) == 0) return 1;
               if (rename(Path("out/o").c_str(), Path("other/x").c_str()) == 0)
                 return 2;
               if (rename(Path("other/x").c_str(), Path("out/o").c_str()) == 0)
                 return 3;
               if (chmod(Path("out/o").c_str(), 0777) == 0) return 4;
               if (symlink("x", Path("out/link").c_str()) == 0) return 5;
               if (mkdir(Path("out/folder").c_str(), 0700) == 0) return 6;
               return 0;
             }),
      0);
}

TEST_F(SandboxTest, LeavesWhatIsNeeded) {
  ENTER_OR_SKIP();
  Sandbox sandbox(true);
  sandbox.AnnounceOutput(Path("out/o"));
  EXPECT_EQ(
      Inside(sandbox,
             [&] {
               Result<Fd> scratch = OpenTemporaryFile();
               if (!scratch.ok() || !WriteAll(scratch->get(), "text", 4))
                 return 1;
               if (posix_fallocate(scratch->get(), 0, 1 << 20) != 0) return 2;
               if (mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED,
                        scratch->get(), 0) == MAP_FAILED) {
                 return 3;
               }
               bool ran = false;
               std::thread([&ran] {
                 ran = std::string(100, 'x').size() == 100;
               }).join();
               if (!ran) return 4;
               if (rename(Path("out/o").c_str(), Path("out/p").c_str()) != 0)
                 return 5;
               return unlink(Path("out/p").c_str()) == 0 ? 0 : 6;
             }),
      0);
}

TEST_F(SandboxTest, HasNoMemoryToExecute) {
  ENTER_OR_SKIP();
  Sandbox sandbox(true);
  EXPECT_EQ(Inside(sandbox,
                   [] {
                     constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS;
                     constexpr int kData = PROT_READ | PROT_WRITE;
                     void* const page =
                         mmap(nullptr, 4096, kData, kFlags, -1, 0);
                     if (page == MAP_FAILED) return 1;
                     if (mprotect(page, 4096, PROT_READ | PROT_EXEC) == 0)
                       return 2;
                     return mmap(nullptr, 4096, kData | PROT_EXEC, kFlags, -1,
                                 0) == MAP_FAILED
                                ? 0
                                : 3;
                   }),
            0);
}

TEST_F(SandboxTest, TypesNothingIntoTheTerminal) {
  ENTER_OR_SKIP();
  Sandbox sandbox(true);
  EXPECT_EQ(Inside(sandbox,
                   [] {
                     char command = 'x';
                     return ErrorOf(ioctl(STDIN_FILENO, TIOCSTI, &command)) ==
                                    EPERM
                                ? 0
                                : 1;
                   }),
            0);
}

TEST_F(SandboxTest, AbortsAndDiesOfItsOwnSignals) {
  ENTER_OR_SKIP();
  Sandbox sandbox(true);
  EXPECT_EQ(Inside(sandbox,
                   [] {
                     abort();
                     return 0;
                   }),
            -SIGABRT);
}

TEST_F(SandboxTest, IsNotThereIfItIsNotWanted) {
  Sandbox sandbox(false);
  EXPECT_EQ(
      Inside(sandbox,
             [&] { return ErrorOf(open(Path("in/a").c_str(), O_RDONLY)); }),
      0);
}

}  // namespace
}  // namespace heapglot::tool
