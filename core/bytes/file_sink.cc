#include "core/bytes/file_sink.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include "core/bytes/compressed_sink.h"
#include "core/bytes/fd.h"
#include "core/bytes/mapping.h"
#include "core/bytes/shareable_sink.h"
#include "core/bytes/trail.h"
#include "core/out_of_memory.h"
#include "core/text/utf.h"
#include "heapglot/bytes.h"

namespace heapglot {
namespace {

constexpr std::string_view kBrokenPipe = "broken pipe";

Status OutputError(std::string_view what, int error) {
  if (error == EPIPE) return {Code::kOutput, std::string(kBrokenPipe)};
  return {Code::kOutput, std::string(what) + ": " + ErrnoText(error)};
}

// Whether it is cheaper to write to blocks that `fd` already has. ext4 looks
// for room for each block of 4 KiB that is written, and again for many of them
// when they go to the disk: 0.15 s for 658 MB, but 0.10 s if room is made
// before, 8 MiB at a time (Linux 6.18). Other file systems differ: btrfs would
// not compress, and tmpfs would clear what is overwritten at once.
bool GainsByRoom(const Fd& fd) {
  struct statfs info;
  return fstatfs(fd.get(), &info) == 0 && info.f_type == EXT4_SUPER_MAGIC;
}

Status Exists() { return {Code::kOutput, "exists (use -f to replace it)"}; }

// --------------------------------------------- temporary files of this process

// A path that a signal handler may remove. Only kSet slots are looked at.
struct Slot {
  enum State { kFree, kBusy, kSet };
  std::atomic<int> state = kFree;
  char path[PATH_MAX];
};
static_assert(std::atomic<int>::is_always_lock_free);

constinit std::array<Slot, 64> slots = {};

// Keeps a path in the table. If the table is full, it does nothing: a killed
// process then leaves a file behind.
class Registration {
 public:
  explicit Registration(const std::string& path) {
    if (path.size() >= sizeof Slot::path) return;
    for (Slot& slot : slots) {
      int expected = Slot::kFree;
      if (!slot.state.compare_exchange_strong(expected, Slot::kBusy)) continue;
      std::memcpy(slot.path, path.c_str(), path.size() + 1);
      slot.state = Slot::kSet;
      slot_ = &slot;
      return;
    }
  }
  Registration(Registration&& other) noexcept
      : slot_(std::exchange(other.slot_, nullptr)) {}
  Registration& operator=(Registration&&) = delete;
  ~Registration() {
    if (slot_ != nullptr) slot_->state = Slot::kFree;
  }

 private:
  Slot* slot_ = nullptr;
};

std::uint64_t Random() {
  std::uint64_t number = 0;
  // Without it, O_EXCL still keeps others' files safe.
  if (getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number) {
    static std::atomic<std::uint64_t> counter = 0;
    number = ++counter;
  }
  return number;
}

// ".NAME.tmp-PID-RANDOM"; NAME is cut if the whole would be too long.
std::string TemporaryName(std::string_view name) {
  char suffix[48];
  std::snprintf(suffix, sizeof suffix, ".tmp-%ld-%016llx",
                static_cast<long>(getpid()),
                static_cast<unsigned long long>(Random()));
  const std::size_t room = NAME_MAX - 1 - std::strlen(suffix);
  std::string result = ".";
  result += name.substr(0, CutAtCodePoint(name, room));
  return result + suffix;
}

// "" or a directory that ends in a slash; and the rest.
std::pair<std::string, std::string> SplitPath(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {"", path};
  return {path.substr(0, slash + 1), path.substr(slash + 1)};
}

// A new file with a temporary name, removed with the object unless Commit()
// gives it its final name.
class TemporaryFile {
 public:
  // Makes it beside `target`. `durable`: so is Commit(). Errors: kOutput.
  static Result<TemporaryFile> Create(const std::string& target, mode_t mode,
                                      bool durable) {
    const auto [directory, name] = SplitPath(target);
    Fd durable_in;
    if (durable) {
      durable_in =
          OpenFile(directory.empty() ? "." : directory, O_RDONLY | O_DIRECTORY);
      if (!durable_in.ok())
        return OutputError("cannot open its directory", errno);
    }
    constexpr int kAttempts = 100;
    for (int i = 0; i < kAttempts; ++i) {
      std::string path = directory + TemporaryName(name);
      // Before the file exists, so that no signal can leave it behind.
      Registration registration(path);
      Fd fd = OpenFile(path, O_WRONLY | O_CREAT | O_EXCL, mode);
      if (fd.ok()) {
        return TemporaryFile(std::move(path), std::move(registration),
                             std::move(fd), std::move(durable_in));
      }
      if (errno != EEXIST) break;
    }
    const int error = errno;
    return OutputError("cannot create a file in " +
                           (directory.empty() ? "this directory" : directory),
                       error);
  }

