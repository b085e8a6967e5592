#include "tools/archive_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/bytes/spool.h"

namespace heapglot::tool {
namespace {

constexpr mode_t kFileMode = 0644;

Status OutputError(const std::string& what, int error) {
  return {Code::kOutput, what + ": " + ErrnoText(error)};
}

std::string ProcPath(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

constexpr char kDumps[] = "dumps";
constexpr char kExact[] = "exact";
constexpr char kManifest[] = "manifest.ndjson";
constexpr char kParts[] = "manifest.d";

std::string InFolder(const std::string& directory, const char* folder,
                     std::string_view digest, const char* extension) {
  const std::string name(digest);
  return directory + "/" + folder + "/" + name.substr(0, 2) + "/" + name +
         extension;
}

}  // namespace

std::string ArchivePath(const std::string& argument) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::error_code unknown;
  const fs::path path = fs::weakly_canonical(argument, error);
  const fs::path same = fs::absolute(argument, unknown).lexically_normal();
  // If no link is followed, messages name it as it was given.
  return error || unknown || path == same ? argument : path.string();
}

bool IsDigest(std::string_view text) {
  constexpr std::size_t kDigits = 64;
  return text.size() == kDigits && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

Result<NewFile> NewFile::Create(const std::string& directory) {
  NewFile file;
  file.fd_ = OpenFile(directory, O_TMPFILE | O_RDWR, kFileMode);
  if (file.ok()) return file;
  if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
    return OutputError("cannot create a file in " + directory, errno);
  HEAPGLOT_RETURN_IF_ERROR(MakeDirectories(directory + "/tmp"));
  std::string name = directory + "/tmp/XXXXXX";
  file.fd_ = Fd(mkostemp(name.data(), O_CLOEXEC));
  if (!file.ok()) return OutputError("cannot create " + name, errno);
  file.name_ = name;
  // Only open(2) takes the mask into account.
  const mode_t mask = umask(0);
  umask(mask);
  if (fchmod(file.fd(), kFileMode & ~mask) != 0)
    return OutputError("cannot create " + name, errno);
  return file;
}

NewFile::NewFile(NewFile&& other) noexcept
    : fd_(std::move(other.fd_)), name_(std::exchange(other.name_, {})) {}

NewFile& NewFile::operator=(NewFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(name_, other.name_);
  return *this;
}

NewFile::~NewFile() {
  if (!name_.empty()) unlink(name_.c_str());
}

Result<NewFile::Outcome> NewFile::Publish(const std::string& path,
                                          bool durable) {
  const std::filesystem::path folder =
      std::filesystem::path(path).parent_path();
  std::error_code ignored;
  const bool is_new = !std::filesystem::exists(folder, ignored);
  HEAPGLOT_RETURN_IF_ERROR(MakeDirectories(folder));
  if (durable && is_new) {
    // DIR/dumps/ab: both this folder and its parent may be new.
    HEAPGLOT_RETURN_IF_ERROR(SyncDirectory(folder.parent_path()));
    HEAPGLOT_RETURN_IF_ERROR(SyncDirectory(folder.parent_path().parent_path()));
  }
  if (durable && !SyncToDisk(fd()))
    return OutputError("cannot flush " + path, errno);
  const std::string from = name_.empty() ? ProcPath(fd()) : name_;
  const int flags = name_.empty() ? AT_SYMLINK_FOLLOW : 0;
  if (linkat(AT_FDCWD, from.c_str(), AT_FDCWD, path.c_str(), flags) != 0) {
    if (errno == EEXIST) return Outcome::kWasThere;
    return OutputError("cannot create " + path, errno);
  }
  if (durable) HEAPGLOT_RETURN_IF_ERROR(SyncDirectory(folder));
  return Outcome::kStored;
}

Status StoredFileSink::Write(std::string_view bytes) {
  if (!status_.ok()) return status_;
  position_ += bytes.size();
  if (!WriteAll(fd_, bytes.data(), bytes.size()))
    status_ = OutputError("cannot write", errno);
  return status_;
}

std::unique_ptr<ByteSource> MapFile(int fd, const struct stat& info,
                                    std::string name) {
  SpooledContent content;
  content.size = static_cast<std::size_t>(info.st_size);
  content.mapping = Mapping::OfFile(fd, content.size);
  content.is_file = true;
  if (content.size > 0 && !content.mapping.ok()) return nullptr;
  return MakeSource(std::move(content), std::move(name));
}

Result<std::unique_ptr<ByteSource>> ReadAgain(int fd) {
  struct stat info;
  std::unique_ptr<ByteSource> source;
  if (fstat(fd, &info) == 0) source = MapFile(fd, info, "(archive)");
  if (source != nullptr) return source;
  return Status(Code::kOutput, "cannot read it again: " + ErrnoText(errno));
}

std::string DumpPath(const std::string& directory, std::string_view digest) {
  return InFolder(directory, kDumps, digest, ".heapir");
}

std::string DeltaPath(const std::string& directory, std::string_view digest) {
  return InFolder(directory, kDumps, digest, ".delta");
}

std::string DumpsPath(const std::string& directory) {
  return directory + "/" + kDumps;
}

std::string ExactPath(const std::string& directory, std::string_view sha256) {
  return InFolder(directory, kExact, sha256, ".heapir");
}

std::string ManifestPath(const std::string& directory) {
  return directory + "/" + kManifest;
}

std::string PartsPath(const std::string& directory) {
  return directory + "/" + kParts;
}

bool IsInArchive(const std::filesystem::path& archive,
                 const std::string& file) {
  if (archive.empty()) return false;
  std::error_code unknown;
  const std::filesystem::path real = std::filesystem::canonical(file, unknown);
  const std::filesystem::path within = real.lexically_relative(archive);
  if (real.empty() || within.empty()) return false;
  const std::string first = within.begin()->string();
  return first == kDumps || first == kExact || first == kManifest ||
         first == kParts;
}

bool IsThere(const std::string& path) {
  if (access(path.c_str(), F_OK) != 0)
    return errno != ENOENT && errno != ENOTDIR && errno != ELOOP &&
           errno != ENAMETOOLONG;
  // Whoever opens it reports what else is wrong with it.
  struct stat info;
  return stat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode);
}

bool IsBlocked(const std::string& path) {
  struct stat info;
  // A link that leads nowhere also has the name.
  return lstat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) &&
         !IsThere(path);
}

