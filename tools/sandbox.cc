#include "tools/sandbox.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "core/bytes/fd.h"
#include "core/bytes/file_sink.h"
#include "core/bytes/temporary_file.h"
#include "tools/sandbox_filter.h"

namespace heapglot::tool {
namespace {

#ifdef HEAPGLOT_SANDBOX
constexpr bool kIsBuiltIn = true;
#else
constexpr bool kIsBuiltIn = false;
#endif

// ----------------------------------------------------------------- system calls

// A flag that the C library may add on 64-bit systems.
#if defined(__x86_64__)
constexpr std::uint32_t kLargeFile = 0100000;
#else
constexpr std::uint32_t kLargeFile = 0400000;
#endif

// Calls for working with files.
void AllowFiles(SandboxFilter& filter) {
  filter.Allow({SYS_read,      SYS_readv,           SYS_pread64,
                SYS_write,     SYS_copy_file_range, SYS_writev,
                SYS_pwrite64,  SYS_lseek,           SYS_close,
                SYS_fsync,     SYS_fdatasync,       SYS_sync_file_range,
                SYS_ftruncate, SYS_fallocate,       SYS_fchmod,
                SYS_fstat,     SYS_newfstatat,      SYS_statx,
                SYS_fstatfs,   SYS_readlinkat,      SYS_renameat,
                SYS_renameat2, SYS_linkat,          SYS_unlinkat,
                SYS_ppoll});
#ifdef __x86_64__  // where the old forms still are
  filter.Allow({SYS_stat, SYS_lstat, SYS_readlink, SYS_rename, SYS_link,
                SYS_unlink, SYS_poll});
#endif
  constexpr std::uint32_t kAll = ~std::uint32_t{0};
  filter.AllowIf(
      {SYS_fcntl, 1, kAll, {F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC}});
  // For isatty(), and the width of a terminal. Others are dangerous: TIOCSTI.
  filter.AllowIf({SYS_ioctl, 1, kAll, {TCGETS, TIOCGWINSZ}});
}

// Memory, threads, the process's own signals, clocks.
void AllowProcess(SandboxFilter& filter) {
  filter.Allow({SYS_brk,
                SYS_munmap,
                SYS_mremap,
                SYS_madvise,
                SYS_futex,
                SYS_set_robust_list,
                SYS_rseq,
                SYS_sched_yield,
                SYS_sched_getaffinity,
                SYS_membarrier,
                SYS_exit,
                SYS_exit_group,
                SYS_restart_syscall,
                SYS_rt_sigaction,
                SYS_rt_sigprocmask,
                SYS_rt_sigreturn,
                SYS_sigaltstack,
                SYS_getpid,
                SYS_gettid,
                SYS_getrandom,
                SYS_clock_gettime,
                SYS_clock_getres,
                SYS_clock_nanosleep,
                SYS_nanosleep,
                SYS_gettimeofday,
                SYS_sysinfo,
                SYS_uname,
                SYS_getrusage});
  filter.AllowIf({SYS_mmap, 2, PROT_EXEC, {0}});
  filter.AllowIf({SYS_mprotect, 2, PROT_EXEC, {0}});
  filter.AllowIf({SYS_prctl, 0, ~std::uint32_t{0}, {PR_SET_NAME}});
  // Threads, but no processes. The flags of clone3() are in memory, where a
  // filter cannot look: it fails with ENOSYS, and clone() is tried.
  filter.AllowIfElseForbid({SYS_clone, 0, CLONE_THREAD, {CLONE_THREAD}});
  // abort() and raise().
  filter.AllowIfElseForbid({SYS_tgkill,
                            0,
                            ~std::uint32_t{0},
                            {static_cast<std::uint32_t>(getpid())}});
}

// Calls that neither our code nor a C library makes on its own: a sure sign of
// a takeover.
void ForbidTheRest(SandboxFilter& filter) {
  filter.Forbid({SYS_execve,
                 SYS_execveat,
                 SYS_socket,
                 SYS_socketpair,
                 SYS_connect,
                 SYS_bind,
                 SYS_listen,
                 SYS_accept,
                 SYS_accept4,
                 SYS_sendto,
                 SYS_sendmsg,
                 SYS_ptrace,
                 SYS_kill,
                 SYS_tkill,
                 SYS_process_vm_readv,
                 SYS_process_vm_writev,
                 SYS_mount,
                 SYS_umount2,
                 SYS_setns,
                 SYS_unshare,
                 SYS_bpf,
                 SYS_keyctl,
                 SYS_perf_event_open,
                 SYS_userfaultfd,
                 SYS_setuid,
                 SYS_setgid,
                 SYS_chroot,
                 SYS_pivot_root});
#ifdef __x86_64__
  filter.Forbid({SYS_fork, SYS_vfork});
#endif
}

// Whether OpenTemporaryFile() needs a name, if only for a moment.
bool TemporaryFilesHaveNames() {
  const int flags = O_TMPFILE | O_RDWR | O_EXCL;
  const Fd file = OpenFile(TemporaryDirectory(), flags, 0600);
  return !file.ok() &&
         (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL);
}

// Flags of open() as OpenFile() sets them.
std::uint32_t OpenFlags(int flags) {
  return static_cast<std::uint32_t>(flags | O_CLOEXEC | O_NOCTTY) & ~kLargeFile;
}

// -------------------------------------------------------------------- Landlock

// All rights of Linux 5.13; newer kernels still know the old ones.
constexpr std::uint64_t kAllRights =
    (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - LANDLOCK_ACCESS_FS_EXECUTE;
constexpr std::uint64_t kWriteRights =
    LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE |
    LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REMOVE_FILE |
    LANDLOCK_ACCESS_FS_READ_DIR;

// Returns 0 or an errno.
int AddPath(int rules, const std::string& path, std::uint64_t rights) {
  const Fd file = OpenFile(path, O_PATH);
  if (!file.ok()) return errno;
  struct stat info;
  if (fstat(file.get(), &info) != 0) return errno;
  if (!S_ISDIR(info.st_mode)) rights &= LANDLOCK_ACCESS_FS_READ_FILE;
  landlock_path_beneath_attr rule = {};
  rule.allowed_access = rights;
  rule.parent_fd = file.get();
  const long added = syscall(SYS_landlock_add_rule, rules,
                             LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  // What is not a file on disk, such as a pipe, cannot have a rule, and needs
  // none.
  return added == 0 || errno == EBADFD ? 0 : errno;
}

// The same for a path that may not exist: using it fails later, with a better
// message.
int AddPathIfThere(int rules, const std::string& path, std::uint64_t rights) {
  const int error = AddPath(rules, path, rights);
  const bool is_paths_fault =
      error == ENOENT || error == ENOTDIR || error == EACCES || error == ELOOP;
  return is_paths_fault ? 0 : error;
}

// Returns 0 or an errno.
int RestrictFiles(const std::vector<std::string>& inputs,
                  const std::vector<std::string>& directories) {
  landlock_ruleset_attr rights = {};
  rights.handled_access_fs = kAllRights;
  const Fd rules(static_cast<int>(
      syscall(SYS_landlock_create_ruleset, &rights, sizeof rights, 0)));
  if (!rules.ok()) return errno;
  int error = AddPathIfThere(rules.get(), TemporaryDirectory(), kWriteRights);
  for (const std::string& path : inputs) {
    if (error == 0)
      error = AddPathIfThere(rules.get(), path, LANDLOCK_ACCESS_FS_READ_FILE);
  }
  for (const std::string& path : directories) {
    if (error == 0) error = AddPath(rules.get(), path, kWriteRights);
  }
  if (error != 0) return error;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  return syscall(SYS_landlock_restrict_self, rules.get(), 0) == 0 ? 0 : errno;
}

bool IsFile(const std::string& path) { return !path.empty() && path != "-"; }

}  // namespace

void Sandbox::AnnounceInput(const std::string& path) {
  if (!IsFile(path)) return;
  inputs_.push_back(path);
  opens_inputs_ = true;
}

void Sandbox::AnnounceOutput(const std::string& path) {
  if (!IsFile(path)) return;
  const std::string directory = OutputDirectory(path);
  if (!directory.empty()) directories_.push_back(directory);
}

void Sandbox::AnnounceNewFile(const std::string& path) {
  if (!IsFile(path)) return;
  AnnounceOutput(path);
  creates_files_ = true;
}

bool Sandbox::Enter() {
  if (!is_wanted_ || is_tried_) return false;
  is_tried_ = true;
  if (!kIsBuiltIn) {
    problem_ = "built without it";
    return true;
  }
  if (const int error = RestrictFiles(inputs_, directories_); error != 0)
    problem_ = "no Landlock: " + ErrnoText(error);
  InstallFilter();
  return true;
}

void Sandbox::InstallFilter() {
  SandboxFilter filter;
  AllowFiles(filter);
  AllowProcess(filter);
  ForbidTheRest(filter);
  // File names are in memory, where a filter cannot look.
  std::vector<std::uint32_t> flags = {OpenFlags(O_TMPFILE | O_RDWR | O_EXCL)};
  if (TemporaryFilesHaveNames())  // as mkostemp() sets them
    flags.push_back(O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC);
  if (opens_inputs_) {
    flags.push_back(OpenFlags(O_RDONLY));
    flags.push_back(OpenFlags(O_RDONLY | O_NONBLOCK));
  }
  if (creates_files_) {
    flags.push_back(OpenFlags(O_WRONLY | O_CREAT | O_EXCL));
    flags.push_back(OpenFlags(O_RDONLY | O_DIRECTORY));  // to flush it
  }
  filter.AllowIf({SYS_openat, 2, ~kLargeFile, flags});
#ifdef __x86_64__
  filter.AllowIf({SYS_open, 1, ~kLargeFile, flags});
#endif
  if (const int error = filter.Install(); error != 0)
    problem_ = "no seccomp: " + ErrnoText(error);
}

}  // namespace heapglot::tool
