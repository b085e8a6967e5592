// Preloaded (LD_PRELOAD): makes the n-th call of a system function fail.
//
//   HEAPGLOT_FAULT=NAME:N:ERRNO  call number N (the first is 1) of NAME fails
//                 NAME:N:short   it reads or writes one byte only
//   HEAPGLOT_FAULT_FD=FD         a file that then begins with '!'. It is mapped
//                                here, since new processes close descriptors
//                                that they do not know
//
// Calls made inside the C library, and writes to standard error, do not fail.
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

struct Fault {
  char name[32] = "";
  long n = 0;
  int error = 0;             // 0: short
  char* happened = nullptr;  // first byte of the mapped file
};

Fault ReadFault() {
  Fault fault;
  char error[16] = "";
  const char* const text = std::getenv("HEAPGLOT_FAULT");
  const char* const fd = std::getenv("HEAPGLOT_FAULT_FD");
  if (text == nullptr || fd == nullptr) return fault;
  if (std::sscanf(text, "%31[^:]:%ld:%15s", fault.name, &fault.n, error) != 3)
    std::abort();
  if (std::strcmp(error, "short") != 0) fault.error = std::atoi(error);
  // Not mmap(), which may be the function that fails.
  const long page = syscall(SYS_mmap, nullptr, 1, PROT_READ | PROT_WRITE,
                            MAP_SHARED, std::atoi(fd), 0);
  if (page == -1) std::abort();
  fault.happened = reinterpret_cast<char*>(page);
  return fault;
}

const Fault& TheFault() {
  static const Fault fault = ReadFault();
  return fault;
}

enum class Fate { kWorks, kFails, kShort };

// Counts a call of `name` and returns its fate. Sets errno if it fails.
Fate Next(const char* name) {
  static long calls = 0;
  const Fault& fault = TheFault();
  if (std::strcmp(name, fault.name) != 0 || ++calls != fault.n)
    return Fate::kWorks;
  *fault.happened = '!';
  if (fault.error == 0) return Fate::kShort;
  errno = fault.error;
  return Fate::kFails;
}

bool Fails(const char* name) { return Next(name) == Fate::kFails; }

// The function that `name` would call without this library.
template <typename Function>
Function* Real(Function*, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

mode_t ModeOf(int flags, va_list arguments) {
  const bool has_mode =
      (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  return has_mode ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

#define REAL(name) (*Real(&name, #name))

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = ModeOf(flags, arguments);
  va_end(arguments);
  return Fails("open") ? -1 : REAL(open)(path, flags, mode);
}

ssize_t read(int fd, void* out, size_t size) {
  const Fate fate = Next("read");
  if (fate == Fate::kFails) return -1;
  return REAL(read)(fd, out, fate == Fate::kShort && size > 1 ? 1 : size);
}

ssize_t pread(int fd, void* out, size_t size, off_t at) {
  return Fails("pread") ? -1 : REAL(pread)(fd, out, size, at);
}

ssize_t write(int fd, const void* data, size_t size) {
  const Fate fate = fd == STDERR_FILENO ? Fate::kWorks : Next("write");
  if (fate == Fate::kFails) return -1;
  return REAL(write)(fd, data, fate == Fate::kShort && size > 1 ? 1 : size);
}

int fsync(int fd) { return Fails("fsync") ? -1 : REAL(fsync)(fd); }

// As on Linux, a close() that fails closes the descriptor nevertheless.
int close(int fd) {
  const Fate fate = Next("close");
  const int error = errno;
  const int result = REAL(close)(fd);
  if (fate != Fate::kFails) return result;
  errno = error;
  return -1;
}

int rename(const char* from, const char* to) noexcept {
  return Fails("rename") ? -1 : REAL(rename)(from, to);
}

int linkat(int from_dir, const char* from, int to_dir, const char* to,
           int flags) noexcept {
  return Fails("linkat") ? -1 : REAL(linkat)(from_dir, from, to_dir, to, flags);
}

int unlink(const char* path) noexcept {
  return Fails("unlink") ? -1 : REAL(unlink)(path);
}

int mkdir(const char* path, mode_t mode) noexcept {
  return Fails("mkdir") ? -1 : REAL(mkdir)(path, mode);
}

int flock(int fd, int operation) noexcept {
  return Fails("flock") ? -1 : REAL(flock)(fd, operation);
}

pid_t fork() noexcept { return Fails("fork") ? -1 : REAL(fork)(); }

int pipe2(int* ends, int flags) noexcept {
  return Fails("pipe2") ? -1 : REAL(pipe2)(ends, flags);
}

int renameat2(int from_dir, const char* from, int to_dir, const char* to,
              unsigned flags) noexcept {
  return Fails("renameat2")
             ? -1
             : REAL(renameat2)(from_dir, from, to_dir, to, flags);
}

void* mmap(void* address, size_t size, int access, int flags, int fd,
           off_t at) noexcept {
  // Mappings of files and of anonymous memory have separate names.
  return Fails(fd >= 0 ? "mmap_file" : "mmap_memory")
             ? MAP_FAILED
             : REAL(mmap)(address, size, access, flags, fd, at);
}

int fstat(int fd, struct stat* info) noexcept {
  return Fails("fstat") ? -1 : REAL(fstat)(fd, info);
}

int stat(const char* path, struct stat* info) noexcept {
  return Fails("stat") ? -1 : REAL(stat)(path, info);
}

off_t lseek(int fd, off_t offset, int whence) noexcept {
  return Fails("lseek") ? -1 : REAL(lseek)(fd, offset, whence);
}

int fcntl(int fd, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  return Fails("fcntl") ? -1 : REAL(fcntl)(fd, command, argument);
}

ssize_t getrandom(void* out, size_t size, unsigned flags) {
  return Fails("getrandom") ? -1 : REAL(getrandom)(out, size, flags);
}
}