  TemporaryFile(TemporaryFile&& other) noexcept
      : path_(std::exchange(other.path_, {})),
        registration_(std::move(other.registration_)),
        fd_(std::move(other.fd_)),
        durable_in_(std::move(other.durable_in_)) {}
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile() {
    if (!path_.empty()) unlink(path_.c_str());
  }

  Fd& fd() { return fd_; }

  // Gives the file the name `target`. An existing file is replaced, or, without
  // `replace`, refused.
  Status Commit(const std::string& target, bool replace) {
    const int error =
        replace ? (rename(path_.c_str(), target.c_str()) == 0 ? 0 : errno)
                : RenameToNew(target);
    if (error == EEXIST && !replace) return Exists();
    if (error != 0) return OutputError("cannot rename to it", error);
    path_.clear();
    if (!durable_in_.ok()) return {};
    if (SyncToDisk(durable_in_.get())) return {};
    return OutputError("it is there, but not yet durable", errno);
  }

 private:
  TemporaryFile(std::string path, Registration registration, Fd fd,
                Fd durable_in)
      : path_(std::move(path)),
        registration_(std::move(registration)),
        fd_(std::move(fd)),
        durable_in_(std::move(durable_in)) {}

  // Renames unless `target` exists. 0 or an errno.
  int RenameToNew(const std::string& target) {
    if (renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target.c_str(),
                  RENAME_NOREPLACE) == 0) {
      return 0;
    }
    if (errno != EINVAL && errno != ENOSYS) return errno;
    // The file system or the kernel does not support it. link() does not
    // replace either.
    if (link(path_.c_str(), target.c_str()) == 0) {
      unlink(path_.c_str());
      return 0;
    }
    if (errno != EPERM && errno != EOPNOTSUPP) return errno;
    // No links (FAT): the rest can lose a race.
    struct stat info;
    if (lstat(target.c_str(), &info) == 0) return EEXIST;
    return rename(path_.c_str(), target.c_str()) == 0 ? 0 : errno;
  }

  std::string path_;  // empty: nothing to remove
  Registration registration_;
  Fd fd_;
  Fd durable_in_;  // the directory, or nothing
};

// Writes `source` from `begin` on, with at least one call, which tells if the
// sink is closed.
Status WriteFrom(const ByteSource& source, std::size_t begin, ByteSink& sink) {
  Trail trail(source, begin);
  std::size_t at = begin;
  do {
    const std::string_view piece = source.bytes().substr(at, kIoBuffer);
    HEAPGLOT_RETURN_IF_ERROR(sink.Write(piece));
    at += piece.size();
    trail.Advance(at);
  } while (at < source.bytes().size());
  return {};
}

// ----------------------------------------------------------------------- sinks

// A buffer in front of a file descriptor.
class FdSink : public ByteSink {
 public:
  FdSink() : buffer_(std::make_unique_for_overwrite<char[]>(kIoBuffer)) {}

