// File descriptors: ownership, and calls that survive signals.
#ifndef HEAPGLOT_CORE_BYTES_FD_H_
#define HEAPGLOT_CORE_BYTES_FD_H_

#include <fcntl.h>
#include <poll.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>

namespace heapglot {

// With buffers of this size, the cost of system calls vanishes.
inline constexpr std::size_t kIoBuffer = std::size_t{256} << 10;

// The system's message for an errno, like strerror().
inline std::string ErrnoText(int error) {
  return std::error_code(error, std::generic_category()).message();
}

// Repeats the call while signals interrupt it. `call` returns a negative number
// and sets errno if it fails.
template <typename Call>
auto RetryOnSignal(Call call) {
  while (true) {
    const auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

// Owns a file descriptor.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd() {
    if (fd_ >= 0) close(fd_);
  }

  int get() const { return fd_; }
  bool ok() const { return fd_ >= 0; }
  // Closes; 0 or -1 with errno. A signal is not a failure: Linux has closed the
  // file by then.
  int Close() {
    const int result = close(std::exchange(fd_, -1));
    return result != 0 && errno == EINTR ? 0 : result;
  }

 private:
  int fd_ = -1;
};

// Another descriptor for the same open file, or -1 with errno.
inline Fd Duplicate(int fd) { return Fd(fcntl(fd, F_DUPFD_CLOEXEC, 3)); }

// open(2). The descriptor is none of 0, 1 and 2, even if the process was
// started with those closed: whoever writes to "standard output" must not hit a
// file of ours.
inline Fd OpenFile(const std::string& path, int flags, mode_t mode = 0) {
  const int fd = RetryOnSignal(
      [&] { return open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY, mode); });
  Fd opened(fd);
  return fd < 0 || fd > STDERR_FILENO ? std::move(opened) : Duplicate(fd);
}

// Whether a failed read or write is worth another try. Waits for a non-blocking
// descriptor to be ready for `events`.
inline bool ShouldRetry(int fd, short events) {
  if (errno == EINTR) return true;
  if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
  pollfd ready = {.fd = fd, .events = events, .revents = 0};
  return poll(&ready, 1, -1) >= 0 || errno == EINTR;
}

// read(2), but short only at the end of what is there now.
inline ssize_t ReadSome(int fd, char* out, std::size_t size) {
  ssize_t count;
  do {
    count = read(fd, out, size);
  } while (count < 0 && ShouldRetry(fd, POLLIN));
  return count;
}

// pread(2), but short only at the end of the file. -1 with errno.
inline ssize_t ReadAllAt(int fd, std::uint64_t offset, char* out,
                         std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t count = RetryOnSignal([&] {
      return pread(fd, out + done, size - done,
                   static_cast<off_t>(offset + done));
    });
    if (count < 0) return -1;
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return static_cast<ssize_t>(done);
}

// fsync(2) for a file or a directory. False with errno. Some file systems do
// not support it, which is not a failure; they report errors of the data at
// close.
inline bool SyncToDisk(int fd) {
  return RetryOnSignal([&] { return fsync(fd); }) == 0 || errno == EINVAL ||
         errno == ENOSYS;
}

// Writes all bytes. False with errno if that is impossible.
//
// Writes in pieces, because a file gets pages as large as what is written at
// once, and pages of a megabyte or more are seldom free. A virtual machine
// whose host takes back free memory then waits for them: 0.08 s for 400 MB in
// pieces of 256 KiB, 0.2-0.6 s in pieces of 1 MiB (dd, Linux 6.18, ext4).
inline bool WriteAll(int fd, const char* data, std::size_t size) {
  while (size != 0) {
    const ssize_t count = write(fd, data, std::min(size, kIoBuffer));
    if (count == 0) errno = EIO;  // should not happen; would loop forever
    if (count > 0) {
      data += count;
      size -= static_cast<std::size_t>(count);
    } else if (!ShouldRetry(fd, POLLOUT)) {
      return false;
    }
  }
  return true;
}

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_BYTES_FD_H_
