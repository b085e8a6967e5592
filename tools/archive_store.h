// The files of an archive (docs/archives.md).
//
//   DIR/dumps/ab/ab12....heapir   canonical dumps by their digest
//   DIR/dumps/ab/ab12....delta    or what makes them from others (delta_file.h)
//   DIR/exact/cd/cd34....heapir   what restores the original bytes, by SHA-256
//   DIR/manifest.ndjson           a row for each source, once all is done
//   DIR/manifest.d/               what runs have done so far
#ifndef HEAPGLOT_TOOLS_ARCHIVE_STORE_H_
#define HEAPGLOT_TOOLS_ARCHIVE_STORE_H_

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "core/bytes/fd.h"
#include "heapglot/bytes.h"
#include "heapglot/status.h"

namespace heapglot::tool {

// The archive that the command line names, as a path to open. Workers have
// nothing open except what they are given: for them, /dev/fd/3 leads nowhere.
std::string ArchivePath(const std::string& argument);

// Whether `text` may be a digest: 64 lower-case hexadecimal digits.
bool IsDigest(std::string_view text);

// A file under construction: without a name, if the file system can do that, so
// that nothing is left of it however the process ends; otherwise under a name
// in DIR/tmp.
class NewFile {
 public:
  // In the archive `directory`, which must exist. Errors: kOutput.
  static Result<NewFile> Create(const std::string& directory);
  NewFile() = default;
  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&& other) noexcept;
  ~NewFile();

  int fd() const { return fd_.get(); }
  bool ok() const { return fd_.ok(); }

  enum class Outcome { kStored, kWasThere };
  // Gives it the name `path`, unless that file exists. Others may do the same
  // at the same time. `durable`: the file survives a power cut.
  // Errors: kOutput.
  Result<Outcome> Publish(const std::string& path, bool durable);

 private:
  Fd fd_;
  std::string name_;  // if it has one
};

// A sink that writes to an open file, from its current position on. The caller
// owns the descriptor.
class StoredFileSink : public ByteSink {
 public:
  explicit StoredFileSink(int fd) : fd_(fd) {}

  Status Write(std::string_view bytes) override;
  Status Close() override { return status_; }
  std::uint64_t position() const override { return position_; }
  // Sticky.
  const Status& status() const { return status_; }

 private:
  const int fd_;
  std::uint64_t position_ = 0;
  Status status_;
};

// All of an open file, as it is, even if it is compressed. nullptr, with errno
// set, if it cannot be mapped.
std::unique_ptr<ByteSource> MapFile(int fd, const struct stat& info,
                                    std::string name);

// The content of a file of the archive after it was written. Errors: kOutput.
Result<std::unique_ptr<ByteSource>> ReadAgain(int fd);

// Paths in the archive.
std::string DumpPath(const std::string& directory, std::string_view digest);
std::string DeltaPath(const std::string& directory, std::string_view digest);
// The parent of the folders with the dumps.
std::string DumpsPath(const std::string& directory);
std::string ExactPath(const std::string& directory, std::string_view sha256);
std::string ManifestPath(const std::string& directory);
std::string PartsPath(const std::string& directory);

// Whether a file is one that the archive has under these paths. `archive` is
// its canonical path; empty: there is no archive.
bool IsInArchive(const std::filesystem::path& archive, const std::string& file);

// Whether there is a file that OpenStored() can open. Also true if it cannot be
// looked at.
bool IsThere(const std::string& path);
// Whether something else has that name, so that no file can be stored there.
bool IsBlocked(const std::string& path);

// mkdir -p. Errors: kOutput.
Status MakeDirectories(const std::string& path);

// Makes sure that what was created or renamed in a folder survives a power cut.
// Errors: kOutput.
Status SyncDirectory(const std::string& directory);

// Opens a file of an archive. Errors: kInput, also if it is not a regular file:
// others may write to the archive, and opening a FIFO may block for ever.
Result<Fd> OpenStored(const std::string& path);

// Whether two files have the same bytes. Errors: kInput.
Result<bool> AreSameFiles(int fd, const std::string& path);

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_ARCHIVE_STORE_H_