  Status Write(std::string_view bytes) final {
    if (!status_.ok()) return status_;
    if (is_prepared_) return {Code::kInternal, "write to a closed sink"};
    if (bytes.empty()) return {};  // data() may be nullptr
    position_ += bytes.size();
    if (bytes.size() > kIoBuffer - used_) {
      HEAPGLOT_RETURN_IF_ERROR(WriteBuffer());
      if (bytes.size() >= kIoBuffer) {
        // When write(2) comes to a page that is not mapped, it fills the rest
        // of the output's page, which may have 2 MiB, with zeros and begins
        // that page again. That has tripled the cost of a copy.
        MapAll(bytes);
        return WriteThrough(bytes);
      }
    }
    std::memcpy(buffer_.get() + used_, bytes.data(), bytes.size());
    used_ += bytes.size();
    return {};
  }

  Status Copy(const ByteSource& source) final {
    if (!status_.ok()) return status_;
    if (!is_prepared_) HEAPGLOT_RETURN_IF_ERROR(WriteBuffer());
    const std::size_t size = is_prepared_ ? 0 : source.bytes().size();
    // Writes what the kernel did not copy; if writing is impossible, this
    // fails.
    return WriteFrom(source, CopyFile(source.file(), size), *this);
  }

  Status Prepare() final {
    if (is_prepared_ || !status_.ok()) return status_;
    HEAPGLOT_RETURN_IF_ERROR(WriteBuffer());
    status_ = Sync();
    is_prepared_ = status_.ok();
    return status_;
  }

  Status Close() final {
    if (closed_) return status_;
    HEAPGLOT_RETURN_IF_ERROR(Prepare());
    status_ = Finish();
    closed_ = status_.ok();
    return status_;
  }

  std::uint64_t position() const final { return position_; }

 protected:
  virtual Fd& fd() = 0;
  // `size` more bytes have been written.
  virtual void Wrote(std::size_t size) { (void)size; }
  // Everything has been written, and must get to the disk.
  virtual Status Sync() { return {}; }
  // Closes the file. Returns the error of closing it.
  virtual Status Finish() = 0;

 private:
  // Copies the first `size` bytes of `file`, or as many as it can. Returns how
  // many.
  std::size_t CopyFile(int file, std::size_t size) {
    constexpr std::size_t kStep = std::size_t{8} << 20;
    off64_t at = 0;
    std::size_t left = file >= 0 ? size : 0;
    while (left > 0) {
      const ssize_t count = RetryOnSignal([&] {
        return copy_file_range(file, &at, fd().get(), nullptr,
                               std::min(left, kStep), 0);
      });
      if (count <= 0) break;
      left -= static_cast<std::size_t>(count);
      position_ += static_cast<std::uint64_t>(count);
      Wrote(static_cast<std::size_t>(count));
    }
    return static_cast<std::size_t>(at);
  }
  Status WriteBuffer() {
    const std::size_t size = std::exchange(used_, 0);
    return WriteThrough({buffer_.get(), size});
  }
  Status WriteThrough(std::string_view bytes) {
    if (!WriteAll(fd().get(), bytes.data(), bytes.size())) {
      status_ = OutputError("cannot write", errno);
      return status_;
    }
    Wrote(bytes.size());
    return status_;
  }

  std::unique_ptr<char[]> buffer_;
  std::size_t used_ = 0;
  std::uint64_t position_ = 0;
  Status status_;
  bool is_prepared_ = false;  // nothing more is written
  bool closed_ = false;
};

// Standard output, pipes, devices.
class DirectSink final : public FdSink {
 public:
  explicit DirectSink(Fd fd) : fd_(std::move(fd)) {}

 private:
  Fd& fd() override { return fd_; }
  Status Finish() override {
    return fd_.Close() == 0 ? Status() : OutputError("cannot write", errno);
  }

  Fd fd_;
};

// A file that gets its name at the end.
class FileSink final : public FdSink {
 public:
  FileSink(TemporaryFile file, std::string target,
           const ByteSink::FileOptions& options)
      : file_(std::move(file)),
        target_(std::move(target)),
        replace_(options.replace),
        before_rename_(options.before_rename),
        makes_room_(GainsByRoom(file_.fd())) {}

