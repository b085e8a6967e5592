// For tests of what happens if a temporary file cannot be made.
#ifndef HEAPGLOT_TESTS_NO_TEMPORARY_FILES_H_
#define HEAPGLOT_TESTS_NO_TEMPORARY_FILES_H_

#include <cstdlib>
#include <optional>
#include <string>

namespace heapglot {

// No temporary file can be made while this lives.
class NoTemporaryFiles {
 public:
  NoTemporaryFiles() {
    if (const char* const before = std::getenv("TMPDIR")) before_ = before;
    setenv("TMPDIR", "/proc", 1);
  }
  ~NoTemporaryFiles() {
    if (before_.has_value())
      setenv("TMPDIR", before_->c_str(), 1);
    else
      unsetenv("TMPDIR");
  }
  NoTemporaryFiles(const NoTemporaryFiles&) = delete;
  NoTemporaryFiles& operator=(const NoTemporaryFiles&) = delete;

 private:
  std::optional<std::string> before_;
};

}  // namespace heapglot

#endif  // HEAPGLOT_TESTS_NO_TEMPORARY_FILES_H_
