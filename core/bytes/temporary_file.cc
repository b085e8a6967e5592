#include "core/bytes/temporary_file.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <utility>

namespace heapglot {

std::string TemporaryDirectory() {
  const char* const directory = secure_getenv("TMPDIR");
  struct stat status = {};
  const bool is_there = directory != nullptr && stat(directory, &status) == 0 &&
                        S_ISDIR(status.st_mode);
  return is_there ? directory : "/tmp";
}

Result<Fd> OpenTemporaryFile() {
  const std::string directory = TemporaryDirectory();
  Fd file = OpenFile(directory, O_TMPFILE | O_RDWR | O_EXCL, 0600);
  if (file.ok()) return file;
  if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL) {
    return TemporaryFileError(errno);
  }
  // Not every file system supports O_TMPFILE.
  std::string path = directory + "/heapglot-XXXXXX";
  file = Fd(mkostemp(path.data(), O_CLOEXEC));
  if (!file.ok()) return TemporaryFileError(errno);
  unlink(path.c_str());
  return file;
}

Status TemporaryFileError(int error) {
  return {Code::kOutput, "temporary file in " + TemporaryDirectory() + ": " +
                             ErrnoText(error)};
}

}  // namespace heapglot