  bool is_all_or_nothing() const override { return true; }

 private:
  // Gives the disk a good deal to do at once, with few calls.
  static constexpr std::uint64_t kWriteback = std::uint64_t{8} << 20;

  Fd& fd() override { return file_.fd(); }
  // Makes the disk write while there is still work to do, because Sync() waits
  // until all is written. Errors of the disk are kept until then.
  void Wrote(std::size_t size) override {
    written_ += size;
    if (written_ - begun_ < kWriteback) return;
    (void)sync_file_range(fd().get(), static_cast<off64_t>(begun_),
                          static_cast<off64_t>(written_ - begun_),
                          SYNC_FILE_RANGE_WRITE);
    begun_ = written_;
    // If there is not that much room, the rest of the output may still fit.
    makes_room_ =
        makes_room_ && fallocate(fd().get(), FALLOC_FL_KEEP_SIZE,
                                 static_cast<off64_t>(written_),
                                 static_cast<off64_t>(kWriteback)) == 0;
  }
  Status Sync() override {
    // Gives back the rest of the room. If that fails, the file is only larger
    // on the disk.
    if (written_ >= kWriteback)
      (void)!ftruncate(fd().get(), static_cast<off64_t>(written_));
    return SyncToDisk(fd().get()) ? Status()
                                  : OutputError("cannot write", errno);
  }
  Status Finish() override {
    if (fd().Close() != 0) return OutputError("cannot write", errno);
    if (before_rename_ != nullptr) before_rename_();
    return file_.Commit(target_, replace_);
  }

  TemporaryFile file_;
  std::string target_;
  bool replace_;
  void (*before_rename_)();
  bool makes_room_;
  std::uint64_t written_ = 0;
  std::uint64_t begun_ = 0;  // the disk was told to write up to here
};

class StringSink final : public ByteSink {
 public:
  explicit StringSink(std::string* out) : out_(out) {}
  Status Write(std::string_view bytes) override {
    if (closed_) return {Code::kInternal, "write to a closed sink"};
    out_->append(bytes);
    position_ += bytes.size();
    return {};
  }
  Status Close() override {
    closed_ = true;
    return {};
  }
  std::uint64_t position() const override { return position_; }

 private:
  std::string* out_;
  std::uint64_t position_ = 0;
  bool closed_ = false;
};

// ---------------------------------------------------------------- opening them

using SinkResult = Result<std::unique_ptr<ByteSink>>;

constexpr int kMaxLinks = 40;  // as Linux has it

// Where `path` leads if it is a symbolic link; empty if it is anything else, or
// nothing.
std::string LinkTarget(const std::string& path) {
  char link[PATH_MAX];
  const ssize_t size = readlink(path.c_str(), link, sizeof link);
  if (size < 0) return {};
  std::string next(link, static_cast<std::size_t>(size));
  return next.starts_with('/') ? next : SplitPath(path).first.append(next);
}

// Whether the descriptors of this process have their names in `directory`.
bool IsOfDescriptors(const std::string& directory) {
  std::error_code error;
  const auto own = std::filesystem::canonical("/proc/self/fd", error);
  return !error && std::filesystem::canonical(
                       directory.empty() ? "." : directory, error) == own;
}

// N for "N", otherwise -1.
int NumberOf(std::string_view name) {
  int number = -1;
  const auto [end, error] =
      std::from_chars(name.data(), name.data() + name.size(), number);
  const bool is_number =
      error == std::errc() && end == name.data() + name.size();
  return is_number ? number : -1;
}

SinkResult OpenDirect(Fd fd, const ByteSink::FileOptions& options) {
  if (!fd.ok()) return OutputError("cannot open", errno);
  const bool binary =
      options.no_terminal || options.compression != Compression::kNone;
  if (binary && isatty(fd.get()) != 0) {
    return Status(Code::kUsage, "refusing to write binary data to a terminal");
  }
  return SinkResult(std::make_unique<DirectSink>(std::move(fd)));
}

// `existing`: the file at `path`, or nullptr if there is none.
SinkResult OpenFileSink(const std::string& path, const struct stat* existing,
                        const ByteSink::FileOptions& options) {
  if (existing != nullptr && !options.replace) return Exists();
  Result<std::string> target = OutputTarget(path);
  if (!target.ok()) return target.status();
  constexpr mode_t kNewFile = 0666;  // less the umask
  constexpr mode_t kPermissions = 0777;
  const mode_t mode =
      existing != nullptr ? existing->st_mode & kPermissions : kNewFile;
  Result<TemporaryFile> file =
      TemporaryFile::Create(*target, mode, options.durable);
  if (!file.ok()) return file.status();
  // Overrides the umask. A file system without modes may refuse.
  if (existing != nullptr) (void)fchmod(file->fd().get(), mode);
  return SinkResult(std::make_unique<FileSink>(*std::move(file),
                                               *std::move(target), options));
}

SinkResult OpenSink(const std::string& path,
                    const ByteSink::FileOptions& options) {
  if (path.empty()) return OutputError("cannot open", ENOENT);
  // To the descriptor, not to what is behind it: others may write there, too.
  if (const int number = OutputDescriptor(path); number >= 0)
    return OpenDirect(Duplicate(number), options);
  struct stat info;
  if (stat(path.c_str(), &info) != 0) {
    if (errno != ENOENT) return OutputError("cannot open", errno);
    return OpenFileSink(path, nullptr, options);
  }
  if (S_ISREG(info.st_mode)) return OpenFileSink(path, &info, options);
  return OpenDirect(OpenFile(path, O_WRONLY), options);
}

}  // namespace

