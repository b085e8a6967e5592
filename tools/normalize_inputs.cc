#include "tools/normalize_inputs.h"

#include <glob.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <set>
#include <system_error>

#include "core/bytes/fd.h"
#include "tools/archive_store.h"

namespace heapglot::tool {
namespace {

namespace fs = std::filesystem;

class Lister {
 public:
  explicit Lister(const std::string& archive) {
    std::error_code ignored;
    archive_ = fs::canonical(archive, ignored);
  }

  Status Add(const std::string& argument) {
    std::error_code ignored;
    if (argument == "-") return AddStandardInput();
    if (fs::is_directory(argument, ignored)) return AddDirectory(argument);
    const bool is_pattern = argument.find_first_of("*?[") != std::string::npos;
    if (is_pattern && !fs::exists(argument, ignored))
      return AddPattern(argument);
    paths_.insert(argument);
    return {};
  }

  Result<NormalizeInputs> Take() const {
    NormalizeInputs inputs;
    inputs.links.assign(links_.begin(), links_.end());
    inputs.files.reserve(paths_.size());
    for (const std::string& path : paths_) {
      if (IsInArchive(archive_, path)) {
        return Status(Code::kUsage,
                      "an INPUT is inside the archive: '" + path + "'");
      }
      std::error_code error;
      const std::uint64_t size = fs::file_size(path, error);
      inputs.files.push_back({.path = path, .size = error ? 0 : size});
    }
    return inputs;
  }

 private:
  Status AddDirectory(const std::string& directory) {
    std::error_code error;
    if (!archive_.empty() && fs::canonical(directory, error) == archive_) {
      return {Code::kUsage,
              "the archive is also an INPUT: '" + directory + "'"};
    }
    fs::recursive_directory_iterator at(directory, error);
    for (; !error && at != fs::recursive_directory_iterator();
         at.increment(error)) {
      std::error_code ignored;
      if (!archive_.empty() && at->is_directory(ignored) &&
          fs::canonical(at->path(), ignored) == archive_) {
        at.disable_recursion_pending();
        continue;
      }
      if (at->is_symlink(ignored) && at->is_directory(ignored))
        links_.insert(at->path());
      // A path that cannot be examined is an input that fails.
      const fs::file_type type = at->status(ignored).type();
      const bool is_closed =
          type == fs::file_type::directory && !CanBeRead(at->path());
      if (is_closed) at.disable_recursion_pending();
      if (type == fs::file_type::regular || type == fs::file_type::not_found ||
          type == fs::file_type::none || is_closed)
        paths_.insert(at->path());
    }
    if (!error) return {};
    return {Code::kInput,
            "cannot read the directory " + directory + ": " + error.message()};
  }

  static bool CanBeRead(const fs::path& directory) {
    std::error_code error;
    const fs::directory_iterator at(directory, error);
    return !error;
  }

  Status AddPattern(const std::string& pattern) {
    glob_t found = {};
    const int error = glob(pattern.c_str(), 0, nullptr, &found);
    Status status;
    if (error != 0)
      status = {Code::kUsage, "no file matches '" + pattern + "'"};
    for (std::size_t i = 0; status.ok() && i < found.gl_pathc; ++i) {
      std::error_code ignored;
      if (fs::is_directory(found.gl_pathv[i], ignored)) {
        status = AddDirectory(found.gl_pathv[i]);
      } else {
        paths_.insert(found.gl_pathv[i]);
      }
    }
    globfree(&found);
    return status;
  }

  Status AddStandardInput() {
    std::string text;
    std::array<char, 65'536> buffer;
    for (;;) {
      const ssize_t size = ReadSome(STDIN_FILENO, buffer.data(), buffer.size());
      if (size < 0)
        return {Code::kInput,
                "cannot read the list on standard input: " + ErrnoText(errno)};
      if (size == 0) break;
      text.append(buffer.data(), static_cast<std::size_t>(size));
    }
    const char separator = text.find('\0') == std::string::npos ? '\n' : '\0';
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end =
          std::min(text.find(separator, begin), text.size());
      if (end != begin) paths_.insert(text.substr(begin, end - begin));
      begin = end + 1;
    }
    return {};
  }

  fs::path archive_;
  std::set<std::string> paths_;
  std::set<std::string> links_;
};

}  // namespace

Result<NormalizeInputs> ListInputs(const std::vector<std::string>& arguments,
                                   const std::string& archive) {
  Lister lister(archive);
  for (const std::string& argument : arguments)
    HEAPGLOT_RETURN_IF_ERROR(lister.Add(argument));
  return lister.Take();
}

}  // namespace heapglot::tool