Status MakeDirectories(const std::string& path) {
  std::error_code error;
  // Another run may remove it right after it was created (manifest.d).
  constexpr int kAttempts = 100;
  for (int i = 0; i < kAttempts; ++i) {
    std::error_code ignored;
    error.clear();
    std::filesystem::create_directories(path, error);
    if (!error || std::filesystem::is_directory(path, ignored)) return {};
    if (error != std::errc::file_exists ||
        std::filesystem::exists(path, ignored))
      break;
  }
  return OutputError("cannot create the directory " + path, error.value());
}

Status SyncDirectory(const std::string& directory) {
  const Fd fd = OpenFile(directory, O_RDONLY | O_DIRECTORY);
  if (fd.ok() && SyncToDisk(fd.get())) return {};
  return OutputError("cannot flush the directory " + directory, errno);
}

Result<Fd> OpenStored(const std::string& path) {
  Fd file = OpenFile(path, O_RDONLY | O_NONBLOCK);
  struct stat info;
  if (!file.ok() || fstat(file.get(), &info) != 0)
    return Status(Code::kInput, ErrnoText(errno));
  if (S_ISREG(info.st_mode)) return file;
  return Status(Code::kInput, S_ISDIR(info.st_mode) ? ErrnoText(EISDIR)
                                                    : "is not a regular file");
}

Result<bool> AreSameFiles(int fd, const std::string& path) {
  const Result<Fd> other = OpenStored(path);
  if (!other.ok()) return other.status();
  std::array<char, 65'536> a;
  std::array<char, 65'536> b;
  for (off_t at = 0;;) {
    const ssize_t size = pread(fd, a.data(), a.size(), at);
    const ssize_t size_b = pread(other->get(), b.data(), b.size(), at);
    if (size < 0 || size_b < 0)
      return Status(Code::kInput, "cannot read: " + ErrnoText(errno));
    if (size != size_b || !std::equal(a.begin(), a.begin() + size, b.begin()))
      return false;
    if (size == 0) return true;
    at += size;
  }
}

}  // namespace heapglot::tool
