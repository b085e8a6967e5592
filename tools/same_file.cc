#include "tools/same_file.h"

#include <sys/stat.h>

#include <filesystem>
#include <system_error>

#include "core/bytes/file_sink.h"

namespace heapglot::tool {
namespace {

namespace fs = std::filesystem;

// The path of the file that a write to `path` creates.
fs::path Canonical(const std::string& path) {
  const Result<std::string> target = OutputTarget(path);
  std::error_code error;
  return fs::weakly_canonical(fs::absolute(target.ok() ? *target : path, error),
                              error);
}

}  // namespace

bool SameFile(const std::string& a, const std::string& b) {
  if (a == "-" || b == "-") return a == b;
  struct stat stat_a = {};
  struct stat stat_b = {};
  if (stat(a.c_str(), &stat_a) == 0 && stat(b.c_str(), &stat_b) == 0) {
    return S_ISREG(stat_a.st_mode) && stat_a.st_dev == stat_b.st_dev &&
           stat_a.st_ino == stat_b.st_ino;
  }
  return Canonical(a) == Canonical(b);
}

bool SameOutput(const std::string& a, const std::string& b) {
  const int descriptor = OutputDescriptor(a);
  return SameFile(a, b) ||
         (descriptor >= 0 && descriptor == OutputDescriptor(b));
}

}  // namespace heapglot::tool