int OutputDescriptor(const std::string& path) {
  if (path == "-") return STDOUT_FILENO;
  std::string at = path;
  for (int i = 0; i < kMaxLinks && !at.empty(); ++i) {
    const auto [directory, name] = SplitPath(at);
    const int number = NumberOf(name);
    if (number >= 0 && IsOfDescriptors(directory)) return number;
    // The name of a descriptor is a link, too: to what is open there.
    at = LinkTarget(at);
  }
  return -1;
}

Result<std::string> OutputTarget(std::string path) {
  for (int i = 0; i < kMaxLinks; ++i) {
    std::string next = LinkTarget(path);
    if (next.empty()) return path;  // opening it will tell
    path = std::move(next);
  }
  return OutputError("cannot open", ELOOP);
}

std::string OutputDirectory(const std::string& path) {
  if (OutputDescriptor(path) >= 0) return {};
  struct stat info;
  const bool exists = stat(path.c_str(), &info) == 0;
  if (exists && !S_ISREG(info.st_mode)) return {};
  const Result<std::string> target = OutputTarget(path);
  if (!target.ok()) return {};
  const std::string directory = SplitPath(*target).first;
  return directory.empty() ? "." : directory;
}

void DisownTemporaryFiles() {
  for (Slot& slot : slots) slot.state = Slot::kFree;
}

void UnlinkTemporaryFiles() {
  for (const Slot& slot : slots) {
    if (slot.state == Slot::kSet) unlink(slot.path);
  }
}

bool IsBrokenPipe(const Status& status) {
  return status.code() == Code::kOutput && status.message() == kBrokenPipe;
}

Status ByteSink::Copy(const ByteSource& source) {
  return WriteFrom(source, 0, *this);
}

Result<std::unique_ptr<ByteSink>> ByteSink::Create(
    const std::string& path, const FileOptions& options) try {
  SinkResult sink = OpenSink(path, options);
  if (!sink.ok()) return sink;
  if (options.compression == Compression::kNone)
    return SinkResult(MakeShareable(*std::move(sink)));
  return Compress(*std::move(sink), options.compression, options.max_threads);
} catch (const std::bad_alloc&) {
  return OutOfMemory();
}

std::unique_ptr<ByteSink> ByteSink::ToString(std::string* out) {
  return std::make_unique<StringSink>(out);
}

}  // namespace heapglot
