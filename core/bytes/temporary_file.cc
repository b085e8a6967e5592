#include "core/bytes/temporary_file.h"

#include <cstdlib>

namespace heapglot {
namespace {

std::string TemporaryDirectory() {
  const char* const directory = secure_getenv("TMPDIR");
  return directory != nullptr && *directory != '\0' ? directory : "/tmp";
}

}  // namespace

Result<Fd> OpenTemporaryFile() {
  const std::string directory = TemporaryDirectory();
  Fd file = OpenFile(directory, O_TMPFILE | O_RDWR | O_EXCL, 0600);
  if (!file.ok() &&
      (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
    // Not every file system can do that.
    std::string path = directory + "/heapglot-XXXXXX";
    file = Fd(mkostemp(path.data(), O_CLOEXEC));
    if (file.ok()) unlink(path.c_str());
  }
  if (!file.ok()) return TemporaryFileError(errno);
  return file;
}

Status TemporaryFileError(int error) {
  return {Code::kOutput, "temporary file in " + TemporaryDirectory() + ": " +
                             ErrnoText(error)};
}

}  // namespace heapglot
